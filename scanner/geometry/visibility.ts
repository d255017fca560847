// What a person can see: rendered, not transparent, with a box of 2 pixels or more a side that lies on the page.

import {
  assignedNodesOf,
  attribute,
  boxOf,
  boxOfRange,
  childrenOf,
  dataOf,
  firstChildOf,
  inputTypeOf,
  isElement,
  isText,
  nextSiblingOf,
  ownerOf,
  parentOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Container } from '../dom/natives';
import { composedParent, elementAbove, frameElementOf } from '../dom/tree';
import { currentCache, viewportOf } from '../dom/snapshot';
import { MAX_LABEL_LENGTH, TEXT_INPUTS, labelsOf } from '../dom/labels';
import { boxOfArea, drawnBy } from './image_maps';
import { SMALLEST_SIDE, isStyledVisible, renderingOf, styleOf } from './styles';
import type { Box, Edges } from './styles';
import { clipsAll, isFolded, isOutside, isReachable } from './clipping';

/** Whether a person can see the element, every frame around it included. */
export function isVisible(element: Element): boolean {
  for (let node: Element | null = element; node; node = frameElementOf(ownerOf(node))) {
    if (!seenBox(node)) return false;
    if (ownerOf(node) === document) break;
  }
  return true;
}

/** A test of frame elements (or null for none), each looked at once: one that can't be seen hides what it holds. */
export function visibleFrames(): (frame: Element | null) => boolean {
  const seen = new Map<Element, boolean>();
  return (frame) => {
    if (!frame) return true;
    let isSeen = seen.get(frame);
    if (isSeen === undefined) {
      isSeen = isVisible(frame);
      seen.set(frame, isSeen);
    }
    return isSeen;
  };
}

/** The element's visible box in its own frame's viewport, or null when it can't be seen. Its frames are not asked. */
export function seenBox(element: Element): DOMRect | null {
  const box = renderedBox(element);
  return box && isInSight(element, box) ? box : null;
}

/** Whether the box of a rendered element is neither in a folded panel nor outside in what is fixed. */
export function isInSight(element: Element, box: Edges): boolean {
  const drawn = drawnBy(element);
  return !isFolded(drawn, box) && !isOutside(drawn, box);
}

/** Like `seenBox`, but what is in a folded panel, or outside in what is fixed, has its box too. */
export function renderedBox(element: Element): DOMRect | null {
  const isSeen = isStyledVisible(element) || isTransparentControl(element);
  if (!isSeen) return boxOfVisiblePart(element);
  if (isOptionForReaders(element)) return null;
  if ((tagOf(element) === 'select' || isNativeBox(element)) && isClippedToNothing(element)) return null;
  const box = visibleBox(element);
  return box && isReachable(drawnBy(element), box) ? box : null;
}

/** Of an element that only its own style makes invisible, the box of what it holds that is visible again; or null. */
function boxOfVisiblePart(element: Element): DOMRect | null {
  const above = elementAbove(element);
  if (!above || renderingOf(element) !== 'box' || !isStyledVisible(above)) return null;
  const box = innerBox(element) || boxOfPseudos(element);
  return box && isReachable(element, box) ? box : null;
}

/**
 * An element's box, or, when that is nothing (an inline wrapper), the first box of something inside it, or of what its
 * style draws before or after it; of a combo box's own field without an extent, the box of what is drawn in its place.
 */
export function visibleBox(element: Element): DOMRect | null {
  const box = boxOf(element);
  if (isBigEnough(box)) return box;
  if (tagOf(element) === 'area') {
    const area = boxOfArea(element);
    return area && isBigEnough(area) ? area : null;
  }
  return innerBox(element) || (tagOf(element) === 'input' ? boxAroundField(element) : null) || boxOfPseudos(element);
}

const isBigEnough = ({ width, height }: Box): boolean => width >= SMALLEST_SIDE && height >= SMALLEST_SIDE;

const FIELD_LEVELS = 4;

