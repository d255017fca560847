// The conversation with the service worker. The browser may stop the worker at any moment: then the port closes, a new one
// wakes the worker, and it says the whole state again.

const SOON = 250;
const LATEST = 4000;

let port = null;
let delay = SOON;
let hear = () => {};
const unsent = [];

/** Talk to the worker for as long as this page is open. `heard(message)` is told of what it says, `{type: "lost"}` when it
 *  has gone. */
export function begin(heard) {
  hear = heard;
  open();
}

/** Say something to the worker, now or as soon as it is back. */
export function tell(message) {
  if (port) port.postMessage(message);
  else unsent.push(message);
}

function open() {
  try {
    port = chrome.runtime.connect({ name: 'popup' });
  } catch (error) {
    // The extension itself was taken away or loaded anew: this page belongs to none any more.
    return hear({ type: 'orphaned' });
  }
  port.onMessage.addListener((message) => {
    delay = SOON;
    hear(message);
  });
  port.onDisconnect.addListener(closed);
  for (const message of unsent.splice(0)) port.postMessage(message);
}

function closed() {
  port = null;
  hear({ type: 'lost' });
  setTimeout(open, delay);
  delay = Math.min(delay * 2, LATEST);
}
