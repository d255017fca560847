// What of an element its viewport and scrolling ancestors show, scrolling it into view for an action, and the boxes
// that scroll, for a search in lists that draw only the rows that are seen (docs/spec/scanner-protocol.md#scrollers).

import { boxOf, ownerOf, scrollIntoView, scrollerOf, windowOf } from '../dom/natives';
import type { NoData, ScrollToRequest, ScrollToResponse, ScrollersRequest, ScrollersResponse } from '../dom/protocol';
import { isPresent, wholeNumber } from '../dom/refusal';
import { elementAbove, frameElementOf, holds, rootElement } from '../dom/tree';
import { revealPosition } from '../dom/scroll_position';
import type { Position } from '../dom/scroll_position';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { allElements, scope } from '../dom/snapshot';
import { seenBox, visibleBox } from '../geometry/visibility';
import type { Box, Edges } from '../geometry/styles';
import { clipOf, commonPart } from '../geometry/clipping';
import { boxOutOfFrame } from '../geometry/frames';
import { drawnBy } from '../geometry/image_maps';
import { forgetScrolls, isScrollable, scrollData, scrolledFrom } from '../geometry/boxes';
import { elementOf } from '../targets/candidates';

/** restore_scroll: scroll everything back that was scrolled for an action that was refused. */
export function restoreScroll(): NoData {
  for (const [element, [left, top]] of scrolledFrom) element.scrollTo({ left, top, behavior: 'instant' });
  forgetScrolls();
  return {};
}

/**
 * Scroll an element, or a part of it, and in every frame around it what shows that, to the middle unless it is seen;
 * whether it had to. `partOf` is where the part lies in the element's own viewport now.
 */
export function bringIntoView(element: Element, partOf?: () => Box | null): boolean {
  let scrolled = false;
  let boxOfIt = partOf ?? (() => visibleBox(element));
  for (let node = drawnBy(element); ;) {
    const [shown, box, place] = [node, boxOfIt(), boxOfIt];
    if (!box || !windowOf(ownerOf(node))) break;
    if (!isInView(node, box)) {
      rememberScrolls(node);
      if (ownerOf(node) === ownerOf(element) && !partOf)
        scrollIntoView(node, { block: 'center', inline: 'center', behavior: 'instant' });
      const now = place();
      if (now && !isInView(node, now)) revealPosition(node, () => middleOf(place() ?? now));
      scrolled = true;
    }
    const frame = ownerOf(node) === document ? null : frameElementOf(ownerOf(node));
    if (!frame) break;
    boxOfIt = () => {
      const inside = place();
      return inside && boxOutOfFrame(frame, visiblePart(shown, inside) ?? inside);
    };
    node = frame;
  }
  return scrolled;
}

/** Scroll an element to the middle of what scrolls; whether that has moved it. */
export function scrollToMiddle(element: Element): boolean {
  rememberScrolls(element);
  const before = boxOf(element);
  scrollIntoView(drawnBy(element), { block: 'center', inline: 'nearest', behavior: 'instant' });
  const { left, top } = boxOf(element);
  return left !== before.left || top !== before.top;
}

function rememberScrolls(element: Element): void {
  for (let above: Element | null = element; above; above = elementAbove(above)) {
    if (!scrolledFrom.has(above)) scrolledFrom.set(above, [above.scrollLeft, above.scrollTop]);
  }
}

const middleOf = ({ left, top, right, bottom }: Edges): Position => [(left + right) / 2, (top + bottom) / 2];

const MIN_VISIBLE = 16;

/**
 * Whether the centre of an element is seen; if the element is larger than what shows it, whether a part is seen that
 * can be pressed.
 */
function isInView(element: Element, box: Box): boolean {
  const visible = visiblePart(element, box);
  if (!visible) return false;
  const clip = clipOf(element);
  const isEnough = (middle: number, from: number, to: number, size: number, room: number): boolean =>
    size > room ? to - from >= Math.min(MIN_VISIBLE, room) : middle >= from && middle <= to;
  return (
    isEnough((box.left + box.right) / 2, visible.left, visible.right, box.width, clip.right - clip.left) &&
    isEnough((box.top + box.bottom) / 2, visible.top, visible.bottom, box.height, clip.bottom - clip.top)
  );
}

/** The part of a box of the element that its viewport and scrolling ancestors show, or null. */
export const visiblePart = (element: Element, box: Edges): Box | null => commonPart(box, clipOf(element));

const SMALLEST_SCROLLER = 40; // pixels of a side
const MAX_SCROLLERS = 8;

export function scrollersData(request: ScrollersRequest): ScrollersResponse {
  continueNumbers(request.next_id || 1);
  const around = isPresent(request.id) ? elementOf(wholeNumber(request.id, 'id')) : null;
  const page = pageScroller(scope);
  const boxes = allElements().filter((element) => element !== page && isScrollingBox(element));
  const chosen = around ? boxes.filter((box) => holds(around, box) || holds(box, around)) : boxes;
  const byArea = chosen.sort((one, two) => areaOf(two) - areaOf(one)).slice(0, MAX_SCROLLERS);
  // Around an element the innermost comes first.
  if (around) byArea.sort((one, two) => (holds(one, two) ? 1 : holds(two, one) ? -1 : 0));
  const found = [...(around || !isScrollable(page, false, true) ? [] : [page]), ...byArea];
  return { scrollers: found.map((box) => ({ id: numberOf(box), ...scrollData(box) })), next_id: nextNumber };
}

function isScrollingBox(element: Element): boolean {
  if (element.scrollHeight - element.clientHeight < 1 || element.clientHeight < SMALLEST_SCROLLER) return false;
  return element.clientWidth >= SMALLEST_SCROLLER && isScrollable(element, false, false) && seenBox(element) !== null;
}

function areaOf(element: Element): number {
  const visible = visiblePart(element, boxOf(element));
  return visible ? visible.width * visible.height : 0;
}

/** What scrolls when a document does. */
export const pageScroller = (owner: Document): Element => scrollerOf(owner) || rootElement(owner);

/**
 * scroll_to (docs/spec/scanner-protocol.md#scroll_to): the position of one box that scrolls; only asked for, where no
 * `y` is given.
 */
export function scrollToPosition(request: ScrollToRequest): ScrollToResponse {
  const element = elementOf(wholeNumber(request.id, 'id'));
  if (isPresent(request.y)) element.scrollTo({ top: request.y, behavior: 'instant' });
  return { scroll: scrollData(element), screen: element.clientHeight };
}
