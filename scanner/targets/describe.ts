// What the commands that look at a page have in common: the page's own data, which of the candidates a request wants, and
// an element as a record (docs/spec/scanner-protocol.md#elements).

import {
  attribute,
  boxOf,
  dataOf,
  documentElementOf,
  firstChildOf,
  hasAttribute,
  inputValueOf,
  isElement,
  isText,
  matches,
  nextSiblingOf,
  ownerOf,
  readyStateOf,
  scrollerOf,
  tagOf,
  titleOf,
  windowOf,
} from '../dom/natives';
import type { ElementData, ElementField, FilterParameters, HintParameters, PageResponse } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { Refusal } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { scope } from '../dom/snapshot';
import { queryFirst, selectorOf, xpathOf } from '../dom/selectors';
import { labelsOf } from '../dom/labels';
import { isInSight, placeInViewport, renderedBox, seenBox, visibleFrames } from '../geometry/visibility';
import { isStyledVisible, styleOf } from '../geometry/styles';
import type { Edges } from '../geometry/styles';
import { hitIn, rectData, scrollData } from '../geometry/boxes';
import { DIALOG_SELECTOR, authoredRole } from '../semantics/roles';
import { displayedValue, isEditable, isSecret, optionsData, selectedTexts, stateOf } from '../semantics/values';
import { isIconName, withoutGlyphs } from '../semantics/generated_text';
import { selectBehind } from '../semantics/select_widgets';
import { nameOf } from '../semantics/labels';
import { modifiersOf } from '../semantics/interactive';
import { noteName } from './number_transfer';
import { takeHints } from './candidates';
import { vicinityOf } from './relations';
import { viewSizeOf } from '../dom/windows';

/** Take over the backend's hints of elements that only listen, if the request has them. */
export function takeHintsOf({ listeners, listeners_of: count }: HintParameters): void {
  if (listeners && typeof count === 'number' && Number.isInteger(count)) takeHints(listeners, count);
}

export function pageData(): PageResponse {
  const view = windowOf(scope) || window;
  return {
    url: scope === document ? location.href : view.location.href,
    title: titleOf(scope),
    viewport: viewSizeOf(view),
    scroll: scrollData(scrollerOf(scope) || documentElementOf(scope)),
    ready_state: readyStateOf(scope),
  };
}

/** A candidate that a request wants. */
export interface Chosen {
  candidate: Candidate;
  /** Null for one that is hidden, or drawn by its label. */
  box: DOMRect | null;
  isHidden: boolean;
}

