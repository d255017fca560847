// What a person can see: rendered, not transparent, with a box of 2 pixels or more a side that lies on the page.

const styleOf = getComputedStyle.bind(window);

// https://drafts.csswg.org/cssom-view/#dom-element-checkvisibility: the older names, which all browsers know.
const VISIBILITY = { checkOpacity: true, checkVisibilityCSS: true };
const SMALLEST_SIDE = 2;

/**
 * The parent in the flat tree: the slot of a slotted node, the host of a shadow root's child, the frame of a document.
 */
function composedParent(node) {
  if (nodeTypeOf(node) === ELEMENT_NODE) {
    const slot = slotOf(node);
    if (slot) return slot;
  }
  const parent = parentOf(node);
  if (!parent) return null;
  return nodeTypeOf(parent) === FRAGMENT_NODE ? hostOf(parent) : parent;
}

/** The parent element across shadow roots and same-origin frames, or null at the top. */
function elementAbove(element) {
  const parent = composedParent(element);
  return parent && holderOf(parent);
}

/** The element that a parent node is or belongs to: a shadow root to its host, a document to its frame; or null. */
function holderOf(parent) {
  switch (nodeTypeOf(parent)) {
    case ELEMENT_NODE:
      return parent;
    case FRAGMENT_NODE:
      return hostOf(parent);
    case DOCUMENT_NODE:
      return frameElementOf(parent);
    default:
      return null;
  }
}

/** The element whose content a mutation has changed: itself, or the one around a text or a shadow root; or null. */
function changedElement(target) {
  const node = nodeTypeOf(target) === TEXT_NODE ? parentOf(target) : target;
  return node && holderOf(node);
}

/** The frame element that shows this document, when it is of the same origin. */
function frameElementOf(document) {
  const view = windowOf(document);
  if (!view) return null;
  try {
    return view.frameElement;
  } catch (error) {
    return null;
  }
}

function isStyledVisible(element) {
  if (checkVisibility) return checkVisibility(element, VISIBILITY);
  if (styleOf(element).visibility !== 'visible') return false;
  for (let node = element; node && nodeTypeOf(node) === ELEMENT_NODE; node = composedParent(node)) {
    const style = styleOf(node);
    if (style.display === 'none' || style.opacity === '0') return false;
  }
  return true;
}

/**
 * An element's box, or, when that is nothing (an inline wrapper), the first box of something inside it; of a combo box's
 * own field without an extent, the box of what is drawn in its place.
 */
