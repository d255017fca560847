// The JavaScript half of `oryn.extension.bridge`: extension APIs, ports and sockets, as numbers and JSON.

// What must reach a worker that had been stopped: registered in the first turn of its life, as the browser demands.
// https://developer.chrome.com/docs/extensions/develop/concepts/service-workers/events
const EARLY = [
  "runtime.onInstalled", "runtime.onStartup", "runtime.onMessage", "alarms.onAlarm", "storage.onChanged",
  "tabs.onCreated", "tabs.onUpdated", "tabs.onActivated", "tabs.onRemoved", "tabs.onReplaced", "windows.onFocusChanged",
  "webNavigation.onBeforeNavigate", "webNavigation.onCommitted", "webNavigation.onCreatedNavigationTarget",
];
const MOST_QUEUED = 2000;

const resolve = (path) => path.split(".").reduce((value, name) => value?.[name], chrome);

/** The object that Python calls `host` (`oryn.extension.bridge.Host`). */
export class Host {
  #deliver = null;
  #queue = [];
  #listening = new Map();
  #sockets = new Map();
  #ports = new Map();
  #count = 0;

  /** Called in the first turn of the worker; `onPort` is told of each port that opens. */
  constructor(onPort) {
    for (const event of EARLY) this.listen(event, "[]");
    chrome.runtime.onConnect.addListener((port) => {
      this.#open(port);
      onPort(port);
    });
  }

  attach(deliver) {
    this.#deliver = deliver.copy ? deliver.copy() : deliver;
    const queue = this.#queue;
    this.#queue = [];
    for (const [event, values] of queue) this.#tell(event, values);
  }

  /** Hold events back again: the engine to which they went is gone. */
  detach() {
    this.#deliver = null;
  }

  async call(name, argumentsText) {
    try {
      const cut = name.lastIndexOf(".");
      const owner = resolve(name.slice(0, cut));
      const value = await owner[name.slice(cut + 1)](...JSON.parse(argumentsText));
      return JSON.stringify({ value: value ?? null });
    } catch (error) {
      return JSON.stringify({ error: String(error?.message ?? error) });
    }
  }

  listen(event, optionsText) {
    if (this.#listening.has(event) || event === "runtime.onConnect" || event.startsWith("port.")) return;
    const source = resolve(event);
    if (!source) throw new Error(`there is no event chrome.${event}`);
    const options = JSON.parse(optionsText);
    if (event.startsWith("webRequest.") && !options.length) options.push({ urls: ["<all_urls>"] });
    const listener = (...values) => {
      this.#tell(event, event === "runtime.onMessage" ? values.slice(0, 2) : values);
    };
    source.addListener(listener, ...options);
    this.#listening.set(event, listener);
  }

  unlisten(event) {
    const listener = this.#listening.get(event);
    if (!listener || EARLY.includes(event)) return;
    resolve(event).removeListener(listener);
    this.#listening.delete(event);
  }

  open(url) {
    const socket = new WebSocket(url);
    const number = ++this.#count;
    this.#sockets.set(number, socket);
    socket.onopen = () => this.#tell("socket.onOpen", [number]);
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#tell("socket.onMessage", [number, data]);
    };
    socket.onclose = ({ code, reason }) => {
      this.#sockets.delete(number);
      this.#tell("socket.onClose", [number, code, reason]);
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
    const { name, sender } = port;
    this.#tell("runtime.onConnect", [{ port: number, name, sender }]);
    port.onMessage.addListener((message) => this.#tell("port.onMessage", [number, message]));
    port.onDisconnect.addListener(() => {
      this.#ports.delete(number);
      this.#tell("port.onDisconnect", [number]);
    });
  }

  #tell(event, values) {
    if (this.#deliver) this.#deliver(event, JSON.stringify(values));
    else if (this.#queue.length < MOST_QUEUED) this.#queue.push([event, values]);
  }
}
