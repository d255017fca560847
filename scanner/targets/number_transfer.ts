// Numbers outlive the elements that have them: frameworks render a page again as a whole. A new element takes over the
// number of one that has left its document if it is its like: same type, role and name, at the same place. Rows, cards
// and dialogs that are called alike are told apart by their text, so that a number never means another of them.

import {
  attribute,
  attributesOf,
  hasAttribute,
  hostOf,
  isDocument,
  isElement,
  matches,
  nextElementOf,
  ownerOf,
  parentElementOf,
  parentOf,
  previousElementOf,
  printJson,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Candidate } from '../dom/candidate';
import { collapse, groupBy } from '../dom/words';
import { isAttached } from '../dom/tree';
import { formerParents, numberOfElement, takeLastSeen, transferNumber } from '../dom/numbers';
import { shorten } from '../semantics/names';
import { nameOf } from '../semantics/labels';
import { pairAlike } from './pairs';
import type { Pair } from './pairs';

const MAX_DEPARTED = 2000;
let departed: Candidate[] = []; // facts of numbered elements that have left since the last action began
const lastNames = new WeakMap<Element, string>();

/** Fill a candidate's `text`, which is remembered: an element that has left its page has no name any more. */
export function noteName(candidate: Candidate): string {
  const name: string = shorten(nameOf(candidate.element));
  candidate.text = name;
  lastNames.set(candidate.element, name);
  return name;
}

export function forgetDeparted(): void {
  departed = [];
}

const MAX_FOLLOWED = 200;
// By their numbers: elements whose likes take these over whenever they come, also after other actions have begun.
const followed = new Map<number, Candidate>();

/** Follow a numbered element, interactive or not, until another document comes. Of more than `MAX_FOLLOWED`, the first
 *  ones are no longer followed. */
export function follow(number: number, candidate: Candidate): void {
  followed.delete(number);
  followed.set(number, candidate);
  for (const first of followed.keys()) {
    if (followed.size <= MAX_FOLLOWED) return;
    followed.delete(first);
  }
}

/** The followed elements that have left. */
function departedFollowed(): Candidate[] {
  const gone: Candidate[] = [];
  for (const [number, candidate] of followed) {
    const { element } = candidate;
    if (numberOfElement.get(element) !== number) {
      followed.delete(number); // its numbering has ended
    } else if (isAttached(element)) {
      candidate.text = noteName(candidate);
    } else gone.push(candidate);
  }
  return gone;
}

/**
 * Hand the numbers of departed elements over to their likes among the found ones. `passive(tags)` are the elements with
 * these tags that are not interactive, among which those look for their likes that were not, either.
 */
export function transferNumbers(
  found: readonly Candidate[],
  passive: (tags: ReadonlySet<string>) => readonly Candidate[],
): void {
  const seen = takeLastSeen();
  if (seen) {
    for (const candidate of seen.values()) {
      if (!numberOfElement.has(candidate.element) || isAttached(candidate.element)) continue;
      candidate.text ??= lastNames.get(candidate.element);
      if (candidate.text !== undefined) departed.push(candidate);
    }
    if (departed.length > MAX_DEPARTED) departed = departed.slice(-MAX_DEPARTED);
  }
  const gone = departedFollowed();
  if (!departed.length && !gone.length) return;
  const tags = new Set(gone.filter((candidate) => candidate.passive).map(({ tag }) => tag));
  const all = tags.size ? [...found, ...passive(tags)] : found;
  const fresh = all.filter(({ element }) => !numberOfElement.has(element));
  if (!fresh.length) return;
  const missing = new Map([...departed, ...gone].map((candidate) => [candidate.element, candidate]));
  const olds = groupBy([...missing.values()], likeness);
  const taken = new Set<Element>();
  for (const [key, news] of groupBy(fresh, likeness)) {
    for (const { old, heir } of pairsOf(olds.get(key) ?? [], news)) {
      const number = numberOfElement.get(old.element);
      transferNumber(old.element, heir.element);
      if (number !== undefined && followed.has(number)) followed.set(number, heir);
      taken.add(old.element);
    }
  }
  if (taken.size) departed = departed.filter(({ element }) => !taken.has(element));
}

/** What is the same about an element and its like. */
function likeness(candidate: Candidate): string {
  const text = candidate.text ?? noteName(candidate);
  return [candidate.type, candidate.role, text, ...tagsAbove(candidate.element)].join('\n');
}

