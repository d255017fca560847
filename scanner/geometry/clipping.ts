// What containers, scrolling and the edges of the page leave of a box: it may be folded into a container without an
// extent, a slide beside the one that is shown, beside the page, or outside of the viewport in what is fixed to that.
// https://drafts.csswg.org/css-overflow-3/#overflow-properties

import { bodyOf, boxOf, isElement, ownerOf, scrollerOf, tagOf } from '../dom/natives';
import { composedParent, elementAbove } from '../dom/tree';
import { currentCache, viewportOf } from '../dom/snapshot';
import type { Surroundings } from '../dom/snapshot';
import { drawnBy } from './image_maps';
import { SMALLEST_SIDE, styleOf } from './styles';
import type { Box, Edges } from './styles';

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

/**
 * Whether nobody can see a box of an element that is rendered, at its place or by scrolling as a person can: up the
 * containing blocks, https://www.w3.org/TR/css-position-3/#def-cb.
 */
export function isClippedAway(element: Element, box: Edges, layouts: Layouts): boolean {
  const seen = shownPart(element, box, layouts);
  return seen === null || isOffPage(element, seen);
}

/** What containers leave of a box, or null; what can be scrolled to is where its scroller is. */
function shownPart(element: Element, box: Edges, layouts: Layouts): Edges | null {
  let seen: Edges | null = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
  let escapes: string | null = null; // `absolute` or `fixed`: nothing clips such an element below its containing block
  for (let node: Element | null = element; node && seen;) {
    const layout: Layout = layoutOf(node, layouts);
    if (layout.isRoot) break;
    if (escapes !== null && layout.contains.includes(escapes)) escapes = null;
    if (escapes === null) seen = clipped(seen, node === element, layout);
    if (layout.position === 'absolute' || layout.position === 'fixed') escapes ||= layout.position;
    node = layout.above;
  }
  return seen;
}

/** What a container lets be seen of a box; null if that is nothing. */
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

/** Whether a box lies where no scrolling of the page leads. */
function isOffPage(element: Element, box: Edges): boolean {
  const owner = ownerOf(element);
  const { x, width, height } = viewportOf(owner);
  if (box.right > 0 && box.left < width) return (box.bottom <= 0 || box.top >= height) && isFixed(element);
  if (isFixed(element)) return true;
  const room = owner.documentElement.scrollWidth;
  const from = x - (scrollsBackwards(scrollerOf(owner) ?? owner.documentElement, true) ? room - width : 0);
  return box.right <= from || box.left - x >= room;
}

/** Whether a rendered element is in a container that clips it and has no extent, as a folded panel has. */
export function isFolded(element: Element, box: Edges): boolean {
  const { isCut, clipper } = surroundingsOf(element);
  if (isCut) return true;
  for (let node = clipper; node; node = surroundingsOf(node).clipper) {
    const hasExtent = node.clientWidth >= SMALLEST_SIDE && node.clientHeight >= SMALLEST_SIDE;
    if (!hasExtent) return shownPart(element, box, new Map()) === null;
  }
  return false;
}

/**
 * Whether a rendered element lies outside of the viewport where no scrolling leads: in what is fixed, as a closed drawer
 * is, or beside a page that does not scroll sideways.
 */
export function isOutside(element: Element, box: Edges): boolean {
  const owner = ownerOf(element);
  const { width, height } = viewportOf(owner);
  if (box.right > 0 && box.bottom > 0 && box.left < width && box.top < height) return false;
  const isToFixed = isFixed(element);
  if (!isToFixed && (box.left < width || !clipsSideways(owner))) return false;
  const seen = shownPart(element, box, new Map());
  if (!seen) return isToFixed;
  return seen.left >= width || (isToFixed && (seen.right <= 0 || seen.bottom <= 0 || seen.top >= height));
}

/** https://drafts.csswg.org/css-overflow-3/#overflow-propagation */
function clipsSideways(owner: Document): boolean {
  const ofRoot = styleOf(owner.documentElement).overflowX;
  const body = bodyOf(owner);
  return CLIPS.has(ofRoot === 'visible' && body ? styleOf(body).overflowX : ofRoot);
}

const isFixed = (element: Element): boolean => fixedAround(element) !== null;

/** What is fixed to the viewport, of the element and what is around it; or null. */
function fixedAround(element: Element): Element | null {
  let fixed: Element | null = styleOf(element).position === 'fixed' ? element : surroundingsOf(element).fixed;
  // What is transformed fixes it to itself.
  for (let node = fixed && elementAbove(fixed); fixed && node; node = elementAbove(node)) {
    const { transform, filter } = styleOf(node);
    if (transform !== 'none' || filter !== 'none') fixed = surroundingsOf(node).fixed;
    if (tagOf(node) === 'body' || tagOf(node) === 'html') break;
  }
  return fixed;
}

const PAGE: Surroundings = { clipper: null, fixed: null, isCut: false };

/**
 * Kept until the page changes, as style is slow to ask of thousands. Whether a clipper does also depends on which
 * element is the containing block.
 */
