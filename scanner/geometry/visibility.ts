// What a person can see: rendered, not transparent, with a box of 2 pixels or more a side that lies on the page.

import {
  attribute,
  boxOf,
  checkVisibility,
  childrenOf,
  dataOf,
  firstChildOf,
  inputTypeOf,
  isElement,
  isHtml,
  isText,
  nextSiblingOf,
  ownerOf,
  parentOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { getter } from '../dom/unbound';
import type { Container } from '../dom/natives';
import { composedParent, elementAbove, frameElementOf } from '../dom/tree';
import { currentCache, viewportOf } from '../dom/snapshot';
import { MAX_LABEL_LENGTH, TEXT_INPUTS, labelsOf } from '../dom/labels';

/** Where something begins and ends, in the viewport of its own frame. */
export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Box extends Edges {
  readonly width: number;
  readonly height: number;
}

export const styleOf = getComputedStyle.bind(window);

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
  return box && !isFolded(element, box) ? box : null;
}

/** Like `seenBox`, but what is in a folded panel has its box too. */
export function renderedBox(element: Element): DOMRect | null {
  if (!(isStyledVisible(element) || isTransparentControl(element)) || isOptionForReaders(element)) return null;
  if ((tagOf(element) === 'select' || isNativeBox(element)) && isClippedToNothing(element)) return null;
  const box = visibleBox(element);
  return box && isReachable(element, box) ? box : null;
}

// https://drafts.csswg.org/cssom-view/#dom-element-checkvisibility: the older names, which all browsers know.
const VISIBILITY = { checkOpacity: true, checkVisibilityCSS: true };

/** Whether styles let an element be seen, wherever it lies. */
export function isStyledVisible(element: Element): boolean {
  if (checkVisibility) return checkVisibility(element, VISIBILITY);
  if (styleOf(element).visibility !== 'visible') return false;
  for (let node: Node | null = element; node && isElement(node); node = composedParent(node)) {
    const style = styleOf(node);
    if (style.display === 'none' || style.opacity === '0') return false;
  }
  return true;
}

export const SMALLEST_SIDE = 2;

/**
 * An element's box, or, when that is nothing (an inline wrapper), the first box of something inside it; of a combo box's
 * own field without an extent, the box of what is drawn in its place.
 */
