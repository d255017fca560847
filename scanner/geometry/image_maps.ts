// Areas of image maps, which have no boxes of their own (https://html.spec.whatwg.org/multipage/image-maps.html).

import { attribute, boxOf, closest, queryAllIn, rootOf, tagOf } from '../dom/natives';
import type { Root } from '../dom/natives';
import type { PointData } from '../dom/protocol';
import { contentSize, mapped } from '../dom/frame_content';
import { contentMapOf } from '../dom/snapshot';

const SHAPES: Readonly<Record<string, string>> = { rectangle: 'rect', circ: 'circle', polygon: 'poly' };
const MAPPED = 'img[usemap],object[usemap]';

/** The picture that an area is a part of, the first if there are several; or null. */
export function imageOf(area: Element): HTMLElement | null {
  const map = closest(area, 'map');
  const name = map && (attribute(map, 'name') || attribute(map, 'id'));
  if (!name) return null;
  for (const image of queryAllIn(rootOf(map) as Root | Element, MAPPED)) {
    if (attribute(image, 'usemap')?.replace(/^[^#]*#/, '') === name && boxOf(image).width) return image as HTMLElement;
  }
  return null;
}

/** What draws an element: itself, or the picture of an area. */
export const drawnBy = (element: Element): Element => (tagOf(element) === 'area' && imageOf(element)) || element;

/** Points of an area in its document's viewport, the likely ones first: none for an area without an extent. */
export function pointsOfArea(area: Element): PointData[] {
  const image = imageOf(area);
  const corners = image ? cornersOf(area, image) : [];
  if (!image || corners.length < 3) return [];
  const inside = [middleOf(corners)];
  // Of each polygon some corners are ears: the triangle with the neighbours lies inside.
  corners.forEach((corner, at) => {
    const [before, after] = [corners.at(at - 1), corners[(at + 1) % corners.length]];
    if (before && after) inside.push(middleOf([before, corner, after]));
  });
  return inside.map((point) => pointIn(image, point));
}

/** What an area takes up of its document's viewport, or null. */
export function boxOfArea(area: Element): DOMRect | null {
  const image = imageOf(area);
  const corners = image ? cornersOf(area, image).map((corner) => pointIn(image, corner)) : [];
  if (corners.length < 3) return null;
  const across = corners.map(({ x }) => x);
  const down = corners.map(({ y }) => y);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(left, top, Math.max(...across) - left, Math.max(...down) - top);
}

function pointIn(image: Element, { x, y }: PointData): PointData {
  const [left, top] = mapped(contentMapOf(image), [x, y]);
  return { x: left, y: top };
}

const middleOf = (points: readonly PointData[]): PointData => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/** The corners of what its picture shows of an area, in pixels of the picture's content: often that is a placeholder. */
function cornersOf(area: Element, image: HTMLElement): PointData[] {
  const [width, height] = contentSize(image);
  const within = (at: number, side: number) => Math.min(Math.max(at, 0), side);
  return writtenCorners(area, [width, height]).map(({ x, y }) => ({ x: within(x, width), y: within(y, height) }));
}

const CORNERS_OF_CIRCLE = 8;

/** The corners of an area, or of a polygon in its circle, as it is written. */
function writtenCorners(area: Element, size: readonly [width: number, height: number]): PointData[] {
  const numbers = (attribute(area, 'coords') ?? '').split(/[\s,;]+/).map(parseFloat);
  const coords = numbers.filter((number) => !isNaN(number));
  const said = (attribute(area, 'shape') || 'rect').toLowerCase();
  const shape = SHAPES[said] ?? said;
  const [x = 0, y = 0, right = 0, bottom = 0] = coords;
  if (shape === 'default') return cornersOfBox(0, 0, ...size);
  if (shape === 'poly') return coords.flatMap((number, at) => (at % 2 ? [{ x: coords[at - 1] ?? 0, y: number }] : []));
  if (shape !== 'circle') return coords.length < 4 ? [] : cornersOfBox(x, y, right, bottom);
  if (coords.length < 3 || right <= 0) return [];
  return Array.from({ length: CORNERS_OF_CIRCLE }, (_, at) => {
    const angle = (2 * Math.PI * at) / CORNERS_OF_CIRCLE;
    return { x: x + right * Math.cos(angle), y: y + right * Math.sin(angle) };
  });
}

const cornersOfBox = (left: number, top: number, right: number, bottom: number): PointData[] => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
