// The JavaScript half of `oryn.browsers.extension.bridge`: extension APIs, ports and sockets, as numbers and JSON.

import { Conversations } from './conversations.js';
import { agentTools, serverPlugins } from './hub/hub.js';
import { FUNCTIONS } from './page_world.js';

// The worker is always woken for these: what may make the engine wanted.
const CALLS = ['runtime.onInstalled', 'runtime.onStartup', 'runtime.onMessage', 'alarms.onAlarm'];

// For these only while the engine is wanted, lest each tab of a user who is not connected wakes the worker. They are
// heard from the first turn of its life on, as the browser demands of what shall reach a worker that it had stopped.
// https://developer.chrome.com/docs/extensions/develop/concepts/service-workers/events
const TAB_EVENTS = [
  'storage.onChanged',
  'tabs.onCreated',
  'tabs.onUpdated',
  'tabs.onActivated',
  'tabs.onRemoved',
  'tabs.onReplaced',
  'windows.onFocusChanged',
  'webNavigation.onBeforeNavigate',
  'webNavigation.onCommitted',
  'webNavigation.onCreatedNavigationTarget',
];
const OF_HUB = { ...agentTools, receive: serverPlugins.receive, withdraw: serverPlugins.withdraw };
const MAX_QUEUED = 2000;
// Characters of a message from a server: more than the engine takes (`COMMAND_LIMIT`), and little enough to copy.
const MAX_FRAME_CHARACTERS = 2 * 2 ** 20;

// Firefox keeps no storage from content scripts, and has no such call.
const OPTIONAL = /^storage\.\w+\.setAccessLevel$/;

const resolve = (path) => path.split('.').reduce((value, name) => value?.[name], chrome);

/** A page of the extension itself, which no page of the web and no content script can pretend to be. */
const isOurs = ({ id, url }) => id === chrome.runtime.id && Boolean(url?.startsWith(chrome.runtime.getURL('')));

