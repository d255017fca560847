// Whether a block of text that is rendered can be seen at its place, or by scrolling as a person can: it may be folded
// into a container without an extent, a slide beside the one that is shown, beside the page, or outside of the viewport
// in what is fixed to it. https://drafts.csswg.org/css-overflow-3/#overflow-properties

const CLIPS = new Set(['hidden', 'clip']);
const SCROLLS = new Set(['auto', 'scroll']);
const AXES = [
  { overflow: 'overflowX', start: 'left', end: 'right' },
  { overflow: 'overflowY', start: 'top', end: 'bottom' },
];

/**
 * Whether nobody can see a block. `layouts` remembers the layout of elements for the time of one reading. Live regions,
 * which are often read aloud only, are never out of sight.
 */
function isOutOfSight(block, layouts) {
  const box = boxOf(block);
  if (box.width === 0 && box.height === 0) return block.offsetWidth > 0; // scaled away, else `display: contents`
  const isHidden = isClippedAway(block, box, layouts) || isOffPage(block, box);
  return isHidden && closest(block, LIVE) === null;
}

/** Walks up the containing blocks: https://www.w3.org/TR/css-position-3/#def-cb. */
function isClippedAway(block, box, layouts) {
  let seen = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
  let escapes = null; // `absolute` or `fixed`: nothing clips such an element below its containing block
  for (let node = block; node; ) {
    const layout = layoutOf(node, layouts);
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
function clipped(seen, isItself, { style, box }) {
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

function layoutOf(element, layouts) {
  const cached = layouts.get(element);
  if (cached) return cached;
  const tag = tagOf(element);
  const { overflowX, overflowY, position, transform, filter } = styleOf(element);
  const isFrame = transform !== 'none' || filter !== 'none';
  const layout = {
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
function isFolded(element, box) {
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
function clipperOf(element) {
  const { clippers } = currentCache();
  const passed = [];
  let clipper;
  for (let node = element; clipper === undefined; ) {
    clipper = clippers.get(node);
    if (clipper !== undefined) break;
    passed.push(node);
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || tagOf(node) === 'html') clipper = null;
    else if (/hidden|clip/.test(styleOf(node).overflow)) clipper = node;
  }
  for (const node of passed) clippers.set(node, clipper);
  return clipper;
}

/** Whether a box lies where no scrolling of the page leads. */
function isOffPage(block, box) {
  const owner = ownerOf(block);
  const { x, width, height } = viewportOf(owner);
  if (box.right <= 0 || box.left >= width) {
    return box.right <= x || box.left - x >= owner.documentElement.scrollWidth || isFixed(block);
  }
  return (box.bottom <= 0 || box.top >= height) && isFixed(block);
}

/** Whether something around the element is fixed to the viewport. */
function isFixed(element) {
  let node = element;
  while (node.offsetParent) node = node.offsetParent;
  const tag = tagOf(node);
  return tag !== 'body' && tag !== 'html' && styleOf(node).position === 'fixed';
}
