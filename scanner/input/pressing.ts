// What a browser does by itself when a person presses the mouse somewhere: focus, cursor, choosing an option, moving a
// slider; and what it does for a click only where a person has made it: opening tabs and choosing files.

import {
  ELEMENT_NODE,
  addListener,
  attribute,
  boxOf,
  closest,
  dispatch,
  hasAttribute,
  inputTypeOf,
  inputValueOf,
  isElement,
  isHtml,
  isMultiple,
  matches,
  optionSelected,
  optionsOf,
  ownerOf,
  parentOf,
  removeListener,
  setInputValue,
  setOptionSelected,
  tagOf,
  windowOf,
} from '../dom/natives';
import { method } from '../dom/unbound';
import type { Button, ClickEffects, PointData } from '../dom/protocol';
import { queryAll } from '../dom/banner';
import { elementAbove, frameElementOf, isAttached } from '../dom/tree';
import { pointInFrameOf } from '../geometry/frames';
import { styleOf } from '../geometry/styles';
import { focusedElement, isDisabled, selectedTexts } from '../semantics/values';
import { isInEditing, isTextControl } from '../semantics/text_controls';
import { changeEvent, focusNearest } from './events';
import { setStartingPoint } from './traversal';

const blur = method(HTMLElement.prototype, 'blur');

/** The mouse at a point of this scanner's viewport. */
export interface MouseAt extends PointData {
  modifiers: readonly string[];
}

/** A place in a text. */
interface Caret {
  node: Node;
  offset: number;
}

/** A button of the mouse that is down. */
export interface Press {
  button: Button;
  target: Element;
  count: number;
  /** What is dragged away once the mouse moves. */
  source: Element | null;
  /** Where a selection begins. */
  anchor: Caret | null;
  /** Of a slider or an option: whether the press has changed the value. */
  value?: boolean;
}

/** https://html.spec.whatwg.org/multipage/interaction.html#data-model: a press moves the focus, also away. */
export function pressedOn(pressed: Press, event: MouseAt): void {
  const { target, button } = pressed;
  if (!focusNearest(target)) leaveFocus(ownerOf(target));
  if (button !== 'left') return;
  setStartingPoint(target);
  if (tagOf(target) === 'option') return chooseOption(pressed, event);
  if (isSlider(target)) return slideTo(target, pressed, event);
  pressed.source = draggableAround(target);
  if (!pressed.source) placeCaret(pressed, event);
}

/** The nearest element that may be dragged away: by its attribute, or because links and pictures always may. */
export function draggableAround(target: Element): Element | null {
  for (let node: Element | null = target; node; node = elementAbove(node)) {
    if (isTextControl(node) || isInEditing(node)) return null;
    if (isHtml(node) && node.draggable === true) return node;
  }
  return null;
}

/** Nothing of this document has the focus any more, but the document itself. */
function leaveFocus(owner: Document): void {
  for (let focused = focusedElement(); focused;) {
    if (isHtml(focused)) blur(focused);
    else (focused as Partial<SVGElement>).blur?.();
    focused = ownerOf(focused) === owner ? null : frameElementOf(ownerOf(focused));
  }
  if (owner !== activeDocument()) windowOf(owner)?.focus();
}

/** The document that keys go to. */
function activeDocument(): Document {
  const focused = focusedElement();
  return focused ? ownerOf(focused) : document;
}

export function draggedOver(pressed: Press, event: MouseAt): void {
  if (pressed.button !== 'left') return;
  if (isSlider(pressed.target)) slideTo(pressed.target, pressed, event);
  else if (pressed.anchor) extendSelection(pressed.anchor, event);
}

export function releasedOn(pressed: Press): void {
  if (pressed.value === undefined || !isAttached(pressed.target)) return;
  const field = tagOf(pressed.target) === 'option' ? closest(pressed.target, 'select') : pressed.target;
  if (field && pressed.value) changeEvent(field);
}

// --- lists and sliders ---

export const inputEvent = (element: Element): boolean =>
  dispatch(element, new Event('input', { bubbles: true, composed: true }));

/** An option of a list that is always open; the others hang in a window of the browser's own. */
function chooseOption(pressed: Press, event: MouseAt): void {
  const select = closest(pressed.target, 'select');
  if (!select || isDisabled(select) || matches(pressed.target, ':disabled')) return;
  const adds = isMultiple(select) && event.modifiers.some((name) => name === 'control' || name === 'meta');
  const before = selectedTexts(select).join('\n');
  for (const option of optionsOf(select)) {
    if (option === pressed.target) setOptionSelected(option, adds ? !optionSelected(option) : true);
    else if (!adds && isMultiple(select)) setOptionSelected(option, false);
  }
  pressed.value = selectedTexts(select).join('\n') !== before;
  if (pressed.value) inputEvent(select);
}

const isSlider = (element: Element): element is HTMLInputElement =>
  tagOf(element) === 'input' && inputTypeOf(element) === 'range' && !isDisabled(element);

/** The thumb comes to the mouse; the browser rounds to a step. */
function slideTo(slider: HTMLInputElement, pressed: Press, point: PointData): void {
  const box = boxOf(slider);
  const { x } = pointInFrameOf(slider, point);
  const share = Math.min(1, Math.max(0, (x - box.left) / (box.width || 1)));
  const [least, most] = [slider.min === '' ? 0 : Number(slider.min), slider.max === '' ? 100 : Number(slider.max)];
  const isMirrored = styleOf(slider).direction === 'rtl';
  const before = inputValueOf(slider);
  setInputValue(slider, String(least + (isMirrored ? 1 - share : share) * (most - least)));
  const changed = inputValueOf(slider) !== before;
  pressed.value = pressed.value || changed;
  if (changed) inputEvent(slider);
}

