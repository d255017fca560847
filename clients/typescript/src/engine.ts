/** An engine's process, and the conversation with it over its standard input and output (docs/spec/line-protocol.md#conversation). */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import { settledWithin, within } from "./deadline.js";
import type { Program } from "./discovery.js";
import { EngineFailed } from "./errors.js";
import { AnswerSplitter } from "./framing.js";
import { readReady, type Ready } from "./ready.js";
import { Turns } from "./turns.js";

/** Seconds that a process may take until it is ready. The browser starts meanwhile, and is not waited for. */
const STARTING = 60;
/** Seconds that it may take to end after `quit`, for its browser writes its profile then; and after SIGTERM. */
const QUITTING = 10;
const TERMINATING = 5;
/** Milliseconds that its pipes may stay open after it: children of its own may have inherited them. */
const LAST_WORDS = 1_000;
/** So many characters of what it last wrote to standard error are kept for errors. */
const COMPLAINTS = 4_096;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_BEGINNING_LENGTH = 4_096;

/** One process, started once. */
export class Engine {
  /** Resolves when no answer will come any more. */
  readonly lost: Promise<void>;
  readonly #process: ChildProcessWithoutNullStreams;
  /** Resolves when no process is left. */
  readonly exited: Promise<void>;
  readonly #splitter = new AnswerSplitter();
  readonly #turns = new Turns((line) => this.#process.stdin.write(`${line}\n`));
  readonly #ready = settled<Ready>();
  #complaints = "";
  #isReady = false;
  #isEnding = false;
  #isLost = false;
  #markLost: () => void = () => undefined;

  constructor(program: Program, words: readonly string[]) {
    this.#process = spawned(program, words);
    this.lost = new Promise((resolve) => (this.#markLost = resolve));
    this.exited = new Promise((resolve) => {
      this.#process.once("exit", resolve).once("error", () => resolve());
    });
    this.#listen(program);
  }

  /** Resolves when lines can be sent. @throws EngineFailed, ProtocolMismatch */
  async ready(): Promise<void> {
    const late = (): EngineFailed => failed(`the engine was not ready within ${STARTING} s${this.#told()}`);
    try {
      await within(STARTING, this.#ready.promise, late);
    } catch (error) {
      this.#lose("the engine did not start");
      await this.exited;
      throw error;
    }
  }

  /** Send a line; its answer. One that is abandoned before its turn is never sent. @throws ConnectionLost */
  ask(line: string, abandoned?: AbortSignal): Promise<string> {
    return this.#turns.ask(line, abandoned);
  }

  /** `quit`, then SIGTERM, then SIGKILL: no process is left afterwards. What is under way fails. */
  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#isReady && !this.#isLost && !this.#turns.isBusy) {
      this.#process.stdin.end("quit\n");
      await settledWithin(QUITTING, this.exited);
    }
    this.#turns.fail("the client was closed");
    this.#process.stdin.end();
    this.#process.kill("SIGTERM");
    await settledWithin(TERMINATING, this.exited);
    this.#lose("the client was closed");
    await this.exited;
  }

  #listen(program: Program): void {
    const { stdin, stdout, stderr } = this.#process;
    stdout.setEncoding("utf8").on("data", (piece: string) => {
      if (!this.#isLost) this.#hear(piece);
    });
    stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.#complaints = (this.#complaints + piece).slice(-COMPLAINTS);
    });
    stdout.once("end", () => setTimeout(() => this.#lose("the engine closed its output"), LAST_WORDS).unref());
    // Who does not read any more is about to end, which is told elsewhere.
    stdin.on("error", () => undefined);
    const ended = (): void => this.#lose("the engine ended", `: ${this.#how()}${this.#told()}`);
    this.#process
      .once("error", (error) => this.#lose(`${program.path} can't be run: ${error.message}`))
      .once("exit", () => setTimeout(ended, LAST_WORDS).unref())
      .once("close", ended);
  }

  #hear(piece: string): void {
    try {
      for (const payload of this.#splitter.feed(piece)) this.#answered(payload);
      const { text, isWhole } = this.#splitter.beginning;
      // Another program may never write what ends an answer.
      if (!this.#isReady && (isWhole || text.length > MAX_BEGINNING_LENGTH) && !text.startsWith("ready ")) readReady(text);
      if (this.#splitter.size > MAX_ANSWER_BYTES) throw failed("the engine's answer does not end");
    } catch (error) {
      this.#ready.reject(error as Error);
      this.#lose((error as Error).message);
    }
  }

  #answered(payload: string): void {
    if (!this.#isReady) {
      this.#ready.resolve(readReady(payload));
      this.#isReady = true;
    } else if (!this.#turns.answered(payload) && !this.#isEnding) {
      // Which answer belongs to which line is not known any more.
      throw failed("the engine answered what nobody asked");
    }
  }

  /** Fail all who wait, and kill what still runs. */
  #lose(why: string, detail = ""): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#ready.reject(failed(`${why} before it was ready${detail}`));
    this.#turns.fail(why, detail);
    this.#kill();
    this.#markLost();
  }

  /** Kill it, and a script's own children too. */
  #kill(): void {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (process.platform === "win32") this.#process.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // It was quicker.
    }
  }

  #how(): string {
    const { exitCode, signalCode } = this.#process;
    return signalCode ?? `exit code ${exitCode}`;
  }

  #told(): string {
    const said = this.#complaints.trim();
    return said && `; it said: ${said}`;
  }
}

/** @throws EngineFailed where it is known at once that it can't be run */
function spawned({ path, words: own }: Program, words: readonly string[]): ChildProcessWithoutNullStreams {
  // A session of its own: Ctrl-C in a terminal is for the program that uses this library, which decides what ends.
  const detached = process.platform !== "win32";
  try {
    return spawn(path, [...own, ...words], { detached, windowsHide: true });
  } catch (error) {
    throw failed(`${path} can't be run: ${(error as Error).message}`);
  }
}

function failed(message: string): EngineFailed {
  return new EngineFailed(message, "'oryn doctor' tells what is missing.");
}

interface Settled<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A promise to be settled later, of which nobody need take note. */
function settled<T>(): Settled<T> {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((done, fail) => ([resolve, reject] = [done, fail]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
