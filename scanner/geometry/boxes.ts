import { FRAGMENT_NODE, frameDocument, elementFromPoint, ownerOf, rootOf, shadowOf } from '../dom/natives';
import { pageElementAt } from '../dom/banner';
import { frameOffset, styleOf, viewportOrigin } from './visibility';

export const scrollData = (scroller) => ({
  x: scroller ? scroller.scrollLeft : 0,
  y: scroller ? scroller.scrollTop : 0,
  max_x: scroller ? Math.max(0, scroller.scrollWidth - scroller.clientWidth) : 0,
  max_y: scroller ? Math.max(0, scroller.scrollHeight - scroller.clientHeight) : 0,
});

/** A box of an element's own frame as one of this scanner's viewport. */
export function inPage(element, box) {
  if (ownerOf(element) === document) return box;
  const { x, y } = frameOffset(element);
  return {
    left: box.left + x,
    top: box.top + y,
    right: box.right + x,
    bottom: box.bottom + y,
    width: box.width,
    height: box.height,
  };
}

export function rectData(element, box) {
  const { left, top, width, height } = inPage(element, box);
  return { x: left, y: top, width, height };
}

/** The positions that boxes had before `locate` scrolled them, since the last `watch`: `element → [left, top]`. */
export let scrolledFrom = new Map();

export const forgetScrolls = () => scrolledFrom.clear();

/** The innermost element at a point of a document's viewport, through shadow roots. */
export function hitIn(owner, x, y) {
  let hit = pageElementAt(owner, x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && elementFromPoint(shadow, x, y);
    if (!inner || inner === hit || rootOf(inner) !== shadow) return hit;
    hit = inner;
  }
  return null;
}

/** The innermost element at a point of this scanner's viewport, through same-origin frames too. */
export function hitAt(x, y) {
  let owner = document;
  for (;;) {
    const hit = hitIn(owner, x, y);
    const inner = hit && frameDocument(hit);
    if (!inner) return hit;
    const origin = viewportOrigin(hit);
    x -= origin.x;
    y -= origin.y;
    owner = inner;
  }
}

export function isScrollable(element, sideways, isPage) {
  const room = sideways ? element.scrollWidth - element.clientWidth : element.scrollHeight - element.clientHeight;
  if (room < 1) return false;
  const overflow = sideways ? styleOf(element).overflowX : styleOf(element).overflowY;
  return overflow === 'auto' || overflow === 'scroll' || (isPage && overflow === 'visible');
}
