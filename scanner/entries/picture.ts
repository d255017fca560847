// Turns a PNG file into one of another format or size. Runs in a document without a page.

import { encodeJpeg } from '../page/jpeg';

/** The file in base 64; null if the engine can't write this format. `quality` is 1 to 100; null leaves it open. */
export default async function convertPicture(
  png: string,
  format: 'png' | 'jpeg' | 'webp',
  quality: number | null,
  scale: number,
): Promise<string | null> {
  const file = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([file], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.fillStyle = 'white'; // JPEG has no transparency
  if (format === 'jpeg') context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const [kind, content] = canvas.toDataURL(`image/${format}`, quality === null ? undefined : quality / 100).split(',');
  if (kind === `data:image/${format};base64`) return content ?? null;
  if (format !== 'jpeg') return null;
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  return base64(encodeJpeg(pixels, quality ?? 80));
}

function base64(bytes: Uint8Array): string {
  const pieces = [];
  for (let begin = 0; begin < bytes.length; begin += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(begin, begin + 0x8000)));
  }
  return btoa(pieces.join(''));
}
