// Numbers outlive the elements that have them: frameworks render a page again as a whole. A new element takes over the
// number of one that has left its document if it is its like: same type, role and name, at the same place. Rows, cards
// and dialogs that are called alike are told apart by their text, so that a number never means another of them.

import {
  DOCUMENT_NODE,
  ELEMENT_NODE,
  attribute,
  attributesOf,
  hasAttribute,
  hostOf,
  matches,
  nextElementOf,
  nodeTypeOf,
  ownerOf,
  parentElementOf,
  parentOf,
  previousElementOf,
  printJson,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse, groupBy } from '../dom/words';
import { isAttached } from '../dom/tree';
import { formerParents, numberOfElement, takeLastSeen, transferNumber } from '../dom/numbers';
import { shorten } from '../semantics/names';
import { nameOf } from '../semantics/labels';

const MAX_DEPARTED = 2000;
const MAX_LEVELS = 60;
const MAX_ITEM_TEXT_LENGTH = 500;
const MAX_ITEMS = 2; // repeated ancestors that tell elements apart, the nearest ones

const ITEM_SELECTOR =
  'li,tr,article,dialog,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],[role=dialog],[role=alertdialog]';

let departed = []; // facts of numbered elements that have left since the last action began
const lastNames = new WeakMap();

/** Fill a candidate's `text`, which is remembered: an element that has left its page has no name any more. */
export function noteName(candidate) {
  candidate.text = shorten(nameOf(candidate.element));
  lastNames.set(candidate.element, candidate.text);
}

export function forgetDeparted() {
  departed = [];
}

/** Hand the numbers of departed elements over to their likes among the found ones. */
export function transferNumbers(found) {
  const seen = takeLastSeen();
  if (seen) {
    for (const candidate of seen.values()) {
      if (!numberOfElement.has(candidate.element) || isAttached(candidate.element)) continue;
      candidate.text ??= lastNames.get(candidate.element);
      if (candidate.text !== undefined) departed.push(candidate);
    }
    if (departed.length > MAX_DEPARTED) departed = departed.slice(-MAX_DEPARTED);
  }
  if (!departed.length) return;
  const fresh = found.filter(({ element }) => !numberOfElement.has(element));
  if (!fresh.length) return;
  const olds = groupBy(departed, likeness);
  const taken = new Set();
  for (const [key, news] of groupBy(fresh, likeness)) {
    const pairs = olds.has(key) ? pairsOf(olds.get(key), news) : [];
    for (const [old, heir] of pairs) {
      transferNumber(old.element, heir.element);
      taken.add(old);
    }
  }
  if (taken.size) departed = departed.filter((candidate) => !taken.has(candidate));
}

function likeness(candidate) {
  if (candidate.text === undefined) noteName(candidate);
  return [candidate.type, candidate.role, candidate.text, ...tagsAbove(candidate.element)].join('\n');
}

function tagsAbove(element) {
  const tags = [];
  for (let node = element; node && tags.length < MAX_LEVELS; node = formerParent(node)) {
    tags.push(nodeTypeOf(node) === ELEMENT_NODE ? tagOf(node) : '');
  }
  return tags;
}

/** First by all that tells them apart, then by what their author calls them alone, as the text of a row may change. */
function pairsOf(olds, news) {
  const levels = new Set(news.flatMap(({ element }) => itemLevels(element)));
  const pairs = pairAlike(olds, news, (candidate) => identityOf(candidate.element, levels, true));
  const rest = (all, side) => all.filter((candidate) => !pairs.some((pair) => pair[side] === candidate));
  const named = (candidate) => identityOf(candidate.element, levels, false);
  return [...pairs, ...pairAlike(rest(olds, 0), rest(news, 1), named)];
}

/** Pairs in document order of equal places, where there are as many new elements as old ones. */
function pairAlike(olds, news, place) {
  const pairs = [];
  const former = groupBy(olds, place);
  for (const [key, heirs] of groupBy(news, place)) {
    const group = former.get(key);
    if (key !== null && group && group.length === heirs.length) group.forEach((old, at) => pairs.push([old, heirs[at]]));
  }
  return pairs;
}

const formerParent = (node) => parentOf(node) || formerParents.get(node) || hostOf(node);

/** How many levels above an element the rows, cards or dialogs are that hold it. */
function itemLevels(element) {
  const levels = [];
  let repeated = 0;
  let isNamed = false;
  let node = parentElementOf(element);
  for (let level = 1; node && level < MAX_LEVELS; level++, node = parentElementOf(node)) {
    const named = !isNamed && matches(node, ITEM_SELECTOR);
    if (named || (repeated < MAX_ITEMS && hasLikeSibling(node))) levels.push(level);
    if (named) isNamed = true;
    else if (levels[levels.length - 1] === level) repeated++;
  }
  return levels;
}

export function hasLikeSibling(element) {
  const isLike = (node) =>
    node !== null &&
    tagOf(node) === tagOf(element) &&
    (attribute(node, 'class') || '') === (attribute(element, 'class') || '');
  return isLike(nextElementOf(element)) || isLike(previousElementOf(element));
}

/**
 * What tells an element from its likes: what its author calls it and its items, and (`texts`) what the items say. Null,
 * without texts, if the author calls nothing.
 */
function identityOf(element, levels, texts) {
  const marks = [];
  const said = [];
  let node = element;
  for (let level = 0; node && nodeTypeOf(node) !== DOCUMENT_NODE && level < MAX_LEVELS; level++) {
    if (nodeTypeOf(node) === ELEMENT_NODE && (level === 0 || levels.has(level))) {
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
function authorMarks(element) {
  let marks = '';
  for (const name of MARKING_ATTRIBUTES) if (hasAttribute(element, name)) marks += `${name}=${attribute(element, name)}\n`;
  for (const { name, value } of attributesOf(element)) {
    if (name.startsWith('data-') && /(^|-)(id|key|index|value|name|uid|row|testid)$/.test(name)) marks += `${name}=${value}\n`;
  }
  return marks;
}

const documentNumbers = new WeakMap();
let documents = 0;

/** The documents of frames are told apart: another document in the same frame has other elements. */
function documentNumber(owner) {
  if (!documentNumbers.has(owner)) documentNumbers.set(owner, ++documents);
  return documentNumbers.get(owner);
}
