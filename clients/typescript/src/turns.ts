/** Commands take turns with an engine that does one after the other: the one that is under way, and those that wait. */

import { ConnectionLost, verbOf } from "./errors.js";

/** The line that cancels the command under way; it has an answer of its own. Engines that don't know it answer too. */
const CANCEL = '{"cancel":true}';

interface Turn {
  readonly line: string;
  readonly abandoned: AbortSignal | undefined;
  resolve(answer: string): void;
  reject(error: ConnectionLost): void;
}

export class Turns {
  readonly #write: (line: string) => void;
  readonly #waiting: Turn[] = [];
  #underWay: Turn | undefined;
  /** How many answers still come before the next command can be sent. */
  #due = 0;
  #end: readonly [why: string, detail: string] | undefined;

  /** @param write sends a line; it is called once for each, in the order in which they were asked for */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Whether a command was sent that is not answered. */
  get isBusy(): boolean {
    return this.#underWay !== undefined;
  }

  /**
   * The answer to a command, which is never sent if it is abandoned before its turn, and is cancelled in the engine if
   * it is abandoned later. @throws ConnectionLost
   */
  ask(line: string, abandoned?: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, abandoned, resolve, reject });
      if (this.#end === undefined) this.#goOn();
      else this.fail(...this.#end);
    });
  }

  /** An answer has come; whether a command was under way that it can belong to. */
  answered(payload: string): boolean {
    const turn = this.#underWay;
    if (turn && --this.#due > 0) return true; // of the command that was cancelled
    this.#underWay = undefined;
    turn?.resolve(payload);
    this.#goOn();
    return turn !== undefined;
  }

  /** No more answers come: all who wait, and who come later, are told why. */
  fail(why: string, detail = ""): void {
    this.#end ??= [why, detail];
    this.#underWay?.reject(new ConnectionLost(`${why} before it answered '${verbOf(this.#underWay.line)}'${detail}`));
    this.#underWay = undefined;
    for (const { line, reject } of this.#waiting.splice(0)) {
      reject(new ConnectionLost(`${why} before '${verbOf(line)}' was sent${detail}`));
    }
  }

  #send(turn: Turn): void {
    this.#underWay = turn;
    this.#due = 1;
    this.#write(turn.line);
    turn.abandoned?.addEventListener("abort", () => {
      if (this.#underWay !== turn || this.#end !== undefined) return;
      this.#due += 1;
      this.#write(CANCEL);
    });
  }

  #goOn(): void {
    while (!this.#underWay && this.#waiting.length) {
      const next = this.#waiting.shift();
      if (next?.abandoned?.aborted) continue;
      if (next) this.#send(next);
    }
  }
}
