// Questions to the user: one window, one question at a time, few of each origin.
//
// Nothing here survives a suspension, and nothing must: pages send again what has no answer yet (`agent_bridge.js`), and the
// window, which stays, connects again.

import { api, keepAwake } from './browser.js';
import { HubError } from './protocol.js';

const MAX_QUESTIONS = 20;
const MAX_QUESTIONS_OF_ORIGIN = 3;
/** After which a question counts as not answered. */
const EXPIRY_MS = 5 * 60_000;
/** A choice that comes sooner was not read: it was meant for what was under the pointer before. */
const MIN_READING_MS = 500;
/** For pages to send their requests again after a suspension, before an empty window is closed. */
const RECONNECT_MS = 3000;
const SIZE = { width: 520, height: 640 };
const UNANSWERED = { choice: 'dismiss', all: false };

export class Questions {
  #open = []; // the first one is in the window
  #port = null;
  #isClosing = false;
  #displayedAt = Infinity;
  #isOpening = false;
  #lastId = 0;

  /** Ask the user. `question` is what the window displays (`Pages`), `asker` identifies who waits. Returns
   *  `{choice, all}`: choice is "once", "always", "deny", or "dismiss" without an answer. Throws `HubError` with
   *  `TOO_MANY_REQUESTS`. */
  ask(question, asker) {
    // Two calls of a dangerous tool are two questions, even with the same arguments.
    const key = question.isDangerous ? null : JSON.stringify([question.origin, question.names]);
    const same = key !== null && this.#open.find((each) => each.key === key);
    if (same) {
      same.askers.add(asker);
      return same.answer;
    }
    const ofOrigin = this.#open.filter((each) => each.question.origin === question.origin);
    if (this.#open.length >= MAX_QUESTIONS || ofOrigin.length >= MAX_QUESTIONS_OF_ORIGIN) {
      throw new HubError('TOO_MANY_REQUESTS', 'the user has too many questions to answer');
    }
    const entry = { id: ++this.#lastId, key, question, askers: new Set([asker]) };
    entry.answer = keepAwake(
      new Promise((resolve) => {
        entry.resolve = resolve;
      }),
    );
    entry.timer = setTimeout(() => this.#end(entry, UNANSWERED), EXPIRY_MS);
    this.#open.push(entry);
    if (this.#open.length === 1) this.#display();
    return entry.answer;
  }

  /** A page has gone: what only it has asked is no longer asked. */
  forget(asker) {
    for (const entry of [...this.#open]) {
      if (entry.askers.delete(asker) && entry.askers.size === 0) this.#end(entry, UNANSWERED);
    }
  }

  /** The window has opened, or is back after a suspension. */
  connect(port) {
    if (this.#port) {
      port.postMessage({ type: 'done' });
      return;
    }
    this.#port = port;
    port.onMessage.addListener((message) => this.#answered(message));
    port.onDisconnect.addListener(() => this.#closed(port));
    if (this.#open.length) this.#display();
    else setTimeout(() => this.#open.length || this.#display(), RECONNECT_MS);
  }

  /** Put the first question into the window, which is opened if need be; close it if there is no question. */
  #display() {
    const first = this.#open[0];
    if (this.#isClosing) return; // once it has closed, a question has a window of its own
    if (this.#port) {
      this.#displayedAt = Date.now();
      this.#port.postMessage(first ? { type: 'question', id: first.id, ...first.question } : { type: 'done' });
      if (!first) this.#isClosing = true;
    } else if (first) this.#openWindow();
  }

  async #openWindow() {
    if (this.#isOpening) return;
    this.#isOpening = true;
    try {
      const url = api.runtime.getURL('hub/consent.html');
      const [tab] = await api.tabs.query({ url });
      if (tab) await api.windows.update(tab.windowId, { focused: true }); // it connects again by itself
      else await api.windows.create({ url, type: 'popup', focused: true, ...SIZE });
    } catch (error) {
      console.error('hub: the consent window:', error);
      for (const entry of [...this.#open]) this.#end(entry, UNANSWERED);
    } finally {
      this.#isOpening = false;
    }
  }

  #answered({ id, choice, all }) {
    const entry = this.#open[0];
    if (entry?.id !== id || this.#isClosing || Date.now() - this.#displayedAt < MIN_READING_MS) return;
    const { isDangerous, canPersist } = entry.question;
    const choices = canPersist && !isDangerous ? ['once', 'always', 'deny'] : ['once', 'deny'];
    if (choices.includes(choice)) this.#end(entry, { choice, all: all === true && !isDangerous });
  }

  /** Closing the window refuses what it displayed, and all else of the same origin. */
  #closed(port) {
    if (this.#port !== port) return;
    this.#port = null;
    if (this.#isClosing) {
      this.#isClosing = false;
      this.#display();
      return;
    }
    const origin = this.#open[0]?.question.origin;
    for (const entry of this.#open.filter(({ question }) => question.origin === origin)) {
      this.#end(entry, { choice: 'deny', all: false });
    }
  }

  #end(entry, answer) {
    const wasFirst = this.#open[0] === entry;
    this.#open = this.#open.filter((each) => each !== entry);
    clearTimeout(entry.timer);
    entry.resolve(answer);
    if (wasFirst) this.#display();
  }
}
