// The JavaScript half of `oryn.browsers.extension.bridge`: extension APIs, ports and sockets, as numbers and JSON.

import { Conversations } from './conversations';
import { messageOf } from './errors';
import { agentTools, serverPlugins } from './hub/hub';
import { ownCopy } from './py_callable';
import type { PyCallable } from './py_callable';
import type { ContentRequest } from './messages';
import { FUNCTIONS } from './page_world';
import { isFields } from './values';

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
const MAX_QUEUED = 2000;
// Characters of a message from a server: more than the engine takes (`COMMAND_LIMIT`), and little enough to copy.
const MAX_FRAME_CHARACTERS = 2 * 2 ** 20;

// Firefox keeps no storage from content scripts, and has no such call.
const OPTIONAL = /^storage\.\w+\.setAccessLevel$/;

/** What Python is called with: the name of an event, and its values as JSON text. It answers to events that ask. */
type Deliver = (event: string, valuesText: string) => string | undefined;

/** An extension API whose name Python gives. */
type Method = (...values: unknown[]) => unknown;
type Listener = (...values: unknown[]) => void;
interface EventSource {
  addListener(listener: Listener, ...options: unknown[]): void;
  removeListener(listener: Listener): void;
}

/** The JSON values of a call, as its API takes them: the engine knows which. */
const HUB_CALLS: Readonly<Record<string, Method>> = {
  list: () => agentTools.list(),
  call: (id, name, values) => agentTools.call(String(id), name, values),
  cancel: (id) => agentTools.cancel(String(id)),
  receive: (id, message) => serverPlugins.receive(String(id), message),
  withdraw: () => serverPlugins.withdraw(),
};

const resolve = (path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), chrome);

const eventSource = (event: string) => resolve(event) as EventSource | undefined;

/** A page of the extension itself, which no page of the web and no content script can pretend to be. */
const isOurs = (sender: chrome.runtime.MessageSender | undefined) =>
  sender?.id === chrome.runtime.id && Boolean(sender.url?.startsWith(chrome.runtime.getURL('')));

