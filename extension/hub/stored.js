// A value of the browser's storage that is read once in the life of the background, and written on each change.
//
// The background is the only writer, so what it has read stays true. https://developer.mozilla.org/docs/Mozilla/Add-ons/WebExtensions/API/storage

import { api } from './browser.js';

export class Stored {
  #area;
  #key;
  #value;
  #reading = null;
  #writing = Promise.resolve();

  /** `area` is "session", which the browser keeps in memory until it ends, or "local", which it writes to disk. */
  constructor(area, key, initial) {
    this.#area = area;
    this.#key = `hub.${key}`;
    this.#value = initial;
  }

  /** The value. Change it in place, and then `save`. */
  async read() {
    this.#reading ??= api.storage[this.#area].get(this.#key).then((stored) => {
      if (Object.hasOwn(stored, this.#key)) this.#value = stored[this.#key];
    });
    await this.#reading;
    return this.#value;
  }

  /** Write the value as it is when its turn has come, and wait until the browser has it. */
  save() {
    const write = () => api.storage[this.#area].set({ [this.#key]: this.#value });
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}
