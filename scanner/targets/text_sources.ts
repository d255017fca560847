// Elements by one of their texts alone: `label("E-mail")`, `placeholder("Search")`
// (docs/spec/intent-language.md#targets).

import { attribute, hasAttribute } from '../dom/natives';
import type { MatchSource, TextSource } from '../dom/protocol';
import { collapse } from '../dom/words';
import { allElements } from '../dom/snapshot';
import { labelsOf } from '../dom/labels';
import { accessibleName } from '../semantics/names';
import { plainContent } from '../semantics/labels';
import { foundElements } from './candidates';
import { TIERS, fitWanted } from './text_fit';
import type { Entry } from './match';
import type { Wanted } from './text_fit';

const MATCH_SOURCES: Record<TextSource, MatchSource> = {
  label: 'label',
  placeholder: 'placeholder',
  title: 'title',
  alt: 'title',
};

/** The elements that a text fits which stands there, in walk order. */
export function sourceMatches(source: TextSource, wanted: Wanted): Entry[] {
  if (wanted === '') return [];
  foundElements();
  const entries: Entry[] = [];
  for (const element of allElements()) {
    const fits = textsAt(source, element).flatMap((text) => fitWanted(collapse(text), wanted) ?? []);
    fits.sort((one, two) => TIERS.indexOf(one.tier) - TIERS.indexOf(two.tier) || one.excess - two.excess);
    if (fits[0]) entries.push({ element, match: { ...fits[0], source: MATCH_SOURCES[source] } });
  }
  return entries;
}

function textsAt(source: TextSource, element: Element): string[] {
  if (source !== 'label') return [attribute(element, source) ?? ''];
  const texts = labelsOf(element).map(plainContent);
  texts.push(attribute(element, 'aria-label') ?? '');
  if (hasAttribute(element, 'aria-labelledby')) texts.push(accessibleName(element));
  return texts;
}