/** The candidates that the request's filters let through. */
export function choose(found: readonly Candidate[], request: FilterParameters): Chosen[] {
  const frameSeen = visibleFrames();
  const container = request.within ? queryFirst(request.within) : null;
  if (request.within && !container) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.within}`);
  const listsFolded = (request.folded ?? true) && !request.near && !request.viewport_only;
  const isNear = request.near ? vicinityOf(request.near, found) : null;
  const chosen: Chosen[] = [];
  for (const candidate of found) {
    const { element } = candidate;
    if (container && !holds(container, element)) continue;
    const rendered = frameSeen(candidate.frame) ? renderedBox(element) : null;
    let box = rendered && isInSight(element, rendered) ? rendered : null;
    if (box && candidate.concealed && !isOnTop(element, box)) box = null;
    const drawn = box || labelBox(candidate);
    if (!drawn && !request.include_hidden && !(listsFolded && rendered && !candidate.concealed)) continue;
    if (request.viewport_only && (!drawn || placeInViewport(element, drawn) === 'outside')) continue;
    if (isNear && !(drawn && isNear(element, drawn))) continue;
    chosen.push({ candidate, box, isHidden: !drawn });
  }
  return chosen;
}

/**
 * What `aria-hidden` or `inert` takes away counts only while a person demonstrably sees it: closed menus that wait
 * outside the viewport carry it, and so does, by mistake, many an open dialog.
 */
export function isOnTop(element: Element, box: Edges): boolean {
  if (placeInViewport(element, box) === 'outside') return seenOnTop.has(element);
  const hit = hitIn(ownerOf(element), (box.left + box.right) / 2, (box.top + box.bottom) / 2);
  if (hit !== null && holds(element, hit)) return Boolean(seenOnTop.add(element));
  if (hit !== null && seenOnTop.has(element) && isInLayerOver(element, hit)) return true;
  seenOnTop.delete(element);
  return false;
}

/** Whether `hit` is in a layer of the page that does not hold the element. */
function isInLayerOver(element: Element, hit: Element): boolean {
  for (let node: Element | null = hit; node && !holds(node, element); node = elementAbove(node)) {
    if (styleOf(node).position === 'fixed' || matches(node, DIALOG_SELECTOR)) return true;
  }
  return false;
}

// Those that are only scrolled away, or behind a dialog or a message, still count.
const seenOnTop = new WeakSet<Element>();

/**
 * The box of the label that draws a check box, a radio button or a file input: it is there for a person although its own
 * box is not.
 */
export function labelBox({ type, role, element }: Candidate): DOMRect | null {
  const isDrawn = type === 'checkbox' || type === 'radio' || role === 'file';
  const label = isDrawn ? visibleLabel(element) : null;
  return label && seenBox(label);
}

export const visibleLabel = (element: Element): Element | null =>
  labelsOf(element).find((label) => seenBox(label) !== null) || null;

/** One element as a record with the members of `fill`. */
export function describe(
  { candidate, box, isHidden }: Chosen,
  fill: Partial<Record<ElementField, boolean>>,
  focused: Element | null,
): ElementData {
  const { element, tag } = candidate;
  const text = candidate.text ?? noteName(candidate);
  const data: ElementData = {
    id: numberOf(element),
    type: candidate.type,
    role: candidate.role,
    text,
    modifiers: modifiersOf(candidate, focused, isHidden),
  };
  if (fill.tag) data.tag = tag;
  if (fill.selector) data.selector = selectorOf(element);
  if (fill.xpath) data.xpath = xpathOf(element);
  if (fill.rect) data.rect = rectData(element, box || boxOf(element));
  if (fill.attributes) data.attributes = attributesData(element);
  if (fill.state) data.state = stateOf(element);
  if (fill.options) {
    const options = optionsData(element);
    if (options) data.options = options;
  }
  if (fill.value) {
    const value = (hasValue(candidate) && displayedValue(element)) || chosenText(element);
    if (value) data.value = value;
  }
  if (fill.frame && candidate.frame) data.frame = selectorOf(candidate.frame);
  return data;
}

const hasValue = ({ type }: Candidate): boolean => type !== 'button' && type !== 'link';

const REPORTED_ATTRIBUTES = [
  'href',
  'type',
  'name',
  'id',
  'placeholder',
  'value',
  'title',
  'alt',
  'src',
  'autocomplete',
  'role',
  'aria-label',
  'aria-expanded',
  'aria-haspopup',
];

function attributesData(element: Element): Record<string, string> {
  const data: Record<string, string> = {};
  for (const name of REPORTED_ATTRIBUTES) {
    if (name === 'value' && isSecret(element)) continue;
    const value = attribute(element, name);
    if (value !== null) data[name] = value;
  }
  return data;
}

const CHOSEN_LEVELS = 3;
const MAX_CHOSEN_NODES = 200;

const NOT_CHOSEN = [
  'label,legend,button,script,style,svg,[role=button],[role=listbox],[role=option],[role=status],[role=alert]',
  '[aria-live],[class*=placeholder i]',
].join();

/** The chosen texts of a combo box, joined by commas; '' for another element, or if a native value has them. */
export function chosenText(element: Element): string {
  const tag = tagOf(element);
  const select = tag !== 'input' && selectBehind(element);
  if (select) return selectedTexts(select).join(', ');
  if (isLabelledOpener(element, tag)) return chosenIn(element, element, nameOf(element));
  if (authoredRole(element) !== 'combobox') return '';
  if (tag !== 'input') {
    if (tag === 'select' || isEditable(element) || holdsTypingField(element)) return '';
    return chosenIn(element, element, nameOf(element));
  }
  // A field with a border of its own is all that a person sees of the box: what is beside it is other text.
  if (inputValueOf(element) || parseFloat(styleOf(element).borderTopWidth) > 0) return '';
  for (let node = elementAbove(element), level = 0; node && level < CHOSEN_LEVELS; node = elementAbove(node), level++) {
    if (tagOf(node) === 'form' || tagOf(node) === 'body' || queryAll(node, 'label,input:not([type=hidden])').length > 1)
      break;
    const text = chosenIn(node, element, nameOf(element));
    if (text) return text;
  }
  return '';
}

/** Whether a button that opens a popup is called by a label: what it shows is then what was chosen in the popup. */
function isLabelledOpener(element: Element, tag: string): boolean {
  if (tag !== 'button' || !CHOOSING_POPUPS.has(attribute(element, 'aria-haspopup') ?? '')) return false;
  return labelsOf(element).length > 0 && !hasAttribute(element, 'aria-label');
}

const CHOOSING_POPUPS = new Set(['dialog', 'listbox', 'grid', 'tree']);
const holdsTypingField = (element: Element): boolean =>
  Array.from(queryAll(element, 'input,textarea')).some(isStyledVisible);

/**
 * The texts that are seen in an element, joined by commas, but for its name and what its buttons and lists say; '' if
 * none of them is in the field's line.
 */
function chosenIn(element: Element, field: Element, name: string): string {
  const line = seenBox(field);
  const texts: string[] = [];
  let left = MAX_CHOSEN_NODES;
  let isInLine = false;
  const read = (node: Element): void => {
    for (let child = firstChildOf(node); child && left-- > 0; child = nextSiblingOf(child)) {
      if (isText(child)) {
        const text = collapse(withoutGlyphs(dataOf(child)));
        const isDescriptive = /[\p{L}\p{N}]/u.test(text) && text !== name && !isIconName(text, node);
        const box = line && isDescriptive ? seenBox(node) : null;
        if (!line || !box) continue;
        texts.push(text);
        isInLine = isInLine || (box.top < line.bottom && box.bottom > line.top);
      } else if (isElement(child) && child !== field && !matches(child, NOT_CHOSEN)) read(child);
    }
  };
  read(element);
  return isInLine ? texts.join(', ') : '';
}