function boxAroundField(element: Element): DOMRect | null {
  if (attribute(element, 'role') !== 'combobox' || !isTransparentControl(element)) return null;
  for (let node = elementAbove(element), level = 0; node && level < FIELD_LEVELS; node = elementAbove(node), level++) {
    const box = boxOf(node);
    if (box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  }
  return null;
}

const INNER_NODES = 40;

/** The box of the first visible text or element inside another, in the flat tree. */
function innerBox(element: Element): DOMRect | null {
  const pending: Node[] = flatChildren(element).reverse();
  if (!pending.length) return null;
  const range = ownerOf(element).createRange();
  let budget = INNER_NODES;
  for (let node = pending.pop(); node && budget--; node = pending.pop()) {
    if (isText(node)) {
      const around = dataOf(node).trim() ? composedParent(node) : null;
      if (!around || !isElement(around) || !isStyledVisible(around)) continue;
      range.selectNodeContents(node);
      const box = boxOfRange(range);
      if (isBigEnough(box)) return box;
    } else if (isElement(node)) {
      const box = boxOf(node);
      if (isBigEnough(box) && isStyledVisible(node)) return box;
      pending.push(...flatChildren(node).reverse());
    }
  }
  return null;
}

/** At most as many nodes as are looked at. */
function flatChildren(element: Element): Node[] {
  const assigned = tagOf(element) === 'slot' ? assignedNodesOf(element as HTMLSlotElement) : [];
  if (assigned.length) return assigned.slice(0, INNER_NODES);
  const children: Node[] = [];
  const first = firstChildOf(shadowOf(element) ?? element);
  for (let node = first; node && children.length < INNER_NODES; node = nextSiblingOf(node)) children.push(node);
  return children;
}

/**
 * The box of what a style draws before or after an element, from its used values, as no interface tells it:
 * https://drafts.csswg.org/cssom/#resolved-values.
 */
function boxOfPseudos(element: Element): DOMRect | null {
  for (const pseudo of ['::before', '::after']) {
    const style = styleOf(element, pseudo);
    if (style.content === 'none' || style.content === 'normal' || style.visibility !== 'visible') continue;
    if (style.display === 'none' || style.opacity === '0') continue;
    const [around, left, top] = placeOfPseudo(element, style);
    const length = (name: string): number => parseFloat(style.getPropertyValue(name)) || 0;
    // What has no width of its own is a sign or two.
    const isInner = style.boxSizing !== 'border-box';
    const side = (name: string, ...sides: string[]) =>
      (length(name) || (style.content === '""' ? 0 : length('font-size'))) +
      sides.reduce((sum, at) => sum + (isInner ? length(`padding-${at}`) + length(`border-${at}-width`) : 0), 0);
    const moved = style.transform.startsWith('matrix') ? new DOMMatrix(style.transform) : new DOMMatrix();
    const box = new DOMRect(
      around.left + left + length('margin-left') + moved.e,
      around.top + top + length('margin-top') + moved.f,
      side('width', 'left', 'right'),
      side('height', 'top', 'bottom'),
    );
    if (isBigEnough(box)) return box;
  }
  return null;
}

/** The box in which a style draws something before or after an element, and how far from its corner. */
function placeOfPseudo(element: Element, style: CSSStyleDeclaration): [around: Edges, left: number, top: number] {
  const isAbsolute = style.position === 'absolute' || style.position === 'fixed';
  let around: Element | null = element;
  if (isAbsolute) while (around && !holdsAbsolute(around)) around = elementAbove(around);
  const placed = around ?? element;
  const offset = (value: string): number => (style.position === 'static' ? 0 : parseFloat(value) || 0);
  return [boxOf(placed), placed.clientLeft + offset(style.left), placed.clientTop + offset(style.top)];
}

function holdsAbsolute(element: Element): boolean {
  const { position, transform, filter } = styleOf(element);
  return position !== 'static' || transform !== 'none' || filter !== 'none';
}

/**
 * Whether nothing of a control is left by clipping, as pages do that show a widget in its place; kept until the page
 * changes.
 */
function isClippedToNothing(element: Element): boolean {
  const { clipped } = currentCache();
  let isClipped = clipped.get(element);
  if (isClipped === undefined) {
    isClipped = clipsAll(styleOf(element));
    clipped.set(element, isClipped);
  }
  return isClipped;
}

const EMPTY_BOX_LEVELS = 3;

/** Whether an element is an option for screen readers, in a box without an extent, beside the options that one sees. */
function isOptionForReaders(element: Element): boolean {
  if (attribute(element, 'role') !== 'option') return false;
  let node = elementAbove(element);
  for (let level = 0; node && level < EMPTY_BOX_LEVELS; node = elementAbove(node), level++) {
    const { width, height } = boxOf(node);
    if ((width < SMALLEST_SIDE || height < SMALLEST_SIDE) && styleOf(node).overflow === 'hidden') return true;
  }
  return false;
}

/** `inside`, `partial` or `outside`: how a box (in its own frame's viewport) lies in that viewport. */
export function placeInViewport(element: Element, box: Edges): 'inside' | 'partial' | 'outside' {
  const { width, height } = viewportOf(ownerOf(element));
  if (box.right <= 0 || box.bottom <= 0 || box.left >= width || box.top >= height) return 'outside';
  return box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height ? 'inside' : 'partial';
}

// Controls that are transparent, as the page draws something else in their place: check boxes, ranges, fields of combo
// boxes, and text fields under their label. A person sees what is drawn and presses the control.

/** Whether an element is a check box or radio button of HTML's own. */
export const isNativeBox = (element: Element): boolean =>
  tagOf(element) === 'input' && (inputTypeOf(element) === 'checkbox' || inputTypeOf(element) === 'radio');

/** Whether an element is a transparent field or box that is drawn by what is around it, and takes its presses. */
export function isTransparentControl(element: Element): boolean {
  const tag = tagOf(element);
  if (tag === 'textarea') return isUnderLabel(element);
  if (tag !== 'input') return false;
  const type = inputTypeOf(element);
  if (isNativeBox(element)) return !labelsOf(element).length && isTransparentInSight(element) && isDrawnAround(element);
  if (type === 'range') return isTransparentInSight(element) && isDrawnAround(element);
  if (attribute(element, 'role') === 'combobox') return isTransparentInSight(element);
  return TEXT_INPUTS.has(type) && isUnderLabel(element);
}

const LABEL_LEVELS = 4;
const LAYER_SHARE = 4;

/** Whether a text field is transparent as long as it is empty and without the focus, and its label lies in its place. */
function isUnderLabel(element: Element): boolean {
  const { visibility, pointerEvents } = styleOf(element);
  if (visibility !== 'visible' || pointerEvents === 'none' || parseInt(attribute(element, 'tabindex') ?? '', 10) < 0)
    return false;
  const box = boxOf(element);
  let layer: Element | null = element;
  for (let level = 0; layer && styleOf(layer).opacity !== '0' && level < LABEL_LEVELS; level++)
    layer = elementAbove(layer);
  if (!layer || styleOf(layer).opacity !== '0' || isMuchLarger(boxOf(layer), box, LAYER_SHARE)) return false;
  const around = elementAbove(layer);
  if (!around || tagOf(around) === 'body' || !isStyledVisible(around)) return false;
  return partsBeside(layer).some((part) => isOver(part, box) && isShortText(part));
}

const isMuchLarger = (outer: Box, inner: Box, times: number): boolean =>
  outer.width * outer.height > times * inner.width * inner.height;

const isShortText = (part: Element): boolean => {
  const text = textContentOf(part).trim();
  return text !== '' && text.length <= MAX_LABEL_LENGTH;
};

function partsBeside(element: Element): Element[] {
  const parent = parentOf(element);
  if (!parent) return [];
  return Array.prototype.filter.call<HTMLCollection, [(each: Element) => boolean], Element[]>(
    childrenOf(parent as Container),
    (each) => each !== element,
  );
}

const isTransparentInSight = (element: Element): boolean => drawnAround(element) !== null;

/**
 * The visible element around one that only its own opacity hides, or that of a box right around it beside which
 * something else is drawn; or null.
 */
export function drawnAround(element: Element): Element | null {
  if (styleOf(element).visibility !== 'visible') return null;
  let node = elementAbove(element);
  if (styleOf(element).opacity !== '0') {
    if (!node || styleOf(node).opacity !== '0') return null;
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || childrenOf(node).length < 2) return null;
  }
  return node && isStyledVisible(node) ? node : null;
}

const isDrawnAround = (element: Element): boolean =>
  styleOf(element).pointerEvents !== 'none' && (isDrawnBySibling(element) || isDrawnByParent(element));

/** Whether an element beside a transparent box lies under it. */
function isDrawnBySibling(element: Element): boolean {
  const box = boxOf(element);
  return partsBeside(element).some((each) => isOver(each, box));
}

/** Whether an element is seen in the place of a box. */
export function isOver(element: Element, box: Edges): boolean {
  const { left, right, top, bottom, width, height } = boxOf(element);
  const overlaps = left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  return overlaps && width >= SMALLEST_SIDE && height >= SMALLEST_SIDE && isStyledVisible(element);
}

const DRAWN_SHARE = 4;

/** Whether the element right around a transparent box draws it by its own style, and is not much larger. */
function isDrawnByParent(element: Element): boolean {
  const parent = elementAbove(element);
  if (!parent || isMuchLarger(boxOf(parent), boxOf(element), DRAWN_SHARE)) return false;
  const isDrawing = (pseudo: string) => !['none', 'normal'].includes(styleOf(parent, pseudo).content);
  return isDrawing('::before') || isDrawing('::after') || styleOf(parent).backgroundImage !== 'none';
}
