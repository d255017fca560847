// The port to the service worker. The browser may stop the worker at any time: the port then closes, a new port starts the
// worker again, and it publishes its whole state.

import type { PopupRequest, WorkerMessage } from '../messages';

/** What the popup gets: also `lost` after the worker has stopped, and `orphaned` after the extension was reloaded. */
export type PortMessage = WorkerMessage | { type: 'lost' | 'orphaned' };

const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 4000;

let port: chrome.runtime.Port | null = null;
let delay = MIN_RETRY_MS;
let onMessage: (message: PortMessage) => void = () => {};
const unsent: PopupRequest[] = [];

/** Stay connected to the worker while this page is open. `handle` is called with each message. */
export function connect(handle: (message: PortMessage) => void): void {
  onMessage = handle;
  open();
}

/** Send a message to the worker, now or as soon as it runs again. */
export function send(message: PopupRequest): void {
  if (port) port.postMessage(message);
  else unsent.push(message);
}

function open(): void {
  let opened: chrome.runtime.Port;
  try {
    opened = chrome.runtime.connect({ name: 'popup' });
  } catch {
    // The extension was removed or reloaded: this page belongs to none.
    return onMessage({ type: 'orphaned' });
  }
  port = opened;
  opened.onMessage.addListener((message: WorkerMessage) => {
    delay = MIN_RETRY_MS;
    onMessage(message);
  });
  opened.onDisconnect.addListener(handleDisconnect);
  for (const message of unsent.splice(0)) opened.postMessage(message);
}

function handleDisconnect(): void {
  port = null;
  onMessage({ type: 'lost' });
  setTimeout(open, delay);
  delay = Math.min(delay * 2, MAX_RETRY_MS);
}
