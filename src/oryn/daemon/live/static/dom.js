// Elements and texts of the document. Text from pages and agents only ever becomes text nodes.

export const byId = (id) => document.getElementById(id);

/** Create an element with properties (or attributes, if there is no such property) and children: nodes and texts. */
export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key in created) created[key] = value;
    else created.setAttribute(key, value);
  }
  created.append(...children.filter((child) => child !== null && child !== undefined));
  return created;
}

/** Set a text only if it differs, because screen readers announce every assignment. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Returns a function that calls `action` at most once in `milliseconds`. Calls in between share one later call, and its
 *  promise. */
export function throttle(milliseconds, action) {
  let ready = Promise.resolve();
  let pending = null;
  const run = () => {
    pending = null;
    const result = action();
    ready = result.catch(() => {}).then(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
    return result;
  };
  return () => (pending ??= ready.then(run));
}

const TIME_FORMAT = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false };
const DATE_TIME_FORMAT = { ...TIME_FORMAT, month: 'short', day: 'numeric' };

/** A `<time>` for a timestamp in ISO 8601: a short text, with the timestamp as its title. */
export function timeElement(timestamp) {
  const date = new Date(timestamp);
  const isToday = date.toDateString() === new Date().toDateString();
  const text = date.toLocaleString([], isToday ? TIME_FORMAT : DATE_TIME_FORMAT);
  return element('time', { dateTime: timestamp, title: timestamp }, text);
}

/** `52 ms`, `1.5 s`. */
export function formatDuration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

const ANNOUNCEMENT_INTERVAL_MS = 1000;
let lastAnnouncement = 0;
let announcementTimer;

/** Have screen readers announce a text, at most one in a second: of several, the last. */
export function announce(text) {
  clearTimeout(announcementTimer);
  announcementTimer = setTimeout(() => {
    lastAnnouncement = Date.now();
    byId('announcement').textContent = text;
  }, Math.max(0, lastAnnouncement + ANNOUNCEMENT_INTERVAL_MS - Date.now()));
}
