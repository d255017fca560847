// Where a frame lies in the viewport.

import { bannerHandle } from 'scanner/banner_handle';
import { contentMap, contentSize, reveal } from 'scanner/frame_content';
import type { AffineMap } from 'scanner/frame_content';

/** The map of points of a frame's content to this viewport, and the size of its content. */
export const area = (frame: HTMLElement): [...AffineMap, width: number, height: number] => [
  ...contentMap(frame),
  ...contentSize(frame),
];

/** A point of a frame's viewport in this one's, scrolled into view, and what covers it there. */
export const place = (frame: HTMLElement, x: number, y: number): Promise<[x: number, y: number, covering: string]> =>
  reveal(frame, [x, y], (...found) => bannerHandle()?.dodge(...found));
