// What differs between two readings of a page's text, and what is told of a page that was not read before.

import { closest, matches, parentOf, textContentOf } from '../dom/natives';
import type { TextChange } from '../dom/protocol';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { shorten } from '../semantics/names';
import { isClockTick, isTimeOfDay, withoutTimes } from './clock';
import { countTexts, take } from './differences';
import { reorderedTexts, textsOfOtherLists } from './lists';
import type { Placed } from './lists';
import { textKind } from './units';

/** A change of a text of any kind. One of the kind `clock` counts for nothing, and no response has it. */
export interface TextRow extends Omit<TextChange, 'kind'> {
  kind: TextChange['kind'] | 'clock';
}

/** The units of text of a page, in its order. */
export type Units = ReadonlyMap<Element, string>;

interface ComparisonTests {
  /** Whether an element changes by itself. */
  isFeed: (owner: Element) => boolean;
  /** Whether the text of an element differs only as that of a clock does. */
  isTick: (owner: Element, was: string | undefined, is: string) => boolean;
  /** How far above the page an element is: if the texts are many, the highest are the first. */
  rankOf: (owner: Element) => number;
}

const MANY_TEXTS = 6;

/** Rows of what is new or other than in an earlier reading (`present`), and of what has `gone`. */
export function compareTexts(
  former: Placed,
  latest: Placed,
  { isFeed, isTick, rankOf }: ComparisonTests,
): { present: TextRow[]; gone: TextChange[] } {
  const { units: before, parents } = former;
  const { units: now } = latest;
  const left = countTexts(before.values());
  const differ: [Element, string][] = [];
  const moved: [Element, string][] = [];
  for (const [owner, text] of now) {
    if (before.get(owner) !== text) differ.push([owner, text]);
    else if (take(left, text) && parents.get(owner) !== parentOf(owner)) moved.push([owner, text]);
  }
  const found: { owner: Element; row: TextRow }[] = [];
  for (const [owner, text] of differ) {
    const was = before.get(owner);
    if (take(left, text) || isFeed(owner) || isTick(owner, was, text)) continue;
    if (was !== undefined) take(left, was);
    found.push({ owner, row: textRow(was !== undefined ? 'changed' : 'new', textKind(owner), text) });
  }
  for (const [owner, text] of moved) found.push({ owner, row: textRow('changed', textKind(owner), text) });
  if (found.length > MANY_TEXTS) found.sort((one, other) => rankOf(other.owner) - rankOf(one.owner));
  const present = found.map(({ row }) => row);
  if (!moved.length) present.push(...movedRows(former, latest, isFeed));
  const gone: TextChange[] = [];
  for (const [owner, text] of before) {
    if (!now.has(owner) && take(left, text) && !isFeed(owner)) gone.push(textRow('gone', 'text', text));
  }
  return { present, gone };
}

// What is told of texts in another order: the first ones, each cut.
const MAX_ORDERED = 4;
const ORDERED_LENGTH = 30;

/**
 * A row with the first of the texts that stand in another order than before, as those of a table that is sorted; or else
 * a row for each text that another list has now.
 */
function movedRows(before: Placed, now: Placed, isFeed: ComparisonTests['isFeed']): TextRow[] {
  const ordered = reorderedTexts(before, now).slice(0, MAX_ORDERED);
  if (ordered.some(([, owner]) => isFeed(owner))) return [];
  if (ordered.length)
    return [textRow('changed', 'order', ordered.map(([text]) => text.slice(0, ORDERED_LENGTH)).join(' | '))];
  const elsewhere = textsOfOtherLists(before, now).filter(([, owner]) => !isFeed(owner));
  return elsewhere.map(([text, owner]) => textRow('changed', textKind(owner), text));
}

// What is told of a new page that has neither messages nor a heading.
const MAX_OPENING_TEXTS = 2;
const BESIDE_CONTENT = 'a,nav,header,footer,[role=navigation],[role=banner],[role=contentinfo]';

/**
 * What a new document says about what has led to it: its messages and, of the page itself, its heading, or else what it
 * begins with.
 */
