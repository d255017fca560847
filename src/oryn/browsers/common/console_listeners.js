// What a document writes to its console, and its uncaught errors: the part of a script in the page's own world that
// reports them. `reported_console.py` includes it in scripts, which use its functions too. JavaScript's own functions are
// kept from its start on.

const MAX_TEXT_CHARACTERS = 10000;
const { stringify } = JSON;
const now = Date.now.bind(Date);
const text = (value) => String(value).slice(0, MAX_TEXT_CHARACTERS);
const listen = (target, kind, react) => target.addEventListener(kind, react, { capture: true, passive: true });

/** Replace a function by one that looks and answers like it. */
function wrapFunction(owner, name, around) {
  const own = owner[name];
  if (typeof own !== 'function') return;
  const { [name]: wrapped } = {
    [name](...values) {
      return around(this, own, values);
    },
  };
  Object.defineProperty(wrapped, 'toString', { value: () => Function.prototype.toString.call(own) });
  try {
    Object.defineProperty(owner, name, { value: wrapped, writable: true, configurable: true, enumerable: true });
  } catch {
    // The page has fixed it: its calls are not seen.
  }
}

/** Calls `emit` with each message and error: `{kind: 'console', level, text, time, url}`, `{kind: 'error', text, …}`. */
function reportConsole(emit) {
  // https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Error/stack has both forms of a call.
  const CALL = /(?:\(|@|at )((?:https?|file|blob|data|[a-z]+-extension):[^\s)]*):(\d+):\d+\)?$/;
  /** The scripts and lines of the calls that lead here, innermost first. */
  function calls() {
    const found = [];
    for (const line of text(new Error().stack).split('\n')) {
      const [, url, number] = CALL.exec(line) ?? [];
      if (url) found[found.length] = { url, line: Number(number) };
    }
    return found;
  }
  const OWN = calls()[0]?.url;
  /** Where the page has called a function that stands for one of its own. */
  const caller = () => calls().find(({ url }) => url !== OWN) ?? { url: location.href };

  function display(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    try {
      return typeof value === 'object' && value !== null ? stringify(value) ?? String(value) : String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }
  /** https://console.spec.whatwg.org/#formatter */
  function formatted(values) {
    const left = [...values];
    if (typeof left[0] !== 'string') return left.map(display).join(' ');
    const first = left.shift().replace(/%[sdifoOc%]/g, (form) => {
      if (form === '%%') return '%';
      if (!left.length) return form;
      const value = left.shift();
      if (form === '%c') return '';
      if (form === '%d' || form === '%i') return String(parseInt(value, 10));
      return form === '%f' ? String(parseFloat(value)) : display(value);
    });
    return [first, ...left.map(display)].join(' ');
  }
  const say = (level, message, more) => emit({ kind: 'console', level, text: text(message), time: now(), ...more });
  for (const [name, level] of [
    ['log', 'log'],
    ['debug', 'log'],
    ['info', 'info'],
    ['warn', 'warn'],
    ['error', 'error'],
  ]) {
    wrapFunction(console, name, (self, own, values) => {
      say(level, formatted(values), caller());
      return Reflect.apply(own, console, values);
    });
  }
  wrapFunction(console, 'assert', (self, own, values) => {
    if (!values[0]) {
      const message = formatted(values.slice(1));
      say('error', message ? `Assertion failed: ${message}` : 'Assertion failed', caller());
    }
    return Reflect.apply(own, console, values);
  });
  listen(window, 'error', (event) => {
    if (!(event instanceof ErrorEvent)) return;
    const message = event.error instanceof Error ? display(event.error) : event.message;
    const stack = text(event.error?.stack ?? '');
    emit({ kind: 'error', text: text(message), time: now(), url: event.filename, line: event.lineno, stack });
  });
  listen(window, 'unhandledrejection', (event) => {
    const stack = text(event.reason?.stack ?? '');
    emit({ kind: 'error', text: text(display(event.reason)), time: now(), url: location.href, line: null, stack });
  });
}
