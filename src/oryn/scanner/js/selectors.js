// Selectors in both directions: elements by CSS (through open shadow roots and same-origin frames) and XPath, and an
// element's own.

const escapeCss = CSS.escape.bind(CSS);
const SNAPSHOT = 7; // XPathResult.ORDERED_NODE_SNAPSHOT_TYPE
const STABLE_ATTRIBUTES = ['data-testid', 'data-test', 'name', 'aria-label', 'placeholder'];

/** All elements that match, in walk order. */
function queryPage(css) {
  const found = [];
  allElements();
  for (const tree of currentCache().trees) {
    try {
      for (const element of queryAll(tree.root, css)) found.push(element);
    } catch (error) {
      throw new Refusal('SELECTOR_INVALID', `not a CSS selector: ${css}`);
    }
  }
  return found.length > 1 && currentCache().trees.length > 1 ? inWalkOrder(found) : found;
}

function queryFirst(css) {
  return queryPage(css)[0] || null;
}

function inWalkOrder(elements) {
  const wanted = new Set(elements);
  return allElements().filter((element) => wanted.has(element));
}

function queryXPath(expression) {
  const found = [];
  allElements();
  for (const tree of currentCache().trees) {
    if (nodeTypeOf(tree.root) !== DOCUMENT_NODE) continue;
    let result;
    try {
      result = evaluateXPath(tree.root, expression, tree.root, null, SNAPSHOT, null);
    } catch (error) {
      throw new Refusal('SELECTOR_INVALID', `not an XPath expression: ${expression}`);
    }
    for (let index = 0; index < result.snapshotLength; index++) {
      const node = result.snapshotItem(index);
      if (nodeTypeOf(node) === ELEMENT_NODE && !isBanner(node)) found.push(node);
    }
  }
  return found;
}

/** A CSS selector that finds this element and no other in its tree: by id, by a telling attribute, else by its path. */
function selectorOf(element) {
  const root = rootOf(element);
  const unique = (css) => queryAllBy[nodeTypeOf(root)] && queryAll(root, css).length === 1;
  const id = attribute(element, 'id');
  if (id && unique(`#${escapeCss(id)}`)) return `#${escapeCss(id)}`;
  const tag = escapeCss(localNameOf(element));
  for (const name of STABLE_ATTRIBUTES) {
    const value = attribute(element, name);
    const css = value && value.length < 100 && `${tag}[${name}="${escapeString(value)}"]`;
    if (css && unique(css)) return css;
  }
  const steps = [];
  for (let node = element; node && nodeTypeOf(node) === ELEMENT_NODE; node = parentOf(node)) {
    const own = attribute(node, 'id');
    if (node !== element && own && unique(`#${escapeCss(own)}`)) {
      steps.unshift(`#${escapeCss(own)}`);
      break;
    }
    steps.unshift(stepOf(node));
  }
  return steps.join(' > ');
}

const escapeString = (text) =>
  text.replace(/["\\]/g, '\\$&').replace(/[\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `);

function stepOf(element) {
  const tag = escapeCss(localNameOf(element));
  const { index, count } = placeAmongSiblings(element);
  return count > 1 ? `${tag}:nth-of-type(${index})` : tag;
}

function placeAmongSiblings(element) {
  let index = 1;
  let count = 1;
  const tag = localNameOf(element);
  for (let node = previousSiblingOf(element); node; node = previousSiblingOf(node)) {
    if (nodeTypeOf(node) === ELEMENT_NODE && localNameOf(node) === tag) index++;
  }
  count = index;
  for (let node = nextSiblingOf(element); node; node = nextSiblingOf(node)) {
    if (nodeTypeOf(node) === ELEMENT_NODE && localNameOf(node) === tag) count++;
  }
  return { index, count };
}

/** The XPath from the root of the element's tree; elements outside the HTML namespace are found by local name. */
function xpathOf(element) {
  const steps = [];
  for (let node = element; node && nodeTypeOf(node) === ELEMENT_NODE; node = parentOf(node)) {
    const { index, count } = placeAmongSiblings(node);
    const name = isHtml(node) ? localNameOf(node) : `*[local-name()="${localNameOf(node)}"]`;
    steps.unshift(count > 1 ? `${name}[${index}]` : name);
  }
  return `/${steps.join('/')}`;
}
