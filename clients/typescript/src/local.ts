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
  #ready: Promise<Engine> | undefined;
  /** The one that is used, and those before it that are still about to end. */
  readonly #engines = new Set<Engine>();

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
    this.#ready = undefined;
    await Promise.all([...this.#engines].map((engine) => engine.end()));
  }

  /** The one engine. Whoever asks while it starts waits for the same, so lines go out in the order of their sending. */
  #running(): Promise<Engine> {
    if (!this.#isOpen) return Promise.reject(new NotConnected("the client was closed"));
    return (this.#ready ??= this.#start());
  }

  #start(): Promise<Engine> {
    const started = this.#started();
    const forget = (): void => {
      if (this.#ready === started) this.#ready = undefined;
    };
    started.then((engine) => engine.lost.then(forget), forget);
    return started;
  }

  async #started(): Promise<Engine> {
    const session = this.#session === undefined ? [] : ["--session", this.#session];
    const engine = new Engine(findProgram(this.#mode, this.#binary), [...session, ...this.#arguments]);
    this.#engines.add(engine);
    void engine.exited.then(() => this.#engines.delete(engine));
    await engine.ready();
    return engine;
  }
}
