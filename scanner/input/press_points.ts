// Points at which an element may take a press, the likely ones first.

import { boxesOf, queryAllIn, tagOf, SVG, namespaceOf } from '../dom/natives';
import type { PointData } from '../dom/protocol';
import { isStyledVisible, styleOf } from '../geometry/styles';
import type { Box, Edges } from '../geometry/styles';
import { pointsOfArea } from '../geometry/image_maps';
import { visiblePart } from '../page/scrolling';

export const middleOf = (box: Edges): PointData => ({
  x: (Math.max(box.left, 0) + box.right) / 2,
  y: (Math.max(box.top, 0) + box.bottom) / 2,
});

/** A point by its distance from the middle of a box, or the middle. */
export function requestedPoint(box: Edges, offset: PointData | null | undefined): PointData {
  const middle = middleOf(box);
  return offset ? { x: middle.x + offset.x, y: middle.y + offset.y } : middle;
}

// Shares of a box, across and down.
const ELSEWHERE = [0.2, 0.8, 0.1, 0.9].flatMap((share): [number, number][] => [
  [share, share],
  [share, 1 - share],
  [0.5, share],
  [share, 0.5],
]);
const MAX_BOXES = 4;
const MAX_PARTS = 12;

/** Points of what is seen of an element: of words in it, of its boxes, and of what it holds. `box` is its visible box. */
export function* pointsOf(element: Element, box: Box, words: readonly Box[]): Generator<PointData> {
  for (const place of words) {
    const part = visiblePart(element, place);
    if (part) yield middleOf(part);
  }
  if (tagOf(element) === 'area') yield* pointsOfArea(element);
  yield* pointsOnStroke(element);
  const boxes: Box[] = Array.from(boxesOf(element)).filter(({ width, height }) => width >= 1 && height >= 1);
  const [first] = boxes;
  const wholes = first ? [boxes.length === 1 ? box : first, box, ...boxes.slice(0, MAX_BOXES)] : [box];
  for (const part of [...wholes.map((whole) => visiblePart(element, whole) || whole), box]) {
    const { left, top, width, height } = part;
    yield middleOf(part);
    for (const [across, down] of ELSEWHERE) yield { x: left + width * across, y: top + height * down };
  }
  yield* pointsOfParts(element);
}

/** The middles of what an element holds: a group of shapes may have nothing in its own middle. */
function* pointsOfParts(element: Element): Generator<PointData> {
  let left = MAX_PARTS;
  for (const part of queryAllIn(element, '*')) {
    if (!left) return;
    const [first] = Array.from(boxesOf(part));
    if (!first || !isStyledVisible(part)) continue;
    left--;
    yield* pointsOnStroke(part);
    const seen = visiblePart(part, first);
    if (seen) yield middleOf(seen);
  }
}

const ON_STROKE = [0.5, 0.25, 0.75];

/** Points on the line of a shape: of one that is not filled, nothing else takes a press. */
function* pointsOnStroke(element: Element): Generator<PointData> {
  if (namespaceOf(element) !== SVG || !('getPointAtLength' in element)) return;
  const shape = element as SVGGeometryElement;
  const matrix = shape.getScreenCTM();
  if (!matrix || styleOf(element).fill !== 'none') return;
  const length = shape.getTotalLength();
  for (const share of ON_STROKE) {
    const { x, y } = shape.getPointAtLength(length * share).matrixTransform(matrix);
    yield { x, y };
  }
}
