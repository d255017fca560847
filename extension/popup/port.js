// The port to the service worker. The browser may stop the worker at any time: the port then closes, a new port starts the
// worker again, and it publishes its whole state.

const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 4000;

let port = null;
let delay = MIN_RETRY_MS;
let onMessage = () => {};
const unsent = [];

/** Stay connected to the worker while this page is open. `handle(message)` is called with each of its messages, with
 *  `{type: "lost"}` after the worker has stopped, and with `{type: "orphaned"}` after the extension was reloaded. */
export function connect(handle) {
  onMessage = handle;
  open();
}

/** Send a message to the worker, now or as soon as it runs again. */
export function send(message) {
  if (port) port.postMessage(message);
  else unsent.push(message);
}

function open() {
  try {
    port = chrome.runtime.connect({ name: 'popup' });
  } catch (error) {
    // The extension was removed or reloaded: this page belongs to none.
    return onMessage({ type: 'orphaned' });
  }
  port.onMessage.addListener((message) => {
    delay = MIN_RETRY_MS;
    onMessage(message);
  });
  port.onDisconnect.addListener(handleDisconnect);
  for (const message of unsent.splice(0)) port.postMessage(message);
}

function handleDisconnect() {
  port = null;
  onMessage({ type: 'lost' });
  setTimeout(open, delay);
  delay = Math.min(delay * 2, MAX_RETRY_MS);
}
