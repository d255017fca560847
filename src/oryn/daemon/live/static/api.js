// Requests to the daemon. A cookie is not sufficient: each request has the key that only this origin has stored.
// `EventSource` can't send headers, so streams are read with `fetch`.

const KEY_ITEM = 'oryn-key';
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 8000;

/** The daemon rejected a request, or failed; `status` is that of HTTP. */
export class RequestFailed extends Error {
  constructor(status, message, hint) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Whether this browser is logged in. The daemon returns the key once to each browser that has used a link. */
export async function logIn() {
  if (localStorage.getItem(KEY_ITEM) && (await send('/status')).ok) return true;
  const response = await fetch('/live/key', { method: 'POST' });
  if (!response.ok) return false;
  localStorage.setItem(KEY_ITEM, (await response.json()).key);
  return true;
}

let takeover = null;

/** Mark requests as those of the person who has taken a session over; null ends that. */
export function setTakeover(token) {
  takeover = token;
}

/** A WebSocket. It can't have headers, so the key is among its subprotocols. */
export function openSocket(path) {
  const url = new URL(path, location.href);
  url.protocol = 'ws:';
  return new WebSocket(url, ['oryn', `oryn-key.${localStorage.getItem(KEY_ITEM)}`]);
}

function send(path, options = {}) {
  const headers = { 'Oryn-Key': localStorage.getItem(KEY_ITEM) || '' };
  if (takeover) headers['Oryn-Takeover'] = takeover;
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    options = { ...options, method: 'POST', body: JSON.stringify(options.body) };
  }
  return fetch(path, { ...options, headers });
}

/** The daemon's response as data; `body` is sent as JSON. Throws `RequestFailed`. */
export async function request(path, options) {
  const response = await send(path, options);
  if (!response.ok) throw await failureOf(response);
  return response.json();
}

async function failureOf(response) {
  const { error, hint } = await response.json().catch(() => ({}));
  return new RequestFailed(response.status, error || `the daemon responded with status ${response.status}`, hint);
}

/** A file of the daemon's. Throws `RequestFailed`. */
export async function fetchBlob(path) {
  const response = await send(path);
  if (!response.ok) throw await failureOf(response);
  return response.blob();
}

/**
 * Call `onMessage` with each message of a stream of server-sent events, and reconnect until `signal` aborts. `onState` is
 * called with `open`, `lost`, and `rejected` if the browser is no longer logged in, which ends the stream.
 */
export async function subscribe(path, signal, onMessage, onState = () => {}) {
  for (let delay = MIN_RETRY_MS; !signal.aborted; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
    try {
      const response = await send(path, { signal });
      if (!response.ok) throw await failureOf(response);
      onState('open');
      delay = MIN_RETRY_MS;
      for await (const message of readMessages(response.body)) onMessage(message);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RequestFailed && error.status === 401) {
        onState('rejected');
        return;
      }
    }
    if (signal.aborted) return;
    onState('lost');
    await new Promise((resolve) => {
      setTimeout(resolve, delay);
    });
  }
}

/** The part of https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream that is used. */
async function* readMessages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A picture arrives in many chunks, which are joined only once.
      if (!value.includes('\n')) {
        parts.push(value);
        continue;
      }
      const lines = (parts.join('') + value).split('\n');
      parts = [lines.pop()];
      for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
