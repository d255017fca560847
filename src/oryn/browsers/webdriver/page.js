// What Oryn puts into each document of an embedded browser besides the scanner: the events that WebDriver does not
// report (navigations, requests, dialogs, the console), where frames lie, and scripts in the page's own world.
//
// It shares the page's world, so it keeps JavaScript's own functions from its start on. What it answers is data. URLs are
// those of `location`, which no page can redefine, as it can `Document.prototype.URL`.
(() => {
  /* console_listeners.js */

  const KEY = Symbol.for('oryn.page');
  if (Object.hasOwn(globalThis, KEY)) return;

  const MAX_EVENTS = 500;
  const TICK = 50;
  const isArray = Array.isArray;
  const keysOf = Object.keys;
  const later = setTimeout.bind(globalThis);
  // Not `Math.random`, which some pages replace by numbers that are the same in each document.
  const newToken = () => {
    const numbers = crypto.getRandomValues(new Uint32Array(2));
    return `${numbers[0].toString(36)}${numbers[1].toString(36)}`;
  };

  // Of Firefox's error pages only the document says that they are such pages.
  const errorUrl = /^about:(net|cert)error/.test(document.URL) ? document.URL : '';
  const urlHere = () => errorUrl || location.href;

  const state = { token: newToken(), loaded: document.readyState === 'complete', url: urlHere(), frames: 0 };
  const events = [];
  let number = 0;
  let wake = null;
  let target = '';

  /** Plain data as JSON, whatever the page has put into `toJSON` of all objects. */
  function written(value) {
    if (typeof value !== 'object' || value === null) return stringify(value) ?? 'null';
    let parts = '';
    if (isArray(value)) {
      for (let index = 0; index < value.length; index++) parts += (index ? ',' : '') + written(value[index]);
      return `[${parts}]`;
    }
    const keys = keysOf(value);
    for (let index = 0; index < keys.length; index++) {
      parts += `${index ? ',' : ''}${stringify(keys[index])}:${written(value[keys[index]])}`;
    }
    return `{${parts}}`;
  }

  function report() {
    return written({
      token: state.token,
      top: window === window.top,
      url: urlHere(),
      viewport: [innerWidth, innerHeight],
      ready: state.loaded ? 'load' : document.readyState === 'loading' ? 'commit' : 'ready',
      events,
    });
  }

  function notify() {
    if (wake === null) return;
    const done = wake;
    wake = null;
    done(report());
  }

  function emit(event) {
    number++;
    events[events.length] = { number, ...event };
    if (events.length > MAX_EVENTS) events.shift();
    notify();
  }

  /** Answers when there is an event after `seen`, or at once if the document is not the one of `token`. */
  function watch(seen, token, done) {
    while (events.length && events[0].number <= seen) events.shift();
    if (token !== state.token || events.length) done(report());
    else wake = done;
  }

  // --- the document ---

  listen(document, 'readystatechange', () => emit({ kind: 'ready' }));
  listen(window, 'load', (event) => {
    if (event.target !== document) return;
    later(() => {
      state.loaded = true;
      emit({ kind: 'ready' });
    }, 0);
  });
  listen(window, 'pageshow', (event) => {
    if (!event.persisted) return; // from the back/forward cache: for Oryn it is another document
    state.token = newToken();
    events.length = 0;
    emit({ kind: 'ready' });
  });
  listen(window, 'click', (event) => {
    const link = event.composedPath().find((each) => each.localName === 'a' && each.href);
    target = link ? String(link.href) : '';
    if (link) reportNewTab(event, link.target, target);
  });
  listen(window, 'submit', (event) => {
    target = String(event.submitter?.formAction || event.target?.action || '');
    reportNewTab(event, event.submitter?.formTarget || event.target?.target, target);
  });

  const SAME_TAB = ['_self', '_parent', '_top'];
  /** Whether a `target` opens a tab: it is not this one, nor the name of a frame. */
  function isNewTab(name) {
    if (typeof name !== 'string' || !name || SAME_TAB.includes(name.toLowerCase())) return false;
    return !frameElements(document, []).some((each) => each.name === name);
  }
  /** Reports that an event opens a tab, if the page does not prevent that. `name` is a link's or a form's `target`. */
  function reportNewTab(event, name, url) {
    if (!isNewTab(name || document.querySelector('base[target]')?.target)) return;
    later(() => {
      if (!event.defaultPrevented) emit({ kind: 'opens', url: text(url) });
    }, 0);
  }
  listen(window, 'beforeunload', () => {
    emit({ kind: 'leaving', url: text(target) });
    target = '';
  });

  /** Some changes make no event: `history.pushState`, frames that come and go. */
  function tick() {
    if (urlHere() !== state.url) {
      state.url = urlHere();
      emit({ kind: 'moved', url: state.url });
    }
    if (window.length !== state.frames) {
      state.frames = window.length;
      emit({ kind: 'frames' });
    }
    later(tick, TICK);
  }
  for (const kind of ['popstate', 'hashchange']) {
    listen(window, kind, () => {
      state.url = urlHere();
      emit({ kind: 'moved', url: state.url });
    });
  }
  listen(document, 'load', (event) => {
    const name = event.target?.localName;
    if (name === 'iframe' || name === 'frame') emit({ kind: 'frames' });
  });

  // --- what only the page's own functions see ---

  // No event gets out while a dialog is open, and the driver reports its message alone: so that says what it is.
  const MARK = '\u2063';
  for (const kind of ['alert', 'confirm', 'prompt']) {
    wrapFunction(window, kind, (self, own, values) => {
      const message = values.length ? text(values[0]) : '';
      const preset = kind === 'prompt' ? text(values[1] ?? '') : '';
      return Reflect.apply(own, window, [[MARK, kind, MARK, preset, MARK, message].join(''), ...values.slice(1)]);
    });
  }

  wrapFunction(window, 'open', (self, own, values) => {
    if (isNewTab(text(values[1] || '_blank'))) emit({ kind: 'opens', url: text(values[0] ?? '') });
    return Reflect.apply(own, window, values);
  });

  let requests = 0;
  function begin(url) {
    const id = ++requests;
    emit({ kind: 'request', id, url: text(url) });
    return () => emit({ kind: 'answered', id });
  }
  wrapFunction(window, 'fetch', (self, own, values) => {
    const end = begin(values[0]?.url ?? values[0]);
    const answer = Reflect.apply(own, window, values);
    answer.then(end, end);
    return answer;
  });
  wrapFunction(XMLHttpRequest.prototype, 'send', (self, own, values) => {
    const end = begin('');
    self.addEventListener('loadend', end, { once: true });
    try {
      return Reflect.apply(own, self, values);
    } catch (error) {
      end();
      throw error;
    }
  });

  // --- what elements listen for ---

  const listening = new WeakMap();
  wrapFunction(EventTarget.prototype, 'addEventListener', (self, own, values) => {
    if (self instanceof Element && typeof values[0] === 'string') {
      if (!listening.has(self)) listening.set(self, {});
      listening.get(self)[values[0]] = true;
    }
    return Reflect.apply(own, self, values);
  });

  /**
   * The kinds of events that an element listens for, as far as scripts can know: those added since this script is here,
   * and those that libraries note in the page: jQuery (`_data`), d3 (`__on`).
   */
  function listenersOf(element) {
    const kinds = { ...listening.get(element) };
    try {
      for (const kind of keysOf(globalThis.jQuery?._data?.(element, 'events') ?? {})) kinds[kind] = true;
      for (const { type } of element.__on ?? []) kinds[type] = true;
      if (element.__onclick) kinds.click = true;
    } catch {
      // The page's own functions.
    }
    return kinds;
  }

  reportConsole(emit);

  // --- frames ---

  const ids = new WeakMap();
  const elements = new Map();

  function idOf(element) {
    let id = ids.get(element);
    if (id === undefined) {
      id = `${state.token}.${elements.size + 1}`;
      ids.set(element, id);
      elements.set(id, new WeakRef(element));
    }
    return id;
  }

  function frameElements(root, found) {
    for (const element of root.querySelectorAll('*')) {
      if (element.localName === 'iframe' || element.localName === 'frame') found[found.length] = element;
      else if (element.shadowRoot) frameElements(element.shadowRoot, found);
    }
    return found;
  }

  /**
   * This document's URL, and its frames in page order; `index` is the number by which WebDriver switches to one. The URL
   * of a frame of another origin is what its element says, until the frame itself is queried.
   */
  function frames() {
    const found = [];
    for (const element of frameElements(document, [])) {
      let url = element.src;
      let readable = false;
      try {
        const inner = element.contentDocument;
        readable = inner !== null;
        if (inner) url = inner.defaultView.location.href;
      } catch {
        // of another origin
      }
      let index = 0;
      while (index < window.length && window[index] !== element.contentWindow) index++;
      if (index === window.length) continue;
      found[found.length] = { id: idOf(element), index, name: element.name || '', url, readable };
    }
    return { url: urlHere(), frames: found };
  }

  function frameOf(id) {
    const element = elements.get(id)?.deref();
    return element?.isConnected ? element : null;
  }

  const askFrame = /* frame.js */ null; // the scanner's page script

  /** `done` gets what an operation of the page script `frame` answers about a frame; null if that is gone. */
  async function ask(id, operation, x, y, done) {
    const element = frameOf(id);
    done(written(element ? await askFrame.call(element, operation, x, y) : null));
  }

  // --- scripts of the user ---

  const indirect = eval; // in the global scope: https://tc39.es/ecma262/#sec-performeval
  const AsyncFunction = (async () => {}).constructor;

  function compiled(body) {
    try {
      return new AsyncFunction(body);
    } catch {
      return null;
    }
  }

  /** A script with `await` as a function that returns the value of its last statement. */
  function asynchronous(script) {
    const whole = compiled(`return (${script}\n)`);
    if (whole) return whole;
    const body = script.trimEnd().replace(/;+$/, '');
    const ends = [...body.matchAll(/[;}\n]/g)].map((match) => match.index + 1).reverse();
    for (const end of ends.slice(0, 200)) {
      const last = compiled(`${body.slice(0, end)}\nreturn (${body.slice(end)}\n)`);
      if (last) return last;
    }
    return compiled(script);
  }

  /** The value as JSON; what JSON has no form for becomes a text that describes it. */
  function plain(value) {
    if (value === undefined || value === null) return 'null';
    if (typeof value === 'number' && !Number.isFinite(value)) return stringify(Object.is(value, -0) ? '-0' : String(value));
    if (typeof value === 'bigint') return stringify(`${value}n`);
    if (typeof value === 'function' || typeof value === 'symbol') return stringify(text(value));
    if (value instanceof Node) {
      const id = value.id ? `#${value.id}` : '';
      const classes = value.classList ? [...value.classList].map((name) => `.${name}`).join('') : '';
      return stringify(value.nodeType === 1 ? value.localName + id + classes : value.nodeName);
    }
    if (value instanceof RegExp || value instanceof Date) return stringify(String(value));
    if (value instanceof Map || value instanceof Set) return stringify(`${value.constructor.name}(${value.size})`);
    if (value instanceof Error) return stringify(String(value.stack || value));
    try {
      return stringify(value) ?? stringify(String(value));
    } catch {
      return stringify(value?.constructor?.name ?? 'Object');
    }
  }

  /** Whether the page's policy forbids `eval`. https://w3c.github.io/webappsec-csp/#can-compile-strings */
  function refusesEval() {
    try {
      indirect('0');
      return false;
    } catch {
      return true;
    }
  }

  /** Passes `{"value": …}` or `{"error": …}` of a function's result, or of its promise, to `done`. */
  function answer(work, done) {
    try {
      const value = work();
      if (value instanceof Promise) {
        value.then((each) => done(`{"value": ${plain(each)}}`)).catch((error) => done(failure(error)));
      } else done(`{"value": ${plain(value)}}`);
    } catch (error) {
      done(failure(error));
    }
  }

  const failure = (error) =>
    stringify({ error: error instanceof Error ? `${error.name}: ${error.message}` : `Uncaught ${text(error)}` });

  /**
   * The answer of a script as JSON, passed to `done`; `{"refused": true}` if the page's policy forbids it, see
   * `scripts.py`. With `compileOnly` nothing is called.
   */
  function evaluate(script, compileOnly, done) {
    if (refusesEval()) {
      done('{"refused": true}');
      return;
    }
    const own = !compileOnly && /\bawait\b/.test(script) ? asynchronous(script) : null;
    answer(() => (own ? own.call(globalThis) : compileOnly ? (indirect(script), true) : indirect(script)), done);
  }

  /** Call one of these functions; `done` gets its value as JSON. */
  function call(name, values, done) {
    if (name === 'watch') watch(values[0], values[1], done);
    else if (name === 'evaluate') evaluate(values[0], values[1], done);
    else if (name === 'report') done(report());
    else if (name === 'frames') done(written(frames()));
    else if (name === 'frame') ask(values[0], values[1], values[2], values[3], done);
  }

  Object.defineProperty(globalThis, KEY, {
    value: Object.freeze({ answer, call, idOf, listenersOf }),
    enumerable: false,
    configurable: false,
    writable: false,
  });
  state.frames = window.length;
  tick();
})();
