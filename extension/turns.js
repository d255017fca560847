// Turns Python's event loop: the JavaScript half of `oryn.extension.event_loop`.

const MAX_TIMER_MS = 2 ** 31 - 1; // milliseconds that a timer of the browser can have

/** The object that Python calls `turns`. `broken` is told of what Python throws, which it never does while it can still
 *  do anything. */
export class Turns {
  #turn = null;
  #broken;
  #isComing = false;
  #timer = 0;

  constructor(broken) {
    this.#broken = broken;
  }

  drive(turn) {
    this.#turn = turn.copy?.() ?? turn; // Pyodide takes back what it lends for a call
  }

  /** In the same turn of the browser, so that an answer does not wait behind all that comes meanwhile. */
  soon() {
    if (this.#isComing) return;
    this.#isComing = true;
    queueMicrotask(() => {
      this.#isComing = false;
      this.run();
    });
  }

  run() {
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

  stop() {
    clearTimeout(this.#timer);
    this.#turn = null;
  }
}
