// Conversations with content scripts: a port to each document that is spoken to, which stays open.
//
// `tabs.sendMessage` makes a channel for each message, which takes the browser most of a millisecond. A port closes when
// its document goes away or is kept for going back to.
// https://developer.chrome.com/docs/extensions/develop/concepts/messaging#connect

export const PORT = 'oryn'; // as `content.js` knows it
const GRACE_MS = 100; // for an answer that is on its way while its document leaves
const CLOSED = 'The message port closed before a response was received.'; // the browser's words for a single message

export class Conversations {
  #open = new Map(); // by the browser's ids of documents
  #shown = new Map(); // in Firefox: the top document of each tab, by the browser's ids
  #count = 0;
  #toolsChanged;
  #wrote;

  /** Of documents that are spoken to: `toolsChanged(tab)` is called when their tools may have changed, `wrote(tab, messages)`
   *  when they have written to their console or an error was not caught. */
  constructor(toolsChanged, wrote) {
    this.#toolsChanged = toolsChanged;
    this.#wrote = wrote;
  }

  /** As `chrome.tabs.sendMessage(tab, message, {documentId})`, which rejects with the same messages. */
  ask(tab, message, documentId) {
    const { port, waiting } = this.#open.get(documentId) ?? this.#begin(tab, documentId);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      port.postMessage({ id, message });
      waiting.set(id, { resolve, reject });
    });
  }

  /** A tab has another document (`webNavigation.onCommitted`). Firefox leaves the port to one that it keeps for going back
   *  to open, and it is silent: no answer comes any more. */
  committed({ tabId, frameId, documentId, documentLifecycle }) {
    if (frameId !== 0 || documentLifecycle) return; // Chromium, which closes ports itself, has lifecycles
    this.#shown.set(tabId, documentId);
    for (const [id, conversation] of this.#open) {
      if (conversation.tab !== tabId || id === documentId) continue;
      setTimeout(() => this.#shown.get(tabId) !== id && this.#end(id, conversation), GRACE_MS);
    }
  }

  #end(id, { port, waiting }) {
    if (this.#open.get(id)?.port === port) this.#open.delete(id);
    for (const { reject } of waiting.values()) reject(new Error(CLOSED));
    port.disconnect();
  }

  /** Nobody waits for answers any more. */
  end() {
    for (const { port } of this.#open.values()) port.disconnect();
    this.#open.clear();
  }

  #begin(tab, documentId) {
    const opened = { tab, port: chrome.tabs.connect(tab, { documentId, name: PORT }), waiting: new Map() };
    opened.port.onMessage.addListener(({ id, answer, tools, console }) => {
      if (tools) this.#toolsChanged(tab);
      if (console) this.#wrote(tab, console);
      opened.waiting.get(id)?.resolve(answer);
      opened.waiting.delete(id);
    });
    opened.port.onDisconnect.addListener(() => {
      const error = new Error(chrome.runtime.lastError?.message ?? CLOSED);
      if (this.#open.get(documentId) === opened) this.#open.delete(documentId);
      for (const { reject } of opened.waiting.values()) reject(error);
    });
    this.#open.set(documentId, opened);
    return opened;
  }
}
