// Name from content (accname 2F to 2H): the text that an element shows, its generated content and its embedded names.

// https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings: these show no text of their own
const TEXTLESS = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'meta',
  'link',
  'iframe',
  'object',
  'video',
  'audio',
  'canvas',
]);

/** The children of the flat tree: a host's shadow tree, a slot's assigned nodes. */
function flatChildren(element) {
  const shadow = shadowOf(element);
  if (!shadow && tagOf(element) === 'slot') {
    const assigned = assignedNodesOf(element);
    if (assigned.length) return assigned;
  }
  const nodes = [];
  for (let node = firstChildOf(shadow || element); node; node = nextSiblingOf(node)) {
    if (!isBanner(node)) nodes.push(node);
  }
  return nodes;
}

function addContent(element, gathering) {
  if (gathering.depth > MAX_CONTENT_DEPTH || gathering.full) return;
  gathering.depth++;
  addGenerated(element, '::before', gathering);
  const nodes = flatChildren(element);
  const hidesText = nodes.length > 0 && isInvisible(element) && !isInvisible(gathering.root);
  for (const node of nodes) {
    if (nodeTypeOf(node) === TEXT_NODE) {
      if (!hidesText && !isIconName(dataOf(node), element)) gathering.add(dataOf(node));
    } else if (nodeTypeOf(node) === ELEMENT_NODE) addChild(node, gathering);
  }
  addGenerated(element, '::after', gathering);
  gathering.depth--;
}

/** A hidden element still has a name; inside a visible one it adds nothing. */
const isInvisible = (element) => styleOf(element).visibility !== 'visible';

const SUBTREES = new Set(['group', 'treeitem', 'tree']); // in a branch of a tree: its items have names of their own

function addChild(element, gathering) {
  const tag = tagOf(element);
  if (TEXTLESS.has(tag)) return;
  if (tag === 'br') return gathering.boundary();
  if (attribute(element, 'aria-hidden') === 'true') return;
  if (gathering.isBranch && SUBTREES.has(authoredRole(element))) return;
  const { display } = styleOf(element);
  if (display === 'none') return;
  const isBlock = !(display === 'inline' || display === 'contents' || display.startsWith('ruby')) || tag === 'img';
  if (isBlock) gathering.boundary();
  addAlternative(element, gathering, 'content');
  if (isBlock) gathering.boundary();
}

/** The text of `::before` or `::after`: https://www.w3.org/TR/css-content-3/#content-property */
function addGenerated(element, pseudo, gathering) {
  const style = styleOf(element, pseudo);
  const { content } = style;
  if (content === 'none' || content === 'normal' || !content) return;
  const text = generatedText(element, content);
  if (isMarkOfField(text, gathering.root)) return;
  if (!text || style.display === 'none' || style.visibility !== 'visible') return;
  const isBlock = !style.display.startsWith('inline');
  if (isBlock) gathering.boundary();
  gathering.add(text);
  if (isBlock) gathering.boundary();
}

/** Whether a style adds a colon or an asterisk to the label of a field. */
const isMarkOfField = (text, root) => /^[\s:*]+$/.test(text) && takesLabel(root) && checkedState(root) === null;

function generatedText(element, content) {
  const alternative = content.lastIndexOf('" / ') >= 0 ? content.slice(content.lastIndexOf('" / ') + 4) : content;
  let text = '';
  for (const part of alternative.match(/"(?:[^"\\]|\\.)*"|attr\([^)]*\)/g) || []) {
    if (part[0] === '"') text += part.slice(1, -1).replace(/\\(.)/g, '$1');
    else text += attribute(element, part.slice(5, -1).trim()) || '';
  }
  return text;
}