// --- the cursor ---

/** The place in a text at a point of the document's viewport, or null. */
function caretAt(owner: Document, x: number, y: number): Caret | null {
  if (owner.caretPositionFromPoint) {
    const place = owner.caretPositionFromPoint(x, y);
    return place && place.offsetNode ? { node: place.offsetNode, offset: place.offset } : null;
  }
  const range = owner.caretRangeFromPoint && owner.caretRangeFromPoint(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

/** A press puts the cursor there, a second one chooses the word, a third one the paragraph. */
function placeCaret(pressed: Press, event: MouseAt): void {
  const { target, count } = pressed;
  const owner = ownerOf(target);
  const { x, y } = pointInFrameOf(target, event);
  const place = caretAt(owner, x, y);
  const selection = windowOf(owner)?.getSelection();
  if (!place || !selection || styleOf(target).userSelect === 'none') return;
  if (isTextControl(target)) {
    const field = target as HTMLInputElement | HTMLTextAreaElement;
    if (place.node === field && field.selectionStart !== null) field.setSelectionRange(place.offset, place.offset);
  } else if (event.modifiers.includes('shift') && selection.anchorNode) {
    selection.extend(place.node, place.offset);
  } else selection.collapse(place.node, place.offset);
  if (count === 2) extendToWord(target, selection, place);
  else if (count > 2) {
    selection.modify('move', 'backward', 'paragraphboundary');
    selection.modify('extend', 'forward', 'paragraphboundary');
  } else if (!isTextControl(target)) pressed.anchor = place;
}

/** Choose the word at the cursor, which `place` is. */
function extendToWord(target: Element, selection: Selection, place: Caret): void {
  selection.modify('move', 'backward', 'word');
  selection.modify('extend', 'forward', 'word');
  if (!endsBefore(target, selection, place)) return;
  // The cursor was before the first character of a word: that was the word before it.
  if (isTextControl(target)) (target as HTMLInputElement).setSelectionRange(place.offset, place.offset);
  else selection.collapse(place.node, place.offset);
  selection.modify('extend', 'forward', 'word');
}

/** Whether what is chosen ends before a place. */
function endsBefore(target: Element, selection: Selection, place: Caret): boolean {
  if (isTextControl(target)) return ((target as HTMLInputElement).selectionEnd ?? place.offset) < place.offset;
  return selection.rangeCount > 0 && selection.getRangeAt(0).comparePoint(place.node, place.offset) > 0;
}

/** Choose the word under a mouse whose press has put the cursor there, as a second press does. */
export function chooseWord(target: Element, event: PointData): void {
  const owner = ownerOf(target);
  const { x, y } = pointInFrameOf(target, event);
  const selection = windowOf(owner)?.getSelection();
  const place = caretAt(owner, x, y);
  if (!place || !selection || styleOf(target).userSelect === 'none') return;
  if (isTextControl(target)) {
    const { selectionStart, selectionEnd } = target as HTMLInputElement;
    if (focusedElement() !== target || selectionStart === null || selectionStart !== selectionEnd) return;
    extendToWord(target, selection, { node: target, offset: selectionStart });
  } else if (selection.isCollapsed && selection.anchorNode === place.node && selection.anchorOffset === place.offset)
    extendToWord(target, selection, place);
}

function extendSelection(anchor: Caret, event: PointData): void {
  const around = isElement(anchor.node) ? anchor.node : parentOf(anchor.node);
  if (!around || !isElement(around)) return;
  const owner = ownerOf(around);
  const { x, y } = pointInFrameOf(around, event);
  const place = caretAt(owner, x, y);
  const selection = windowOf(owner)?.getSelection();
  if (place && selection) selection.setBaseAndExtent(anchor.node, anchor.offset, place.node, place.offset);
}

// --- what only a person's click may do ---

/**
 * Click, and note in `effects` what the browser would refuse to do for it: `opened`, links into new tabs, which the
 * backend opens itself, and `chooser`, a file field that asks for files.
 */
export function withEffects(element: Element, effects: ClickEffects, act: () => void): void {
  const view = windowOf(ownerOf(element)) || window;
  const look = (event: Event): void => {
    if (event.defaultPrevented) return;
    const path = event.composedPath();
    const link = path.filter(isElementTarget).find((node) => matches(node, 'a[href],area[href]'));
    const opened = link && openedElsewhere(link, event as MouseEvent);
    const [target] = path;
    if (opened) {
      event.preventDefault();
      effects.opened = [...effects.opened, opened];
    } else if (target && isElementTarget(target) && isFileField(target)) effects.chooser = true;
  };
  addListener(view, 'click', look);
  addListener(view, 'auxclick', look);
  try {
    act();
  } finally {
    removeListener(view, 'click', look);
    removeListener(view, 'auxclick', look);
  }
}

/** Whether a target of events, which may be a window, is an element. */
const isElementTarget = (target: EventTarget): target is Element => (target as Node).nodeType === ELEMENT_NODE;

const isFileField = (element: Element): boolean =>
  tagOf(element) === 'input' && inputTypeOf(element) === 'file' && !isDisabled(element);

/**
 * The address that a click on a link would open in a new tab, or null.
 * https://html.spec.whatwg.org/multipage/links.html
 */
function openedElsewhere(link: Element, event: MouseEvent): string | null {
  const { href } = link as { href?: unknown } & Element; // an object in SVG
  if (typeof href !== 'string' || !/^(https?|file|blob|data|about):/.test(href) || hasAttribute(link, 'download'))
    return null;
  if (event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey) return href;
  const base = queryAll(ownerOf(link), 'base[target]')[0];
  const where = attribute(link, 'target') || (base && attribute(base, 'target')) || '';
  return where.toLowerCase() === '_blank' ? href : null;
}
