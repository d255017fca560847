// `window.agent` in the page's own world: the types are in `agent.d.ts`.
//
// Runs before the page's scripts, and keeps the built-ins that it uses, so that a page which replaces them only harms
// requests that it makes itself. All that comes from here is the page's word; the hub takes the origin from the browser.

(() => {
  'use strict';
  if (Object.hasOwn(globalThis, 'agent')) return; // another extension's

  const { parse, stringify } = JSON;
  const { apply, ownKeys } = Reflect;
  const { freeze, defineProperty } = Object;
  const { setTimeout, clearTimeout, Promise, TypeError, Map, Number } = globalThis;
  const [mapGet, mapSet, mapDelete] = ['get', 'set', 'delete'].map((name) => Map.prototype[name]);
  const { postMessage } = MessagePort.prototype;
  const { indexOf, slice } = String.prototype;

  // Longer than the hub's own, which has the better error: these are for a hub that is gone.
  const CALL_MS = 35_000;
  const ANSWER_MS = 6 * 60_000; // with the time that the user may take

  class AgentError extends Error {
    constructor({ code, message, details }) {
      super(message);
      defineProperty(this, 'name', { value: 'AgentError', configurable: true });
      defineProperty(this, 'code', { value: code, enumerable: true });
      if (details !== undefined) defineProperty(this, 'details', { value: details, enumerable: true });
    }
  }

  const waiting = new Map(); // id: {resolve, reject, timer}
  const { port1: port, port2 } = new MessageChannel();
  let lastId = 0;

  const request = (message) =>
    new Promise((resolve, reject) => {
      const text = stringify(message);
      const id = ++lastId;
      const entry = { resolve, reject, timer: 0 };
      apply(mapSet, waiting, [id, entry]);
      expireIn(id, entry, ANSWER_MS);
      apply(postMessage, port, [`${id} ${text}`]);
    });

  function expireIn(id, entry, milliseconds) {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      apply(mapDelete, waiting, [id]);
      entry.reject(new AgentError({ code: 'TIMEOUT', message: 'the extension has not answered' }));
    }, milliseconds);
  }

  port.onmessage = ({ data }) => {
    const cut = apply(indexOf, data, [' ']);
    const id = Number(apply(slice, data, [0, cut]));
    const entry = apply(mapGet, waiting, [id]);
    if (!entry) return;
    const text = apply(slice, data, [cut + 1]);
    if (text === 'sent') {
      expireIn(id, entry, CALL_MS);
      return;
    }
    apply(mapDelete, waiting, [id]);
    clearTimeout(entry.timer);
    const { value, error } = parse(text);
    if (error) entry.reject(new AgentError(error));
    else entry.resolve(deepFreeze(value));
  };

  function deepFreeze(value) {
    if (typeof value !== 'object' || value === null) return value;
    for (const key of ownKeys(value)) deepFreeze(value[key]);
    return freeze(value);
  }

  const tools = freeze({
    list: () => request({ op: 'list' }),
    call: async (name, values = {}) => {
      if (typeof name !== 'string') throw new TypeError('the name of a tool must be a text');
      return request({ op: 'call', name, arguments: values });
    },
  });
  const requestPermission = async ({ tools: names } = {}) => request({ op: 'permission', tools: names ?? null });
  const agent = freeze({ tools, requestPermission });
  // Configurable and writable, as a page may have a variable of this name.
  defineProperty(globalThis, 'agent', { value: agent, enumerable: true, configurable: true, writable: true });

  // Give the port to the content script. Either of the two may run first, and both before the page, which sees neither event.
  const give = () =>
    !document.dispatchEvent(new MessageEvent('oryn-agent-port', { ports: [port2], cancelable: true }));
  if (!give()) document.addEventListener('oryn-agent-ready', give, { once: true });
})();
