// Relations between elements (docs/spec/intent-language.md#relations): near, inside, contains, after, before, each with
// its distance.

import { attribute, bodyOf, closest, firstChildOf, matches, ownerOf, tagOf, textContentOf } from '../dom/natives';
import type { Relation } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { collapse, fold } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { isVisible, seenBox, visibleBox } from '../geometry/visibility';
import type { Box, Edges } from '../geometry/styles';
import { boxInPage } from '../geometry/frames';
import { hasLikeSibling } from './number_transfer';
import { textMatches, walkPositions } from './match';
import { TIERS } from './text_fit';

/** The distance of `element` to the nearest of `others` under a relation, or null when the relation does not hold. */
export function relationDistance(
  kind: Relation,
  element: Element,
  others: readonly Element[],
  isClosed: (container: Element) => boolean,
): number | null {
  let least: number | null = null;
  for (const other of others) {
    if (other === element) continue;
    const distance = RELATIONS[kind](element, other, isClosed);
    if (distance !== null && (least === null || distance < least)) least = distance;
  }
  return least;
}

type Distance = (element: Element, other: Element, isClosed: (container: Element) => boolean) => number | null;

export const RELATIONS: Record<Relation, Distance> = {
  near: (element, other) => {
    const one = seenBox(element);
    const two = seenBox(other);
    return one && two ? boxDistance(boxInPage(element, one), boxInPage(other, two)) : null;
  },
  inside: (element, other, isClosed) => containmentSize(other, element, isClosed),
  contains: (element, other, isClosed) => containmentSize(element, other, isClosed),
  after: (element, other) => stepsBetween(other, element),
  before: (element, other) => stepsBetween(element, other),
};

/** Pixels between the nearest edges of two boxes; 0 when they touch. */
export function boxDistance(one: Edges, two: Edges): number {
  const dx = Math.max(0, one.left - two.right, two.left - one.right);
  const dy = Math.max(0, one.top - two.bottom, two.top - one.bottom);
  return Math.hypot(dx, dy);
}

const CONTAINERS = [
  'form,dialog,section,article,fieldset,tr,li,nav,aside,header,footer,main,table,details,ul,ol',
  '[role=dialog],[role=group],[role=row],[role=region],[role=form],[role=listitem],[role=tabpanel]',
  '[role=article],[role=navigation]',
].join(',');

/**
 * How closely `outer` holds `inner`: the number of elements in `outer` when it is an ancestor, or, when `outer` is a
 * text, label or heading, in the smallest container that has both. A closed one has what is in itself alone.
 */
function containmentSize(outer: Element, inner: Element, isClosed: (container: Element) => boolean): number | null {
  if (outer === inner) return null;
  if (holds(outer, inner)) return sizeOf(outer);
  if (holds(inner, outer) || isClosed(outer)) return null;
  for (let node = elementAbove(outer); node; node = elementAbove(node)) {
    if (!holds(node, inner)) continue;
    const headed = headedSize(node, outer, inner);
    if (headed !== null) return headed;
    if (tagOf(node) === 'body' || tagOf(node) === 'html') return null;
    if (matches(node, CONTAINERS) || isHeadOf(node, outer) || hasLikeSibling(node)) return sizeOf(node);
    return widerContainer(node);
  }
  return null;
}

/** Whether an element is a part of the page that has its own content, and no text or heading of one. */
export const isContainer = (element: Element): boolean => matches(element, CONTAINERS);

/** How many elements stand under a heading that is one of several in a container; null if another is not under it. */
function headedSize(container: Element, outer: Element, inner: Element): number | null {
  if (!closest(outer, HEADINGS)) return null;
  const headings = [...queryAll(container, HEADINGS)];
  const part = headings.length > 1 ? headedPart(outer, headings) : null;
  if (!part?.(inner) || standsBefore(inner, outer)) return null;
  return [...queryAll(container, '*')].filter(part).length;
}

const sizeOf = (element: Element): number => queryAll(element, '*').length + 1;

/** A plain block counts as what its heading, legend or first text names. */
function isHeadOf(container: Element, head: Element): boolean {
  const text = fold(textContentOf(head));
  return text !== '' && fold(textContentOf(container)).startsWith(text);
}

function widerContainer(element: Element): number | null {
  const container = closest(element, CONTAINERS);
  return container ? sizeOf(container) : null;
}

/** Elements between two in walk order, or null when the second does not come after the first (or is inside it). */
function stepsBetween(first: Element, second: Element): number | null {
  if (holds(first, second) || holds(second, first)) return null;
  const steps = stepsTo(first, second);
  return steps > 0 ? steps : null;
}

