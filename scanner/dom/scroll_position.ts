// Scrolling to a place that is no element's own: a point of a frame, an area of a picture, words of a paragraph. Scripts
// that do not have the scanner use this module too.

import { boxOf, flatParent } from './boxes';
import { getter } from './unbound';
import { viewSizeOf } from './windows';

export type Position = readonly [x: number, y: number];

const styleOf = getComputedStyle;
const ownerOf = getter(Node.prototype, 'ownerDocument');

/**
 * Scroll what scrolls around an element, the innermost first, so that a position is in the middle of each that does not
 * show it. `place` is where that is in the viewport of the document now.
 */
export function revealPosition(element: Element, place: () => Position): void {
  for (let node = flatParent(element); node; node = flatParent(node)) {
    const isPage = node === ownerOf(node)?.documentElement || node === ownerOf(node)?.body;
    if (isPage || !/auto|scroll|hidden/.test(styleOf(node).overflow)) continue;
    const { left, top, right, bottom, width, height } = boxOf(node);
    const [x, y] = place();
    const { offsetWidth, offsetHeight } = node as HTMLElement;
    // A box that is scaled scrolls by its own pixels.
    node.scrollBy({
      left: beyond(x, left, right) * (width ? offsetWidth / width : 1),
      top: beyond(y, top, bottom) * (height ? offsetHeight / height : 1),
      behavior: 'instant',
    });
  }
  const view = ownerOf(element)?.defaultView;
  if (!view) return;
  const [x, y] = place();
  const { width, height } = viewSizeOf(view);
  view.scrollBy({ left: beyond(x, 0, width), top: beyond(y, 0, height), behavior: 'instant' });
}

/** How far a place is from the middle if it is not between two others, else 0. */
const beyond = (place: number, from: number, to: number): number =>
  place >= from && place < to ? 0 : place - (from + to) / 2;
