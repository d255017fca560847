// Whether the browser itself makes a double click of two clicks: WPE WebKit counts each as the first.

import { addListener } from '../dom/natives';

let isSeen = false;

/** Look for trusted double clicks from now on. */
export function watchDoubleClicks(): void {
  addListener(window, 'dblclick', (event) => (isSeen ||= event.isTrusted), true);
}

/** Whether there was one since the last call. */
export function takeDoubleClick(): boolean {
  const was = isSeen;
  isSeen = false;
  return was;
}
