// Pastes a text that is not in the browser's clipboard: scripts can't put it there in every WebKit. The key is the
// browser's own; the event and the text in place of what it would paste are ours.

import { addListener, dispatch, editDocument } from '../dom/natives';
import { getter, method } from '../dom/unbound';

const stop = method(Event.prototype, 'stopImmediatePropagation');
const prevent = method(Event.prototype, 'preventDefault');
const isPrevented = getter(Event.prototype, 'defaultPrevented');
const isTrusted = (event: Event): boolean => event.isTrusted; // no page can redefine it
const pathOf = method(Event.prototype, 'composedPath');
const setData = method(DataTransfer.prototype, 'setData');
const NativeDataTransfer = DataTransfer;
const NativeClipboardEvent = ClipboardEvent;

/** The text to paste, and the key that pastes it. */
let waiting: { text: string; key: Event | null } | null = null;

/** Look for pastes from now on. */
export function watchPastes(): void {
  addListener(
    window,
    'keydown',
    (event) => {
      if (waiting) waiting.key = event;
    },
    true,
  );
  addListener(
    window,
    'paste',
    (event) => {
      if (!waiting || !isTrusted(event)) return;
      stop(event);
      prevent(event);
      paste(waiting.text, pathOf(event)[0]);
    },
    true,
  );
}

/** Paste a text in place of the browser's until `endPaste`. */
export function beginPaste(text: string): void {
  waiting = { text, key: null };
}

/** Paste now if the browser has no paste for the key that was pressed, unless the page has prevented it. */
export function endPaste(): void {
  if (waiting?.key && !isPrevented(waiting.key)) paste(waiting.text, pathOf(waiting.key)[0] ?? document.activeElement);
  waiting = null;
}

function paste(text: string, target: EventTarget | null | undefined): void {
  waiting = null;
  const clipboardData = new NativeDataTransfer();
  setData(clipboardData, 'text/plain', text);
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  if (!target || dispatch(target, new NativeClipboardEvent('paste', init)))
    editDocument(document, 'insertText', false, text);
}
