// Accessible names after https://www.w3.org/TR/accname-1.2/#mapping_additional_nd_te (the letters are its steps) and
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation. Where they leave spaces open, names
// are as Chromium makes them.

import {
  assignedNodesOf,
  attribute,
  dataOf,
  elementWithId,
  firstChildOf,
  hasAttribute,
  inputTypeOf,
  isElement,
  isText,
  nextSiblingOf,
  rootOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse } from '../dom/words';
import { isBanner, queryAll } from '../dom/banner';
import { TEXT_INPUTS, labelsOf } from '../dom/labels';
import { styleOf } from '../geometry/visibility';
import { NAME_FROM_CONTENT, authoredRole, roleOf } from './roles';
import { BUTTON_INPUTS, checkedState, isSecret, selectedTexts, takesLabel, valueOf } from './values';

/** The accessible name, whole (up to 1,000 characters), white space collapsed; '' for none. */
export function accessibleName(element: Element): string {
  const gathering = new TextAccumulator(element);
  addAlternative(element, gathering, null);
  return collapse(gathering.text);
}

export const MAX_TEXT_LENGTH = 1000;

/** Text as it gathers: pieces join without a space unless a block boundary lies between them. */
export class TextAccumulator {
  text = '';
  readonly visited = new Set<Element>();
  depth = 0;
  /** Whether an `aria-labelledby` is being followed: those of what it names don't count. */
  labelled = false;
  /** Whether it is for an item of a tree. */
  readonly isBranch: boolean;

  constructor(readonly root: Element) {
    this.isBranch = authoredRole(root) === 'treeitem';
  }

  get full(): boolean {
    return this.text.length > MAX_TEXT_LENGTH;
  }

  add(text: string): void {
    this.text += withoutGlyphs(text);
  }

  /** A text alternative (alt, title, aria-label) never runs into the text beside it. */
  addApart(text: string): void {
    this.boundary();
    this.add(text);
    this.boundary();
  }

  boundary(): void {
    if (this.text && !/\s$/.test(this.text)) this.text += ' ';
  }
}

/** Null for the element whose name is asked, `label` when a label is being read, `content` in another's content. */
type Within = 'label' | 'content' | null;