export function visibleBox(element: Element): DOMRect | null {
  const box = boxOf(element);
  if (box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  return innerBox(element) || (tagOf(element) === 'input' ? boxAroundField(element) : null);
}

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

function innerBox(element: Element): DOMRect | null {
  const first = firstChildOf(element);
  if (!first) return null;
  const range = ownerOf(element).createRange();
  let budget = INNER_NODES;
  const pending: Node[] = [first];
  for (let node = pending.pop(); node && budget--; node = pending.pop()) {
    const next = nextSiblingOf(node);
    if (next) pending.push(next);
    let box: DOMRect | null = null;
    if (isText(node)) {
      if (!dataOf(node).trim()) continue;
      range.selectNodeContents(node);
      box = range.getBoundingClientRect();
    } else if (isElement(node)) {
      box = boxOf(node);
      const inner = firstChildOf(node);
      if (inner) pending.push(inner);
    }
    if (box && box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  }
  return null;
}

/** Whether a box lies on the page, where scrolling can reach it: nothing above or left of the origin can be. */
function isReachable(element: Element, box: Edges): boolean {
  const origin = viewportOf(ownerOf(element));
  return (box.right > origin.x && box.bottom > origin.y) || isScrolledAway(element);
}

function isScrolledAway(element: Element): boolean {
  for (let node = composedParent(element); node && isElement(node); node = composedParent(node)) {
    if (node.scrollTop > 0 || node.scrollLeft !== 0) return tagOf(node) !== 'html';
  }
  return false;
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

const clipsAll = ({ clip, clipPath }: CSSStyleDeclaration): boolean =>
  clip === 'rect(0px, 0px, 0px, 0px)' || /^inset\((50|100)%\)$/.test(clipPath);

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

// Whether a block of text that is rendered can be seen at its place, or by scrolling as a person can: it may be folded
// into a container without an extent, a slide beside the one that is shown, beside the page, or outside of the viewport
// in what is fixed to it. https://drafts.csswg.org/css-overflow-3/#overflow-properties

const CLIPS = new Set(['hidden', 'clip']);
const SCROLLS = new Set(['auto', 'scroll']);

const AXES = [
  { overflow: 'overflowX', start: 'left', end: 'right' },
  { overflow: 'overflowY', start: 'top', end: 'bottom' },
] as const;

/** What the style of an element says about what it clips. */
interface Layout {
  isRoot: boolean;
  style: { overflowX: string; overflowY: string };
  /** Its box, null if it clips nothing. */
  box: Edges | null;
  position: string;
  /** The positions of which it is the containing block. */
  contains: string;
  above: Element | null;
}

/** The layouts of elements that were asked for, as blocks have their containers in common. */
export type Layouts = Map<Element, Layout>;

/** Whether containers clip all of a box: up the containing blocks, https://www.w3.org/TR/css-position-3/#def-cb. */
export function isClippedAway(block: Element, box: Edges, layouts: Layouts): boolean {
  let seen: Edges | null = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
  let escapes: string | null = null; // `absolute` or `fixed`: nothing clips such an element below its containing block
  for (let node: Element | null = block; node;) {
    const layout: Layout = layoutOf(node, layouts);
    if (layout.isRoot) return false;
    if (escapes !== null && layout.contains.includes(escapes)) escapes = null;
    if (escapes === null) seen = clipped(seen, node === block, layout);
    if (seen === null) return true;
    if (layout.position === 'absolute' || layout.position === 'fixed') escapes ||= layout.position;
    node = layout.above;
  }
  return false;
}

/** What a container lets be seen of a box; null if that is nothing. What can be scrolled to is where its scroller is. */
function clipped(seen: Edges, isItself: boolean, { style, box }: Layout): Edges | null {
  if (!box) return seen;
  let rest = seen;
  for (const { overflow, start, end } of AXES) {
    if (CLIPS.has(style[overflow])) {
      const from = Math.max(rest[start], box[start]);
      const to = Math.min(rest[end], box[end]);
      if (to - from < (isItself ? SMALLEST_SIDE : 1)) return null;
    } else if (SCROLLS.has(style[overflow]) && !isItself) {
      rest = { ...rest, [start]: box[start], [end]: box[end] };
    }
  }
  return rest;
}

function layoutOf(element: Element, layouts: Layouts): Layout {
  const cached = layouts.get(element);
  if (cached) return cached;
  const tag = tagOf(element);
  const { overflowX, overflowY, position, transform, filter } = styleOf(element);
  const isFrame = transform !== 'none' || filter !== 'none';
  const layout: Layout = {
    isRoot: tag === 'body' || tag === 'html',
    style: { overflowX, overflowY },
    box: overflowX === 'visible' && overflowY === 'visible' ? null : boxOf(element),
    position,
    contains: isFrame ? 'absolute fixed' : position === 'static' ? '' : 'absolute',
    above: elementAbove(element),
  };
  layouts.set(element, layout);
  return layout;
}

/** Whether an element is rendered in a container that clips it and has no extent, as a folded panel has. */
function isFolded(element: Element, box: Edges): boolean {
  for (let node = clipperOf(element); node; node = clipperOf(node)) {
    const hasExtent = node.clientWidth >= SMALLEST_SIDE && node.clientHeight >= SMALLEST_SIDE;
    if (!hasExtent) return isClippedAway(element, box, new Map());
  }
  return false;
}

/**
 * The nearest element around another that may clip it, or null; kept until the page changes, as style is slow to ask of
 * thousands. Whether it does also depends on which one is the containing block.
 */
function clipperOf(element: Element): Element | null {
  const { clippers } = currentCache();
  const passed: Element[] = [];
  let clipper: Element | null = null;
  for (let node: Element | null = element; node;) {
    const known: Element | null | undefined = clippers.get(node);
    if (known !== undefined) {
      clipper = known;
      break;
    }
    passed.push(node);
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || tagOf(node) === 'html') break;
    if (/hidden|clip/.test(styleOf(node).overflow)) {
      clipper = node;
      break;
    }
  }
  for (const node of passed) clippers.set(node, clipper);
  return clipper;
}

/** Whether a box lies where no scrolling of the page leads. */
export function isOffPage(block: Element, box: Edges): boolean {
  const owner = ownerOf(block);
  const { x, width, height } = viewportOf(owner);
  if (box.right <= 0 || box.left >= width) {
    return box.right <= x || box.left - x >= owner.documentElement.scrollWidth || isFixed(block);
  }
  return (box.bottom <= 0 || box.top >= height) && isFixed(block);
}

const offsetParentOf = getter(HTMLElement.prototype, 'offsetParent');

/** Whether something around the element is fixed to the viewport. */
function isFixed(element: Element): boolean {
  let node = element;
  for (let above: Element | null = element; above; above = isHtml(above) ? offsetParentOf(above) : null) node = above;
  const tag = tagOf(node);
  return tag !== 'body' && tag !== 'html' && styleOf(node).position === 'fixed';
}
