// What the popup says: sentences made of the worker's state, and nothing of the page's.

/** `localhost:8080` of `ws://localhost:8080/`. */
export const shortName = (endpoint) => String(endpoint ?? '').replace(/^wss?:\/\//i, '').replace(/\/$/, '');

/** The endpoint as a URL, or null where it is none. */
export function parsed(endpoint) {
  try {
    return new URL(endpoint);
  } catch (error) {
    return null;
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the endpoint is on this computer. */
export const isHere = (endpoint) => LOOPBACK.test(parsed(endpoint)?.hostname ?? '');

const REACH = {
  active: 'It sees and acts in the active tab, and in tabs that come from it.',
  all: 'It sees and acts in all tabs.',
};

/** `{title, detail}`: the state in words. `now` is a moment in milliseconds. */
export function statusOf(state, now) {
  const name = shortName(state.endpoint || state.settings.endpoint);
  const why = sentence(state.detail);
  switch (state.status) {
    case 'connecting':
      return { title: `Connecting to ${name}`, detail: why };
    case 'pairing':
      return { title: `${name} is not paired yet`, detail: why || 'Nothing passes until it has been given the code below.' };
    case 'connected':
      return { title: `Connected to ${name}`, detail: why || REACH[state.settings.tab_scope] };
    case 'waiting':
      return { title: `No connection to ${name}`, detail: [why, remedy(state), again(state, now)].filter(Boolean).join(' ') };
    default:
      return { title: 'Not connected', detail: why || untouched(state) };
  }
}

const untouched = ({ engine }) =>
  engine.state === 'loading' ? 'The engine is starting.' : 'No server sees or does anything in this browser.';

/** What the worker says is a part of a sentence. */
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?…”]$/.test(text) ? '' : '.'}` : '');

const UNREACHED = 'no server answers there';

function remedy({ detail, endpoint, code }) {
  if (detail && detail !== UNREACHED) return '';
  if (!isHere(endpoint)) return 'Ask who runs it whether it is up, and see whether the address is right.';
  return code ? 'Run the command below in a terminal.' : `Start “${commandFor(endpoint)}” in a terminal.`;
}

function again({ retry_at: at }, now) {
  if (!at) return '';
  const seconds = Math.ceil((at - now) / 1000);
  return seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again.';
}

/** The daemon has its door for extensions at this path; whatever else listens is `oryn remote` or a program of the user's. */
const isDaemon = (endpoint) => parsed(endpoint)?.pathname === '/extension';

/** What to type in a terminal so that somebody listens at the endpoint: for a server here, with a code where there is one. */
export function commandFor(endpoint, code) {
  if (isDaemon(endpoint)) return code ? `oryn daemon pair ${code}` : 'oryn daemon start';
  const port = parsed(endpoint)?.port;
  return ['oryn remote', port && port !== '8080' ? `--port ${port}` : '', code ? `--pair ${code}` : ''].filter(Boolean).join(' ');
}

/** How else the code may be given. */
export const otherwiseFor = (endpoint, code) =>
  isDaemon(endpoint)
    ? 'A program of yours gives the code to its client library.'
    : `Or, in a program of yours: Oryn("remote", pair="${code}").`;

/** `4:09` of milliseconds. */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const ENGINE = { off: 'Engine not started', loading: 'Engine starting', failed: 'Engine failed' };
const HOW = { snapshot: 'from its snapshot', cold: 'from scratch' };

/** The engine in a line: `Engine 0.1.0, ready in 0.6 s from its snapshot`. */
export function engineWords(engine) {
  if (!engine) return '';
  if (engine.state !== 'ready') return `${ENGINE[engine.state] ?? engine.state}${engine.version ? ` (${engine.version})` : ''}`;
  const took = engine.ms === null || engine.ms === undefined ? '' : `, ready in ${(engine.ms / 1000).toFixed(1)} s`;
  return [`Engine ${engine.version}${took}`, took && HOW[engine.how]].filter(Boolean).join(' ');
}
