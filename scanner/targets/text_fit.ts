// How a wanted text fits one that a page has. Pure.

import type { MatchData, MatchTier } from '../dom/protocol';
import { fold } from '../dom/words';

/** How a text fits, the best first. */
export const TIERS: readonly MatchTier[] = ['exact', 'case', 'contains', 'begins'];

export type Fit = Pick<MatchData, 'tier' | 'excess'>;

/**
 * Both with their white space collapsed: as it is, but for what people don't see or type alike (`fold`), as whole words
 * of it, or as the beginning of a word. Inside of a word is nowhere.
 */
export function fitText(text: string, wanted: string): Fit | null {
  if (text === wanted) return { tier: 'exact', excess: 0 };
  const folded = fold(text);
  const wantedFolded = fold(wanted);
  if (!wantedFolded) return null;
  if (folded === wantedFolded) return { tier: 'case', excess: 0 };
  const tier = placeOf(folded, wantedFolded);
  return tier && { tier, excess: folded.length - wantedFolded.length };
}

/** A text that an element is called, or a regular expression that is found in it. */
export type Wanted = string | RegExp;

/** The same for a regular expression, which is found in the text as it is. */
export function fitPattern(text: string, pattern: RegExp): Fit | null {
  const found = pattern.exec(text);
  if (!found) return null;
  const excess = text.length - found[0].length;
  return { tier: excess ? 'contains' : 'exact', excess };
}

export const fitWanted = (text: string, wanted: Wanted): Fit | null =>
  typeof wanted === 'string' ? fitText(text, wanted) : fitPattern(text, wanted);

/** How a folded text has another: as whole words, only where words begin, or not at all. */
export const placeOf = (text: string, wanted: string): 'contains' | 'begins' | null =>
  placeIn(text, wanted)?.tier ?? null;

/** The same, and where it begins. */
export function placeIn(text: string, wanted: string): TextPlace | null {
  const places = placesIn(text, wanted);
  return places.find(({ tier }) => tier === 'contains') ?? places[0] ?? null;
}

export interface TextPlace {
  tier: 'contains' | 'begins';
  at: number;
}

/** All places where words of a folded text are another, or begin so. */
export function placesIn(text: string, wanted: string): TextPlace[] {
  const places: TextPlace[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (isBoundary(text, at)) places.push({ tier: endsAt(text, at + wanted.length) ? 'contains' : 'begins', at });
  return places;
}

/** A test whether a text has whole words that are as a pattern, in which `*` stands for anything. */
export function patternTest(pattern: string): (text: string) => boolean {
  const wanted = fold(pattern);
  if (!wanted) return () => false;
  const pieces = wanted.split('*');
  const last = pieces.length - 1;
  return (text) => {
    const folded = fold(text);
    let end = 0;
    for (const [index, piece] of pieces.entries()) {
      let at = folded.indexOf(piece, end);
      while (at >= 0 && !fitsAt(folded, at, piece, index === 0, index === last)) at = folded.indexOf(piece, at + 1);
      if (at < 0) return false;
      end = at + piece.length;
    }
    return true;
  };
}

/** Whether the piece of a pattern that is at a place begins and ends as whole words do, if it has to. */
const fitsAt = (text: string, at: number, piece: string, begins: boolean, ends: boolean): boolean =>
  piece === '' || ((!begins || isBoundary(text, at)) && (!ends || endsAt(text, at + piece.length)));

const WORD = /[\p{L}\p{N}\p{M}]/u;
const NUMBER = /\p{N}/u;

// Scripts whose words are written without spaces, and those of Korean, whose endings are.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

/** Whether a word may begin or end between the characters on both sides of a place. */
function isBoundary(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const after = characterAt(text, at);
  if (UNSPACED.test(before) || UNSPACED.test(after)) return !/\p{M}/u.test(after);
  if (WORD.test(before) && WORD.test(after)) return false;
  // `5` is no word of `1.5`, nor `12` of `12:30`.
  return !(isInNumber(text, at, before) || isInNumber(text, at + 1, after, at));
}

/** Whether a word ends at a place: a count that stands right behind it (`Inbox3`) is no part of it. */
function endsAt(text: string, at: number): boolean {
  return isBoundary(text, at) || (NUMBER.test(characterAt(text, at)) && !NUMBER.test(characterBefore(text, at)));
}

/** Whether a character is what separates two digits of a number. */
function isInNumber(text: string, end: number, mark: string, start = end - 1): boolean {
  if (mark !== '.' && mark !== ',' && mark !== ':') return false;
  return NUMBER.test(characterBefore(text, start)) && NUMBER.test(characterAt(text, end));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit < 0xe000 ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at);
}

/** A name that authors write for themselves, as words: `userEmail`, `user_email`, `form[user-email]`. */
export const wordsOfIdentifier = (name: string): string =>
  name.replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1 ').replace(/[^\p{L}\p{N}]+/gu, ' ');

export const withoutSpaces = (text: string): string => fold(text).replace(/ /g, '');
