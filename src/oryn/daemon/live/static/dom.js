// Elements made of data. What a page or an agent says only ever becomes text.

export const byId = (id) => document.getElementById(id);

/** An element with properties (or attributes, where there is no such property) and children: nodes and texts. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Set a text only where it is another one: what reads aloud hears of no change that is none. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Calls `action` at most once in so many milliseconds, and once more at the end when it was asked for meanwhile: the promise
 *  is of the call that answers the question. */
export function atMostEvery(milliseconds, action) {
  let free = Promise.resolve();
  let next = null;
  const run = () => {
    next = null;
    const done = action();
    free = done.catch(() => {}).then(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
    return done;
  };
  return () => (next ??= free.then(run));
}

const TODAY = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false };
const EARLIER = { ...TODAY, month: 'short', day: 'numeric' };

/** A `<time>` for a moment in ISO 8601, short, with the whole of it as its title. */
export function time(moment) {
  const date = new Date(moment);
  const format = date.toDateString() === new Date().toDateString() ? TODAY : EARLIER;
  return element('time', { dateTime: moment, title: moment }, date.toLocaleString([], format));
}

/** `52 ms`, `1.5 s`. */
export function duration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

const QUIET = 1000;
let said = 0;
let toSay;

/** Have a screen reader say this when it has time; of many things in a second the last. */
export function say(text) {
  clearTimeout(toSay);
  toSay = setTimeout(() => {
    said = Date.now();
    byId('said').textContent = text;
  }, Math.max(0, said + QUIET - Date.now()));
}
