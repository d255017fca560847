// Puts a text into the browser's clipboard, where no script of the page can stop it or learn of it.

import { addListener, editDocument, removeListener } from '../dom/natives';
import { getter, method } from '../dom/unbound';

const dataOf = getter(ClipboardEvent.prototype, 'clipboardData');
const setData = method(DataTransfer.prototype, 'setData');
const prevent = method(Event.prototype, 'preventDefault');
const stop = method(Event.prototype, 'stopImmediatePropagation');

// WebKit copies without a selection only if a script says that there is something to copy.
const allow = (event: Event): void => {
  prevent(event);
  stop(event);
};

/** Whether the browser has taken the text. */
export function copyText(text: string): boolean {
  let isDone = false; // `execCommand` returns true in a password field too, where there is no event
  const give = (event: Event): void => {
    const data = dataOf(event as ClipboardEvent);
    isDone = true;
    if (data) setData(data, 'text/plain', text);
    prevent(event);
    stop(event);
  };
  addListener(window, 'copy', give, true);
  addListener(window, 'beforecopy', allow, true);
  editDocument(document, 'copy');
  removeListener(window, 'copy', give, true);
  removeListener(window, 'beforecopy', allow, true);
  return isDone;
}
