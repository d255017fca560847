// `window.agent` in the page's own world: the types are in `agent.d.ts`.
//
// Runs before the page's scripts, and keeps the built-ins that it uses, so that a page which replaces them only harms
// requests that it makes itself. All that comes from here is the page's word; the hub takes the origin from the browser.

import { method } from 'scanner/unbound';
import { isFields } from '../values';
import type { JsonValue } from '../values';
import type { Agent } from './agent';

const { parse, stringify } = JSON;
const { ownKeys } = Reflect;
const { freeze, defineProperty } = Object;
const { setTimeout, clearTimeout, Promise, TypeError, Map, Number } = globalThis;
const [mapGet, mapSet, mapDelete] = [
  method(Map.prototype, 'get'),
  method(Map.prototype, 'set'),
  method(Map.prototype, 'delete'),
];
const postMessage = method(MessagePort.prototype, 'postMessage') as (port: MessagePort, text: string) => void;
const indexOf = method(String.prototype, 'indexOf');
const slice = method(String.prototype, 'slice');

// Longer than the hub's own, which has the better error: these are for a hub that is gone.
const CALL_MS = 35_000;
const ANSWER_MS = 6 * 60_000; // with the time that the user may take

/** What the hub says of an error. */
interface ErrorText {
  code: string;
  message: string;
  details?: JsonValue;
}

class AgentError extends Error {
  constructor({ code, message, details }: ErrorText) {
    super(message);
    defineProperty(this, 'name', { value: 'AgentError', configurable: true });
    defineProperty(this, 'code', { value: code, enumerable: true });
    if (details !== undefined) defineProperty(this, 'details', { value: details, enumerable: true });
  }
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: AgentError) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const waiting = new Map<number, Waiting>();
const { port1: port, port2 } = new MessageChannel();
let lastId = 0;

/** The hub's answer to a request has the type that `agent.d.ts` says. */
const request = <T>(message: object) =>
  new Promise<unknown>((resolve, reject) => {
    const text = stringify(message);
    const id = ++lastId;
    const entry: Waiting = { resolve, reject, timer: undefined };
    mapSet(waiting, id, entry);
    expireIn(id, entry, ANSWER_MS);
    postMessage(port, `${id} ${text}`);
  }) as globalThis.Promise<T>;

function expireIn(id: number, entry: Waiting, milliseconds: number): void {
  clearTimeout(entry.timer);
  entry.timer = setTimeout(() => {
    mapDelete(waiting, id);
    entry.reject(new AgentError({ code: 'TIMEOUT', message: 'the extension has not answered' }));
  }, milliseconds);
}

port.onmessage = ({ data }: MessageEvent<string>) => {
  const cut = indexOf(data, ' ');
  const id = Number(slice(data, 0, cut));
  const entry = mapGet(waiting, id) as Waiting | undefined;
  if (!entry) return;
  const text = slice(data, cut + 1);
  if (text === 'sent') {
    expireIn(id, entry, CALL_MS);
    return;
  }
  mapDelete(waiting, id);
  clearTimeout(entry.timer);
  const { value, error } = parse(text) as { value?: JsonValue; error?: ErrorText };
  if (error) entry.reject(new AgentError(error));
  else entry.resolve(deepFreeze(value));
};

function deepFreeze(value: unknown): unknown {
  if (!isFields(value)) return value;
  for (const key of ownKeys(value)) deepFreeze(value[key as string]);
  return freeze(value);
}

const tools: Agent['tools'] = freeze({
  list: () => request({ op: 'list' }),
  call: async (name, values = {}) => {
    if (typeof (name as unknown) !== 'string') throw new TypeError('the name of a tool must be a text');
    return await request({ op: 'call', name, arguments: values });
  },
} satisfies Agent['tools']);

const agent: Agent = freeze({
  tools,
  requestPermission: async ({ tools: names } = {}) => await request({ op: 'permission', tools: names ?? null }),
} satisfies Agent);

// Give the port to the content script. Either of the two may run first, and both before the page, which sees neither event.
const give = () => !document.dispatchEvent(new MessageEvent('oryn-agent-port', { ports: [port2], cancelable: true }));

// Another extension's stays.
if (!Object.hasOwn(globalThis, 'agent')) {
  // Configurable and writable, as a page may have a variable of this name.
  defineProperty(globalThis, 'agent', { value: agent, enumerable: true, configurable: true, writable: true });
  if (!give()) document.addEventListener('oryn-agent-ready', give, { once: true });
}