function surroundingsOf(element: Element): Surroundings {
  const { surroundings } = currentCache();
  const passed: Element[] = [];
  let found = PAGE;
  for (let node: Element | null = element; node;) {
    const known: Surroundings | undefined = surroundings.get(node);
    if (known) {
      found = known;
      break;
    }
    passed.push(node);
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || tagOf(node) === 'html') break;
    const style = styleOf(node);
    const isClipper = /hidden|clip/.test(style.overflow);
    const isFixed = style.position === 'fixed';
    const isCut = style.clipPath !== 'none' && clipsAll(style);
    if (!isClipper && !isFixed && !isCut) continue;
    const outer = surroundingsOf(node);
    found = {
      clipper: isClipper ? node : outer.clipper,
      fixed: isFixed ? node : outer.fixed,
      isCut: isCut || outer.isCut,
    };
    break;
  }
  for (const node of passed) surroundings.set(node, found);
  return found;
}

/** Whether a box lies on the page, or may come there: above or left of the origin only some scrolling leads. */
export function isReachable(element: Element, box: Edges): boolean {
  const { x, y, width, height } = viewportOf(ownerOf(element));
  const [isLeft, isAbove] = [box.right <= x, box.bottom <= y];
  if (!isLeft && !isAbove) return true;
  for (let node = composedParent(element); node && isElement(node); node = composedParent(node)) {
    const isPage = tagOf(node) === 'html';
    if (!isPage && (node.scrollTop !== 0 || node.scrollLeft !== 0)) return true;
    if (isAbove && !isPage && scrollsBackwards(node, false)) return true;
    if (!isLeft || !scrollsBackwards(node, true)) continue;
    if (!isPage || box.right > x - (node.scrollWidth - width)) return true;
  }
  return box.right > -width && box.bottom > -height && isInDrawer(element);
}

/** Whether what is fixed waits outside as a whole, to come in. What is above or left of a bar in sight is put away. */
function isInDrawer(element: Element): boolean {
  const fixed = fixedAround(element);
  if (!fixed) return false;
  const { right, bottom } = boxOf(fixed);
  return right <= 0 || bottom <= 0;
}

/** Whether a box scrolls from its origin to the left, or up: by its direction of writing, or a reversed row or column. */
function scrollsBackwards(scroller: Element, sideways: boolean): boolean {
  const room = sideways ? scroller.scrollWidth - scroller.clientWidth : scroller.scrollHeight - scroller.clientHeight;
  if (room < 1) return false;
  const { overflowX, overflowY, direction, writingMode, display, flexDirection } = styleOf(scroller);
  const isPage = tagOf(scroller) === 'html';
  if (!isPage && !SCROLLS.has(sideways ? overflowX : overflowY)) return false;
  const isUpright = !writingMode.startsWith('vertical');
  const isBackwards = sideways === isUpright ? direction === 'rtl' : sideways && writingMode === 'vertical-rl';
  const isFlex = display.endsWith('flex') && flexDirection === (sideways ? 'row-reverse' : 'column-reverse');
  return isBackwards !== isFlex;
}

/** Where an element can be seen at all: the viewport of its document, less what boxes around it that scroll or clip cut off. */
export function clipOf(element: Element): Edges {
  const { width, height } = viewportOf(ownerOf(element));
  return cutByAncestors(drawnBy(element), { left: 0, top: 0, right: width, bottom: height }) ?? NOTHING;
}

const NOTHING: Edges = { left: 0, top: 0, right: 0, bottom: 0 };

/** What boxes around an element that scroll or clip leave of an area; null for nothing. */
export function cutByAncestors(element: Element, area: Edges): Edges | null {
  let rest: Edges | null = area;
  let { position } = styleOf(element);
  for (let node = composedParent(element); rest && node && isElement(node); node = composedParent(node)) {
    if (position === 'fixed' || tagOf(node) === 'body' || tagOf(node) === 'html') break;
    const style = styleOf(node);
    if (style.display === 'contents' || (position === 'absolute' && style.position === 'static')) continue;
    if (style.overflowX !== 'visible' || style.overflowY !== 'visible') rest = commonPart(rest, boxOf(node));
    position = style.position;
  }
  return rest;
}

/** What two boxes have in common, or null. */
export function commonPart(one: Edges, two: Edges): Box | null {
  const left = Math.max(one.left, two.left);
  const top = Math.max(one.top, two.top);
  const right = Math.min(one.right, two.right);
  const bottom = Math.min(one.bottom, two.bottom);
  return right > left && bottom > top ? { left, top, right, bottom, width: right - left, height: bottom - top } : null;
}

/** Whether `clip` or `clip-path` leave nothing of an element. */
export function clipsAll({ clip, clipPath }: CSSStyleDeclaration): boolean {
  if (/^rect\((\d+)px,? \1px,? \1px,? \1px\)$/.test(clip)) return true;
  const [, shape, values = ''] = /^(inset|circle|ellipse|polygon)\(([^)]*)\)/.exec(clipPath) ?? [];
  if (shape === 'circle' || shape === 'ellipse') return /^0(px|%)?( |$)/.test(values);
  if (shape === 'inset') {
    const [top = 0, right = top, bottom = top, left = right] = (/^[^r]*/.exec(values) ?? [''])[0]
      .trim()
      .split(' ')
      .map((side) => (side.endsWith('%') ? parseFloat(side) : 0));
    return top + bottom >= 100 || left + right >= 100;
  }
  if (shape !== 'polygon') return false;
  const corners = values.replace(/^\w+, /, '').split(', ');
  const isFlat = (axis: number) => new Set(corners.map((corner) => corner.split(' ')[axis])).size === 1;
  return isFlat(0) || isFlat(1);
}
