// highlight, highlight_clear (docs/spec/scanner-protocol.md#highlight): a frame drawn over an element that takes no
// input and follows the element wherever the page moves it. Then `boxes` and `annotate`.

import {
  NativePromise,
  appendChild,
  boxOf,
  createElement,
  ownerOf,
  parentOf,
  printJson,
  removeChild,
  setAttribute,
  windowOf,
} from '../dom/natives';
import type {
  AnnotateRequest,
  AnnotateResponse,
  BoxesRequest,
  BoxesResponse,
  HighlightClearResponse,
  HighlightRequest,
  HighlightResponse,
  RectData,
  VisibleBox,
} from '../dom/protocol';
import { Refusal, wholeNumber } from '../dom/refusal';
import { requestFrame, startTimer } from '../dom/timing';
import { frameElementOf, holds, isAttached, rootElement } from '../dom/tree';
import { attachedReference, elementOfNumber } from '../dom/numbers';
import { cutByAncestors } from '../geometry/clipping';
import { boxOutOfFrame } from '../geometry/frames';
import { SMALLEST_SIDE } from '../geometry/styles';
import { isVisible, seenBox, visibleBox } from '../geometry/visibility';
import type { Edges } from '../geometry/styles';
import { hitIn } from '../geometry/boxes';
import { elementNumbered, elementOf } from '../targets/candidates';
import { visibleLabel } from '../targets/describe';
import { topDialog } from '../page/layers';
import { middleOf } from '../input/press_points';
import { pressable } from '../input/locate';
import { scrollXOf, scrollYOf, viewSizeOf } from '../dom/windows';

const HIGHLIGHT_DURATION = 3000;
const HIGHLIGHT_LINE = 3;
const NO_COLORS = ['inherit', 'initial', 'unset', 'revert', 'revert-layer'];
const highlights = new Map<Element, HTMLElement>(); // element → its mark

export function highlight(request: HighlightRequest): HighlightResponse {
  const id = wholeNumber(request.id, 'id');
  const element = elementOf(id);
  if (!isVisible(pressable(element))) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const color = request.color || 'red';
  if (!CSS.supports('color', color) || NO_COLORS.includes(color.toLowerCase()))
    throw new Refusal('INVALID_REQUEST', `no such color: ${color}`);
  removeHighlight(element);
  const mark = newMark(ownerOf(element), color);
  highlights.set(element, mark);
  followElement(element, mark);
  const duration = request.duration ?? HIGHLIGHT_DURATION;
  if (duration > 0) startTimer(() => highlights.get(element) === mark && removeHighlight(element), duration);
  return { highlighted: true, id };
}

function newMark(owner: Document, color: string): HTMLElement {
  const mark = createElement(owner, 'div');
  setAttribute(mark, 'aria-hidden', 'true');
  styleMark(mark, {
    all: 'initial',
    position: 'absolute',
    inset: 'auto',
    margin: '0',
    padding: '0',
    overflow: 'visible',
    background: 'none',
    border: `${HIGHLIGHT_LINE}px solid ${color}`,
    'box-sizing': 'content-box',
    'pointer-events': 'none',
    'z-index': '2147483647',
  });
  // Above an open dialog, which is in the top layer: https://html.spec.whatwg.org/multipage/popover.html
  if ('showPopover' in mark) setAttribute(mark, 'popover', 'manual');
  appendChild(rootElement(owner), mark);
  if ('showPopover' in mark) mark.showPopover();
  return mark;
}

/** Through the CSSOM: a style attribute may be forbidden by the page's content security policy. */
function styleMark(mark: HTMLElement, rules: Record<string, string>): void {
  for (const [name, value] of Object.entries(rules)) mark.style.setProperty(name, value, 'important');
}

/** Put the mark where its element is, now and at every frame until it is removed. */
function followElement(element: Element, mark: HTMLElement): void {
  let last = '';
  const follow = () => {
    if (highlights.get(element) !== mark) return;
    if (!isAttached(element)) return removeHighlight(element);
    const box = visibleBox(pressable(element));
    const view = windowOf(ownerOf(element));
    const place =
      box && view
        ? {
            display: 'block',
            left: `${box.left + scrollXOf(view) - HIGHLIGHT_LINE}px`,
            top: `${box.top + scrollYOf(view) - HIGHLIGHT_LINE}px`,
            width: `${box.width}px`,
            height: `${box.height}px`,
          }
        : null;
    const now = printJson(place);
    if (now !== last) styleMark(mark, place || { display: 'none' });
    last = now;
    requestFrame(follow);
  };
  follow();
}

