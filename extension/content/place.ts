// Where a frame lies in the viewport.

import { bannerHandle } from 'scanner/banner_handle';

type Point = [x: number, y: number];

const REDRAWN_MS = 100; // a tab in the background draws nothing

/** Left, top, width and height of what is inside an element's border and padding. */
export function contentBox(element: Element): [left: number, top: number, width: number, height: number] {
  const box = element.getBoundingClientRect();
  const { paddingLeft, paddingTop, paddingRight, paddingBottom } = getComputedStyle(element);
  return [
    box.left + element.clientLeft + parseFloat(paddingLeft),
    box.top + element.clientTop + parseFloat(paddingTop),
    element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
    element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom),
  ];
}

/** A point of a frame's viewport in this one's, scrolled into view, and what covers it there. */
export async function place(element: Element, x: number, y: number): Promise<[...Point, covering: string]> {
  const point = (): Point => {
    const [left, top] = contentBox(element);
    return [left + x, top + y];
  };
  const inside = ([left, top]: Point) => left >= 0 && top >= 0 && left < innerWidth && top < innerHeight;
  let found = point();
  if (!inside(found)) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    found = point();
    if (!inside(found)) {
      scrollBy({ left: found[0] - innerWidth / 2, top: found[1] - innerHeight / 2, behavior: 'instant' });
    }
    // The browser finds out whom a press is for from the last picture, so that must be drawn anew.
    for (let frames = 0; frames < 2; frames++) {
      await new Promise<void>((resolve) => {
        requestAnimationFrame(() => resolve());
        setTimeout(resolve, REDRAWN_MS);
      });
    }
    found = point();
  }
  bannerHandle()?.dodge(...found);
  const root = element.getRootNode();
  const onTop = root instanceof Document || root instanceof ShadowRoot ? root.elementFromPoint(...found) : null;
  const covered = onTop && onTop !== element && !element.contains(onTop);
  return [...found, covered ? onTop.localName + (onTop.id ? `#${onTop.id}` : '') : ''];
}
