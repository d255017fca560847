// Accessible names after https://www.w3.org/TR/accname-1.2/#mapping_additional_nd_te (the letters are its steps) and
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation. Where they leave spaces open, names
// are as Chromium makes them.

import {
  SVG,
  assignedNodesOf,
  attribute,
  checkVisibility,
  dataOf,
  elementWithId,
  firstChildOf,
  hasAttribute,
  inputTypeOf,
  isElement,
  isHtml,
  isText,
  namespaceOf,
  nextSiblingOf,
  rootOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { isBanner, queryAll } from '../dom/banner';
import { TEXT_INPUTS, labelsOf } from '../dom/labels';
import { elementAbove } from '../dom/tree';
import { styleOf } from '../geometry/styles';
import { formulaText } from './formulas';
import { generatedText, isIconName, replacingText, withoutGlyphs } from './generated_text';
import type { Pseudo } from './generated_text';
import { NAME_FROM_CONTENT, authoredRole, isDetailsSummary, roleOf } from './roles';
import { ownersOfElements } from './owners';
import { BUTTON_INPUTS, checkedState, isSecret, numberIn, selectedTexts, takesLabel, valueOf } from './values';

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
  /** How many of its characters styles have added. */
  drawn = 0;
  /** Whether an `aria-labelledby` is being followed: those of what it names don't count. */
  labelled = false;
  /** Whether what is read is hidden itself, and referred to: then all in it counts, hidden or not (2A). */
  countsHidden = false;
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

/**
 * Null for the element whose name is asked, `self` if it refers to itself, `label` when a label is being read, `content`
 * in another's content.
 */
type Within = 'self' | 'label' | 'content' | null;

/** Steps 2B to 2I for one element. */
function addAlternative(element: Element, gathering: TextAccumulator, within: Within): void {
  if (gathering.visited.has(element) || gathering.full) return;
  gathering.visited.add(element);
  if (tagOf(element) === 'slot') return addContent(element, gathering);
  if (!gathering.labelled && addLabelledBy(element, gathering)) return;
  const role = roleOf(element);
  const isInner = within === 'label' || within === 'content';
  if (isInner && addEmbeddedValue(element, role, gathering)) return;
  const label = attribute(element, 'aria-label');
  if (label && withoutGlyphs(label).trim()) return gathering.addApart(label);
  const start = gathering.text.length;
  if (within === 'self' && addEmbeddedValue(element, role, gathering) && gathering.text.slice(start).trim()) return;
  if (role !== 'none' && addNativeName(element, gathering, within)) return;
  if (within === 'content' && COMPOSITES.has(role)) return;
  if (isInner || takesNameFromContent(element, role)) {
    const before = { length: gathering.text.length, drawn: gathering.drawn };
    addContent(element, gathering);
    const content = gathering.text.slice(before.length).trim();
    const isSign =
      within === null && content.length <= LONGEST_SIGN && content.length === gathering.drawn - before.drawn;
    if (content && !(isSign && attribute(element, 'title')?.trim())) return;
    if (content) gathering.text = '';
  }
  const hasTooltip = within !== 'content' || role || EMBEDDING.has(tagOf(element));
  if (hasTooltip && role !== 'none') addTooltip(element, gathering);
}

/** Characters of a sign that a style draws on a button, whose title says what it stands for. */
const LONGEST_SIGN = 2;

/** What these hold says nothing of what is around them: a menu in a menu item, a dialog in a button. */
const COMPOSITES = wordSet('menu menubar tree treegrid grid tablist dialog alertdialog');

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
    const isSelf = referenced === element;
    if (isSelf) gathering.visited.delete(element);
    addReferenced(referenced, gathering, isSelf ? 'self' : 'label');
  }
  gathering.labelled = false;
  return gathering.text.slice(start).trim() !== '';
}

/** What something refers to as its label counts also if it is hidden, and then with all that is in it (2A). */
function addReferenced(label: Element, gathering: TextAccumulator, within: Within): void {
  const outer = gathering.countsHidden;
  gathering.countsHidden ||= attribute(label, 'aria-hidden') === 'true' || !isRendered(label);
  gathering.boundary();
  addAlternative(label, gathering, within);
  gathering.countsHidden = outer;
}

