// Boxes as positions in this scanner's viewport, what is at a point of it, and boxes that scroll.

import { elementFromPoint, frameDocument, rootOf, shadowOf } from '../dom/natives';
import type { PointData, RectData, ScrollData } from '../dom/protocol';
import { pageElementAt } from '../dom/banner';
import { boxInPage, intoFrame } from './frames';
import { styleOf } from './styles';
import type { Box } from './styles';

/** A box of an element's own frame, as responses have it. */
export function rectData(element: Element, box: Box): RectData {
  const { left, top, width, height } = boxInPage(element, box);
  return { x: left, y: top, width, height };
}

/** The innermost element at a point of this scanner's viewport, through same-origin frames too. */
export function hitAt(x: number, y: number): Element | null {
  let owner: Document = document;
  let point: PointData = { x, y };
  for (;;) {
    const hit = hitIn(owner, point.x, point.y);
    const inner = hit && frameDocument(hit);
    if (!inner) return hit;
    point = intoFrame(hit, point);
    owner = inner;
  }
}

/** The innermost element at a point of a document's viewport, through shadow roots. */
export function hitIn(owner: Document, x: number, y: number): Element | null {
  let hit = pageElementAt(owner, x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && elementFromPoint(shadow, x, y);
    if (!inner || inner === hit || rootOf(inner) !== shadow) return hit;
    hit = inner;
  }
  return null;
}

export const scrollData = (scroller: Element | null): ScrollData => ({
  x: scroller ? scroller.scrollLeft : 0,
  y: scroller ? scroller.scrollTop : 0,
  max_x: scroller ? Math.max(0, scroller.scrollWidth - scroller.clientWidth) : 0,
  max_y: scroller ? Math.max(0, scroller.scrollHeight - scroller.clientHeight) : 0,
});

/** Whether a person can scroll a box; `isPage`: it scrolls a whole document, which no style has to say. */
export function isScrollable(element: Element, sideways: boolean, isPage: boolean): boolean {
  const room = sideways ? element.scrollWidth - element.clientWidth : element.scrollHeight - element.clientHeight;
  if (room < 1) return false;
  const overflow = sideways ? styleOf(element).overflowX : styleOf(element).overflowY;
  return overflow === 'auto' || overflow === 'scroll' || (isPage && overflow === 'visible');
}

/** The positions that boxes had before `locate` scrolled them, since the last `watch`: `element → [left, top]`. */
export const scrolledFrom = new Map<Element, [number, number]>();

/** Call when they are not to be scrolled back. */
export const forgetScrolls = (): void => scrolledFrom.clear();
