// annotate, compare_pictures (docs/spec/scanner-protocol.md#annotate): a picture of the page with the numbers of elements
// drawn in, and what differs between two picture files.
//
// The numbers are drawn into the picture, on a canvas that is in no document, not onto the page: no observer of the
// page hears of them, and nothing of the page (a dialog in the top layer, a filter) lies over them.

import pixelmatch from 'pixelmatch';

import type {
  AnnotateRequest,
  AnnotateResponse,
  ComparePicturesRequest,
  ComparePicturesResponse,
  BitmapSize,
  RectData,
  VisibleBox,
} from '../dom/protocol';
import type { Edges } from '../geometry/styles';
import { bitmapOf, fileOf, newCanvas, penOf } from '../page/bitmaps';
import type { Pen } from '../page/bitmaps';
import { differingRegions } from '../page/differing_regions';

const MARK_COLORS = ['#c4002f', '#0b57d0', '#146c2e', '#7d3cc8', '#a04b00', '#00687a'];
const MARK_FONT = 'bold 12px system-ui, sans-serif';
const MARK_HEIGHT = 15;
const MARK_LINE = 2;

/**
 * `image` (base64 of a picture `width` CSS pixels wide) with a frame and a number for each of `boxes`, or the part `clip`
 * of that.
 */
export async function annotate(request: AnnotateRequest): Promise<AnnotateResponse> {
  const whole = await bitmapOf(request.image);
  const picture = request.clip ? await cutOf(whole, request.clip, whole.width / request.width) : whole;
  const canvas = newCanvas(picture.width, picture.height);
  const pen = penOf(canvas);
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
  return { image: await fileOf(canvas, request.format, request.quality) };
}

const cutOf = (picture: ImageBitmap, { x, y, width, height }: RectData, scale: number): Promise<ImageBitmap> =>
  createImageBitmap(picture, x * scale, y * scale, Math.max(1, width * scale), Math.max(1, height * scale));

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

const MASK_COLOR = 'rgb(96, 96, 160)';
const MAX_PIXELS = 64_000_000;

/**
 * How many pixels of two pictures (base64 of their files) differ, and where. Anti-aliased edges don't count, nor what
 * lies in `masks`.
 */
export async function comparePictures(request: ComparePicturesRequest): Promise<ComparePicturesResponse> {
  const [first, second] = [await readable(request.first), await readable(request.second)];
  const result: ComparePicturesResponse = { first: sizeOf(first), second: sizeOf(second) };
  if (!first || !second || !isSameSize(first, second) || first.width * first.height > MAX_PIXELS) return result;
  const { width, height } = first;
  const ignored = ignoredPixels(request.masks, width, height);
  const drawn = new ImageData(width, height);
  const differing = pixelmatch(pixelsOf(first), pixelsOf(second), drawn.data, width, height, {
    threshold: request.threshold,
    ignoreMask: ignored.pixels,
    diffColor: DIFFERENT,
  });
  result.compared = width * height - ignored.count;
  result.differing = differing;
  result.regions = differing ? differingRegions(drawn, DIFFERENT) : [];
  if (request.draws) result.image = await drawnPicture(drawn, request.masks);
  return result;
}

const DIFFERENT: [number, number, number] = [255, 0, 0]; // the rest of pixelmatch's picture is grey, edges are yellow

const readable = (file: string): Promise<ImageBitmap | null> => bitmapOf(file).catch(() => null);

const sizeOf = (picture: ImageBitmap | null): BitmapSize | null =>
  picture && { width: picture.width, height: picture.height };

const isSameSize = (one: BitmapSize, other: BitmapSize): boolean =>
  one.width === other.width && one.height === other.height;

function pixelsOf(picture: ImageBitmap): Uint8ClampedArray {
  const pen = penOf(newCanvas(picture.width, picture.height));
  pen.drawImage(picture, 0, 0);
  return pen.getImageData(0, 0, picture.width, picture.height).data;
}

/** A byte for each pixel, 1 for those that a mask touches; and how many these are. */
function ignoredPixels(
  masks: readonly RectData[],
  width: number,
  height: number,
): { pixels: Uint8Array; count: number } {
  const pixels = new Uint8Array(width * height);
  for (const mask of masks) {
    const left = Math.min(width, Math.max(0, Math.floor(mask.x)));
    const right = Math.min(width, Math.ceil(mask.x + mask.width));
    const bottom = Math.min(height, Math.ceil(mask.y + mask.height));
    for (let y = Math.max(0, Math.floor(mask.y)); y < bottom && left < right; y++)
      pixels.fill(1, y * width + left, y * width + right);
  }
  return { pixels, count: pixels.reduce((sum, each) => sum + each, 0) };
}

async function drawnPicture(drawn: ImageData, masks: readonly RectData[]): Promise<string> {
  const canvas = newCanvas(drawn.width, drawn.height);
  const pen = penOf(canvas);
  pen.putImageData(drawn, 0, 0);
  pen.fillStyle = MASK_COLOR;
  for (const { x, y, width, height } of masks) pen.fillRect(x, y, width, height);
  return fileOf(canvas, 'png');
}
