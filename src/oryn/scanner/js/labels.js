// A name for every element: the accessible one, else the nearest text that a person would read as its label.

const LABEL_REACH = 60;
const LONGEST_LABEL = 120;
const NAMELESS_TYPES = new Set(['input', 'select', 'textarea', 'checkbox', 'radio']);

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
  if (isField || ['checkbox', 'radio', 'switch', 'textbox', 'combobox', 'listbox', 'slider', 'spinbutton'].includes(authoredRole(element))) {
    return nearbyLabel(element);
  }
  if (tag === 'iframe' || tag === 'frame') return collapse(attribute(element, 'title') || attribute(element, 'name') || attribute(element, 'src') || '');
  if (WIDGET_ROLES.has(roleOf(element)) && roleOf(element) !== 'listbox') return pictureName(element);
  return plainContent(element) || pictureName(element);
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
    const name = attribute(inner, 'aria-label') || attribute(inner, 'alt') || attribute(inner, 'title') || (tagOf(inner) === 'title' ? textContentOf(inner) : '');
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
    if (nodeTypeOf(level) !== ELEMENT_NODE || ['form', 'body', 'fieldset', 'table', 'dialog'].includes(tagOf(level))) return '';
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