const MAX_LEVELS = 60;

/** The tags of an element and of all around it, '' for a shadow root or a document. */
function tagsAbove(element: Element): string[] {
  const tags: string[] = [];
  for (let node: Node | null = element; node && tags.length < MAX_LEVELS; node = formerParent(node)) {
    tags.push(isElement(node) ? tagOf(node) : '');
  }
  return tags;
}

const formerParent = (node: Node): Node | null => parentOf(node) || formerParents.get(node) || hostOf(node);

/** An element that has left, and the one that takes over its number. */
/** First by all that tells them apart, then by what their author calls them alone, as the text of a row may change. */
function pairsOf(olds: readonly Candidate[], news: readonly Candidate[]): Pair<Candidate>[] {
  if (!olds.length) return [];
  const levels = new Set(news.flatMap(({ element }) => itemLevels(element)));
  const pairs = pairAlike(olds, news, (candidate) => identityOf(candidate.element, levels, true));
  const otherOlds = olds.filter((candidate) => !pairs.some(({ old }) => old === candidate));
  const otherNews = news.filter((candidate) => !pairs.some(({ heir }) => heir === candidate));
  const named = pairAlike(otherOlds, otherNews, (candidate) => identityOf(candidate.element, levels, false));
  return [...pairs, ...named];
}

const MAX_ITEMS = 2; // repeated ancestors that tell elements apart, the nearest ones

const ITEM_SELECTOR =
  'li,tr,article,dialog,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],[role=dialog],[role=alertdialog]';

/** How many levels above an element the rows, cards or dialogs are that hold it. */
function itemLevels(element: Element): number[] {
  const levels: number[] = [];
  let repeated = 0;
  let isNamed = false;
  let node = parentElementOf(element);
  for (let level = 1; node && level < MAX_LEVELS; level++, node = parentElementOf(node)) {
    const named = !isNamed && matches(node, ITEM_SELECTOR);
    if (named || (repeated < MAX_ITEMS && hasLikeSibling(node))) levels.push(level);
    if (named) isNamed = true;
    else if (levels.at(-1) === level) repeated++;
  }
  return levels;
}

/** Whether an element beside another has the same tag and class. */
export function hasLikeSibling(element: Element): boolean {
  const isLike = (node: Element | null): boolean =>
    node !== null &&
    tagOf(node) === tagOf(element) &&
    (attribute(node, 'class') || '') === (attribute(element, 'class') || '');
  return isLike(nextElementOf(element)) || isLike(previousElementOf(element));
}

const MAX_ITEM_TEXT_LENGTH = 500;

/**
 * What tells an element from its likes: what its author calls it and its items, and (`texts`) what the items say. Null,
 * without texts, if the author calls nothing.
 */
function identityOf(element: Element, levels: ReadonlySet<number>, texts: boolean): string | null {
  const marks: string[] = [];
  const said: string[] = [];
  let node: Node | null = element;
  for (let level = 0; node && !isDocument(node) && level < MAX_LEVELS; level++) {
    if (isElement(node) && (level === 0 || levels.has(level))) {
      marks.push(authorMarks(node));
      const text = level && textContentOf(node);
      if (text && text.length <= MAX_ITEM_TEXT_LENGTH) said.push(collapse(text));
    }
    node = formerParent(node);
  }
  if (!texts && !marks.some(Boolean)) return null;
  return printJson([documentNumber(ownerOf(element)), marks, texts ? said : null]);
}

const MARKING_ATTRIBUTES = ['id', 'name', 'href', 'for'];

/** What an author calls an element by, '' for nothing. */
function authorMarks(element: Element): string {
  let marks = '';
  for (const name of MARKING_ATTRIBUTES)
    if (hasAttribute(element, name)) marks += `${name}=${attribute(element, name)}\n`;
  for (const { name, value } of attributesOf(element)) {
    if (name.startsWith('data-') && /(^|-)(id|key|index|value|name|uid|row|testid)$/.test(name))
      marks += `${name}=${value}\n`;
  }
  return marks;
}

const documentNumbers = new WeakMap<Document, number>();
let documents = 0;

/** The documents of frames are told apart: another document in the same frame has other elements. */
function documentNumber(owner: Document): number {
  const number = documentNumbers.get(owner) ?? ++documents;
  documentNumbers.set(owner, number);
  return number;
}