/** The object that Python calls `host` (`oryn.browsers.extension.bridge.BridgeHost`). */
export class Host {
  /** For Python: the state of the worker as JSON text. */
  readonly engine: () => string;
  #deliver: Deliver | null = null;
  #isResting = false;
  #queue: [event: string, values: unknown[]][] = [];
  readonly #listeners = new Map<string, Listener>();
  readonly #sockets = new Map<number, WebSocket>();
  readonly #ports = new Map<number, chrome.runtime.Port>();
  readonly #conversations = new Conversations(
    (tab) => this.#emit('page.onToolsChanged', [tab]),
    (tab, messages) => this.#emit('page.onConsole', [tab, messages]),
    (tab, kind, count) => this.#emit('page.onInput', [tab, kind, count]),
  );
  #count = 0;

  readonly #broken: (error: unknown) => void;

  /** Make it in the first turn of the worker. `opened` is told of each port that a page of ours opens, before Python is;
   *  `broken` of what Python throws at events, which it never does while it can still do anything. */
  constructor(
    opened: (port: chrome.runtime.Port) => void,
    broken: (error: unknown) => void,
    engine: () => string = () => '{}',
  ) {
    this.#broken = broken;
    this.engine = engine;
    for (const event of [...CALLS, ...TAB_EVENTS]) this.listen(event, '[]');
    serverPlugins.connect(
      (id, message) => this.#emit('hub.onMessage', [id, message]),
      () => {
        if (this.#deliver) this.#emit('hub.onChanged', []);
      },
    );
    chrome.runtime.onConnect.addListener((port) => {
      if (port.name.startsWith('hub.')) return; // hub/hub.ts
      if (!isOurs(port.sender)) {
        port.disconnect();
        return;
      }
      opened(port);
      this.#open(port);
    });
  }

  /** Nobody wants the engine: hear only what may change that, and keep nothing. */
  rest(): void {
    this.#isResting = true;
    this.#queue = [];
    for (const event of TAB_EVENTS) this.#remove(event);
  }

  /** The engine is on its way: keep for it what happens. */
  wake(): void {
    this.#isResting = false;
    for (const event of TAB_EVENTS) this.listen(event, '[]');
  }

  attach(deliver: PyCallable<Deliver>): void {
    this.#deliver = ownCopy(deliver);
    // Those that are open now, for an engine that has failed may have been told of them.
    for (const [number, port] of this.#ports) this.#announcePort(number, port);
    for (const [event, values] of this.#queue.splice(0)) {
      const [number] = values;
      if (!event.startsWith('port.') || (typeof number === 'number' && this.#ports.has(number)))
        this.#emit(event, values);
    }
  }

  /** The engine that was attached has failed: nothing of it is left, and nothing is kept for the next one but ports. */
  detach(): void {
    this.#deliver = null;
    this.rest();
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#conversations.end();
    void serverPlugins.withdraw();
    for (const event of this.#listeners.keys()) this.unlisten(event);
  }

  async call(name: string, argumentsText: string): Promise<string> {
    try {
      const value = await this.#called(name, JSON.parse(argumentsText) as unknown[]);
      return JSON.stringify({ value: value ?? null });
    } catch (error) {
      return JSON.stringify({ error: messageOf(error) });
    }
  }

  #called(name: string, values: unknown[]): unknown {
    const [first, second, third] = values;
    const isRequest = name === 'tabs.sendMessage' && isFields(second) && typeof second.oryn === 'string';
    if (isRequest && isFields(third) && typeof third.documentId === 'string') {
      return this.#conversations.ask(Number(first), second as ContentRequest, third.documentId);
    }
    const own = name.startsWith('hub.') ? name.slice(4) : null;
    if (own !== null && Object.hasOwn(HUB_CALLS, own)) return HUB_CALLS[own]?.(...values);
    const isFunction = name === 'scripting.executeScript' && isFields(first) && typeof first.func === 'string';
    const passed = isFunction ? [{ ...first, func: FUNCTIONS[first.func as keyof typeof FUNCTIONS] }] : values;
    const found = resolve(name);
    if (!found && OPTIONAL.test(name)) return null;
    if (typeof found !== 'function') throw new Error(`there is no chrome.${name}`);
    return Reflect.apply(found as Method, resolve(name.slice(0, name.lastIndexOf('.'))), passed);
  }

  listen(event: string, optionsText: string): void {
    if (this.#listeners.has(event) || event === 'runtime.onConnect' || /^(port|hub|page)\./.test(event)) return;
    const source = eventSource(event);
    if (!source) throw new Error(`there is no event chrome.${event}`);
    const options = JSON.parse(optionsText) as unknown[];
    if (event.startsWith('webRequest.') && !options.length) options.push({ urls: ['<all_urls>'] });
    const emit = (...values: unknown[]) => {
      this.#emit(event, event === 'runtime.onMessage' ? values.slice(0, 2) : values);
    };
    const answer = (about: unknown, respond: unknown) => (respond as Listener)(this.#ask(event, about));
    const listener = options.flat().includes('asyncBlocking') ? answer : emit;
    source.addListener(listener, ...options);
    this.#listeners.set(event, listener);
  }

  unlisten(event: string): void {
    if (!CALLS.includes(event) && !TAB_EVENTS.includes(event)) this.#remove(event);
  }

  open(url: string): number {
    const socket = new WebSocket(url);
    const number = ++this.#count;
    const emit = (event: string, ...values: unknown[]) => {
      if (this.#sockets.has(number)) this.#emit(event, [number, ...values]);
    };
    this.#sockets.set(number, socket);
    socket.onopen = () => emit('socket.onOpen');
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') emit('socket.onMessage', data.slice(0, MAX_FRAME_CHARACTERS));
    };
    socket.onclose = ({ code, reason }) => {
      emit('socket.onClose', code, reason);
      this.#sockets.delete(number);
    };
    return number;
  }

  send(number: number, text: string): void {
    const socket = this.#sockets.get(number);
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
  }

  close(number: number, code: number, reason: string): void {
    this.#sockets.get(number)?.close(code, reason);
  }

  post(number: number, messageText: string): void {
    this.#ports.get(number)?.postMessage(JSON.parse(messageText));
  }

  #open(port: chrome.runtime.Port): void {
    const number = ++this.#count;
    this.#ports.set(number, port);
    if (this.#deliver) this.#announcePort(number, port);
    port.onMessage.addListener((message: unknown) => this.#emit('port.onMessage', [number, message]));
    port.onDisconnect.addListener(() => {
      this.#ports.delete(number);
      this.#emit('port.onDisconnect', [number]);
    });
  }

  #announcePort(number: number, { name, sender }: chrome.runtime.Port): void {
    this.#emit('runtime.onConnect', [{ port: number, name, sender }]);
  }

  #remove(event: string): void {
    const listener = this.#listeners.get(event);
    if (listener) eventSource(event)?.removeListener(listener);
    this.#listeners.delete(event);
  }

  /** What Python answers to an event; nothing where it does not run. */
  #ask(event: string, about: unknown): unknown {
    try {
      return JSON.parse(this.#deliver?.(event, JSON.stringify([about])) ?? '{}');
    } catch (error) {
      this.#broken(error);
      return {};
    }
  }

  #emit(event: string, values: unknown[]): void {
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