/** Steps 2B to 2I for one element. */
function addAlternative(element: Element, gathering: TextAccumulator, within: Within): void {
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

const takesNameFromContent = (element: Element, role: string): boolean =>
  NAME_FROM_CONTENT.has(role) || tagOf(element) === 'summary' || tagOf(element) === 'label';

/** 2B. */
function addLabelledBy(element: Element, gathering: TextAccumulator): boolean {
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

export const elementById = (element: Element, id: string): Element | null => elementWithId(rootOf(element), id);

/** 2C: a control inside a label or a content counts with its value. */
function addEmbeddedValue(element: Element, role: string, gathering: TextAccumulator): boolean {
  const tag = tagOf(element);
  if (tag === 'input' && inputTypeOf(element) === 'file') return true; // a path that no file has
  if (role === 'textbox' || role === 'searchbox') {
    if (!isSecret(element))
      gathering.add(tag === 'input' || tag === 'textarea' ? valueOf(element) : textContentOf(element));
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

const NAMING_CHILDREN: Readonly<Record<string, string>> = {
  fieldset: 'legend',
  figure: 'figcaption',
  table: 'caption',
  svg: 'title',
};

/** 2E: https://www.w3.org/TR/html-aam-1.0/#accname-computation */
function addNativeName(element: Element, gathering: TextAccumulator, within: Within): boolean {
  if (within !== 'label' && addLabels(element, gathering)) return true;
  const tag = tagOf(element);
  if (tag === 'input') return addInputName(element, gathering);
  if (tag === 'textarea') return addFirst(element, ['title', 'placeholder', 'aria-placeholder'], gathering);
  if (tag === 'img' || tag === 'area') return addFirst(element, ['alt', 'title'], gathering);
  const naming = NAMING_CHILDREN[tag];
  const child = naming && firstChild(element, naming);
  if (!child) return false;
  addContent(child, gathering);
  return true;
}

function addLabels(element: Element, gathering: TextAccumulator): boolean {
  const labels = labelsOf(element);
  if (!labels.length) return false;
  const start = gathering.text.length;
  for (const label of labels) {
    gathering.boundary();
    addAlternative(label, gathering, 'label');
  }
  return gathering.text.slice(start).trim() !== '';
}

function addInputName(element: Element, gathering: TextAccumulator): boolean {
  const type = inputTypeOf(element);
  if (type in BUTTON_INPUTS) {
    if (type === 'image') return addFirst(element, ['alt', 'title'], gathering) || (gathering.add('Submit'), true);
    if (hasAttribute(element, 'value')) return (gathering.add(valueOf(element)), true);
    return BUTTON_INPUTS[type] ? (gathering.add(BUTTON_INPUTS[type]), true) : false;
  }
  return addFirst(element, TEXT_INPUTS.has(type) ? ['title', 'placeholder', 'aria-placeholder'] : ['title'], gathering);
}

function addFirst(element: Element, names: readonly string[], gathering: TextAccumulator): boolean {
  for (const name of names) {
    const text = attribute(element, name);
    if (text && withoutGlyphs(text).trim()) return (gathering.addApart(text), true);
  }
  return false;
}

/** 2I. */
function addTooltip(element: Element, gathering: TextAccumulator): void {
  addFirst(element, ['title', 'aria-placeholder'], gathering);
}

/** The first child with a tag, or null. */
export function firstChild(element: Element, tag: string): Element | null {
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === tag) return node;
  }
  return null;
}

// Name from content (accname 2F to 2H): the text that an element shows, its generated content and its embedded names.

// https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings: these show no text of their own
export const TEXTLESS = new Set([
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
export function flatChildren(element: Element): readonly Node[] {
  const shadow = shadowOf(element);
  if (!shadow && tagOf(element) === 'slot') {
    const assigned = assignedNodesOf(element as HTMLSlotElement);
    if (assigned.length) return assigned;
  }
  const nodes: Node[] = [];
  for (let node = firstChildOf(shadow || element); node; node = nextSiblingOf(node)) {
    if (!isBanner(node)) nodes.push(node);
  }
  return nodes;
}

const MAX_CONTENT_DEPTH = 200;

/** Steps 2F to 2H. */
export function addContent(element: Element, gathering: TextAccumulator): void {
  if (gathering.depth > MAX_CONTENT_DEPTH || gathering.full) return;
  gathering.depth++;
  addGenerated(element, '::before', gathering);
  const nodes = flatChildren(element);
  const hidesText = nodes.length > 0 && isInvisible(element) && !isInvisible(gathering.root);
  for (const node of nodes) {
    if (isText(node)) {
      if (!hidesText && !isIconName(dataOf(node), element)) gathering.add(dataOf(node));
    } else if (isElement(node)) addChild(node, gathering);
  }
  addGenerated(element, '::after', gathering);
  gathering.depth--;
}

/** A hidden element still has a name; inside a visible one it adds nothing. */
const isInvisible = (element: Element): boolean => styleOf(element).visibility !== 'visible';

const SUBTREES = new Set(['group', 'treeitem', 'tree']); // in a branch of a tree: its items have names of their own

function addChild(element: Element, gathering: TextAccumulator): void {
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
function addGenerated(element: Element, pseudo: '::before' | '::after', gathering: TextAccumulator): void {
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
const isMarkOfField = (text: string, root: Element): boolean =>
  /^[\s:*]+$/.test(text) && takesLabel(root) && checkedState(root) === null;

function generatedText(element: Element, content: string): string {
  const alternative = content.lastIndexOf('" / ') >= 0 ? content.slice(content.lastIndexOf('" / ') + 4) : content;
  let text = '';
  for (const part of alternative.match(/"(?:[^"\\]|\\.)*"|attr\([^)]*\)/g) || []) {
    if (part[0] === '"') text += part.slice(1, -1).replace(/\\(.)/g, '$1');
    else text += attribute(element, part.slice(5, -1).trim()) || '';
  }
  return text;
}

// The private use areas (https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-23/#G19184): the pictures of
// icon fonts, which nobody can read or write.
const GLYPHS = /[\uE000-\uF8FF\u{F0000}-\u{10FFFF}]+/gu;

export const withoutGlyphs = (text: string): string => text.replace(GLYPHS, ' ');

// Other icon fonts draw the name of a picture as that picture, if it stands alone: `<i>arrow_drop_down</i>`.
const LIGATURE = /^\s*[a-z][a-z\d]*(?:_[a-z\d]+)*\s*$/;

const ICON_FONT = /^["']?[^,]*(?:icons?|symbols?)\b/i;

export const isIconName = (text: string, element: Element): boolean =>
  LIGATURE.test(text) && ICON_FONT.test(styleOf(element).fontFamily);

const NAME_LIMIT = 150;

/** A text, cut to the length that a name may have. */
export const shorten = (text: string): string =>
  text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT - 1).trimEnd()}…` : text;
