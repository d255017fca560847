/** Modes whose engine is a process of our own: found, started, and started again when it has ended. */

import { findProgram, type EngineMode } from "./discovery.js";
import { Engine } from "./engine.js";
import { NotConnected } from "./errors.js";
import type { Transport } from "./transport.js";

const LAST = /^\s*(?:exit|quit)\s*$/i;

export class LocalEngine implements Transport {
  readonly #mode: EngineMode;
  readonly #binary: string | undefined;
  readonly #arguments: readonly string[];
  #session: string | undefined;
  #isOpen = false;
  #engine: Engine | undefined;
  #ready: Promise<Engine> | undefined;

  /** @param words options of the engine, as its `--help` lists them */
  constructor(mode: EngineMode, binary?: string, words: readonly string[] = []) {
    this.#mode = mode;
    this.#binary = binary;
    this.#arguments = words;
  }

  async connect(session: string | undefined): Promise<void> {
    this.#session = session;
    this.#isOpen = true;
    await this.#running();
  }

  async ask(line: string, abandoned?: AbortSignal): Promise<string> {
    const engine = await this.#running();
    const answer = await engine.ask(line, abandoned);
    // What is sent next shall not reach a process that is about to end.
    if (LAST.test(line)) await engine.lost;
    return answer;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    const engine = this.#engine;
    this.#forget(engine);
    await engine?.end();
  }

  /** The one engine. Whoever asks while it starts waits for the same, so lines go out in the order of their sending. */
  #running(): Promise<Engine> {
    if (!this.#isOpen) return Promise.reject(new NotConnected("the client was closed"));
    return (this.#ready ??= this.#start());
  }

  #start(): Promise<Engine> {
    const started = this.#started();
    started.catch(() => {
      if (this.#ready === started) this.#ready = undefined;
    });
    return started;
  }

  async #started(): Promise<Engine> {
    const session = this.#session === undefined ? [] : ["--session", this.#session];
    const engine = new Engine(findProgram(this.#mode, this.#binary), [...session, ...this.#arguments]);
    this.#engine = engine;
    void engine.lost.then(() => this.#forget(engine));
    await engine.ready();
    return engine;
  }

  #forget(engine: Engine | undefined): void {
    if (engine !== this.#engine) return;
    this.#engine = this.#ready = undefined;
  }
}
