// What differs between two readings of a page's text, and what is told of a page that was not read before.

import { closest, matches, parentOf, textContentOf } from '../dom/natives';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { shorten } from '../semantics/names';
import { textKind } from './units';

// What is told of texts in another order: the first ones, each cut.
const MAX_ORDERED = 4;

const ORDERED_LENGTH = 30;

// What is told of a new page that has neither messages nor a heading.
const MAX_OPENING_TEXTS = 2;

// What one document passes on to the next at its address, and how much of each text is compared.
const MAX_DISPLAYED_TEXTS = 1000;

const MAX_DISPLAY_LENGTH = 60000;
const COMPARED_LENGTH = 300;
const BESIDE_CONTENT = 'a,nav,header,footer,[role=navigation],[role=banner],[role=contentinfo]';
export const isMostOf = (part, text) => text.includes(part) && part.length > text.length / 2;
export const textRow = (change, kind, text) => ({ change, kind, text: shorten(text) });
const CLOCK = /\b(\d{1,2}):(\d\d):(\d\d)\b/g;
const DAY = 24 * 3600;
const CLOCK_TOLERANCE = 2; // seconds
const TICK_AGE = 2500; // milliseconds since a clock that shows seconds went on last
const ZONE = 900; // seconds: times of day of all time zones differ by multiples of it

/** Whether two texts differ by nothing but times, which went on for at most about `elapsed` seconds. */
function isClockTick(before, now, elapsed) {
  if (before === undefined || before.replace(CLOCK, '#') !== now.replace(CLOCK, '#')) return false;
  const [was, is] = [timesIn(before), timesIn(now)];
  return was.length > 0 && was.every((time, at) => (is[at] - time + DAY) % DAY <= elapsed + CLOCK_TOLERANCE);
}

const timesIn = (text) => [...text.matchAll(CLOCK)].map(([, h, m, s]) => +h * 3600 + +m * 60 + +s);

/**
 * Whether a text that has changed since a moment is a clock's that went on: it shows the time of day, or has changed by
 * itself not long ago. A time that only an action changes is told.
 */
export function isTickOfClock({ feeds, began }, owner, was, is, since) {
  const ago = performance.now() - since;
  if (!isClockTick(was, is, ago / 1000)) return false;
  if (isTimeOfDay(was, ago) && isTimeOfDay(is, 0)) return true;
  const hasTicked = (node) => feeds.has(node) && began - feeds.get(node).last < TICK_AGE;
  return hasTicked(owner) || Array.prototype.some.call(queryAll(owner, '*'), hasTicked);
}

/** Whether the times in a text are the time of day, in whatever zone, some milliseconds ago. */
function isTimeOfDay(text, ago) {
  const present = (Date.now() - ago) / 1000;
  return timesIn(text).every((time) => {
    const apart = (((present - time) % ZONE) + ZONE) % ZONE;
    return Math.min(apart, ZONE - apart) <= CLOCK_TOLERANCE;
  });
}

/**
 * Rows of what is new or other than in an earlier reading (`present`), and of what has `gone`. A reading has `units`
 * (element → text) and `places` (element → its parent then). `isFeed` says which elements change by themselves,
 * `isTick` of which the text before and now is but a clock's.
 */
export function compareTexts({ units: before, places }, { units: now }, { isFeed, isTick }) {
  const left = countTexts(before);
  const differ = [];
  const moved = [];
  for (const [owner, text] of now) {
    if (before.get(owner) !== text) differ.push([owner, text]);
    else if (take(left, text) && places.get(owner) !== parentOf(owner)) moved.push([owner, text]);
  }
  const present = [];
  for (const [owner, text] of differ) {
    if (take(left, text) || isFeed(owner) || isTick(owner, before.get(owner), text)) continue;
    if (before.has(owner)) take(left, before.get(owner));
    present.push(textRow(before.has(owner) ? 'changed' : 'new', textKind(owner), text));
  }
  for (const [owner, text] of moved) present.push(textRow('changed', textKind(owner), text));
  if (!moved.length) present.push(...reorderedTexts(before, now, isFeed));
  const gone = [];
  for (const [owner, text] of before) {
    if (!now.has(owner) && take(left, text) && !isFeed(owner)) gone.push(textRow('gone', 'text', text));
  }
  return { present, gone };
}

