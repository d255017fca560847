// How a wanted text fits an element (docs/spec/intent-language.md#targets): exactly, but for what people don't see or
// type alike, as words, or as the beginning of a word, over its names.

import {
  attribute,
  contains,
  dataOf,
  firstChildOf,
  hasAttribute,
  inputTypeOf,
  isElement,
  isText,
  nextSiblingOf,
  parentOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { MatchData, MatchSource } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { collapse, fold } from '../dom/words';
import { allElements, currentCache, remember } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { TEXT_INPUTS, labelsOf } from '../dom/labels';
import { isStyledVisible } from '../geometry/styles';
import { BUTTON_INPUTS, isSecret, selectedTexts, takesLabel, valueOf } from '../semantics/values';
import { MAX_TEXT_LENGTH, TEXTLESS } from '../semantics/names';
import { nameOf, nearbyLabel, plainContent } from '../semantics/labels';
import { renderedText } from '../text/text';
import { factsOf, foundElements } from './candidates';
import { TIERS, fitPattern, fitText, fitWanted, placeOf, withoutSpaces, wordsOfIdentifier } from './text_fit';
import type { Fit, Wanted } from './text_fit';
import { hasWordsApart } from './word_places';

export const MAX_MATCHES = 50;

export interface Entry {
  element: Element;
  match: MatchData;
}

/**
 * The elements that a text (white space collapsed) fits, in walk order. With `any`, also those that are not interactive.
 */
export function textMatches(wanted: Wanted, any: boolean): Entry[] {
  if (!wanted) return [];
  const entries: Entry[] = [];
  const found = foundElements();
  for (const { element } of found) {
    const match = fitOf(element, wanted);
    if (match && !isApart(element, match, wanted)) entries.push({ element, match });
  }
  const hidden = entries.map((entry) => entry.element).filter((element) => !isStyledVisible(element));
  const visible = hidden.length ? entries.filter((entry) => !isSaidByHidden(entry, hidden, wanted)) : entries;
  if (!any) return visible;
  const taken = new Set(entries.map(({ element }) => element));
  for (const element of passiveTexts(wanted, taken)) {
    const match = fitOf(element, wanted);
    if (match && !isApart(element, match, wanted)) visible.push({ element, match });
  }
  return inWalkOrder(visible);
}

// What looks like a selector and hardly like a text of a page: `.error`, `#pay`, `ul > li`, `input[name=q]`, `a:hover`.
const SELECTOR =
  /(^|[\w\s)\]>+~*-])[.#][A-Za-z_-]|\[[A-Za-z_-][\w-]*([~|^$*]?=|\])|[\w)\]*]\s*>\s*[\w.#[*:]|::?[a-z-]{3,}|^\*/;

/**
 * The elements that a text fits, or that it selects if it is a selector and fits nothing to press, and nothing as a
 * whole (docs/spec/intent-language.md#texts-that-are-selectors).
 */
export function textOrSelectorMatches(wanted: string, any: boolean): Entry[] {
  const entries = textMatches(wanted, any);
  if (!SELECTOR.test(wanted) || entries.some(isWhole)) return entries;
  if (any ? textMatches(wanted, false).length : entries.length || textMatches(wanted, true).some(isWhole))
    return entries;
  const selected = selectedBy(wanted);
  return selected.length ? selected.map((element) => exactly(element, 'selector')) : entries;
}

const isWhole = ({ match }: Entry): boolean => match.tier === 'exact' || match.tier === 'case';

function selectedBy(selector: string): Element[] {
  try {
    return queryPage(selector);
  } catch {
    return []; // a text after all
  }
}

export const exactly = (element: Element, source: MatchSource): Entry => ({
  element,
  match: { tier: 'exact', source, excess: 0 },
});

export function inWalkOrder(entries: Entry[]): Entry[] {
  const positions = walkPositions();
  const positionOf = ({ element }: Entry): number => positions.get(element) ?? NaN;
  return entries.sort((one, two) => positionOf(one) - positionOf(two));
}

/** The place of each element in walk order. */
export const walkPositions = (): ReadonlyMap<Element, number> =>
  remember('positions', () => {
    const positions = new Map<Element, number>();
    allElements().forEach((element, position) => positions.set(element, position));
    return positions;
  });

/**
 * Whether a text is an element's only because a hidden element in it has it, such as an item of a closed branch: a
 * press on the branch would choose another.
 */
function isSaidByHidden({ element, match }: Entry, hidden: readonly Element[], wanted: Wanted): boolean {
  if (match.source !== 'text' || (match.tier !== 'contains' && match.tier !== 'begins')) return false;
  const isInside = (each: Element): boolean => each !== element && contains(element, each);
  if (!hidden.some(isInside) || !isStyledVisible(element)) return false;
  const text = renderedText(element);
  if (typeof wanted !== 'string') return !wanted.test(collapse(text));
  return !withoutSpaces(text).includes(withoutSpaces(wanted));
}

/** Whether an element that is no control has the words only here and there, and is not called so. */
function isApart(element: Element, match: MatchData, wanted: Wanted): boolean {
  if ((match.source !== 'text' && match.source !== 'name') || factsOf(element).type !== 'generic') return false;
  const found =
    typeof wanted === 'string' ? null : (wanted.exec(visibleText(element)) ?? wanted.exec(plainContent(element)));
  const words = typeof wanted === 'string' ? wanted : (found?.[0] ?? '');
  return !fitWanted(collapse(ownAlternative(element)), wanted) && hasWordsApart(element, words);
}

/** The best fit of `wanted` (white space collapsed) to an element's texts, or null. */
export function fitOf(element: Element, wanted: Wanted): MatchData | null {
  let best: MatchData | null = null;
  for (const [source, text] of textsOf(element)) {
    const fit = fitOfSource(element, source, text, wanted);
    if (fit && (!best || fitsBetter(fit, source, best))) best = { ...fit, source };
  }
  return best;
}

function fitOfSource(element: Element, source: MatchSource, text: string, wanted: Wanted): Fit | null {
  if (typeof wanted !== 'string') {
    if (source === 'attribute') return null; // a pattern is of what people read
    return fitPattern(text, wanted) ?? (source === 'text' ? fitPattern(plainContent(element), wanted) : null);
  }
  const fit = fitText(text, wanted);
  if (fit && fit.tier !== 'begins') return fit;
  // What is several words to a person may be one in the text: `<b>Orders</b><p>12</p>`, and `user_email`.
  if (source === 'text' && fold(text).includes(fold(wanted))) return fitText(plainContent(element), wanted) ?? fit;
  if (source === 'attribute') return fitOfIdentifier(text, wanted) ?? fit;
  return fit;
}

function fitOfIdentifier(name: string, wanted: string): Fit | null {
  const fit = fitText(wordsOfIdentifier(name), wanted);
  return fit && (fit.tier === 'begins' ? fit : { tier: 'contains', excess: Math.max(1, fit.excess) });
}

/**
 * A better tier, or less beyond the wanted text; what only authors read (`name`, `id`) never replaces what people
 * read.
 */
function fitsBetter(fit: Fit, source: MatchSource, best: MatchData): boolean {
  if (fit.tier !== best.tier) return TIERS.indexOf(fit.tier) < TIERS.indexOf(best.tier);
  return (source === 'attribute') === (best.source === 'attribute') && fit.excess < best.excess;
}

/** `[source, text]` of everything that a person or an author calls the element. */
function textsOf(element: Element): [MatchSource, string][] {
  const texts: [MatchSource, string][] = [];
  const add = (source: MatchSource, text: string | null): void => {
    const flat = text ? collapse(text) : '';
    if (flat) texts.push([source, flat]);
  };
  const tag = tagOf(element);
  const { passive } = factsOf(element);
  if (!passive) add('name', nameOf(element));
  if (tag !== 'select' && tag !== 'textarea') add('text', visibleText(element));
  for (const label of labelsOf(element)) add('label', plainContent(label));
  if (hasAttribute(element, 'placeholder') && takesLabel(element) && !labelsOf(element).length)
    add('label', nearbyLabel(element));
  add('label', attribute(element, 'aria-label'));
  add('placeholder', attribute(element, 'placeholder'));
  add('title', attribute(element, 'title'));
  add('title', attribute(element, 'alt'));
  const isNameless = tag === 'input' && TEXT_INPUTS.has(inputTypeOf(element)) && !isSecret(element) && !nameOf(element);
  if (tag === 'select' && !nameOf(element)) add('value', selectedTexts(element).join(', '));
  if (isNameless || (tag === 'input' && inputTypeOf(element) in BUTTON_INPUTS)) add('value', valueOf(element));
  add('attribute', attribute(element, 'name'));
  add('attribute', attribute(element, 'id'));
  return texts;
}

function visibleText(element: Element): string {
  const { texts } = currentCache();
  let text = texts.get(element);
  if (text === undefined) {
    text = collapse(readableText(element).slice(0, 4 * MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH);
    texts.set(element, text);
  }
  return text;
}

/** The elements beside those taken that show the text themselves: the innermost ones whose content holds it. */
function passiveTexts(wanted: Wanted, taken: ReadonlySet<Element>): Element[] {
  const showsOwn = typeof wanted === 'string' ? showsOwnTextOf(fold(wanted)) : showsOwnPattern(wanted);
  return allElements().filter((element) => !TEXTLESS.has(tagOf(element)) && !taken.has(element) && showsOwn(element));
}

const showsOwnTextOf =
  (low: string) =>
  (element: Element): boolean =>
    showsOwnText(element, low);

/** Whether a pattern is found in what an element shows, and in what none of its children shows alone. */
const showsOwnPattern =
  (pattern: RegExp) =>
  (element: Element): boolean => {
    if (!firstChildOf(element) || !pattern.test(visibleText(element))) return pattern.test(ownAlternative(element));
    for (let node = firstChildOf(element); node; node = nextSiblingOf(node))
      if (isElement(node) && !TEXTLESS.has(tagOf(node)) && pattern.test(visibleText(node))) return false;
    return !NO_PLACES.has(tagOf(element));
  };

/**
 * Whether the text is in the element's content but in no child element's whole: its own words, or words that it joins.
 */
function showsOwnText(element: Element, low: string): boolean {
  const isDescribed = (): boolean => placeOf(fold(ownAlternative(element)), low) !== null;
  if (!firstChildOf(element) || !lowTextOf(element).includes(low)) return isDescribed();
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (isElement(node) && !TEXTLESS.has(tagOf(node)) && showsText(node, low)) return false;
  }
  return !NO_PLACES.has(tagOf(element));
}

/** What has a text but is nothing that could be acted on. */
const NO_PLACES: ReadonlySet<string> = new Set(['html', 'head', 'option', 'title']);

/** Whether an element has the text, and not only inside of a word. */
function showsText(element: Element, low: string): boolean {
  if (!lowTextOf(element).includes(low)) return false;
  return placeOf(lowTextOf(element), low) !== null || placeOf(fold(plainContent(element)), low) !== null;
}

const ownAlternative = (element: Element): string =>
  attribute(element, 'aria-label') || attribute(element, 'alt') || attribute(element, 'title') || '';

function lowTextOf(element: Element): string {
  const { lowTexts } = currentCache();
  let text = lowTexts.get(element);
  if (text === undefined) {
    text = fold(readableText(element));
    lowTexts.set(element, text);
  }
  return text;
}

/** The text content without that of scripts, styles and the like, which nobody reads. */
function readableText(element: Element): string {
  if (TEXTLESS.has(tagOf(element))) return '';
  if (!holdersOfTextless().has(element)) return textContentOf(element);
  let text = '';
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (isText(node)) text += dataOf(node);
    else if (isElement(node)) text += readableText(node);
  }
  return text;
}

/** The elements that have one without readable text somewhere in them: few, so that all others are read at once. */
const holdersOfTextless = (): ReadonlySet<Node> =>
  remember('holders of textless', () => {
    const holders = new Set<Node>();
    for (const element of allElements()) {
      if (!TEXTLESS.has(tagOf(element))) continue;
      for (let node = parentOf(element); node && !holders.has(node); node = parentOf(node)) holders.add(node);
    }
    return holders;
  });

/** Whether the language calls a candidate's role so (docs/spec/intent-language.md#targets). */
export function roleMatches(candidate: Candidate, wanted: string): boolean {
  const role = wanted === 'phone' ? 'tel' : wanted;
  if (candidate.role === role) return true;
  if (role === 'submit')
    return candidate.type === 'button' && (candidate.role === 'submit' || candidate.fixed.includes('primary'));
  return false;
}
