// Where a person writes to the chat: the box, the button that sends, and the one that stops an answer.
//
// A site's own selectors come first (src/oryn/extension/chats.json); where they find nothing, for sites change, the page's
// structure tells.

import type { ChatSite } from '../messages';
import { setter } from 'scanner/unbound';
import { isSeen, lettersOf } from './text';

const BOXES = 'textarea, [contenteditable=""], [contenteditable="true" i], [contenteditable="plaintext-only" i]';
const BUTTONS = 'button, [role="button"], input[type="submit"]';
const MAX_LEVELS = 8; // from the box up to what it shares with its buttons
const UNSEEN = /[\u200b-\u200d\u2060\ufeff]/g;

const setFieldText = setter(HTMLTextAreaElement.prototype, 'value');

const seen = (selectors: readonly string[], root: ParentNode = document): HTMLElement[] =>
  selectors.flatMap((selector) => [...root.querySelectorAll<HTMLElement>(selector)].filter(isSeen));

/** What any element may have that a control has. */
type Control = HTMLElement & Partial<Pick<HTMLInputElement, 'disabled' | 'readOnly' | 'value'>>;

export const isEnabled = (element: Control): boolean =>
  !element.disabled && element.getAttribute('aria-disabled') !== 'true';
const isWritable = (element: Control) => isEnabled(element) && !element.readOnly;

/** The box to write in, or null: the site's, else the largest. */
export function box(site: ChatSite): HTMLElement | null {
  const [own] = seen(site.box).filter(isWritable);
  if (own) return own;
  let best: HTMLElement | null = null;
  let area = 0;
  for (const element of seen([BOXES]).filter(isWritable)) {
    const own = areaOf(element);
    if (own > area) [best, area] = [element, own];
  }
  return best;
}

function areaOf(element: Element): number {
  const { width, height } = element.getBoundingClientRect();
  return width * height;
}

const isField = (element: HTMLElement) => element instanceof HTMLTextAreaElement;

/** What stands in the box. */
export function textIn(element: HTMLElement): string {
  return (isField(element) ? element.value : element.innerText).replace(UNSEEN, '').trim();
}

const holds = (element: HTMLElement, text: string) => lettersOf(textIn(element)) === lettersOf(text);

/** Write a text into the box, in the place of what is there, as an editor of the page takes it. Resolves to whether it
 *  holds the text now. */
export async function write(element: HTMLElement, text: string): Promise<boolean> {
  element.focus();
  const ways = isField(element)
    ? [() => setValue(element, text)]
    : [() => insert(element, text), () => paste(element, text), () => replace(element, text)];
  for (const way of ways) {
    way();
    // Editors take what comes in a turn or two of their own.
    for (let turn = 0; turn < 20; turn++) {
      if (holds(element, text)) return true;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  return false;
}

function setValue(field: HTMLTextAreaElement, text: string): void {
  // Past what a framework has put over the property: it notices by the event.
  setFieldText(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
}

const selectAll = (editor: HTMLElement) => getSelection()?.selectAllChildren(editor);

function insert(editor: HTMLElement, text: string): void {
  selectAll(editor);
  document.execCommand('insertText', false, text);
}

function paste(editor: HTMLElement, text: string): void {
  selectAll(editor);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

function replace(editor: HTMLElement, text: string): void {
  const lines = text.split('\n').map((line) => {
    const paragraph = document.createElement('p');
    paragraph.append(line || document.createElement('br'));
    return paragraph;
  });
  editor.replaceChildren(...lines);
  editor.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
}

/** The button that sends, enabled or not; null where there is none, and Enter has to do it. */
export function sendButton(element: HTMLElement, site: ChatSite): HTMLElement | null {
  const [own] = seen(site.send);
  if (own) return own;
  let level = element.parentElement;
  for (let count = 0; level && level !== document.body && count < MAX_LEVELS; count++, level = level.parentElement) {
    const all = seen([BUTTONS], level).filter((button) => !isStop(button, site));
    const named = all.filter((button) => says(button, site.send_words));
    const found = named.at(-1) ?? all.find((button) => button.getAttribute('type') === 'submit');
    if (found) return found;
  }
  return null;
}

const isStop = (button: Control, site: ChatSite) => says(button, site.stop_words);

/** Buttons that stop an answer which is being written. */
export function stopButtons(site: ChatSite): HTMLElement[] {
  const own = seen(site.stop);
  return own.length ? own : seen([BUTTONS]).filter((button) => isStop(button, site));
}

function says(button: Control, words: readonly string[]): boolean {
  const { id, title, value, textContent } = button;
  const label = [button.getAttribute('aria-label'), title, button.getAttribute('data-testid'), id, value, textContent];
  const text = label.filter(Boolean).join(' ').toLowerCase();
  return words.some((word) => text.includes(word));
}

export function pressEnter(element: HTMLElement): void {
  element.focus();
  for (const kind of ['keydown', 'keypress', 'keyup']) {
    const key = { key: 'Enter', code: 'Enter', keyCode: 13, which: 13, bubbles: true, cancelable: true };
    element.dispatchEvent(new KeyboardEvent(kind, key));
  }
}