/** A row with the first of the texts that stand in another order than before, as those of a table that is sorted. */
function reorderedTexts(before, now, isFeed) {
  const former = uniqueTexts(before);
  const present = uniqueTexts(now);
  const was = [...former.keys()].filter((text) => present.has(text));
  const is = [...present.keys()].filter((text) => former.has(text));
  const from = is.findIndex((text, at) => text !== was[at]);
  if (from < 0) return [];
  const until = is.length - [...is].reverse().findIndex((text, at) => text !== was[was.length - 1 - at]);
  const first = is.slice(from, Math.min(from + MAX_ORDERED, until));
  if (first.some((text) => isFeed(present.get(text)))) return [];
  return [textRow('changed', 'order', first.map((text) => text.slice(0, ORDERED_LENGTH)).join(' | '))];
}

/**
 * What a new document says about what has led to it: its messages and, of the page itself, its heading, or else what it
 * begins with.
 */
export function openingTexts(units) {
  const rows = [];
  let heading = null;
  for (const [owner, text] of units) {
    const kind = textKind(owner);
    if ((kind === 'alert' || kind === 'status') && /\p{L}/u.test(text)) rows.push(textRow('new', kind, text));
    if (kind === 'heading' && (!heading || (matches(owner, 'h1') && !matches(heading, 'h1')))) heading = owner;
  }
  if (window !== window.top) return rows;
  if (heading) rows.push(textRow('new', 'heading', units.get(heading)));
  if (rows.length) return rows;
  const isLink = (owner, text) => [...queryAll(owner, 'a')].some((link) => collapse(textContentOf(link)) === text);
  const isOpening = ([owner, text]) =>
    textKind(owner) === 'text' && closest(owner, BESIDE_CONTENT) === null && !isLink(owner, text);
  const texts = [...units].filter(isOpening).slice(0, MAX_OPENING_TEXTS);
  return texts.map(([, text]) => textRow('new', 'text', text));
}

/**
 * The texts of a reading, for the document that may take the place of this one; null if they are too many to be passed
 * on.
 */
export function visibleTexts(units) {
  const texts = Array.from(units.values(), comparable);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return texts.length <= MAX_DISPLAYED_TEXTS && length <= MAX_DISPLAY_LENGTH ? texts : null;
}

const comparable = (text) => text.slice(0, COMPARED_LENGTH).replace(CLOCK, '#');

/**
 * What a document says that has taken the place of one at the same address with the texts `former`, as after a form was
 * sent: its messages, and what is new or gone. If most is, it is another page.
 */
export function successorTexts(units, former) {
  if (window !== window.top) return openingTexts(units);
  const left = countTexts(former);
  const present = [];
  let unchanged = 0;
  for (const [owner, text] of units) {
    const kind = textKind(owner);
    const wasThere = take(left, comparable(text));
    if (wasThere) unchanged++;
    if (!wasThere || kind === 'alert' || kind === 'status') present.push(textRow('new', kind, text));
  }
  const gone = [...left].filter(([, count]) => count > 0).map(([text]) => textRow('gone', 'text', text));
  return unchanged > former.length / 2 && present.length + gone.length > 0 ? [...present, ...gone] : openingTexts(units);
}

function countTexts(texts) {
  const counts = new Map();
  for (const text of texts.values()) counts.set(text, (counts.get(text) || 0) + 1);
  return counts;
}

/** The texts that only one unit has, with that unit. */
function uniqueTexts(units) {
  const counts = countTexts(units);
  const unique = new Map();
  for (const [owner, text] of units) if (counts.get(text) === 1) unique.set(text, owner);
  return unique;
}

/** Take one of these texts, if there is one left. */
export function take(counts, text) {
  const count = counts.get(text) || 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}
