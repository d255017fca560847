// A value of the browser's storage that is read once in the life of the background, and written on each change.
//
// The background is the only writer, so what it has read stays true. https://developer.mozilla.org/docs/Mozilla/Add-ons/WebExtensions/API/storage

import { api } from './browser';

export class Stored<T> {
  readonly #area: 'session' | 'local';
  readonly #key: string;
  #value: T;
  #reading: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** `area` is "session", which the browser keeps in memory until it ends, or "local", which it writes to disk. */
  constructor(area: 'session' | 'local', key: string, initial: T) {
    this.#area = area;
    this.#key = `hub.${key}`;
    this.#value = initial;
  }

  /** The value. Change it in place, and then `save`. */
  async read(): Promise<T> {
    this.#reading ??= api.storage[this.#area].get(this.#key).then((stored) => {
      // Only the background writes it; what an earlier version has written is checked where it differs.
      if (Object.hasOwn(stored, this.#key)) this.#value = stored[this.#key] as T;
    });
    await this.#reading;
    return this.#value;
  }

  /** Write the value as it is when its turn has come, and wait until the browser has it. */
  save(): Promise<void> {
    const write = () => api.storage[this.#area].set({ [this.#key]: this.#value });
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}
