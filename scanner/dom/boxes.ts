// The boxes of elements and texts, in the viewport of their document. Scripts that do not have the scanner use this module
// too.
//
// Before `zoom` had a standard (https://drafts.csswg.org/css-viewport/#zoom-property), browsers told the boxes of what is
// zoomed in its own pixels, places included, while the mouse has the viewport's. WebKit still does. The same browsers do
// not zoom the content of a frame.

import { getter, method } from './unbound';

const styleOf = getComputedStyle;
const parentOf = getter(Node.prototype, 'parentNode');
const nodeTypeOf = getter(Node.prototype, 'nodeType');
const slotOf = getter(Element.prototype, 'assignedSlot');
const nameOf = getter(Element.prototype, 'localName');
const hostOf = getter(ShadowRoot.prototype, 'host');
const [ELEMENT, FRAGMENT] = [1, 11];

/** The element around another in the flat tree of its document, or null. */
export function flatParent(element: Element): Element | null {
  const parent: Node | null = slotOf(element) ?? parentOf(element);
  if (!parent) return null;
  if (nodeTypeOf(parent) === FRAGMENT) return hostOf(parent as ShadowRoot);
  return nodeTypeOf(parent) === ELEMENT ? (parent as Element) : null;
}

// --- zoom ---

/** Whether boxes of what is zoomed are told in its own pixels. */
const tellsOwnPixels = CSS.supports('zoom', '2') && !('currentCSSZoom' in Element.prototype);

// What is asked of many elements in a row; forgotten with the next microtask, as styles may change.
let zooms: WeakMap<Element, number> | null = null;
const settled = Promise.resolve();
const then = method(Promise.prototype, 'then');
const seen = method(WeakMap.prototype, 'get');
const note = method(WeakMap.prototype, 'set');
const forgetZooms = () => (zooms = null);

/** How many pixels of the viewport a pixel of the element's box is, where the browser tells boxes in the latter; else 1. */
export function pixelZoom(element: Element): number {
  if (!tellsOwnPixels) return 1;
  if (!zooms) {
    zooms = new WeakMap();
    void then(settled, forgetZooms);
  }
  const known = zooms;
  const path: Element[] = [];
  let zoom = 1;
  for (let node: Element | null = element; node; node = flatParent(node)) {
    const found = seen(known, node) as number | undefined;
    if (found !== undefined) {
      zoom = found;
      break;
    }
    path.push(node);
  }
  for (let at = path.length - 1; at >= 0; at--) {
    const node = path[at] as Element;
    zoom *= parseFloat(styleOf(node).zoom) || 1;
    note(known, node, zoom);
  }
  return zoom;
}

const FRAMES = /^(i?frame|object|embed)$/;

/** Whether the content of a frame or picture is zoomed with it. */
export const zoomsContent = (element: Element): boolean => !(tellsOwnPixels && FRAMES.test(nameOf(element)));

// --- boxes ---

const toldBoxOf = method(Element.prototype, 'getBoundingClientRect');
const toldBoxesOf = method(Element.prototype, 'getClientRects');
const toldRangeBox = method(Range.prototype, 'getBoundingClientRect');
const toldRangeBoxes = method(Range.prototype, 'getClientRects');
const holderOf = getter(Range.prototype, 'commonAncestorContainer');

function inViewport(box: DOMRect, zoom: number): DOMRect {
  return zoom === 1 ? box : new DOMRect(box.x * zoom, box.y * zoom, box.width * zoom, box.height * zoom);
}

/** The box around an element. */
export const boxOf = tellsOwnPixels
  ? (element: Element): DOMRect => inViewport(toldBoxOf(element), pixelZoom(element))
  : toldBoxOf;

/** The boxes of an element, one for each line. */
export const boxesOf = tellsOwnPixels
  ? (element: Element): ArrayLike<DOMRect> => allInViewport(toldBoxesOf(element), pixelZoom(element))
  : toldBoxesOf;

/** The box around a part of a text. */
export const boxOfRange = (range: Range): DOMRect => inViewport(toldRangeBox(range), rangeZoom(range));

/** The boxes of a part of a text, one for each line. */
export const boxesOfRange = (range: Range): ArrayLike<DOMRect> =>
  allInViewport(toldRangeBoxes(range), rangeZoom(range));

const allInViewport = (boxes: ArrayLike<DOMRect>, zoom: number): ArrayLike<DOMRect> =>
  zoom === 1 ? boxes : Array.from(boxes, (box) => inViewport(box, zoom));

function rangeZoom(range: Range): number {
  const holder = holderOf(range);
  const element = nodeTypeOf(holder) === ELEMENT ? (holder as Element) : (parentOf(holder) as Element | null);
  return element && nodeTypeOf(element) === ELEMENT ? pixelZoom(element) : 1;
}