const VISIBLE = { checkVisibilityCSS: true };

/** Whether styles let an element be there, its opacity apart; also one without a box of its own (`display: contents`). */
export function isRendered(element: Element): boolean {
  if (checkVisibility?.(element, VISIBLE)) return true;
  const { display, visibility } = styleOf(element);
  if (visibility !== 'visible' || display === 'none') return false;
  if (display !== 'contents') return !checkVisibility || checkVisibility(element);
  const above = elementAbove(element);
  return above === null || isRendered(above);
}

export const elementById = (element: Element, id: string): Element | null => elementWithId(rootOf(element), id);

/** 2C: a control inside a label or a content counts with its value. Returns whether it is one. */
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
    else addChosen(element, role, gathering);
    return true;
  }
  if (!RANGES.has(role)) return false;
  const value =
    attribute(element, 'aria-valuetext') ||
    attribute(element, 'aria-valuenow') ||
    (tag === 'input' ? valueOf(element) : NATIVE_RANGES.has(tag) ? String(numberIn(element, 'value') ?? '') : '');
  if (!value && role === 'progressbar') return false;
  gathering.add(value);
  return true;
}

// https://www.w3.org/TR/wai-aria-1.2/#range
const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
const NATIVE_RANGES = new Set(['progress', 'meter']);

/** The options that are chosen, or, of a combo box, what it shows. */
function addChosen(element: Element, role: string, gathering: TextAccumulator): void {
  const chosen = queryAll(element, '[role=option][aria-selected=true]');
  for (const option of chosen) addAlternative(option, gathering, 'content');
  if (!chosen.length && role === 'combobox') addContent(element, gathering);
}

const NAMING_CHILDREN: Readonly<Record<string, string>> = {
  fieldset: 'legend',
  figure: 'figcaption',
  table: 'caption',
};

/** 2E: https://www.w3.org/TR/html-aam-1.0/#accname-computation */
function addNativeName(element: Element, gathering: TextAccumulator, within: Within): boolean {
  if (within !== 'label' && addLabels(element, gathering)) return true;
  const tag = tagOf(element);
  if (namespaceOf(element) === SVG)
    return addChildText(element, 'title', gathering) || addFirst(element, ['xlink:title'], gathering);
  switch (tag) {
    case 'input':
      return addInputName(element, gathering);
    case 'textarea':
      return addFirst(element, ['title', 'placeholder', 'aria-placeholder'], gathering);
    case 'img': // an empty alternative says that the picture adds nothing, whatever its title is
      return (
        addFirst(element, ['alt'], gathering) || hasAttribute(element, 'alt') || addFirst(element, ['title'], gathering)
      );
    case 'area':
      return addFirst(element, ['alt', 'title'], gathering);
    case 'option':
    case 'optgroup':
      return addFirst(element, ['label'], gathering);
    default:
      return addChildText(element, NAMING_CHILDREN[tag], gathering);
  }
}

/** The text of the first child with a tag. */
function addChildText(element: Element, tag: string | undefined, gathering: TextAccumulator): boolean {
  const child = tag && firstChild(element, tag);
  if (!child) return false;
  addContent(child, gathering);
  return true;
}