export function openingTexts(units: Units): TextChange[] {
  const rows: TextChange[] = [];
  let heading: Element | null = null;
  let title = ''; // the heading's text
  for (const [owner, text] of units) {
    const kind = textKind(owner);
    if ((kind === 'alert' || kind === 'status') && /\p{L}/u.test(text)) rows.push(textRow('new', kind, text));
    if (kind === 'heading' && (!heading || (matches(owner, 'h1') && !matches(heading, 'h1'))))
      [heading, title] = [owner, text];
  }
  if (window !== window.top) return rows;
  if (heading) rows.push(textRow('new', 'heading', title));
  if (rows.length) return rows;
  const isLink = (owner: Element, text: string): boolean =>
    [...queryAll(owner, 'a')].some((link) => collapse(textContentOf(link)) === text);
  const isOpening = ([owner, text]: readonly [Element, string]): boolean =>
    textKind(owner) === 'text' && closest(owner, BESIDE_CONTENT) === null && !isLink(owner, text);
  const texts = [...units].filter(isOpening).slice(0, MAX_OPENING_TEXTS);
  return texts.map(([, text]) => textRow('new', 'text', text));
}

// What one document passes on to the next at its address, and how much of each text is compared.
const MAX_DISPLAYED_TEXTS = 1000;
const MAX_DISPLAY_LENGTH = 60000;
const COMPARED_LENGTH = 300;

/**
 * The texts of a reading, for the document that may take the place of this one; null if they are too many to be passed
 * on.
 */
export function visibleTexts(units: Units): string[] | null {
  const texts = Array.from(units.values(), comparable);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return texts.length <= MAX_DISPLAYED_TEXTS && length <= MAX_DISPLAY_LENGTH ? texts : null;
}

const comparable = (text: string): string => withoutTimes(text.slice(0, COMPARED_LENGTH));

/**
 * What a document says that has taken the place of one at the same address with the texts `former`, as after a form was
 * sent: its messages, and what is new or gone. If most is, it is another page.
 */
export function successorTexts(units: Units, former: readonly string[]): TextChange[] {
  if (window !== window.top) return openingTexts(units);
  const left = countTexts(former);
  const present: TextChange[] = [];
  let unchanged = 0;
  for (const [owner, text] of units) {
    const kind = textKind(owner);
    const wasThere = take(left, comparable(text));
    if (wasThere) unchanged++;
    if (kind === 'clock') continue;
    if (!wasThere || kind === 'alert' || kind === 'status') present.push(textRow('new', kind, text));
  }
  const gone = [...left].filter(([, count]) => count > 0).map(([text]) => textRow('gone', 'text', text));
  return unchanged > former.length / 2 && present.length + gone.length > 0
    ? [...present, ...gone]
    : openingTexts(units);
}

export const textRow = <Kind extends TextRow['kind']>(
  change: TextChange['change'],
  kind: Kind,
  text: string,
): TextRow & { kind: Kind } => ({ change, kind, text: shorten(text) });

/** Whether a text is of a kind that counts. */
export const isTextChange = (row: TextRow): row is TextChange => row.kind !== 'clock';

const TICK_AGE = 2500; // milliseconds since a clock that shows seconds went on last

/** What a watch knows of clocks. */
interface ClockWatch {
  /** Of the elements that changed without an action: when they changed last. */
  readonly feeds: { get(element: Element): { readonly last: number } | undefined };
  /** When the last action began. */
  readonly began: number;
}

/**
 * Whether a text that has changed since a moment is a clock's that went on: it shows the time of day, or has changed by
 * itself not long ago. A time that only an action changes is told.
 */
export function isTickOfClock(
  { feeds, began }: ClockWatch,
  owner: Element,
  was: string | undefined,
  is: string,
  since: number,
): boolean {
  const ago = performance.now() - since;
  if (was === undefined || !isClockTick(was, is, ago / 1000)) return false;
  const now = Date.now();
  if (isTimeOfDay(was, now - ago) && isTimeOfDay(is, now)) return true;
  const hasTicked = (node: Element): boolean => {
    const feed = feeds.get(node);
    return feed !== undefined && began - feed.last < TICK_AGE;
  };
  return hasTicked(owner) || Array.prototype.some.call(queryAll(owner, '*'), hasTicked);
}
