// Conversations with content scripts: a port to each document that is spoken to, which stays open.
//
// `tabs.sendMessage` makes a channel for each message, which takes the browser most of a millisecond. A port closes when
// its document goes away or is kept for going back to.
// https://developer.chrome.com/docs/extensions/develop/concepts/messaging#connect

import { CONTENT_PORT } from './messages';
import type { ContentRequest, NumberedRequest } from './messages';
import { isFields } from './values';

const GRACE_MS = 100; // for an answer that is on its way while its document leaves
const CLOSED = 'The message port closed before a response was received.'; // the browser's words for a single message

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

interface Conversation {
  tab: number;
  port: chrome.runtime.Port;
  waiting: Map<number, Waiting>;
}

export class Conversations {
  readonly #open = new Map<string, Conversation>(); // by the browser's ids of documents
  readonly #shown = new Map<number, string>(); // in Firefox: the top document of each tab, by the browser's ids
  #count = 0;
  readonly #toolsChanged: (tab: number) => void;
  readonly #wrote: (tab: number, messages: unknown[]) => void;
  readonly #used: (tab: number, kind: string, count: number) => void;

  /** Of documents that are spoken to: `toolsChanged(tab)` is called when their tools may have changed, `wrote(tab, messages)`
   *  when they have written to their console or an error was not caught, `used(tab, kind, count)` when somebody has
   *  pressed or typed there. */
  constructor(
    toolsChanged: (tab: number) => void,
    wrote: (tab: number, messages: unknown[]) => void,
    used: (tab: number, kind: string, count: number) => void,
  ) {
    this.#toolsChanged = toolsChanged;
    this.#wrote = wrote;
    this.#used = used;
  }

  /** As `chrome.tabs.sendMessage(tab, message, {documentId})`, which rejects with the same messages. */
  ask(tab: number, message: ContentRequest, documentId: string): Promise<unknown> {
    const { port, waiting } = this.#open.get(documentId) ?? this.#begin(tab, documentId);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      port.postMessage({ id, message } satisfies NumberedRequest);
      waiting.set(id, { resolve, reject });
    });
  }

  /** A tab has another document (`webNavigation.onCommitted`). Firefox leaves the port to one that it keeps for going back
   *  to open, and it is silent: no answer comes any more. */
  committed(details: unknown): void {
    if (!isFields(details)) return;
    const { tabId, frameId, documentId, documentLifecycle } = details;
    if (frameId !== 0 || documentLifecycle) return; // Chromium, which closes ports itself, has lifecycles
    if (typeof tabId !== 'number' || typeof documentId !== 'string') return;
    this.#shown.set(tabId, documentId);
    for (const [id, conversation] of this.#open) {
      if (conversation.tab !== tabId || id === documentId) continue;
      setTimeout(() => {
        if (this.#shown.get(tabId) !== id) this.#end(id, conversation);
      }, GRACE_MS);
    }
  }

  #end(id: string, { port, waiting }: Conversation): void {
    if (this.#open.get(id)?.port === port) this.#open.delete(id);
    for (const { reject } of waiting.values()) reject(new Error(CLOSED));
    port.disconnect();
  }

  /** Nobody waits for answers any more. */
  end(): void {
    for (const { port } of this.#open.values()) port.disconnect();
    this.#open.clear();
  }

  #begin(tab: number, documentId: string): Conversation {
    const opened: Conversation = {
      tab,
      port: chrome.tabs.connect(tab, { documentId, name: CONTENT_PORT }),
      waiting: new Map(),
    };
    opened.port.onMessage.addListener((received: unknown) => {
      if (!isFields(received)) return; // its process is the page's
      const { id, answer, tools, console, input } = received;
      if (tools) this.#toolsChanged(tab);
      if (Array.isArray(console)) this.#wrote(tab, console);
      if (isFields(input) && typeof input.kind === 'string' && typeof input.count === 'number')
        this.#used(tab, input.kind, input.count);
      if (typeof id !== 'number') return;
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
