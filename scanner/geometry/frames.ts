// Points and boxes of one frame in the viewport of another, for frames of the same origin.

import { ownerOf } from '../dom/natives';
import type { PointData } from '../dom/protocol';
import { mapped, unmapped } from '../dom/frame_content';
import { contentMapOf } from '../dom/snapshot';
import { frameElementOf } from '../dom/tree';
import type { Box, Edges } from './styles';

/** A point of the viewport inside a frame element, in the viewport around it. */
export function outOfFrame(frame: Element, { x, y }: PointData): PointData {
  const [left, top] = mapped(contentMapOf(frame), [x, y]);
  return { x: left, y: top };
}

/** A point of the viewport around a frame element, in the viewport inside it. */
export function intoFrame(frame: Element, { x, y }: PointData): PointData {
  const [left, top] = unmapped(contentMapOf(frame), [x, y]);
  return { x: left, y: top };
}

/** The frame elements of this scanner around an element, the nearest first. */
function framesAround(element: Element): Element[] {
  const frames = [];
  for (let owner = ownerOf(element); owner !== document;) {
    const frame = frameElementOf(owner);
    if (!frame) break;
    frames.push(frame);
    owner = ownerOf(frame);
  }
  return frames;
}

/** A point of the viewport of an element's own frame, in this scanner's viewport. */
export const pointInPage = (element: Element, point: PointData): PointData =>
  framesAround(element).reduce((inner, frame) => outOfFrame(frame, inner), point);

/** A point of this scanner's viewport, in the viewport of an element's own frame. */
export const pointInFrameOf = (element: Element, point: PointData): PointData =>
  framesAround(element).reduceRight((outer, frame) => intoFrame(frame, outer), point);

/** What a box of an element's own frame takes up of this scanner's viewport. */
export const boxInPage = (element: Element, box: Box): Box =>
  framesAround(element).reduce<Box>((inner, frame) => boxOutOfFrame(frame, inner), box);

/** What a box inside a frame element takes up of the viewport around it. */
export function boxOutOfFrame(frame: Element, { left, top, right, bottom }: Edges): Box {
  const map = contentMapOf(frame);
  const corners = [
    mapped(map, [left, top]),
    mapped(map, [right, top]),
    mapped(map, [left, bottom]),
    mapped(map, [right, bottom]),
  ];
  const across = corners.map(([x]) => x);
  const down = corners.map(([, y]) => y);
  const [from, to] = [Math.min(...across), Math.max(...across)];
  const [above, below] = [Math.min(...down), Math.max(...down)];
  return { left: from, top: above, right: to, bottom: below, width: to - from, height: below - above };
}