function removeHighlight(element: Element): void {
  const mark = highlights.get(element);
  if (!mark) return;
  highlights.delete(element);
  const parent = parentOf(mark);
  if (parent) removeChild(parent, mark);
}

export function highlightClear(): HighlightClearResponse {
  const count = highlights.size;
  for (const element of [...highlights.keys()]) removeHighlight(element);
  return { cleared: count };
}

// boxes, annotate (docs/spec/scanner-protocol.md#boxes): where elements are seen, and a picture of the page with their
// numbers drawn in.
//
// The numbers are drawn into the picture, on a canvas that is in no document, not onto the page: no observer of the
// page hears of them, and nothing of the page (a dialog in the top layer, a filter) lies over them.

const MARK_COLORS = ['#c4002f', '#0b57d0', '#146c2e', '#7d3cc8', '#a04b00', '#00687a'];
const MARK_FONT = 'bold 12px system-ui, sans-serif';
const MARK_HEIGHT = 15;
const MARK_LINE = 2;
const LOSSY_QUALITY = 90;

/**
 * Those of the numbered elements that can be seen, with their boxes as far as nothing cuts them off. With `references`
 * the numbers are those of the last tree.
 */
export function boxes(request: BoxesRequest): BoxesResponse {
  const dialog = topDialog();
  const found: VisibleBox[] = [];
  for (const id of request.ids) {
    const element = request.references ? attachedReference(id) : elementOfNumber.has(id) ? elementNumbered(id) : null;
    if (!element || (dialog && isBehind(element, dialog))) continue;
    const box = clippedBox(element);
    if (!box) continue;
    found.push({ id, x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  }
  return { boxes: found };
}

/** Whether an open dialog lies over the middle of an element. */
function isBehind(element: Element, dialog: Element): boolean {
  if (holds(dialog, element) || ownerOf(element) !== ownerOf(dialog)) return false;
  const { x, y } = middleOf(boxOf(element));
  const hit = hitIn(ownerOf(element), x, y);
  return hit !== null && holds(dialog, hit) && !holds(element, hit);
}

/** The part of an element's box that scrolling boxes and frames around it show, in this scanner's viewport, or null. */
export function clippedBox(element: Element): Edges | null {
  const seen = seenBox(element) || seenLabelBox(element);
  let box: Edges | null = seen && { left: seen.left, top: seen.top, right: seen.right, bottom: seen.bottom };
  for (let node = element; box;) {
    box = cutByAncestors(node, box);
    const owner = ownerOf(node);
    if (owner === document || !box) return box;
    const frame = frameElementOf(owner);
    const view = windowOf(owner);
    if (!frame || !view || !seenBox(frame)) return null;
    const { width, height } = viewSizeOf(view);
    box = intersection(box, { left: 0, top: 0, right: width, bottom: height });
    box = box && boxOutOfFrame(frame, box);
    node = frame;
  }
  return null;
}

function seenLabelBox(element: Element): Edges | null {
  const label = visibleLabel(element);
  return label && seenBox(label);
}

function intersection(one: Edges, other: Edges): Edges | null {
  const left = Math.max(one.left, other.left);
  const top = Math.max(one.top, other.top);
  const right = Math.min(one.right, other.right);
  const bottom = Math.min(one.bottom, other.bottom);
  return right - left >= SMALLEST_SIDE && bottom - top >= SMALLEST_SIDE ? { left, top, right, bottom } : null;
}

type Canvas = HTMLCanvasElement | OffscreenCanvas;
type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/**
 * `image` (base64 of a picture `width` CSS pixels wide) with a frame and a number for each of `boxes`, or the part `clip`
 * of that.
 */
export async function annotate(request: AnnotateRequest): Promise<AnnotateResponse> {
  const whole = await createImageBitmap(new Blob([bytesOf(request.image)]));
  const picture = request.clip ? await cutOf(whole, request.clip, whole.width / request.width) : whole;
  const canvas = newCanvas(picture.width, picture.height);
  const pen = canvas.getContext('2d', { willReadFrequently: true }) as Pen; // a new canvas has no other context
  pen.drawImage(picture, 0, 0);
  const scale = whole.width / request.width;
  pen.scale(scale, scale);
  pen.font = MARK_FONT;
  pen.textBaseline = 'middle';
  pen.lineWidth = MARK_LINE;
  const size = { width: picture.width / scale, height: picture.height / scale };
  for (const box of request.boxes) drawFrame(pen, box);
  // After all frames, so that no frame crosses a number.
  const taken: Edges[] = [];
  for (const box of request.boxes) drawNumber(pen, box, size, taken);
  const blob = await fileOf(canvas, `image/${request.format}`, (request.quality ?? LOSSY_QUALITY) / 100);
  return { image: textOf(new Uint8Array(await blob.arrayBuffer())) };
}

const cutOf = (picture: ImageBitmap, { x, y, width, height }: RectData, scale: number): Promise<ImageBitmap> =>
  createImageBitmap(picture, x * scale, y * scale, Math.max(1, width * scale), Math.max(1, height * scale));

// WebKit 2.38 has no OffscreenCanvas; a canvas that is in no document does the same.
const hasOffscreenCanvas = typeof OffscreenCanvas === 'function';

function newCanvas(width: number, height: number): Canvas {
  if (hasOffscreenCanvas) return new OffscreenCanvas(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

function fileOf(canvas: Canvas, type: string, quality: number): Promise<Blob> {
  if ('convertToBlob' in canvas) return canvas.convertToBlob({ type, quality });
  return new NativePromise((resolve, reject) => {
    const take = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('the canvas makes no picture')));
    canvas.toBlob(take, type, quality);
  });
}

const markColor = (id: number) => MARK_COLORS[id % MARK_COLORS.length] as string;

function drawFrame(pen: Pen, { id, x, y, width, height }: VisibleBox): void {
  pen.strokeStyle = markColor(id);
  const inset = MARK_LINE / 2;
  pen.strokeRect(x + inset, y + inset, Math.max(1, width - MARK_LINE), Math.max(1, height - MARK_LINE));
}

interface Size {
  width: number;
  height: number;
}

/** Above the frame's corner, or where else there is room beside the numbers drawn before. */
function drawNumber(pen: Pen, box: VisibleBox, size: Size, taken: Edges[]): void {
  const width = pen.measureText(String(box.id)).width + 6;
  const places = placesOf(box, width, size);
  const { left, top } = places.find((one) => !taken.some((other) => overlap(one, other))) || places[0];
  taken.push({ left, top, right: left + width, bottom: top + MARK_HEIGHT });
  pen.fillStyle = markColor(box.id);
  pen.fillRect(left, top, width, MARK_HEIGHT);
  pen.fillStyle = '#fff';
  pen.fillText(String(box.id), left + 3, top + MARK_HEIGHT / 2 + 0.5);
}

type Corner = [left: number, top: number];

/** Where the number of a box may stand: the best place first, at least one. */
function placesOf({ x, y, width: boxWidth, height }: VisibleBox, width: number, size: Size): [Edges, ...Edges[]] {
  const corner: Corner = [x, y];
  const corners: Corner[] = [
    [x, y - MARK_HEIGHT],
    corner,
    [x + boxWidth - width, y - MARK_HEIGHT],
    [x + boxWidth - width, y],
    [x, y + height],
  ];
  const inside = ([left, top]: Corner) =>
    left >= 0 && top >= 0 && left + width <= size.width && top + MARK_HEIGHT <= size.height;
  const clamped = ([left, top]: Corner): Corner => [
    Math.max(0, Math.min(left, size.width - width)),
    Math.max(0, Math.min(top, size.height - MARK_HEIGHT)),
  ];
  const places = [...corners.filter(inside), clamped(corner)].map(([left, top]) => ({
    left,
    top,
    right: left + width,
    bottom: top + MARK_HEIGHT,
  }));
  return places as [Edges, ...Edges[]];
}

const overlap = (one: Edges, other: Edges) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += 32768)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + 32768)));
  return btoa(parts.join(''));
}
