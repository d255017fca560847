// The way to the daemon. The cookie that the link left is not enough: each request says the key that only this origin
// knows. `EventSource` can't say it, so streams are read with `fetch`.

const KEY = 'oryn-key';
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

/** The daemon refused, or failed; `status` is HTTP's. */
export class Refused extends Error {
  constructor(status, message, hint) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Whether the daemon lets this browser in. It gives the key once to each browser that comes by a link. */
export async function enter() {
  if (localStorage.getItem(KEY) && (await request('/status')).ok) return true;
  const response = await fetch('/live/key', { method: 'POST' });
  if (!response.ok) return false;
  localStorage.setItem(KEY, (await response.json()).key);
  return true;
}

function request(path, options = {}) {
  const headers = { 'Oryn-Key': localStorage.getItem(KEY) || '' };
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    options = { ...options, method: 'POST', body: JSON.stringify(options.body) };
  }
  return fetch(path, { ...options, headers });
}

/** What the daemon answers, as data; `body` is sent as JSON. Throws `Refused`. */
export async function ask(path, options) {
  const response = await request(path, options);
  if (!response.ok) throw await refusal(response);
  return response.json();
}

async function refusal(response) {
  const { error, hint } = await response.json().catch(() => ({}));
  return new Refused(response.status, error || `the daemon answered ${response.status}`, hint);
}

/**
 * Hands over each message of a stream of server-sent events, and takes it up again when it breaks off, until `signal`
 * ends it. `told` hears `open`, `lost`, and `refused` when the daemon lets us in no more.
 */
export async function follow(path, signal, take, told = () => {}) {
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      const response = await request(path, { signal });
      if (!response.ok) throw await refusal(response);
      told('open');
      pause = FIRST_PAUSE;
      for await (const message of messages(response.body)) take(message);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) {
        told(error.status === 401 ? 'refused' : 'lost');
        if (error.status === 401) return;
      }
    }
    if (signal.aborted) return;
    told('lost');
    await new Promise((wake) => {
      setTimeout(wake, pause);
    });
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream, as far as it is used. */
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A picture comes in many pieces: they are joined once, when its end has come.
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