/** The object that Python calls `host` (`oryn.browsers.extension.bridge.BridgeHost`). */
export class Host {
  #deliver = null;
  #isResting = false;
  #queue = [];
  #listeners = new Map();
  #sockets = new Map();
  #ports = new Map();
  #conversations = new Conversations(
    (tab) => this.#emit('page.onToolsChanged', [tab]),
    (tab, messages) => this.#emit('page.onConsole', [tab, messages]),
  );
  #count = 0;

  #broken;

  /** Make it in the first turn of the worker. `opened` is told of each port that a page of ours opens, before Python is;
   *  `broken` of what Python throws at events, which it never does while it can still do anything. */
  constructor(opened, broken) {
    this.#broken = broken;
    for (const event of [...CALLS, ...TAB_EVENTS]) this.listen(event, '[]');
    serverPlugins.connect(
      (id, message) => this.#emit('hub.onMessage', [id, message]),
      () => this.#deliver && this.#emit('hub.onChanged', []),
    );
    chrome.runtime.onConnect.addListener((port) => {
      if (port.name.startsWith('hub.')) return; // hub/hub.js
      if (!isOurs(port.sender)) {
        port.disconnect();
        return;
      }
      opened(port);
      this.#open(port);
    });
  }

  /** Nobody wants the engine: hear only what may change that, and keep nothing. */
  rest() {
    this.#isResting = true;
    this.#queue = [];
    for (const event of TAB_EVENTS) this.#remove(event);
  }

  /** The engine is on its way: keep for it what happens. */
  wake() {
    this.#isResting = false;
    for (const event of TAB_EVENTS) this.listen(event, '[]');
  }

  attach(deliver) {
    this.#deliver = deliver.copy?.() ?? deliver; // Pyodide takes back what it lends for a call
    // Those that are open now, for an engine that has failed may have been told of them.
    for (const [number, port] of this.#ports) this.#announcePort(number, port);
    for (const [event, values] of this.#queue.splice(0)) {
      if (!event.startsWith('port.') || this.#ports.has(values[0])) this.#emit(event, values);
    }
  }

  /** The engine that was attached has failed: nothing of it is left, and nothing is kept for the next one but ports. */
  detach() {
    this.#deliver = null;
    this.rest();
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#conversations.end();
    serverPlugins.withdraw();
    for (const event of this.#listeners.keys()) this.unlisten(event);
  }

  async call(name, argumentsText) {
    try {
      const value = await this.#called(name, JSON.parse(argumentsText));
      return JSON.stringify({ value: value ?? null });
    } catch (error) {
      return JSON.stringify({ error: String(error?.message ?? error) });
    }
  }

  #called(name, values) {
    if (name === 'tabs.sendMessage' && values[2]?.documentId) {
      return this.#conversations.ask(values[0], values[1], values[2].documentId);
    }
    if (name.startsWith('hub.')) return OF_HUB[name.slice(4)](...values);
    if (name === 'scripting.executeScript' && values[0].func) values[0].func = FUNCTIONS[values[0].func];
    const called = resolve(name);
    if (!called && OPTIONAL.test(name)) return null;
    if (!called) throw new Error(`there is no chrome.${name}`);
    return called.apply(resolve(name.slice(0, name.lastIndexOf('.'))), values);
  }

  listen(event, optionsText) {
    if (this.#listeners.has(event) || event === 'runtime.onConnect' || /^(port|hub|page)\./.test(event)) return;
    const source = resolve(event);
    if (!source) throw new Error(`there is no event chrome.${event}`);
    const options = JSON.parse(optionsText);
    if (event.startsWith('webRequest.') && !options.length) options.push({ urls: ['<all_urls>'] });
    const emit = (...values) => {
      this.#emit(event, event === 'runtime.onMessage' ? values.slice(0, 2) : values);
    };
    const answer = (about, respond) => respond(this.#ask(event, about));
    const listener = options.flat().includes('asyncBlocking') ? answer : emit;
    source.addListener(listener, ...options);
    this.#listeners.set(event, listener);
  }

  unlisten(event) {
    if (!CALLS.includes(event) && !TAB_EVENTS.includes(event)) this.#remove(event);
  }

  open(url) {
    const socket = new WebSocket(url);
    const number = ++this.#count;
    const emit = (event, ...values) => {
      if (this.#sockets.has(number)) this.#emit(event, [number, ...values]);
    };
    this.#sockets.set(number, socket);
    socket.onopen = () => emit('socket.onOpen');
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') emit('socket.onMessage', data.slice(0, MAX_FRAME_CHARACTERS));
    };
    socket.onclose = ({ code, reason }) => {
      emit('socket.onClose', code, reason);
      this.#sockets.delete(number);
    };
    return number;
  }

  send(number, text) {
    const socket = this.#sockets.get(number);
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
  }

  close(number, code, reason) {
    this.#sockets.get(number)?.close(code, reason);
  }

  post(number, messageText) {
    this.#ports.get(number)?.postMessage(JSON.parse(messageText));
  }

  #open(port) {
    const number = ++this.#count;
    this.#ports.set(number, port);
    if (this.#deliver) this.#announcePort(number, port);
    port.onMessage.addListener((message) => this.#emit('port.onMessage', [number, message]));
    port.onDisconnect.addListener(() => {
      this.#ports.delete(number);
      this.#emit('port.onDisconnect', [number]);
    });
  }

  #announcePort(number, { name, sender }) {
    this.#emit('runtime.onConnect', [{ port: number, name, sender }]);
  }

  #remove(event) {
    const listener = this.#listeners.get(event);
    if (listener) resolve(event).removeListener(listener);
    this.#listeners.delete(event);
  }

  /** What Python answers to an event; nothing where it does not run. */
  #ask(event, about) {
    try {
      return JSON.parse(this.#deliver?.(event, JSON.stringify([about])) ?? '{}');
    } catch (error) {
      this.#broken(error);
      return {};
    }
  }

  #emit(event, values) {
    if (event === 'webNavigation.onCommitted') this.#conversations.committed(values[0]);
    if (!this.#deliver) {
      if (!this.#isResting && this.#queue.length < MAX_QUEUED) this.#queue.push([event, values]);
      return;
    }
    try {
      this.#deliver(event, JSON.stringify(values));
    } catch (error) {
      this.#broken(error);
    }
  }
}
