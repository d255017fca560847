// The conversation with the model of a chat page, as its user would have it: writes what the worker says, sends it, and
// tells the worker the answer when it is there. Put into the one tab that the user has chosen, by the worker alone.
//
//   {chat: 'say', run, number, token, after, text, keyword, sent, site}   of the worker; twice is once. `after` is the token of
//                                                                     the message before, `sent` whether this one has been
//   {chat: 'leave'}                                                   the user has stopped it
//   {chat: 'sent' | 'waiting' | 'answer' | 'failed', run, number, …}  to the worker: `why`, or the `text`
//
// https://developer.chrome.com/docs/extensions/develop/concepts/messaging

import { messageOf } from '../errors';
import { isContextValid } from '../extension_context';
import type { ChatMessage, ChatPhase, ChatReport, ChatRequest, ChatState } from '../messages';
import { isFields } from '../values';
import * as composer from './composer';
import { lettersOf } from './text';
import * as thread from './thread';

const BEAT = 20_000; // milliseconds: a worker that hears nothing for 30 s is stopped
const SOON = 200; // after a change of the page, which may be one of a thousand
const TICK = 1000;

type Timer = ReturnType<typeof setTimeout>;
let current: Exchange | null = null;

/** Whether a message is one for this script: the worker's own word says what else is in it. */
const isRequest = (message: unknown): message is ChatRequest => isFields(message) && typeof message.chat === 'string';

function listenToWorker(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (isTaken: true) => void) => {
    if (sender.id !== chrome.runtime.id || sender.tab || !isRequest(message)) return false;
    if (message.chat === 'say') say(message);
    else if (message.chat === 'leave') leave();
    respond(true);
    return false;
  });
}

function say(message: ChatMessage): void {
  if (current?.message.token === message.token) return current.resend();
  leave();
  current = new Exchange(message);
  return void current.begin();
}

function leave(): void {
  current?.end();
  current = null;
}

