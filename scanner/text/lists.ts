// Which texts stand in one list: an order is told of one list, never of two that say the same.

import { attribute, childrenOf, isConnected, parentOf, tagOf } from '../dom/natives';
import type { Container } from '../dom/natives';
import { holderOf } from '../dom/tree';
import { reordered, uniqueTexts } from './differences';

/** Where the texts of one reading stood then. */
export interface Places {
  /** The parents of the texts' elements and of the lists around them. */
  readonly parents: ReadonlyMap<Element, Node | null>;
  /** For each of these parents the list around it, or null. */
  readonly lists: ReadonlyMap<Node, Element | null>;
}

/** A reading of the page's texts: what each element says, and where it is. */
export interface Placed extends Places {
  readonly units: ReadonlyMap<Element, string>;
}

/** The places of elements, and of the lists around them. */
export function placesOf(elements: Iterable<Element>): Places {
  const parents = new Map<Element, Node | null>();
  const lists = new Map<Node, Element | null>();
  for (const element of elements) {
    const list = addPlace(element, parents, lists);
    if (list && !parents.has(list)) addPlace(list, parents, lists);
  }
  return { parents, lists };
}

function addPlace(
  element: Element,
  parents: Map<Element, Node | null>,
  lists: Map<Node, Element | null>,
): Element | null {
  const parent = parentOf(element);
  parents.set(element, parent);
  return parent && listAround(parent, lists);
}

/** The list around an element of a reading, or null. */
function listOf(element: Element, { parents, lists }: Places): Element | null {
  const parent = parents.get(element);
  return (parent && lists.get(parent)) ?? null;
}

const MAX_LEVELS = 5;

/** The nearest element, from a place upwards, whose first children are alike; `lists` remembers it. */
function listAround(place: Node, lists: Map<Node, Element | null>): Element | null {
  const passed: Node[] = [];
  let found: Element | null = null;
  for (let node: Node | null = place; node && passed.length < MAX_LEVELS; node = parentOf(node)) {
    const known = lists.get(node);
    if (known !== undefined) {
      found = known;
      break;
    }
    passed.push(node);
    if (!hasLikeChildren(node as Container)) continue;
    found = holderOf(node);
    break;
  }
  for (const node of passed) lists.set(node, found);
  return found;
}

const MAX_COMPARED_CHILDREN = 5;

/** Whether two of the first children are alike; rows are often marked in turns. */
function hasLikeChildren(node: Container): boolean {
  const children = childrenOf(node);
  const marks: string[] = [];
  for (let index = 0; index < children.length && index < MAX_COMPARED_CHILDREN; index++) {
    const mark = markOf(children[index] as Element);
    if (marks.includes(mark)) return true;
    marks.push(mark);
  }
  return false;
}

/** Tag and first class: further ones tell a row's state. */
const markOf = (element: Element): string => {
  const [first = ''] = (attribute(element, 'class') || '').trim().split(/\s+/, 1);
  return `${tagOf(element)}.${first}`;
};

/**
 * The texts of the first list whose items stand in another order than before, each with its element: from the first to
 * the last that moved. Items are texts, or else the lists inside of a list, as the rows that a page draws of boxes.
 */
export function reorderedTexts(before: Placed, now: Placed): [string, Element][] {
  const former = textsByList(before, before.units);
  const present = textsByList(now, now.units);
  const found = reorderedIn(former, present);
  return found.length ? found : reorderedIn(textsByList(before, joined(former)), textsByList(now, joined(present)));
}

/** Texts by the list that they are in. */
type ByList = ReadonlyMap<Element, ReadonlyMap<Element, string>>;

function textsByList(places: Places, texts: ReadonlyMap<Element, string>): ByList {
  const found = new Map<Element, Map<Element, string>>();
  for (const [owner, text] of texts) {
    const list = listOf(owner, places);
    if (!list) continue;
    const members = found.get(list);
    if (members) members.set(owner, text);
    else found.set(list, new Map([[owner, text]]));
  }
  return found;
}

/** Each list as one text. */
const joined = (byList: ByList): Map<Element, string> =>
  new Map([...byList].map(([list, texts]) => [list, [...texts.values()].join(' ')]));

function reorderedIn(before: ByList, now: ByList): [string, Element][] {
  for (const [list, texts] of now) {
    const former = before.get(list) ?? predecessorOf(list, before, now);
    const found = former ? reordered(former, texts) : [];
    if (found.length) return found;
  }
  return [];
}

/** The texts of the list that a new one has taken the place of. */
function predecessorOf(list: Element, before: ByList, now: ByList): ReadonlyMap<Element, string> | null {
  for (const [other, texts] of before) {
    if (!now.has(other) && !isConnected(other) && markOf(other) === markOf(list)) return texts;
  }
  return null;
}

/**
 * The texts that only one element had and has, and that another list has now than before, each with its element. Both
 * lists keep some of their texts: otherwise they are rows that a page has filled anew.
 */
export function textsOfOtherLists(before: Placed, now: Placed): [string, Element][] {
  const former = uniqueTexts(before.units);
  const lasting = new Set<Element>();
  const moved: { text: string; owner: Element; was: Element; is: Element }[] = [];
  for (const [text, owner] of uniqueTexts(now.units)) {
    const formerOwner = former.get(text);
    const was = formerOwner && listOf(formerOwner, before);
    const is = listOf(owner, now);
    if (!was || !is) continue;
    if (was === is) lasting.add(is);
    else moved.push({ text, owner, was, is });
  }
  return moved.filter(({ was, is }) => lasting.has(was) && lasting.has(is)).map(({ text, owner }) => [text, owner]);
}
