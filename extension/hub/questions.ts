// Questions to the user: one window, one question at a time, few of each origin.
//
// Nothing here survives a suspension, and nothing must: pages send again what has no answer yet (`agent_bridge.js`), and the
// window, which stays, connects again.

import { api, keepAwake } from './browser';
import type { Answered, ConsentAnswer, ConsentMessage, Question } from './messages';
import { HubError } from './protocol';

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
/** What the user has answered. `all` is for all tools, in the place of those in question. */
export interface Answer {
  choice: Answered;
  all: boolean;
}
const IGNORED: Answer = { choice: 'ignored', all: false };
const WITHDRAWN: Answer = { choice: 'withdrawn', all: false };

/** Whoever waits for an answer: the port of a document, or the number of an agent's call. */
export type Asker = chrome.runtime.Port | string;
type Recorder = (answer: Answer) => Promise<void>;

interface OpenQuestion {
  id: number;
  subject: string;
  question: Question;
  askers: Set<Asker>;
  record: Recorder;
  answer: Promise<Answer>;
  resolve: (answer: Answer | Promise<Answer>) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Questions {
  #open: OpenQuestion[] = []; // the first one is in the window
  #port: chrome.runtime.Port | null = null;
  #isClosing = false;
  #displayedAt = Infinity;
  #isOpening = false;
  #lastId = 0;

  /** Ask the user. `record` is called with the answer before, once for all that share a question. Throws `HubError` with
   *  `TOO_MANY_REQUESTS`, whatever tools there are: pages must not learn that by asking. */
  ask(question: Question, asker: Asker, record: Recorder): Promise<Answer> {
    const subject = JSON.stringify([question.origin, question.names]);
    const same = this.#open.filter((each) => each.subject === subject);
    // Two calls of a dangerous tool are two questions, even with the same arguments.
    const shared = question.isDangerous ? null : same.find((each) => !each.question.isDangerous);
    if (shared) {
      shared.askers.add(asker);
      return shared.answer;
    }
    if (same.length === 0) this.#checkCount(question.origin);
    let resolve: OpenQuestion['resolve'] = () => {};
    const answer = keepAwake(
      new Promise<Answer>((settle) => {
        resolve = settle;
      }),
    );
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#end([entry], IGNORED), EXPIRY_MS);
    const entry: OpenQuestion = { id, subject, question, askers: new Set([asker]), record, answer, resolve, timer };
    this.#open.push(entry);
    if (this.#open.length === 1) this.#display();
    return answer;
  }

  /** A page has gone: what only it has asked is no longer asked. */
  forget(asker: Asker): void {
    const left = this.#open.filter((entry) => entry.askers.delete(asker) && entry.askers.size === 0);
    this.#end(left, IGNORED);
  }

  /** The window has opened, or is back after a suspension. */
  connect(port: chrome.runtime.Port): void {
    if (this.#port) {
      port.postMessage({ type: 'done' } satisfies ConsentMessage);
      return;
    }
    this.#port = port;
    port.onMessage.addListener((message: ConsentAnswer) => this.#answered(message));
    port.onDisconnect.addListener(() => this.#closed(port));
    if (this.#open.length) this.#display();
    else {
      setTimeout(() => {
        if (!this.#open.length) this.#display();
      }, RECONNECT_MS);
    }
  }

  #checkCount(origin: string): void {
    const subjects = new Map(this.#open.map((each) => [each.subject, each.question.origin]));
    const ofOrigin = [...subjects.values()].filter((each) => each === origin);
    if (subjects.size >= MAX_SUBJECTS || ofOrigin.length >= MAX_SUBJECTS_OF_ORIGIN) {
      throw new HubError('TOO_MANY_REQUESTS', 'the user has too many questions to answer');
    }
  }

  /** Put the first question into the window, which is opened if need be; close it if there is no question. */
  #display(): void {
    const first = this.#open[0];
    if (this.#isClosing) return; // once it has closed, a question has a window of its own
    if (this.#port) {
      this.#displayedAt = Date.now();
      const message: ConsentMessage = first ? { type: 'question', id: first.id, ...first.question } : { type: 'done' };
      this.#port.postMessage(message);
      if (!first) this.#isClosing = true;
    } else if (first) void this.#openWindow();
  }

  async #openWindow(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    try {
      const url = api.runtime.getURL('hub/consent.html');
      const [tab] = await api.tabs.query({ url });
      if (tab)
        await api.windows.update(tab.windowId, { focused: true }); // it connects again by itself
      else if (this.#open.length) await api.windows.create({ url, type: 'popup', focused: true, ...SIZE });
    } catch (error) {
      console.error('hub: the consent window:', error);
      this.#end(this.#open, WITHDRAWN);
    } finally {
      this.#isOpening = false;
    }
  }

  #answered({ id, choice, all }: ConsentAnswer): void {
    const entry = this.#open[0];
    if (entry?.id !== id || this.#isClosing || Date.now() - this.#displayedAt < MIN_READING_MS) return;
    const { isDangerous, canPersist } = entry.question;
    const isForAll = all && !isDangerous;
    if (choice === 'deny') this.#refuse({ choice, all: isForAll });
    else if (choice === 'once' || (choice === 'always' && canPersist && !isDangerous)) {
      this.#end([entry], { choice, all: isForAll });
    }
  }

  #closed(port: chrome.runtime.Port): void {
    if (this.#port !== port) return;
    this.#port = null;
    if (this.#isClosing) {
      this.#isClosing = false;
      this.#display();
    } else if (this.#open.length) this.#refuse({ choice: 'deny', all: false });
  }

  /** The user has refused what is displayed: what else the origin asks would only open the next window. */
  #refuse(answer: Answer): void {
    const [displayed, ...others] = this.#open;
    if (!displayed) return;
    this.#end(
      others.filter(({ question }) => question.origin === displayed.question.origin),
      WITHDRAWN,
    );
    this.#end([displayed], answer);
  }

  #end(entries: OpenQuestion[], answer: Answer): void {
    const displayed = this.#open[0];
    this.#open = this.#open.filter((each) => !entries.includes(each));
    for (const entry of entries) {
      clearTimeout(entry.timer);
      const own = answer === IGNORED && entry !== displayed ? WITHDRAWN : answer;
      entry.resolve(entry.record(own).then(() => own));
    }
    if (displayed && entries.includes(displayed)) this.#display();
  }
}