/** Elements from one to another in walk order, less than 0 if the other comes before; NaN if one has left the page. */
function stepsTo(one: Element, other: Element): number {
  const positions = walkPositions();
  return (positions.get(other) ?? NaN) - (positions.get(one) ?? NaN);
}

const standsBefore = (one: Element, other: Element): boolean => stepsTo(one, other) > 0;

// What is near a text: what is in the same row, group, form, section or landmark; where a page marks none, what lies
// around it.

/** A test of elements with their boxes. */
type Area = (element: Element, box: Box) => boolean;

/** The test whether an element is near the best matches of a text. */
export function vicinityOf(text: string, found: readonly Candidate[]): Area {
  const entries = textMatches(collapse(text), true).filter(({ element }) => isVisible(element));
  const best = TIERS.find((tier) => entries.some(({ match }) => match.tier === tier));
  const areas = entries.filter(({ match }) => match.tier === best).map(({ element }) => nearbyArea(element, found));
  return (element, box) => areas.some((includes) => includes(element, box));
}

export const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
const NEAR_DISTANCE = 200;

/** The area of one match: its section, what follows the same heading, or its surroundings. */
function nearbyArea(element: Element, found: readonly Candidate[]): Area {
  const section = sectionOf(element, found);
  const headings = [...queryAll(section || bodyOf(ownerOf(element)) || element, HEADINGS)];
  if (section && headings.length < 2) return (other) => holds(section, other);
  const part = headings.length > 1 ? headedPart(element, headings) : null;
  if (part && found.some((other) => other.element !== element && part(other.element))) {
    return (other) => (!section || holds(section, other)) && part(other);
  }
  if (section) return (other) => holds(section, other);
  const around = visibleBox(element);
  return (other, box) =>
    around !== null && boxDistance(boxInPage(element, around), boxInPage(other, box)) <= NEAR_DISTANCE;
}

/** What is inside an element, or, of a text or heading, in its section. */
export function areaOf(element: Element, found: readonly Candidate[]): (other: Element) => boolean {
  const isHolder = found.some((other) => other.element !== element && holds(element, other.element));
  if (isHolder || isContainer(element)) return (other) => holds(element, other);
  const isNear = nearbyArea(element, found);
  return (other) => {
    const box = seenBox(other);
    return box !== null && isNear(other, box);
  };
}

/** The element itself if it holds others, or the section that a text or a heading stands in. */
export function sectionAround(element: Element, found: readonly Candidate[]): Element {
  const isHolder = found.some((other) => other.element !== element && holds(element, other.element));
  return isHolder || isContainer(element) ? element : (sectionOf(element, found) ?? element);
}

const SECTIONS_AROUND =
  'li,tr,form,fieldset,details,section,article,aside,nav,header,footer,search,dialog,' +
  ['row', 'listitem', 'option', 'treeitem', 'group', 'radiogroup', 'toolbar', 'form', 'search', 'region', 'article']
    .concat(['dialog', 'alertdialog', 'navigation', 'complementary', 'banner', 'contentinfo', 'menu', 'tabpanel'])
    .map((role) => `[role=${role}]`)
    .join(',');

/** The innermost section, or one of several like cards, that holds something to act on beside the element; or null. */
function sectionOf(element: Element, found: readonly Candidate[]): Element | null {
  const others = found.filter((other) => other.element !== element);
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    const tag = tagOf(node);
    if (tag === 'body' || tag === 'html' || tag === 'main') return null;
    if (!matches(node, SECTIONS_AROUND) && !(firstChildOf(node) && hasLikeSibling(node))) continue;
    if (others.some((other) => holds(node, other.element) && seenBox(other.element))) return node;
  }
  return null;
}

/** A test of what stands between the heading above an element, or itself, and the next one of that level. */
function headedPart(element: Element, headings: readonly Element[]): ((other: Element) => boolean) | null {
  const own = [...headings]
    .reverse()
    .find((heading) => heading === element || holds(heading, element) || standsBefore(heading, element));
  if (!own) return null;
  const next = headings.find((heading) => standsBefore(own, heading) && headingLevel(heading) <= headingLevel(own));
  return (other) => !standsBefore(other, own) && !(next && (standsBefore(next, other) || holds(next, other)));
}

const headingLevel = (heading: Element): number => Number(attribute(heading, 'aria-level') || tagOf(heading)[1]) || 2;
