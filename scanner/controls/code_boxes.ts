// The boxes of a code: a field for each character, or for a group of them, alike and in one row. And codes that nobody
// may see: where one is written, the field shows dots, and is no longer described by what it holds.

import { attribute, boxOf, inputTypeOf, parentElementOf, tagOf } from '../dom/natives';
import { queryAll } from '../dom/banner';
import { isAttached } from '../dom/tree';
import { getter, method } from '../dom/unbound';
import { isVisible } from '../geometry/visibility';
import { isDisabled, isReadOnly, keepSecret } from '../semantics/values';
import { isTextControl, maxLengthOf } from '../semantics/text_controls';
import { isInput } from './prepare';

const BOX_TYPES = new Set(['text', 'tel', 'number', 'password']);
const MAX_LEVELS = 6;
const MAX_WIDTH = 120; // pixels of a box for a few characters
const MAX_GAP = 100; // pixels between two boxes, where a dash may stand
const TOLERANCE = 4; // pixels by which boxes that are alike differ

export interface CodeBoxes {
  /** The boxes as they are now: a page may replace them. */
  find: () => readonly Element[];
  /** Characters of a box. */
  size: number;
}

/**
 * The boxes that a text of `length` characters belongs into, from `element` on or around it; null if it is a field like
 * any other. isCode: the text is a code, so that a row of narrow fields is enough.
 */
export function codeBoxes(element: Element, length: number, isCode: boolean): CodeBoxes | null {
  if (!isBox(element) || length < 2) return null;
  const most = maxLengthOf(element);
  const isSaid = isCode || most === 1 || /\bone-time-code\b/.test(attribute(element, 'autocomplete') || '');
  const sizes = most > 1 && most < length ? [most] : isSaid ? [1] : [];
  for (const size of sizes) {
    const boxes = length % size === 0 ? rowOf(element, length / size) : null;
    if (boxes && (size === 1 || boxes.every((box) => maxLengthOf(box) === size)))
      return { find: finderOf(boxes), size };
  }
  return null;
}

const isBox = (element: Element): boolean =>
  isInput(element) &&
  isTextControl(element) &&
  BOX_TYPES.has(inputTypeOf(element)) &&
  boxOf(element).width <= MAX_WIDTH &&
  isVisible(element) &&
  !isDisabled(element) &&
  !isReadOnly(element);

/** So many boxes like `element` in one row, within the nearest element that has them. */
function rowOf(element: Element, count: number): Element[] | null {
  if (count < 2) return null;
  for (const above of ancestorsOf(element)) {
    const row = Array.from(queryAll(above, 'input')).filter((other) => isAlike(element, other));
    const at = row.indexOf(element);
    const boxes = row.length === count ? row : at >= 0 ? row.slice(at, at + count) : [];
    if (boxes.length === count) return boxes.every((box, i) => isBeside(boxes[i - 1], box)) ? boxes : null;
  }
  return null;
}

/** What finds the boxes, also when the page has made others in their place. */
function finderOf(boxes: readonly Element[]): () => readonly Element[] {
  const above = [...ancestorsOf(boxes[0] as Element)];
  let found = boxes;
  return () => {
    if (found.every(isAttached)) return found;
    for (const ancestor of above.filter(isAttached)) {
      const row = Array.from(queryAll(ancestor, 'input')).filter(isBox);
      const alike = row.filter((box) => isAlike(row[0] as Element, box));
      if (alike.length === boxes.length) return (found = alike);
      if (alike.length) break;
    }
    return found;
  };
}

function* ancestorsOf(element: Element): Generator<Element> {
  let above = parentElementOf(element);
  for (let level = 0; above && level < MAX_LEVELS; level++, above = parentElementOf(above)) yield above;
}

function isAlike(one: Element, other: Element): boolean {
  if (one === other) return true;
  if (!isBox(other) || inputTypeOf(one) !== inputTypeOf(other)) return false;
  const [first, second] = [boxOf(one), boxOf(other)];
  return Math.abs(first.width - second.width) <= TOLERANCE && Math.abs(first.top - second.top) <= TOLERANCE;
}

const isBeside = (former: Element | undefined, box: Element): boolean =>
  !former || Math.max(boxOf(box).left - boxOf(former).right, boxOf(former).left - boxOf(box).right) <= MAX_GAP;

// --- what nobody may see ---

const styleAttributeOf = getter(HTMLElement.prototype, 'style');
const setProperty = method(CSSStyleDeclaration.prototype, 'setProperty');
const removeProperty = method(CSSStyleDeclaration.prototype, 'removeProperty');
const DOTS = '-webkit-text-security';

/** Let a field show dots from now on, in every picture. Returns what takes that back. */
export function concealField(element: Element): () => void {
  if (tagOf(element) !== 'input' && tagOf(element) !== 'textarea') return () => undefined;
  keepSecret(element);
  const style = styleAttributeOf(element as HTMLElement);
  setProperty(style, DOTS, 'disc', 'important');
  return () => {
    removeProperty(style, DOTS);
  };
}
