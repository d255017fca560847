// A name for every element: the accessible one, else the nearest text that a person would read as its label.

const LABEL_REACH = 60;
const LONGEST_LABEL = 120;
const LABELLED_ROLES = new Set([
  'checkbox',
  'radio',
  'switch',
  'textbox',
  'combobox',
  'listbox',
  'slider',
  'spinbutton',
]);

/** The element's name, whole, from the snapshot's cache: '' when nothing names it. */
function nameOf(element) {
  const { names } = currentCache();
  let name = names.get(element);
  if (name === undefined) {
    name = accessibleName(element) || otherName(element);
    names.set(element, name);
  }
  return name;
}

function otherName(element) {
  const tag = tagOf(element);
  const isField = tag === 'input' ? !(inputTypeOf(element) in BUTTON_INPUTS) : tag === 'select' || tag === 'textarea';
  if (isField || LABELLED_ROLES.has(authoredRole(element))) return nearbyLabel(element);
  if (tag === 'iframe' || tag === 'frame')
    return collapse(attribute(element, 'title') || attribute(element, 'name') || attribute(element, 'src') || '');
  const content = NAME_FROM_CONTENT.has(roleOf(element)) ? '' : plainContent(element);
  return content || pictureName(element) || authoredWords(element);
}

/** What an element without a role shows: its content, as if it named itself. */
function plainContent(element) {
  if (isEditable(element)) return nearbyLabel(element);
  const gathering = new Gathering(element);
  const title = namespaceOf(element) === SVG ? firstChild(element, 'title') : null;
  if (title) return collapse(textContentOf(title));
  addContent(element, gathering);
  return collapse(gathering.text);
}

/** The alternative of the only picture inside, or its title. */
function pictureName(element) {
  for (const inner of queryAll(element, 'img[alt],[title],[aria-label],svg title')) {
    const name =
      attribute(inner, 'aria-label') ||
      attribute(inner, 'alt') ||
      attribute(inner, 'title') ||
      (tagOf(inner) === 'title' ? textContentOf(inner) : '');
    if (collapse(name)) return collapse(name);
  }
  return '';
}

/** Text beside a field: after a check box or radio button, else before the field, else the head of its table column. */
function nearbyLabel(element) {
  const checks = checkedState(element) !== null;
  const text = checks
    ? textBeside(element, nextSiblingOf) || textBeside(element, previousSiblingOf)
    : textBeside(element, previousSiblingOf) || columnHead(element);
  return text.replace(/[\s:*]+$/, '');
}

/** Climb from the element, reading what lies on one side of it, until text is found or another field is in the way. */
function textBeside(element, sibling) {
  let budget = LABEL_REACH;
  for (let level = element; level && budget > 0; level = parentOf(level)) {
    if (nodeTypeOf(level) !== ELEMENT_NODE || ['form', 'body', 'fieldset', 'table', 'dialog'].includes(tagOf(level)))
      return '';
    for (let node = sibling(level); node && budget-- > 0; node = sibling(node)) {
      if (nodeTypeOf(node) === TEXT_NODE) {
        const text = collapse(dataOf(node));
        if (/[^\s:*|,.()-]/.test(text)) return text.length > LONGEST_LABEL ? '' : text;
      } else if (nodeTypeOf(node) === ELEMENT_NODE) {
        if (isFieldOrHoldsOne(node)) return '';
        const text = TEXTLESS.has(tagOf(node)) || !isStyledVisible(node) ? '' : plainContent(node);
        if (text) return text.length > LONGEST_LABEL ? '' : text;
      }
    }
  }
  return '';
}

function isFieldOrHoldsOne(element) {
  const fields = 'input:not([type=hidden]),select,textarea,button';
  return matches(element, fields) || queryAll(element, fields).length > 0;
}

function columnHead(element) {
  const cell = closest(element, 'td');
  const row = cell && parentOf(cell);
  const table = cell && closest(cell, 'table');
  if (!row || !table) return '';
  const index = Array.prototype.indexOf.call(childrenOf(row), cell);
  const head = queryAll(table, 'tr')[0];
  const title = head && head !== row && childrenOf(head)[index];
  return title && tagOf(title) === 'th' ? plainContent(title) : '';
}

// Words of class names that say how a thing looks or is built, not what it is for.
const BUILDING_WORDS = wordSet(`
  a active align alt b background bar basic block body border bottom box btn button cell center circle clearfix click
  clickable col color column component container content control current cursor custom default disabled div dark
  element el fa fab far fas fill flex fixed float fluid fw g glyphicon grid group header hidden hover hover href i icn
  ico icon icons image img inactive inline inner input is item js large left lg li light link list lg main material md
  media mobile module nav new no none normal on outer pointer position primary pull round row secondary section
  selected shadow sm small social span sprite sr state static sub svg symbol tag target text theme tiny toggle
  transparent ui ul unstyled use visible widget width wrap wrapper xl xs z
`);
const MOST_WORDS = 3;

/**
 * What the author calls a thing that shows nothing to read, an icon most often: the telling words of its own or its
 * icon's id and classes, `icon-shopping-cart` → `shopping cart`.
 */
function authoredWords(element) {
  for (const part of [element, ...queryAll(element, 'i,span,svg,use')].slice(0, 5)) {
    const reference = attribute(part, 'href') || attribute(part, 'xlink:href') || '';
    const written = [attribute(part, 'class'), attribute(part, 'id'), tagOf(part) === 'use' ? reference : ''];
    for (const text of written) {
      const words = tellingWords(text || '');
      if (words) return words;
    }
  }
  return '';
}

function tellingWords(text) {
  const words = [];
  for (const token of text.split(/\s+/)) {
    if (token.length > 40 || /\d/.test(token)) continue; // generated
    for (const word of token
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}]+/u)) {
      if (word.length > 1 && !BUILDING_WORDS.has(word) && !words.includes(word)) words.push(word);
    }
  }
  return words.slice(0, MOST_WORDS).join(' ');
}
