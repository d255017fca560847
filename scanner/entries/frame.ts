// A frame element, asked in a world of the document around it: where its content is, and what lies over it. What it says
// is a hint that a page can spoil at its own expense: input goes where a person's would.

import { contentMap, contentSize, reveal, unmapped } from '../dom/frame_content';
import type { AffineMap } from '../dom/frame_content';
import type { Position } from '../dom/scroll_position';

/** What can be asked of a frame element. Coordinates are CSS pixels. */
const OPERATIONS = {
  /**
   * A point of the frame's content, scrolled into view, in the viewport of the document around it; and what covers the
   * frame there (`div#consent`) or ''.
   */
  reveal: (frame: HTMLElement, x: number, y: number): Promise<[x: number, y: number, covered: string]> =>
    reveal(frame, [x, y]),

  /** The map of points of its content to that viewport, and the size of its content. Scrolls nothing. */
  area: (frame: HTMLElement): [...AffineMap, width: number, height: number] => [
    ...contentMap(frame),
    ...contentSize(frame),
  ],

  /** The point of its content that is at a point of that viewport. */
  inward: (frame: HTMLElement, x: number, y: number): Position => unmapped(contentMap(frame), [x, y]),

  isFocused: (frame: HTMLElement): boolean => rootOf(frame).activeElement === frame,

  /** The same if the frame is on top there; else null. */
  inwardOnTop: (frame: HTMLElement, x: number, y: number): Position | null =>
    rootOf(frame).elementFromPoint(x, y) === frame ? unmapped(contentMap(frame), [x, y]) : null,
};

const rootOf = (frame: HTMLElement) => frame.getRootNode() as Document | ShadowRoot;

export default function askFrame(
  frame: HTMLElement,
  operation: keyof typeof OPERATIONS,
  x: number,
  y: number,
): unknown {
  return OPERATIONS[operation](frame, x, y);
}