/** One message of ours and its answer. */
class Exchange {
  readonly message: ChatMessage;
  #state: ChatState = { chat: 'waiting', why: 'sending' }; // what was reported last
  #wasSent: boolean;
  #before = new Set<HTMLElement>(); // buttons that looked like one that stops an answer before there was any
  #text = '';
  #changed = 0; // when the answer was last another
  #stopped = false; // a button that stops the answer was there
  #ended = false;
  #scheduledRead: Timer | null = null;
  #timers: Timer[] = [];
  readonly #observer = new MutationObserver(() => {
    this.#scheduledRead ??= setTimeout(() => this.#readPage(), SOON);
  });

  constructor(message: ChatMessage) {
    this.message = message;
    this.#wasSent = message.sent;
  }

  async begin(): Promise<void> {
    this.#timers = [setInterval(() => this.#readPage(), TICK), setInterval(() => this.#report(this.#state), BEAT)];
    this.#report(this.#state);
    try {
      if (!this.#echo() && !this.#wasSent) await this.#send();
      if (this.#ended) return;
      this.#report({ chat: 'sent' });
      this.#changed = performance.now();
      this.#report({ chat: 'waiting', why: 'answer' });
      const about = { childList: true, subtree: true, characterData: true, attributes: true };
      this.#observer.observe(document, about);
      this.#wasSent = true;
      this.#readPage();
    } catch (error) {
      this.#finish({ chat: 'failed', why: messageOf(error) });
    }
  }

  end(): void {
    this.#ended = true;
    this.#observer.disconnect();
    clearTimeout(this.#scheduledRead ?? undefined);
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** For a worker that has begun a new life. */
  resend(): void {
    if (this.#wasSent && !this.#ended) this.#report({ chat: 'sent' });
    this.#report(this.#state);
  }

  // --- sending ---

  #box(): HTMLElement | null {
    return composer.box(this.message.site);
  }

  #echo(): Element | null {
    return thread.echo(this.message.token, this.#box());
  }

  #isWriting(): boolean {
    return composer.stopButtons(this.message.site).some((button) => !this.#before.has(button));
  }

  async #send(): Promise<void> {
    const { text, token, after, site } = this.message;
    const found = await this.#until(() => this.#box(), site.wait_ms);
    if (!found) throw new Error('box');
    await this.#untilThere(after);
    await this.#until(() => !composer.stopButtons(site).length, site.wait_ms);
    await this.#untilFree(token);
    if (this.#ended) return;
    this.#before = new Set(composer.stopButtons(site));
    const box = this.#box() ?? found;
    if (!(await composer.write(box, text))) throw new Error('write');
    const ready = () => {
      const button = composer.sendButton(this.#box() ?? box, site);
      return button && composer.isEnabled(button) ? button : null;
    };
    const button = await this.#until(ready, site.ready_ms);
    if (button) button.click();
    else composer.pressEnter(box);
    if (!(await this.#until(() => this.#echo() || this.#isEmpty(), site.wait_ms))) throw new Error('send');
  }

  /** Another conversation is none of ours: there nothing is written. */
  async #untilThere(after: string): Promise<void> {
    const isThere = () => !after || thread.echo(after, this.#box());
    if (isThere()) return;
    this.#report({ chat: 'waiting', why: 'gone' });
    await this.#until(isThere, Infinity);
    this.#report({ chat: 'waiting', why: 'sending' });
  }

  /** What the user has begun to write there is theirs to send or to clear. */
  async #untilFree(token: string): Promise<void> {
    const isFree = () => {
      const box = this.#box();
      return box && (!composer.textIn(box) || composer.textIn(box).includes(token));
    };
    if (isFree()) return;
    this.#report({ chat: 'waiting', why: 'draft' });
    await this.#until(isFree, Infinity);
  }

  #isEmpty(): boolean {
    const box = this.#box();
    return box !== null && !composer.textIn(box);
  }

  /** The first true value of `ask`, looked at again and again; false or null when the time is over. */
  async #until<T>(ask: () => T, milliseconds: number): Promise<T | false> {
    const end = performance.now() + milliseconds;
    for (;;) {
      const value = !this.#ended && ask();
      if (value || this.#ended || performance.now() > end) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // --- the answer ---

  #readPage(): void {
    clearTimeout(this.#scheduledRead ?? undefined);
    this.#scheduledRead = null;
    if (this.#ended || !this.#wasSent) return;
    const ours = this.#echo();
    if (!ours) return this.#wait('gone');
    const text = thread.answer(this.message, ours, this.#box());
    const now = performance.now();
    if (text !== this.#text) {
      this.#text = text;
      this.#changed = now;
    }
    const isWriting = this.#isWriting();
    this.#stopped ||= isWriting;
    if (this.#isDone(text, now - this.#changed, isWriting)) this.#hand(text);
    else this.#wait(!isWriting && !text && now - this.#changed > this.message.site.silent_ms ? 'silent' : 'answer');
  }

  /** With the keyword at its end nothing is to come, whatever buttons there are; without it, only its being quiet tells. */
  #isDone(text: string, quiet: number, isWriting: boolean): boolean {
    const { keyword, site } = this.message;
    const [rest] = text.split(keyword).slice(1).slice(-1);
    const isWhole = rest !== undefined && !lettersOf(rest);
    if (!text || isWriting) return isWhole && quiet >= 3 * site.quiet_ms;
    if (isWhole) return quiet >= site.settled_ms;
    return quiet >= (this.#stopped || rest !== undefined ? site.quiet_ms : site.silent_ms);
  }

  #hand(text: string): void {
    const { keyword } = this.message;
    const at = text.lastIndexOf(keyword);
    const cut = at < 0 ? text : text.slice(0, at + keyword.length);
    this.#finish({ chat: 'answer', text: cut });
  }

  // --- reporting ---

  #wait(why: ChatPhase): void {
    if (this.#state.chat !== 'waiting' || this.#state.why !== why) this.#report({ chat: 'waiting', why });
  }

  #finish(state: ChatState): void {
    this.#observer.disconnect();
    this.#report(state);
    this.end();
  }

  #report(state: ChatState): void {
    if (this.#ended && state.chat === 'waiting') return;
    this.#state = state;
    const { run, number } = this.message;
    // Loaded anew, the extension has left this script behind.
    if (isContextValid()) chrome.runtime.sendMessage({ ...state, run, number } satisfies ChatReport).catch(() => {});
    else this.end();
  }
}

// Put here again for each message, only the first listens.
const LISTENS = Symbol.for('oryn.chat');
if (!(LISTENS in globalThis)) {
  Object.defineProperty(globalThis, LISTENS, { value: true });
  listenToWorker();
}
