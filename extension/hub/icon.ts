// Icons of plugins: PNG pictures in `data:` URLs, drawn on a canvas. Nothing else is decoded: no SVG, which has scripts and
// loads files, and no address, which would tell its server when the user is asked.

import { element } from '../popup/dom';
import { label } from './text';

const PREFIX = 'data:image/png;base64,';
/** https://www.w3.org/TR/png-3/#5PNG-file-signature, and the chunk IHDR, which comes first. */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
const SIZE_AT = 16;
/** Pixels of a side. A small file can be a picture of gigabytes. */
const MAX_SIDE = 1024;
const DRAWN_SIDE = 80;

/** The bytes of a PNG picture of at most `MAX_SIDE` pixels a side, or null for all else. */
export function pngOf(icon: string | undefined): Uint8Array<ArrayBuffer> | null {
  if (!icon?.startsWith(PREFIX)) return null;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(icon.slice(PREFIX.length)), (each) => each.charCodeAt(0));
  } catch {
    return null; // no base64
  }
  if (bytes.length < SIZE_AT + 8 || SIGNATURE.some((byte, at) => bytes[at] !== byte)) return null;
  const view = new DataView(bytes.buffer);
  const sides = [view.getUint32(SIZE_AT), view.getUint32(SIZE_AT + 4)];
  return sides.every((side) => side > 0 && side <= MAX_SIDE) ? bytes : null;
}

/** The icon of a plugin; the first letter of its name until it is drawn, or if there is none. */
export function iconElement(icon: string | undefined, name: string): HTMLElement {
  const [letter = ''] = label(name);
  const box = element('span', { className: 'icon', 'aria-hidden': 'true' }, letter.toUpperCase());
  const bytes = pngOf(icon);
  if (bytes) void draw(bytes, box);
  return box;
}

async function draw(bytes: Uint8Array<ArrayBuffer>, box: HTMLElement): Promise<void> {
  const canvas = element('canvas', { width: DRAWN_SIDE, height: DRAWN_SIDE });
  try {
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const scale = DRAWN_SIDE / Math.max(picture.width, picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    const left = (DRAWN_SIDE - width) / 2;
    canvas.getContext('2d')?.drawImage(picture, left, (DRAWN_SIDE - height) / 2, width, height);
    picture.close();
  } catch {
    return; // damaged: the letter stays
  }
  box.classList.add('drawn');
  box.replaceChildren(canvas);
}
