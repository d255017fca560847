import { IGNORABLE, JOINED, SAME } from './folded';

export const wordSet = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

const ASCII = /^[\x20-\x7e]*$/;
const ALIKE = new RegExp(`[${[...SAME.keys()].join('')}]`, 'g');
const IGNORED = new RegExp(`([${JOINED}])\\ufe0f?(\\u200d)|[${IGNORABLE}\\u200d]`, 'gu');

/** A text in the form in which it is compared: as `fold` of `oryn.core.text_folding`. */
export function fold(text: string): string {
  if (ASCII.test(text)) return collapse(text).toLowerCase();
  const alike = text.replace(ALIKE, (character) => SAME.get(character) ?? character);
  return collapse(alike.normalize('NFKC').replace(IGNORED, '$1$2')).toLowerCase();
}

export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
