// Files whose content the worker sends, for a file input or a drop. The worker calls the functions of `oryn_input` through
// the debugger, with an element of this world.

interface SentFile {
  name: string;
  type: string;
  pieces: Uint8Array<ArrayBuffer>[];
}

let sent: SentFile[] = [];
const held = new Map<string, Element>(); // token: an element that the worker is about to ask for

/** Remember an element under a token, for the next question after it. */
export function hold(element: Element | null, token: string): boolean {
  held.clear();
  if (element) held.set(token, element);
  return element !== null;
}

function taken(): FileList {
  const data = new DataTransfer();
  for (const { name, type, pieces } of sent) data.items.add(new File(pieces, name, { type }));
  sent = [];
  return data.files;
}

const isFileInput = (element: unknown): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.type === 'file';

/** `takeChosenFiles` is what the scanner drops (`scanner/input/dropped_files.ts`). */
const INPUT = {
  heldBy: (token: string) => held.get(token) ?? null,
  isHere: () => true,
  beginFiles: () => {
    sent = [];
  },
  beginFile: (_: Element, name: string, type: string) => {
    sent.push({ name, type, pieces: [] });
  },
  addPiece: (_: Element, content: string) => {
    sent.at(-1)?.pieces.push(Uint8Array.from(atob(content), (character) => character.charCodeAt(0)));
  },
  giveFiles: (input: Element) => {
    if (!isFileInput(input)) return false;
    input.files = taken();
    input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  },
  takeChosenFiles: taken,
};

/** Let the worker and the scanner find it in this world. */
export function takeFiles(): void {
  Object.defineProperty(globalThis, 'oryn_input', { value: INPUT });
}
