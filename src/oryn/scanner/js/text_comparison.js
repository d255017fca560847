// What differs between two readings of a page's text, and what is told of a page that was not read before.

// What is told of texts in another order: the first ones, each cut.
const MOST_ORDERED = 4;
const ORDERED_LENGTH = 30;
// What is told of a new page that has neither messages nor a heading.
const MOST_OPENING_TEXTS = 2;
const BESIDE_CONTENT = 'a,nav,header,footer,[role=navigation],[role=banner],[role=contentinfo]';

const isMostOf = (part, text) => text.includes(part) && part.length > text.length / 2;
const textRow = (change, kind, text) => ({ change, kind, text: shorten(text) });

const CLOCK = /\b(\d{1,2}):(\d\d):(\d\d)\b/g;
const DAY = 24 * 3600;
const CLOCK_TOLERANCE = 2; // seconds

/** Whether two texts differ by nothing but the time of day, which went on for about `elapsed` seconds. */
function isClockTick(before, now, elapsed) {
  if (before === undefined || before.replace(CLOCK, '#') !== now.replace(CLOCK, '#')) return false;
  const [was, is] = [before, now].map((text) => [...text.matchAll(CLOCK)].map(([, h, m, s]) => +h * 3600 + +m * 60 + +s));
  return was.length > 0 && was.every((time, at) => (is[at] - time + DAY) % DAY <= elapsed + CLOCK_TOLERANCE);
}

/**
 * Rows of what is new or other than in an earlier reading (`present`), and of what has `gone`. A reading has `units`
 * (element → text), `places` (element → its parent then) and the moment (`at`, milliseconds). `isFeed` says which elements change by themselves.
 */
function compareTexts({ units: before, places, at: then }, { units: now, at }, isFeed) {
  const left = countTexts(before);
  const differ = [];
  const moved = [];
  for (const [owner, text] of now) {
    if (before.get(owner) !== text) differ.push([owner, text]);
    else if (take(left, text) && places.get(owner) !== parentOf(owner)) moved.push([owner, text]);
  }
  const present = [];
  for (const [owner, text] of differ) {
    if (take(left, text) || isFeed(owner) || isClockTick(before.get(owner), text, (at - then) / 1000)) continue;
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
  const first = is.slice(from, from + MOST_ORDERED);
  if (first.some((text) => isFeed(present.get(text)))) return [];
  return [textRow('changed', 'order', first.map((text) => text.slice(0, ORDERED_LENGTH)).join(' | '))];
}

/**
 * What a new document says about what has led to it: its messages and, of the page itself, its heading, or else what it
 * begins with.
 */
function openingTexts(units) {
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
  const texts = [...units].filter(isOpening).slice(0, MOST_OPENING_TEXTS);
  return texts.map(([, text]) => textRow('new', 'text', text));
}

function countTexts(units) {
  const counts = new Map();
  for (const text of units.values()) counts.set(text, (counts.get(text) || 0) + 1);
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
function take(counts, text) {
  const count = counts.get(text) || 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}