function visibleBox(element) {
  const box = boxOf(element);
  if (box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  return innerBox(element) || (tagOf(element) === 'input' ? boxAroundField(element) : null);
}

const FIELD_LEVELS = 4;

function boxAroundField(element) {
  if (attribute(element, 'role') !== 'combobox' || !isTransparentControl(element)) return null;
  for (let node = elementAbove(element), level = 0; node && level < FIELD_LEVELS; node = elementAbove(node), level++) {
    const box = boxOf(node);
    if (box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  }
  return null;
}

function innerBox(element) {
  if (!firstChildOf(element)) return null;
  const range = ownerOf(element).createRange();
  let budget = 40;
  const pending = [firstChildOf(element)];
  while (pending.length && budget--) {
    const node = pending.pop();
    if (nextSiblingOf(node)) pending.push(nextSiblingOf(node));
    let box = null;
    if (nodeTypeOf(node) === TEXT_NODE) {
      if (!dataOf(node).trim()) continue;
      range.selectNodeContents(node);
      box = range.getBoundingClientRect();
    } else if (nodeTypeOf(node) === ELEMENT_NODE) {
      box = boxOf(node);
      if (firstChildOf(node)) pending.push(firstChildOf(node));
    }
    if (box && box.width >= SMALLEST_SIDE && box.height >= SMALLEST_SIDE) return box;
  }
  return null;
}

/** Whether a box lies on the page, where scrolling can reach it: nothing above or left of the origin can be. */
function isReachable(element, box) {
  const origin = viewportOf(ownerOf(element));
  return (box.right > origin.x && box.bottom > origin.y) || isScrolledAway(element);
}

// The last document's viewport, as thousands of elements in a row ask for the same one; forgotten at the start of each
// command.
let lastViewport = { owner: null };

/** The size of a document's viewport, and where the page's origin is in it, negative when scrolled. */
function viewportOf(owner) {
  if (lastViewport.owner === owner) return lastViewport;
  const view = windowOf(owner);
  const { innerWidth: width, innerHeight: height } = view || window;
  return (lastViewport = {
    owner,
    width,
    height,
    x: view ? -view.pageXOffset : Infinity,
    y: view ? -view.pageYOffset : Infinity,
  });
}

function isScrolledAway(element) {
  for (let node = composedParent(element); node && nodeTypeOf(node) === ELEMENT_NODE; node = composedParent(node)) {
    if (node.scrollTop > 0 || node.scrollLeft !== 0) return tagOf(node) !== 'html';
  }
  return false;
}

/** The element's visible box in its own frame's viewport, or null when it can't be seen. Its frames are not asked. */
function seenBox(element) {
  const box = renderedBox(element);
  return box && !isFolded(element, box) ? box : null;
}

/** Like `seenBox`, but what is in a folded panel has its box too. */
function renderedBox(element) {
  if (!(isStyledVisible(element) || isTransparentControl(element)) || isOptionForReaders(element)) return null;
  if ((tagOf(element) === 'select' || isNativeBox(element)) && isClippedToNothing(element)) return null;
  const box = visibleBox(element);
  return box && isReachable(element, box) ? box : null;
}

/** Whether a control is cut off whole, as one is in whose place the page shows a widget; kept until the page changes. */
function isClippedToNothing(element) {
  const { clipped } = currentCache();
  if (!clipped.has(element)) clipped.set(element, clipsAll(styleOf(element)));
  return clipped.get(element);
}

const clipsAll = ({ clip, clipPath }) =>
  clip === 'rect(0px, 0px, 0px, 0px)' || /^inset\((50|100)%\)$/.test(clipPath);

const EMPTY_BOX_LEVELS = 3;

/** Whether an element is an option for screen readers, in a box without an extent, beside the options that one sees. */
function isOptionForReaders(element) {
  if (attribute(element, 'role') !== 'option') return false;
  let node = elementAbove(element);
  for (let level = 0; node && level < EMPTY_BOX_LEVELS; node = elementAbove(node), level++) {
    const { width, height } = boxOf(node);
    if ((width < SMALLEST_SIDE || height < SMALLEST_SIDE) && styleOf(node).overflow === 'hidden') return true;
  }
  return false;
}

/** Whether a person can see the element, every frame around it included. */
function isVisible(element) {
  for (let node = element; node; node = frameElementOf(ownerOf(node))) {
    if (!seenBox(node)) return false;
    if (ownerOf(node) === document) break;
  }
  return true;
}

/** Where the viewport inside a frame element starts in the viewport around it. */
function viewportOrigin(frame) {
  const box = boxOf(frame);
  const { paddingLeft, paddingTop } = styleOf(frame);
  return {
    x: box.left + frame.clientLeft + parseFloat(paddingLeft),
    y: box.top + frame.clientTop + parseFloat(paddingTop),
  };
}

/** Where the viewport of the element's own frame starts in this scanner's viewport. */
function frameOffset(element) {
  const offset = { x: 0, y: 0 };
  for (let owner = ownerOf(element); owner !== document;) {
    const frame = frameElementOf(owner);
    if (!frame) break;
    const origin = viewportOrigin(frame);
    offset.x += origin.x;
    offset.y += origin.y;
    owner = ownerOf(frame);
  }
  return offset;
}

/** `inside`, `partial` or `outside`: how a box (in its own frame's viewport) lies in that viewport. */
function placeInViewport(element, box) {
  const { width, height } = viewportOf(ownerOf(element));
  if (box.right <= 0 || box.bottom <= 0 || box.left >= width || box.top >= height) return 'outside';
  return box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height ? 'inside' : 'partial';
}
