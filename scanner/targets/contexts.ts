// What tells elements that are called alike from each other: a text of the row, card or section that each one is in.

import {
  attribute,
  dataOf,
  firstChildOf,
  isElement,
  isText,
  matches,
  nextSiblingOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse, fold, groupBy } from '../dom/words';
import { allElements, remember } from '../dom/snapshot';
import { elementAbove, holds } from '../dom/tree';
import { seenBox } from '../geometry/visibility';
import { isIconName, withoutGlyphs } from '../semantics/generated_text';
import { TEXTLESS } from '../semantics/names';
import { HEADINGS } from './relations';
import { walkPositions } from './match';

/** An element, and the line that answers print of it. */
export interface Labelled {
  readonly element: Element;
  readonly label: string;
}

const MAX_ALIKE = 500;
const MAX_TEXTS = 16;
const MAX_NODES = 150;
const LEVELS_WITHOUT_TEXT = 3;
const MIN_LENGTH = 20;
const MAX_LENGTH = 72;
const STEP = 8;
const TRAILING_MARKS = /[\s:;,\u2013\u2014-]+$/;

/** The contexts of those elements that have the same label as others, where there is one. */
export function contextsOf(labelled: readonly Labelled[]): ReadonlyMap<Element, string> {
  const contexts = new Map<Element, string>();
  let left = MAX_ALIKE;
  for (const group of groupBy(labelled, ({ label }) => label).values()) {
    if (group.length < 2 || leadToOnePlace(group) || (left -= group.length) < 0) continue;
    const elements = group.map(({ element }) => element);
    for (const [element, text] of groupContexts(elements)) contexts.set(element, text);
  }
  return contexts;
}

/** Whether all are links to the same address: whichever is pressed, it is the same. */
function leadToOnePlace(group: readonly Labelled[]): boolean {
  const [first, ...others] = group.map(({ element }) => attribute(element, 'href'));
  if (!first || /^(#|javascript:)/i.test(first)) return false;
  return others.every((href) => href === first);
}

function groupContexts(group: readonly Element[]): Map<Element, string> {
  const counts = new Map<Element, number>(); // how many of the group each element holds
  for (const element of group) {
    for (let node: Element | null = element; node; node = elementAbove(node))
      counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  const found = group.map((element) => placeOf(element, counts, group.length));
  // Rows, cards and sections are alike; what a page's head and foot repeat leads to the same.
  const likes = groupBy(found, ({ node }) => likenessOf(node));
  const places = found.filter(({ node }) => (likes.get(likenessOf(node))?.length ?? 0) > 1);
  const uses = new Map<string, Element[]>(); // the places that have a text
  for (const { node, texts } of new Map(places.map((place) => [place.node, place])).values()) {
    for (const text of new Set(texts.map(fold))) uses.set(text, [...(uses.get(text) ?? []), node]);
  }
  const chosen = new Map<Element, string>();
  const isOwn = (text: string, node: Element): boolean =>
    uses.get(fold(text))?.every((other) => other === node || holds(node, other) || holds(other, node)) ?? false;
  places.forEach(({ element, node, texts }) => {
    const text = texts.find((each) => isOwn(each, node)) ?? headingBefore(element);
    if (text) chosen.set(element, text);
  });
  const said = [...new Set(chosen.values())];
  if (new Set(said.map(fold)).size < 2) return new Map();
  const cuts = cutApart(said);
  return new Map([...chosen].map(([element, text]) => [element, cuts.get(text) ?? text]));
}

const SECTIONS = new Set(['form', 'fieldset', 'section', 'article', 'dialog', 'details']);

function likenessOf(node: Element): string {
  const tag = tagOf(node);
  return SECTIONS.has(tag) ? tag : `${tag} ${attribute(node, 'class') ?? ''}`;
}

interface Place {
  readonly element: Element;
  readonly node: Element;
  readonly texts: readonly string[];
}

/** The largest part of the page that has but one of the group, or a somewhat larger one if that shows no other text. */
function placeOf(element: Element, counts: ReadonlyMap<Element, number>, all: number): Place {
  let node = element;
  for (let above = elementAbove(node); above && counts.get(above) === 1; above = elementAbove(node)) node = above;
  let texts = textsIn(node, element);
  for (let level = 0; !texts.length && level < LEVELS_WITHOUT_TEXT; level++) {
    const above = elementAbove(node);
    if (!above || (counts.get(above) ?? all) === all) break;
    node = above;
    texts = textsIn(node, element);
  }
  return { element, node, texts };
}

/** The texts that a part of the page shows beside an element, its headings first. */
export function textsIn(part: Element, element: Element): string[] {
  if (part === element) return [];
  const headings: string[] = [];
  const texts: string[] = [];
  let left = MAX_NODES;
  const read = (node: Element, isHeading: boolean): void => {
    for (let child = firstChildOf(shadowOf(node) ?? node); child && left-- > 0; child = nextSiblingOf(child)) {
      if (headings.length + texts.length >= MAX_TEXTS) return;
      if (isText(child)) add(dataOf(child), node, isHeading);
      else if (isElement(child) && child !== element && !TEXTLESS.has(tagOf(child))) {
        if (tagOf(child) === 'img') add(attribute(child, 'alt') ?? '', child, isHeading);
        else if (tagOf(child) !== 'select') read(child, isHeading || matches(child, HEADINGS_OF_PARTS));
      }
    }
  };
  const add = (written: string, node: Element, isHeading: boolean): void => {
    const text = collapse(withoutGlyphs(written));
    if (!/[\p{L}\p{N}]/u.test(text) || isIconName(text, node) || !seenBox(node)) return;
    (isHeading ? headings : texts).push(text);
  };
  read(part, false);
  return [...headings, ...texts];
}

const HEADINGS_OF_PARTS = `${HEADINGS},legend,caption,th[scope=row],[role=rowheader]`;

/** The heading under which an element stands, '' if there is none. */
export function headingBefore(element: Element): string {
  const positions = walkPositions();
  const place = positions.get(element) ?? -1;
  const headings = remember('headings', () => allElements().filter((each) => matches(each, HEADINGS)));
  const above = headings.filter((heading) => (positions.get(heading) ?? Infinity) < place).pop();
  return above && seenBox(above) ? collapse(withoutGlyphs(textContentOf(above))) : '';
}

/** Each text and its first few words, with which it is found as a target: more where others begin with the same ones. */
function cutApart(texts: readonly string[]): Map<string, string> {
  const cuts = new Map<string, string>();
  for (let length = MIN_LENGTH, left = texts; left.length; length += STEP) {
    const groups = [...groupBy(left, (text) => fold(cut(text, length))).values()];
    const isEnough = length >= MAX_LENGTH;
    for (const group of groups)
      if (isEnough || group.length < 2) for (const text of group) cuts.set(text, cut(text, length));
    left = groups.filter((group) => !isEnough && group.length > 1).flat();
  }
  return cuts;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text.replace(TRAILING_MARKS, '');
  const words = text.slice(0, length + 1);
  const end = words.lastIndexOf(' ');
  return words.slice(0, end > length / 2 ? end : length).replace(TRAILING_MARKS, '');
}
