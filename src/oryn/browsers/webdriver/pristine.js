// For pages that replace functions of JavaScript that the driver's own scripts call: puts JavaScript's own back while a
// command runs, and the page's afterwards. They come from an empty frame, which has them fresh; it is removed at once.
// A function of JavaScript is told by its source, as the frame's `toString` shows it.
{
  const KEY = Symbol.for('oryn.pristine');
  const SHORT = 20;
  if (!globalThis[KEY]) {
    const frame = document.createElement('iframe');
    document.documentElement.appendChild(frame);
    const clean = frame.contentWindow;
    const { apply, getOwnPropertyDescriptor, defineProperty, deleteProperty, getPrototypeOf, ownKeys } = clean.Reflect;
    const { toString } = clean.Function.prototype;
    const { includes } = clean.String.prototype;
    const isOwn = (value) => apply(includes, apply(toString, value, []), ['[native code]']);
    const boxed = (value) => getPrototypeOf(apply(function () { return this; }, value, []));
    // The prototypes of literals are JavaScript's own, whatever the global names hold.
    const promise = getPrototypeOf((async () => {})());
    const pairs = [
      [JSON, clean.JSON],
      [getPrototypeOf([]), clean.Array.prototype],
      [boxed(''), clean.String.prototype],
      [getPrototypeOf(() => {}), clean.Function.prototype],
      [getPrototypeOf({}), clean.Object.prototype],
      [promise, clean.Promise.prototype],
      [globalThis.Object, clean.Object],
      [globalThis.Array, clean.Array],
      [globalThis.Map?.prototype, clean.Map.prototype],
    ];
    const spoilers = [getPrototypeOf([]), getPrototypeOf({}), boxed(''), boxed(0), boxed(true)];
    const later = setTimeout;
    const saved = [];

    const keep = (owner, key) => {
      saved[saved.length] = { owner, key, own: getOwnPropertyDescriptor(owner, key) };
    };

    const end = () => {
      while (saved.length) {
        const { owner, key, own } = saved[saved.length - 1];
        saved.length--;
        if (own) defineProperty(owner, key, own);
        else deleteProperty(owner, key);
      }
    };

    let uses = 0;
    const release = () =>
      later(() => {
        uses--;
        if (!uses) end();
      }, SHORT); // not sooner: the driver's promises are settled after timers that are due
    /** Put them back for a moment, or with `hold` until `release` is called. */
    const begin = (hold) => {
      uses++;
      if (!hold) release();
      if (uses === 1) replace();
      return release;
    };

    const replace = () => {
      for (let index = 0; index < spoilers.length; index++) {
        if (getOwnPropertyDescriptor(spoilers[index], 'toJSON')) {
          keep(spoilers[index], 'toJSON');
          deleteProperty(spoilers[index], 'toJSON');
        }
      }
      for (let index = 0; index < pairs.length; index++) {
        const owner = pairs[index][0];
        const fresh = pairs[index][1];
        if (!owner) continue;
        const keys = ownKeys(fresh);
        for (let place = 0; place < keys.length; place++) {
          const key = keys[place];
          const right = getOwnPropertyDescriptor(fresh, key);
          const found = getOwnPropertyDescriptor(owner, key);
          if (typeof right.value !== 'function' || key === 'constructor') continue;
          if (typeof found?.value === 'function' && isOwn(found.value)) continue;
          keep(owner, key);
          defineProperty(owner, key, right);
        }
      }
      if (!isOwn(globalThis.Promise) && isOwn(promise.constructor)) {
        keep(globalThis, 'Promise');
        defineProperty(globalThis, 'Promise', { value: promise.constructor, configurable: true, writable: true });
      }
    };

    frame.remove();
    defineProperty(globalThis, KEY, { value: begin });
  }
  globalThis[KEY]();
}
