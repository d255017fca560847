// Picture files, and canvases that are in no document.

import { NativePromise } from '../dom/natives';

export type Canvas = HTMLCanvasElement | OffscreenCanvas;
export type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

const LOSSY_QUALITY = 90;
// WebKit 2.38 has no OffscreenCanvas; a canvas that is in no document does the same.
const hasOffscreenCanvas = typeof OffscreenCanvas === 'function';

/** Read a picture file, in base 64. Rejects for a file that the engine can't read. */
export const bitmapOf = (base64: string): Promise<ImageBitmap> => createImageBitmap(new Blob([bytesOf(base64)]));

export function newCanvas(width: number, height: number): Canvas {
  if (hasOffscreenCanvas) return new OffscreenCanvas(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

/** A new canvas has no other context. */
export const penOf = (canvas: Canvas): Pen => canvas.getContext('2d', { willReadFrequently: true }) as Pen;

/** The picture as a file, in base 64. `quality` is that of JPEG and WebP, 1 to 100. */
export async function fileOf(canvas: Canvas, format: string, quality?: number | null): Promise<string> {
  const blob = await blobOf(canvas, `image/${format}`, (quality ?? LOSSY_QUALITY) / 100);
  return base64Of(new Uint8Array(await blob.arrayBuffer()));
}

function blobOf(canvas: Canvas, type: string, quality: number): Promise<Blob> {
  if ('convertToBlob' in canvas) return canvas.convertToBlob({ type, quality });
  return new NativePromise((resolve, reject) => {
    const take = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('the canvas makes no picture')));
    canvas.toBlob(take, type, quality);
  });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += 32768)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + 32768)));
  return btoa(parts.join(''));
}
