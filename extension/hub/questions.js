// Questions to the user: one window, one question at a time, few of each origin.
//
// Nothing here survives a suspension, and nothing must: pages send again what has no answer yet (`agent_bridge.js`), and the
// window, which stays, connects again.

import { api, keepAwake } from './browser.js';
import { HubError } from './protocol.js';

/** Names of tools, or lists of them, that may be in question at a time. */
const MAX_SUBJECTS = 20;
const MAX_SUBJECTS_OF_ORIGIN = 3;
/** After which a question counts as not answered. */
const EXPIRY_MS = 5 * 60_000;
/** A choice that comes sooner was not read: it was meant for what was under the pointer before. */
const MIN_READING_MS = 500;
/** For pages to send their requests again after a suspension, before an empty window is closed. */
const RECONNECT_MS = 3000;
const SIZE = { width: 520, height: 640 };
const IGNORED = { choice: 'ignored', all: false };
const WITHDRAWN = { choice: 'withdrawn', all: false };

export class Questions {
  #open = []; // the first one is in the window
  #port = null;
  #isClosing = false;
  #displayedAt = Infinity;
  #isOpening = false;
  #lastId = 0;

  /** Ask the user. `question` is what the window displays (`Pages`), `asker` identifies who waits. Returns
   *  `{choice, all}`: choice is "once", "always", "deny", "ignored" without an answer, or "withdrawn" if the user has not seen
   *  it. `record` is called with that before, once for all that share a question. Throws `HubError` with
   *  `TOO_MANY_REQUESTS`, whatever tools there are: pages must not learn that by asking. */
  ask(question, asker, record) {
    const subject = JSON.stringify([question.origin, question.names]);
    const same = this.#open.filter((each) => each.subject === subject);
    // Two calls of a dangerous tool are two questions, even with the same arguments.
    const shared = question.isDangerous ? null : same.find((each) => !each.question.isDangerous);
    if (shared) {
      shared.askers.add(asker);
      return shared.answer;
    }
    if (same.length === 0) this.#checkCount(question.origin);
    const entry = { id: ++this.#lastId, subject, question, askers: new Set([asker]), record };
    entry.answer = keepAwake(
      new Promise((resolve) => {
        entry.resolve = resolve;
      }),
    );
    entry.timer = setTimeout(() => this.#end([entry], IGNORED), EXPIRY_MS);
    this.#open.push(entry);
    if (this.#open.length === 1) this.#display();
    return entry.answer;
  }

  /** A page has gone: what only it has asked is no longer asked. */
  forget(asker) {
    const left = this.#open.filter((entry) => entry.askers.delete(asker) && entry.askers.size === 0);
    this.#end(left, IGNORED);
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

  #checkCount(origin) {
    const subjects = new Map(this.#open.map((each) => [each.subject, each.question.origin]));
    const ofOrigin = [...subjects.values()].filter((each) => each === origin);
    if (subjects.size >= MAX_SUBJECTS || ofOrigin.length >= MAX_SUBJECTS_OF_ORIGIN) {
      throw new HubError('TOO_MANY_REQUESTS', 'the user has too many questions to answer');
    }
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
      else if (this.#open.length) await api.windows.create({ url, type: 'popup', focused: true, ...SIZE });
    } catch (error) {
      console.error('hub: the consent window:', error);
      this.#end(this.#open, WITHDRAWN);
    } finally {
      this.#isOpening = false;
    }
  }

  #answered({ id, choice, all }) {
    const entry = this.#open[0];
    if (entry?.id !== id || this.#isClosing || Date.now() - this.#displayedAt < MIN_READING_MS) return;
    const { isDangerous, canPersist } = entry.question;
    const answer = { choice, all: all === true && !isDangerous };
    if (choice === 'deny') this.#refuse(answer);
    else if (choice === 'once' || (choice === 'always' && canPersist && !isDangerous)) this.#end([entry], answer);
  }

  #closed(port) {
    if (this.#port !== port) return;
    this.#port = null;
    if (this.#isClosing) {
      this.#isClosing = false;
      this.#display();
    } else if (this.#open.length) this.#refuse({ choice: 'deny', all: false });
  }

  /** The user has refused what is displayed: what else the origin asks would only open the next window. */
  #refuse(answer) {
    const [displayed, ...others] = this.#open;
    this.#end(others.filter(({ question }) => question.origin === displayed.question.origin), WITHDRAWN);
    this.#end([displayed], answer);
  }

  #end(entries, answer) {
    const displayed = this.#open[0];
    this.#open = this.#open.filter((each) => !entries.includes(each));
    for (const entry of entries) {
      clearTimeout(entry.timer);
      const own = answer === IGNORED && entry !== displayed ? WITHDRAWN : answer;
      entry.resolve(entry.record(own).then(() => own));
    }
    if (entries.includes(displayed)) this.#display();
  }
}
