// Where the content of a frame or picture lies in the viewport of the document around it, however that is scaled, turned
// or zoomed (https://drafts.csswg.org/css-transforms-1/#transform-rendering). Scripts that do not have the scanner use
// this module too.
//
// No interface tells the transformation. Its linear part is the product of the styles around the element, in which the
// places of boxes and origins play no part; its translation follows from the middle of the element's box, which stays the
// middle through all that is linear. What a perspective distorts is taken as if it did not.

import { boxOf, flatParent, pixelZoom, zoomsContent } from './boxes';
import { revealPosition } from './scroll_position';
import type { Position } from './scroll_position';
import { getter } from './unbound';
import { viewSizeOf } from './windows';

/** `x' = a x + c y + e`, `y' = b x + d y + f`, the order of https://drafts.fxtf.org/geometry/#dom-dommatrix-dommatrix. */
export type AffineMap = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const Matrix = DOMMatrix;
const styleOf = getComputedStyle;
const namespaceOf = getter(Element.prototype, 'namespaceURI');
const SVG = 'http://www.w3.org/2000/svg';

export const mapped = ([a, b, c, d, e, f]: AffineMap, [x, y]: Position): Position => [
  a * x + c * y + e,
  b * x + d * y + f,
];

/** The position that `mapped` takes to this one. What is scaled to nothing has none: its corner is returned. */
export function unmapped([a, b, c, d, e, f]: AffineMap, [x, y]: Position): Position {
  const size = a * d - b * c;
  if (!size) return [0, 0];
  return [(d * (x - e) - c * (y - f)) / size, (a * (y - f) - b * (x - e)) / size];
}

/** From the content box of a frame or picture to its document's viewport. `linear`: its linear part, if that is known. */
export function contentMap(element: HTMLElement, linear = linearPart(element)): AffineMap {
  const box = boxOf(element);
  const [a, b, c, d] = linear;
  const zoom = borderZoom(element);
  const [left, top] = insetOf(element, zoom);
  const isUpright = !b && !c && a && d;
  const width = isUpright ? box.width / Math.abs(a) : element.offsetWidth * zoom;
  const height = isUpright ? box.height / Math.abs(d) : element.offsetHeight * zoom;
  const [x, y] = [width / 2 - left, height / 2 - top];
  return [a, b, c, d, (box.left + box.right) / 2 - a * x - c * y, (box.top + box.bottom) / 2 - b * x - d * y];
}

/** Width and height of the content box in its own pixels. */
export function contentSize(element: HTMLElement): [width: number, height: number] {
  const [left, top, right, bottom] = insetOf(element, 1);
  const { clientLeft, clientTop, clientWidth, clientHeight } = element;
  const zoom = borderZoom(element);
  return [(clientWidth - (left - clientLeft) - right) * zoom, (clientHeight - (top - clientTop) - bottom) * zoom];
}

/** How many pixels of its content a pixel of the element itself is. */
const borderZoom = (element: Element): number => (zoomsContent(element) ? 1 : pixelZoom(element));

/** Border and padding at the left and at the top, padding at the right and at the bottom; each times `zoom`. */
function insetOf(element: HTMLElement, zoom: number): [left: number, top: number, right: number, bottom: number] {
  const { paddingLeft, paddingTop, paddingRight, paddingBottom } = styleOf(element);
  return [
    (element.clientLeft + parseFloat(paddingLeft)) * zoom,
    (element.clientTop + parseFloat(paddingTop)) * zoom,
    parseFloat(paddingRight) * zoom,
    parseFloat(paddingBottom) * zoom,
  ];
}

export type LinearPart = readonly [a: number, b: number, c: number, d: number];

export function linearPart(element: Element): LinearPart {
  let whole: DOMMatrix | null = null;
  const isZoomed = zoomsContent(element);
  let zoom = 1;
  for (let node: Element | null = element; node; node = flatParent(node)) {
    if (namespaceOf(node) === SVG && node !== element) {
      // It takes into account what is around it.
      const { a, b, c, d } = (node as SVGGraphicsElement).getScreenCTM() ?? new Matrix();
      whole = new Matrix([a, b, c, d, 0, 0]).multiply(whole ?? undefined);
      break;
    }
    const style = styleOf(node);
    if (isZoomed) zoom *= parseFloat(style.zoom) || 1;
    const own = node === element || style.display !== 'inline' ? transformOf(style) : null;
    if (!own && !whole) continue;
    whole = own ? own.multiply(whole ?? undefined) : whole;
    const parent = flatParent(node);
    if (whole && !(parent && styleOf(parent).transformStyle === 'preserve-3d'))
      whole = new Matrix([whole.a, whole.b, whole.c, whole.d, 0, 0]);
  }
  const { a, b, c, d } = whole ?? new Matrix();
  return [a * zoom, b * zoom, c * zoom, d * zoom];
}

/** What an element's own style does to it but for moves, or null. */
function transformOf({ transform, rotate, scale }: CSSStyleDeclaration): DOMMatrix | null {
  let own: DOMMatrix | null = transform && transform !== 'none' ? new Matrix(transform) : null;
  if (scale && scale !== 'none') own = new Matrix(functionOf('scale', scale)).multiply(own ?? undefined);
  if (rotate && rotate !== 'none') own = new Matrix(functionOf('rotate', rotate)).multiply(own ?? undefined);
  return own;
}

const AXES: Readonly<Record<string, string>> = { x: '1,0,0', y: '0,1,0', z: '0,0,1' };

/** The value of `scale` or `rotate` as a function of `transform`: `0.5 2`, `x 30deg`, `1 1 0 30deg`. */
function functionOf(name: string, value: string): string {
  const parts = value.split(' ').map((part) => AXES[part] ?? part);
  return `${name}${parts.join().split(',').length > 2 ? '3d' : ''}(${parts.join()})`;
}

const DRAWN_MILLISECONDS = 100; // a tab in the background draws nothing

/**
 * A position in the content of a frame as one of its document's viewport, scrolled into view, and what covers the frame
 * there (`div#consent`) or ''. `arrive` is called before the look at what is there.
 */
export async function reveal(
  frame: HTMLElement,
  position: Position,
  arrive?: (x: number, y: number) => void,
): Promise<[x: number, y: number, covered: string]> {
  const place = (): Position => mapped(contentMap(frame), position);
  const { width, height } = viewSizeOf(window);
  const isInView = ([x, y]: Position) => x >= 0 && y >= 0 && x < width && y < height;
  let found = place();
  if (!isInView(found)) {
    frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    if (!isInView(place())) revealPosition(frame, place);
    // The browser finds out whom a press is for from the last picture, so that must be drawn anew.
    for (let frames = 0; frames < 2; frames++)
      await new Promise<unknown>((resolve) => {
        requestAnimationFrame(resolve);
        setTimeout(resolve, DRAWN_MILLISECONDS);
      });
    found = place();
  }
  arrive?.(...found);
  const onTop = (frame.getRootNode() as Document | ShadowRoot).elementFromPoint(...found);
  const isCovered = onTop && onTop !== frame && !frame.contains(onTop);
  return [...found, isCovered ? onTop.localName + (onTop.id ? `#${onTop.id}` : '') : ''];
}
