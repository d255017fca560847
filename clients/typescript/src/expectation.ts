/** Checks that wait until they are true, as tests need them: `await oryn.expect("Saved").toBeVisible()`. */

import { setTimeout as pause } from "node:timers/promises";

import type { OrynMethods } from "./_generated/index.js";
import type { Target } from "./caller.js";
import { CommandError } from "./errors.js";
import type { Result } from "./result.js";

const DEFAULT_SECONDS = 5;
/** Milliseconds between two looks; the last one repeats. The page gives no notice of what its text or value will be. */
const INTERVALS = [50, 100, 250, 500];
const MISSING = ["ELEMENT_NOT_FOUND", "ELEMENT_STALE"];

interface Limit {
  /** Seconds; default: 5. */
  readonly timeout?: number;
}

/** What is expected of an element. Each method waits, and throws a `CommandError` with the code `TIMEOUT`. */
export class Expectation {
  readonly #oryn: OrynMethods;
  readonly #target: Target;

  constructor(oryn: OrynMethods, target: Target) {
    this.#oryn = oryn;
    this.#target = target;
  }

  async toBeVisible({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitVisible(this.#target, { timeout });
  }

  async toBeHidden({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitHidden(this.#target, { timeout });
  }

  async toBeEnabled({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitEnabled(this.#target, { timeout });
  }

  async toBeDisabled({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitDisabled(this.#target, { timeout });
  }

  async toExist({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitExists(this.#target, { timeout });
  }

  async toBeGone({ timeout = DEFAULT_SECONDS }: Limit = {}): Promise<void> {
    await this.#oryn.waitGone(this.#target, { timeout });
  }

  toBeChecked(limit: Limit = {}): Promise<void> {
    return this.#until("checked", () => this.#oryn.isChecked(this.#target), (data) => data, limit);
  }

  toBeFocused(limit: Limit = {}): Promise<void> {
    return this.#until("focused", () => this.#oryn.isFocused(this.#target), (data) => data, limit);
  }

  /** The element's text contains `text`. */
  toHaveText(text: string, limit: Limit = {}): Promise<void> {
    const what = `the text ${JSON.stringify(text)}`;
    return this.#until(what, () => this.#oryn.text(this.#target), (data) => data.includes(text), limit);
  }

  toHaveValue(value: string, limit: Limit = {}): Promise<void> {
    const what = `the value ${JSON.stringify(value)}`;
    return this.#until(what, () => this.#oryn.value(this.#target), (data) => data === value, limit);
  }

  /** There are exactly so many such elements or texts. */
  toHaveCount(count: number, limit: Limit = {}): Promise<void> {
    return this.#until(`${count} of them`, () => this.#oryn.count(this.#target), (data) => data === count, limit);
  }

  async #until<Data>(
    what: string,
    look: () => Promise<Result<Data>>,
    fits: (data: Data) => boolean,
    { timeout = DEFAULT_SECONDS }: Limit,
  ): Promise<void> {
    const ends = performance.now() + timeout * 1000;
    for (let number = 0; ; number += 1) {
      let found = "no such element";
      try {
        const { data } = await look();
        if (fits(data)) return;
        found = JSON.stringify(data);
      } catch (error) {
        if (!(error instanceof CommandError && MISSING.includes(error.code))) throw error;
      }
      if (performance.now() >= ends) {
        const message = `expected ${what} of ${JSON.stringify(this.#target)}, found ${found}`;
        const hint = "Give it more time, if the page needs it.";
        throw new CommandError("TIMEOUT", message, hint, undefined, this.#target);
      }
      await pause(INTERVALS[Math.min(number, INTERVALS.length - 1)]);
    }
  }
}
