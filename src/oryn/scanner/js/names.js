// Accessible names after https://www.w3.org/TR/accname-1.2/#mapping_additional_nd_te (the letters are its steps) and
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation; where they leave spaces open,
// Chromium's way.

const NAME_LIMIT = 150;
const MAX_TEXT_LENGTH = 1000;
const MAX_CONTENT_DEPTH = 200;
const TEXT_INPUTS = new Set([
  'text',
  'search',
  'email',
  'tel',
  'url',
  'password',
  'number',
  '',
  'date',
  'datetime-local',
  'month',
  'time',
  'week',
]);
const BUTTON_INPUTS = { button: '', submit: 'Submit', reset: 'Reset', image: 'Submit' };

// The private use areas (https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-23/#G19184): the pictures of
// icon fonts, which nobody can read or write.
const GLYPHS = /[\uE000-\uF8FF\u{F0000}-\u{10FFFF}]+/gu;
const withoutGlyphs = (text) => text.replace(GLYPHS, ' ');

// Other icon fonts draw the name of a picture as that picture, if it stands alone: `<i>arrow_drop_down</i>`.
const LIGATURE = /^\s*[a-z][a-z\d]*(?:_[a-z\d]+)*\s*$/;
const ICON_FONT = /^["']?[^,]*(?:icons?|symbols?)\b/i;
const isIconName = (text, element) => LIGATURE.test(text) && ICON_FONT.test(styleOf(element).fontFamily);

const collapse = (text) => text.replace(/\s+/g, ' ').trim();
const shorten = (text) => (text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT - 1).trimEnd()}…` : text);

/** Text as it gathers: pieces join without a space unless a block boundary lies between them. */
class TextAccumulator {
  constructor(root) {
    this.root = root;
    this.text = '';
    this.visited = new Set();
    this.depth = 0;
    this.labelled = false;
    this.isBranch = authoredRole(root) === 'treeitem';
  }

  get full() {
    return this.text.length > MAX_TEXT_LENGTH;
  }

  add(text) {
    this.text += withoutGlyphs(text);
  }

  /** A text alternative (alt, title, aria-label) never runs into the text beside it. */
  addApart(text) {
    this.boundary();
    this.add(text);
    this.boundary();
  }

  boundary() {
    if (this.text && !/\s$/.test(this.text)) this.text += ' ';
  }
}

/** The accessible name, whole (up to 1,000 characters), white space collapsed; '' for none. */
function accessibleName(element) {
  const gathering = new TextAccumulator(element);
  addAlternative(element, gathering, null);
  return collapse(gathering.text);
}

/**
 * Steps 2B to 2I for one element. `within` is null for the element whose name is asked, `label` when a label is being
 * read, `content` when it is part of another element's content.
 */
function addAlternative(element, gathering, within) {
  if (gathering.visited.has(element) || gathering.full) return;
  gathering.visited.add(element);
  if (!gathering.labelled && addLabelledBy(element, gathering)) return;
  const role = roleOf(element);
  if (within && addEmbeddedValue(element, role, gathering)) return;
  const label = attribute(element, 'aria-label');
  if (label && withoutGlyphs(label).trim()) return gathering.addApart(label);
  if (role !== 'none' && addNativeName(element, gathering, within)) return;
  if (within || takesNameFromContent(element, role)) {
    const before = gathering.text.length;
    addContent(element, gathering);
    if (gathering.text.slice(before).trim()) return;
  }
  if (within !== 'content' || role) addTooltip(element, gathering);
}

const takesNameFromContent = (element, role) =>
  NAME_FROM_CONTENT.has(role) || tagOf(element) === 'summary' || tagOf(element) === 'label';

/** 2B. */
function addLabelledBy(element, gathering) {
  const ids = attribute(element, 'aria-labelledby');
  if (!ids || !ids.trim()) return false;
  const start = gathering.text.length;
  gathering.labelled = true;
  for (const id of ids.trim().split(/\s+/)) {
    const referenced = elementById(element, id);
    if (!referenced) continue;
    gathering.boundary();
    const isSelf = referenced === element;
    if (isSelf) gathering.visited.delete(element);
    addAlternative(referenced, gathering, isSelf ? null : 'label');
  }
  gathering.labelled = false;
  return gathering.text.slice(start).trim() !== '';
}

function elementById(element, id) {
  const root = rootOf(element);
  const lookup = byIdIn[nodeTypeOf(root)];
  return lookup ? lookup(root, id) : null;
}

/** 2C: a control inside a label or a content counts with its value. */
function addEmbeddedValue(element, role, gathering) {
  const tag = tagOf(element);
  if (tag === 'input' && inputTypeOf(element) === 'file') return true; // a path that no file has
  if (role === 'textbox' || role === 'searchbox') {
    if (!isSecret(element)) gathering.add(tag === 'input' || tag === 'textarea' ? valueOf(element) : textContentOf(element));
    return true;
  }
  if (role === 'combobox' || role === 'listbox') {
    if (tag === 'select') gathering.add(selectedTexts(element).join(' '));
    else if (tag === 'input') gathering.add(valueOf(element));
    else
      for (const option of queryAll(element, '[role=option][aria-selected=true]'))
        addAlternative(option, gathering, 'content');
    return true;
  }
  if (role === 'slider' || role === 'spinbutton') {
    gathering.add(
      attribute(element, 'aria-valuetext') ||
        attribute(element, 'aria-valuenow') ||
        (tag === 'input' ? valueOf(element) : ''),
    );
    return true;
  }
  return false;
}

/** 2E: https://www.w3.org/TR/html-aam-1.0/#accname-computation */
function addNativeName(element, gathering, within) {
  if (within !== 'label' && addLabels(element, gathering)) return true;
  const tag = tagOf(element);
  if (tag === 'input') return addInputName(element, gathering);
  if (tag === 'textarea') return addFirst(element, ['title', 'placeholder', 'aria-placeholder'], gathering);
  if (tag === 'img' || tag === 'area') return addFirst(element, ['alt', 'title'], gathering);
  const naming = { fieldset: 'legend', figure: 'figcaption', table: 'caption', svg: 'title' }[tag];
  const child = naming && firstChild(element, naming);
  if (!child) return false;
  addContent(child, gathering);
  return true;
}

function addLabels(element, gathering) {
  const labels = labelsOf(element);
  if (!labels.length) return false;
  const start = gathering.text.length;
  for (const label of labels) {
    gathering.boundary();
    addAlternative(label, gathering, 'label');
  }
  return gathering.text.slice(start).trim() !== '';
}

/**
 * The labels of a form control, in walk order. The native `labels` looks through the whole document for each control;
 * this asks every label once.
 */
function labelsOf(element) {
  return remember('labels', allLabels).get(element) || NO_LABELS;
}

const NO_LABELS = [];

function allLabels() {
  const labels = new Map();
  for (const element of allElements()) {
    if (tagOf(element) !== 'label' || !isHtml(element)) continue;
    const host = nativeLabelControlOf(element);
    for (const control of host ? new Set([host, innerControl(host)]) : []) {
      if (labels.has(control)) labels.get(control).push(element);
      else labels.set(control, [element]);
    }
  }
  return labels;
}

function addInputName(element, gathering) {
  const type = inputTypeOf(element);
  if (type in BUTTON_INPUTS) {
    if (type === 'image') return addFirst(element, ['alt', 'title'], gathering) || (gathering.add('Submit'), true);
    if (hasAttribute(element, 'value')) return (gathering.add(valueOf(element)), true);
    return BUTTON_INPUTS[type] ? (gathering.add(BUTTON_INPUTS[type]), true) : false;
  }
  return addFirst(element, TEXT_INPUTS.has(type) ? ['title', 'placeholder', 'aria-placeholder'] : ['title'], gathering);
}

function addFirst(element, names, gathering) {
  for (const name of names) {
    const text = attribute(element, name);
    if (text && withoutGlyphs(text).trim()) return (gathering.addApart(text), true);
  }
  return false;
}

/** 2I. */
function addTooltip(element, gathering) {
  addFirst(element, ['title', 'aria-placeholder'], gathering);
}

function firstChild(element, tag) {
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (nodeTypeOf(node) === ELEMENT_NODE && tagOf(node) === tag) return node;
  }
  return null;
}
