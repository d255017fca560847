// Turns a PNG file into one of another format or size. Runs in a document without a page.

import { base64Of, bitmapOf } from '../page/bitmaps';
import { encodeJpeg } from '../page/jpeg';

/** The file in base 64; null if the engine can't write this format. `quality` is 1 to 100; null leaves it open. */
export default async function convertPicture(
  png: string,
  format: 'png' | 'jpeg' | 'webp',
  quality: number | null,
  scale: number,
): Promise<string | null> {
  const picture = await bitmapOf(png);
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
  return base64Of(encodeJpeg(pixels, quality ?? 80));
}
