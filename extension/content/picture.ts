// Parts of pictures.

import type { PictureRequest } from '../messages';

const CHUNK = 32768; // arguments of a call

/** A part of a picture as a file (base64). */
export async function cut({ image, x, y, width, height, format, quality, scale }: PictureRequest): Promise<string> {
  const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes]), x, y, width, height);
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const pen = canvas.getContext('2d');
  if (pen) pen.imageSmoothingQuality = 'high';
  pen?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: `image/${format}`, ...(quality !== null && { quality }) });
  let text = '';
  const encoded = new Uint8Array(await blob.arrayBuffer());
  for (let start = 0; start < encoded.length; start += CHUNK) {
    text += String.fromCharCode(...encoded.subarray(start, start + CHUNK));
  }
  return btoa(text);
}
