// Turns Python's event loop: the JavaScript half of `oryn.extension.event_loop`.

import { ownCopy } from './py_callable';
import type { PyCallable } from './py_callable';

const MAX_TIMER_MS = 2 ** 31 - 1; // milliseconds that a timer of the browser can have

/** Runs what is due; returns the milliseconds until the next turn, or a negative number if none is known. */
type Turn = () => number;

/** The object that Python calls `turns`. `broken` is told of what Python throws, which it never does while it can still
 *  do anything. */
export class Turns {
  #turn: Turn | null = null;
  #isComing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #broken: (error: unknown) => void;

  constructor(broken: (error: unknown) => void) {
    this.#broken = broken;
  }

  drive(turn: PyCallable<Turn>): void {
    this.#turn = ownCopy(turn);
  }

  /** In the same turn of the browser, so that an answer does not wait behind all that comes meanwhile. */
  soon(): void {
    if (this.#isComing) return;
    this.#isComing = true;
    queueMicrotask(() => {
      this.#isComing = false;
      this.run();
    });
  }

  run(): void {
    if (!this.#turn) return;
    clearTimeout(this.#timer);
    try {
      const rest = this.#turn();
      if (rest >= 0) this.#timer = setTimeout(() => this.run(), Math.min(rest, MAX_TIMER_MS));
    } catch (error) {
      this.stop();
      this.#broken(error);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#turn = null;
  }
}
