// Where a picture has pixels of one colour: the boxes around groups of them.

import type { RectData } from '../dom/protocol';
import type { Edges } from '../geometry/styles';

const CELL = 16; // pixels: what is no further apart belongs together

/** The boxes around groups of pixels of `color`, from top to bottom. */
export function differingRegions({ data, width, height }: ImageData, color: readonly number[]): RectData[] {
  const [red, green, blue] = color;
  const columns = Math.ceil(width / CELL);
  const cells = new Map<number, Edges>();
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) {
        const cell = Math.floor(y / CELL) * columns + Math.floor(x / CELL);
        cells.set(cell, around(cells.get(cell), { left: x, top: y, right: x + 1, bottom: y + 1 }));
      }
  const regions: Edges[] = [];
  for (const [cell, box] of cells) if (cells.delete(cell)) regions.push(groupOf(cells, columns, cell, box));
  return merged(regions)
    .map(({ left, top, right, bottom }) => ({ x: left, y: top, width: right - left, height: bottom - top }))
    .sort((one, other) => one.y - other.y || one.x - other.x);
}

/** The box around a cell and all that its neighbours lead to, which are taken out. */
function groupOf(cells: Map<number, Edges>, columns: number, first: number, box: Edges): Edges {
  let whole = box;
  const reached = [first];
  for (let cell = reached.pop(); cell !== undefined; cell = reached.pop()) {
    const column = cell % columns;
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) {
        const next = cell + dy * columns + dx;
        const found = column + dx >= 0 && column + dx < columns ? cells.get(next) : undefined;
        if (!found) continue;
        cells.delete(next);
        whole = around(whole, found);
        reached.push(next);
      }
  }
  return whole;
}

/** Boxes of which none touches another. */
function merged(boxes: readonly Edges[]): Edges[] {
  const found: Edges[] = [];
  for (const box of boxes) {
    let whole = box;
    for (let at = 0; at < found.length; at++) {
      const other = found[at];
      if (!other || !touch(whole, other)) continue;
      whole = around(whole, other);
      found.splice(at, 1);
      at = -1; // the larger box may touch one that the smaller did not
    }
    found.push(whole);
  }
  return found;
}

const around = (one: Edges | undefined, other: Edges): Edges =>
  one
    ? {
        left: Math.min(one.left, other.left),
        top: Math.min(one.top, other.top),
        right: Math.max(one.right, other.right),
        bottom: Math.max(one.bottom, other.bottom),
      }
    : other;

const touch = (one: Edges, other: Edges): boolean =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom;