function addLabels(element: Element, gathering: TextAccumulator): boolean {
  const labels = labelsOf(element);
  if (!labels.length) return false;
  const start = gathering.text.length;
  for (const label of labels) {
    addReferenced(label, gathering, 'label');
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

/** These are no part of what is read. */
const UNREAD = wordSet('script style noscript template head meta link datalist rp');

/** What embeds something else is called by its author's words alone; what a canvas holds is never seen. */
const EMBEDDING = wordSet('iframe frame object video audio canvas');

/** These show no text of their own. */
export const TEXTLESS = new Set([...UNREAD, ...EMBEDDING]);

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
  if (gathering.depth > MAX_CONTENT_DEPTH || gathering.full || EMBEDDING.has(tagOf(element))) return;
  const style = styleOf(element);
  const picture = replacingText(element, style.content);
  if (picture !== null) return gathering.addApart(picture);
  gathering.depth++;
  addGenerated(element, '::before', gathering);
  const nodes = contentNodes(element, gathering);
  const { ownerOf } = ownersOfElements();
  const hidesText =
    nodes.length > 0 && !gathering.countsHidden && style.visibility !== 'visible' && !isInvisible(gathering.root);
  for (const node of nodes) {
    if (isText(node)) {
      if (!hidesText && !isIconName(dataOf(node), element)) gathering.add(dataOf(node));
      continue;
    }
    if (!isElement(node)) continue;
    const owner = ownerOf.get(node);
    if (owner && owner !== element) continue;
    if (owner) gathering.boundary();
    addChild(node, gathering);
  }
  addGenerated(element, '::after', gathering);
  gathering.depth--;
}

/** What is read of an element: its flat children, and what `aria-owns` adds. */
function contentNodes(element: Element, gathering: TextAccumulator): readonly Node[] {
  let nodes = flatChildren(element);
  if (!gathering.countsHidden && isFoldedDetails(element)) nodes = nodes.filter(isSummaryNode);
  const owned = hasAttribute(element, 'aria-owns') ? ownersOfElements().ownedBy.get(element) : undefined;
  return owned ? [...nodes, ...owned.filter((each) => !nodes.includes(each))] : nodes;
}

/** Whether what an element holds is skipped unless it is a summary. */
export const isFoldedDetails = (element: Element): boolean =>
  tagOf(element) === 'details' && !hasAttribute(element, 'open');

export const isSummaryNode = (node: Node): boolean =>
  isElement(node) && tagOf(node) === 'summary' && isDetailsSummary(node);

/** A hidden element still has a name; inside a visible one it adds nothing. */
const isInvisible = (element: Element): boolean => styleOf(element).visibility !== 'visible';

const SUBTREES = new Set(['group', 'treeitem', 'tree']); // in a branch of a tree: its items have names of their own

function addChild(element: Element, gathering: TextAccumulator): void {
  const tag = tagOf(element);
  if (UNREAD.has(tag)) return;
  if (tag === 'br') return gathering.boundary();
  const style = styleOf(element);
  if (!gathering.countsHidden && isLeftOut(element, style)) return;
  if (gathering.isBranch && SUBTREES.has(authoredRole(element))) return;
  const { display } = style;
  if (tag === 'math') return gathering.add(formulaText(element));
  const isBlock = !(display === 'inline' || display === 'contents' || display.startsWith('ruby')) || tag === 'img';
  if (isBlock) gathering.boundary();
  addAlternative(element, gathering, 'content');
  if (isBlock) gathering.boundary();
}

/** Whether an element adds nothing to the text around it, although it is a part of it. */
const isLeftOut = (element: Element, { display, contentVisibility }: CSSStyleDeclaration): boolean =>
  display === 'none' ||
  contentVisibility === 'hidden' ||
  attribute(element, 'aria-hidden') === 'true' ||
  (isHtml(element) && hasAttribute(element, 'inert'));

function addGenerated(element: Element, pseudo: Pseudo, gathering: TextAccumulator): void {
  const generated = generatedText(element, pseudo, gathering.countsHidden);
  if (!generated || isMarkOfField(generated.text, gathering.root) || isSign(generated.text, gathering.root)) return;
  if (generated.isBlock) gathering.boundary();
  gathering.add(generated.text);
  gathering.drawn += generated.text.trim().length;
  if (generated.isBlock) gathering.boundary();
}

/** Whether a style draws a single letter for an element that has a tooltip and no text: a sign, as of an icon font. */
const isSign = (text: string, root: Element): boolean =>
  [...text.trim()].length === 1 && /\S/.test(attribute(root, 'title') ?? '') && !/\S/.test(textContentOf(root));

/** Whether a style adds a colon or an asterisk to the label of a field. */
const isMarkOfField = (text: string, root: Element): boolean =>
  /^[\s:*]+$/.test(text) && takesLabel(root) && checkedState(root) === null;

const NAME_LIMIT = 150;

/** A text, cut to the length that a name may have. */
export const shorten = (text: string): string =>
  text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT - 1).trimEnd()}…` : text;
