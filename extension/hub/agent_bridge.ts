// Between `window.agent` and the hub: forwards texts, and sends again what the hub has not answered when it was suspended.

import { isContextValid } from '../extension_context';
import { api } from './browser';
import type { PageRequest } from './messages';

const GONE = JSON.stringify({ error: { code: 'INTERNAL_ERROR', message: 'the extension is not there any more' } });
const LOST = JSON.stringify({
  error: { code: 'INTERNAL_ERROR', message: 'the connection to the hub has ended while a plugin executed the call' },
});
const MAX_ATTEMPTS = 6;
const RETRY_MS = 100;

interface Request {
  text: string;
  /** A plugin may be executing it. */
  isSent: boolean;
  isWithHub: boolean;
  attempts: number;
}

let page: MessagePort | null = null; // to the page's world
let hub: chrome.runtime.Port | null = null;
const pending = new Map<number, Request>();

function toHub(id: number): void {
  const request = pending.get(id);
  if (!request || request.isWithHub) return;
  request.isWithHub = true;
  request.attempts += 1;
  if (request.attempts > MAX_ATTEMPTS) {
    finish(id, GONE);
    return;
  }
  try {
    connected().postMessage([id, request.text] satisfies PageRequest);
  } catch {
    finish(id, GONE); // the extension was updated or removed: this script has outlived it
  }
}

function connected(): chrome.runtime.Port {
  if (hub) return hub;
  hub = api.runtime.connect({ name: 'hub.page' });
  hub.onMessage.addListener(answered);
  hub.onDisconnect.addListener(disconnected);
  return hub;
}

function answered(message: unknown): void {
  const [id, text] = Array.isArray(message) ? (message as unknown[]) : [];
  const request = typeof id === 'number' ? pending.get(id) : undefined;
  if (typeof id !== 'number' || !request) return;
  if (typeof text === 'string') {
    finish(id, text);
    return;
  }
  request.isSent = true;
  page?.postMessage(`${id} sent`);
}

function disconnected(): void {
  hub = null;
  for (const [id, request] of [...pending]) {
    request.isWithHub = false;
    if (request.isSent)
      finish(id, LOST); // again could mean twice
    else setTimeout(toHub, RETRY_MS * request.attempts ** 2, id); // a background may take a while to end
  }
}

function finish(id: number, text: string): void {
  pending.delete(id);
  page?.postMessage(`${id} ${text}`);
}

/** Take what the page sends: `number text`. */
function onPageMessage({ data }: MessageEvent<unknown>): void {
  if (typeof data !== 'string') return;
  const cut = data.indexOf(' ');
  const id = Number(data.slice(0, cut));
  pending.set(id, { text: data.slice(cut + 1), isSent: false, isWithHub: false, attempts: 0 });
  toHub(id);
}

function takePort(event: Event): void {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined;
  if (!port) return;
  page = port;
  event.preventDefault();
  event.stopImmediatePropagation();
  page.onmessage = onPageMessage;
}

function start(): void {
  // Firefox leaves the port of a document that it keeps for going back to open: the hub would go on to ask the user for a
  // page that is no longer there. If the page comes back, its timers run on and send again.
  addEventListener('pagehide', ({ isTrusted }) => {
    if (!isTrusted || !hub) return;
    hub.disconnect(); // without an event at this end
    disconnected();
  });
  document.addEventListener('oryn-agent-port', takePort, { once: true });
  document.dispatchEvent(new Event('oryn-agent-ready'));
}

// A page that opens while the scripts are registered gets this one twice, and the second would take any port. The first
// one says false once the extension was updated or removed.
const world = globalThis as { orynAgentBridge?: () => boolean };
if (!world.orynAgentBridge?.()) {
  world.orynAgentBridge = isContextValid;
  start();
}
