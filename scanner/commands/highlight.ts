// highlight, highlight_clear (docs/spec/scanner-protocol.md#highlight): a frame drawn over an element that takes no
// input and follows the element wherever the page moves it. Then `boxes`.

import {
  appendChild,
  boxOf,
  createElement,
  ownerOf,
  parentOf,
  printJson,
  removeChild,
  setAttribute,
  windowOf,
} from '../dom/natives';
import type {
  BoxesRequest,
  BoxesResponse,
  HighlightClearResponse,
  HighlightRequest,
  HighlightResponse,
  VisibleBox,
} from '../dom/protocol';
import { Refusal, wholeNumber } from '../dom/refusal';
import { requestFrame, startTimer } from '../dom/timing';
import { frameElementOf, holds, isAttached, rootElement } from '../dom/tree';
import { attachedReference, elementOfNumber } from '../dom/numbers';
import { cutByAncestors } from '../geometry/clipping';
import { boxOutOfFrame } from '../geometry/frames';
import { SMALLEST_SIDE } from '../geometry/styles';
import { isVisible, seenBox, visibleBox } from '../geometry/visibility';
import type { Edges } from '../geometry/styles';
import { hitIn } from '../geometry/boxes';
import { elementNumbered, elementOf } from '../targets/candidates';
import { visibleLabel } from '../targets/describe';
import { topDialog } from '../page/layers';
import { middleOf } from '../input/press_points';
import { pressable } from '../input/locate';
import { scrollXOf, scrollYOf, viewSizeOf } from '../dom/windows';

const HIGHLIGHT_DURATION = 3000;
const HIGHLIGHT_LINE = 3;
const NO_COLORS = ['inherit', 'initial', 'unset', 'revert', 'revert-layer'];
const highlights = new Map<Element, HTMLElement>(); // element → its mark

export function highlight(request: HighlightRequest): HighlightResponse {
  const id = wholeNumber(request.id, 'id');
  const element = elementOf(id);
  if (!isVisible(pressable(element))) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const color = request.color || 'red';
  if (!CSS.supports('color', color) || NO_COLORS.includes(color.toLowerCase()))
    throw new Refusal('INVALID_REQUEST', `no such color: ${color}`);
  removeHighlight(element);
  const mark = newMark(ownerOf(element), color);
  highlights.set(element, mark);
  followElement(element, mark);
  const duration = request.duration ?? HIGHLIGHT_DURATION;
  if (duration > 0) startTimer(() => highlights.get(element) === mark && removeHighlight(element), duration);
  return { highlighted: true, id };
}

function newMark(owner: Document, color: string): HTMLElement {
  const mark = createElement(owner, 'div');
  setAttribute(mark, 'aria-hidden', 'true');
  styleMark(mark, {
    all: 'initial',
    position: 'absolute',
    inset: 'auto',
    margin: '0',
    padding: '0',
    overflow: 'visible',
    background: 'none',
    border: `${HIGHLIGHT_LINE}px solid ${color}`,
    'box-sizing': 'content-box',
    'pointer-events': 'none',
    'z-index': '2147483647',
  });
  // Above an open dialog, which is in the top layer: https://html.spec.whatwg.org/multipage/popover.html
  if ('showPopover' in mark) setAttribute(mark, 'popover', 'manual');
  appendChild(rootElement(owner), mark);
  if ('showPopover' in mark) mark.showPopover();
  return mark;
}

/** Through the CSSOM: a style attribute may be forbidden by the page's content security policy. */
function styleMark(mark: HTMLElement, rules: Record<string, string>): void {
  for (const [name, value] of Object.entries(rules)) mark.style.setProperty(name, value, 'important');
}

/** Put the mark where its element is, now and at every frame until it is removed. */
function followElement(element: Element, mark: HTMLElement): void {
  let last = '';
  const follow = () => {
    if (highlights.get(element) !== mark) return;
    if (!isAttached(element)) return removeHighlight(element);
    const box = visibleBox(pressable(element));
    const view = windowOf(ownerOf(element));
    const place =
      box && view
        ? {
            display: 'block',
            left: `${box.left + scrollXOf(view) - HIGHLIGHT_LINE}px`,
            top: `${box.top + scrollYOf(view) - HIGHLIGHT_LINE}px`,
            width: `${box.width}px`,
            height: `${box.height}px`,
          }
        : null;
    const now = printJson(place);
    if (now !== last) styleMark(mark, place || { display: 'none' });
    last = now;
    requestFrame(follow);
  };
  follow();
}

function removeHighlight(element: Element): void {
  const mark = highlights.get(element);
  if (!mark) return;
  highlights.delete(element);
  const parent = parentOf(mark);
  if (parent) removeChild(parent, mark);
}

export function highlightClear(): HighlightClearResponse {
  const count = highlights.size;
  for (const element of [...highlights.keys()]) removeHighlight(element);
  return { cleared: count };
}

// boxes (docs/spec/scanner-protocol.md#boxes): where elements are seen.

/**
 * Those of the numbered elements that can be seen, with their boxes as far as nothing cuts them off. With `references`
 * the numbers are those of the last tree.
 */
export function boxes(request: BoxesRequest): BoxesResponse {
  const dialog = topDialog();
  const found: VisibleBox[] = [];
  for (const id of request.ids) {
    const element = request.references ? attachedReference(id) : elementOfNumber.has(id) ? elementNumbered(id) : null;
    if (!element || (dialog && isBehind(element, dialog))) continue;
    const box = clippedBox(element);
    if (!box) continue;
    found.push({ id, x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  }
  return { boxes: found };
}

/** Whether an open dialog lies over the middle of an element. */
function isBehind(element: Element, dialog: Element): boolean {
  if (holds(dialog, element) || ownerOf(element) !== ownerOf(dialog)) return false;
  const { x, y } = middleOf(boxOf(element));
  const hit = hitIn(ownerOf(element), x, y);
  return hit !== null && holds(dialog, hit) && !holds(element, hit);
}

/** The part of an element's box that scrolling boxes and frames around it show, in this scanner's viewport, or null. */
export function clippedBox(element: Element): Edges | null {
  const seen = seenBox(element) || seenLabelBox(element);
  let box: Edges | null = seen && { left: seen.left, top: seen.top, right: seen.right, bottom: seen.bottom };
  for (let node = element; box;) {
    box = cutByAncestors(node, box);
    const owner = ownerOf(node);
    if (owner === document || !box) return box;
    const frame = frameElementOf(owner);
    const view = windowOf(owner);
    if (!frame || !view || !seenBox(frame)) return null;
    const { width, height } = viewSizeOf(view);
    box = intersection(box, { left: 0, top: 0, right: width, bottom: height });
    box = box && boxOutOfFrame(frame, box);
    node = frame;
  }
  return null;
}

function seenLabelBox(element: Element): Edges | null {
  const label = visibleLabel(element);
  return label && seenBox(label);
}

function intersection(one: Edges, other: Edges): Edges | null {
  const left = Math.max(one.left, other.left);
  const top = Math.max(one.top, other.top);
  const right = Math.min(one.right, other.right);
  const bottom = Math.min(one.bottom, other.bottom);
  return right - left >= SMALLEST_SIDE && bottom - top >= SMALLEST_SIDE ? { left, top, right, bottom } : null;
}
