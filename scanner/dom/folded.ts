// Characters that are compared alike. `make scanner` makes this file from `oryn.core.text_folding`.

/** Characters that keyboards have in one form and pages in several: quotes, primes, dashes, the ellipsis. */
export const SAME: ReadonlyMap<string, string> = new Map([
  ['\u2018', "'"],
  ['\u2019', "'"],
  ['\u201a', "'"],
  ['\u201b', "'"],
  ['\u2039', "'"],
  ['\u203a', "'"],
  ['\u2032', "'"],
  ['\u2035', "'"],
  ['\u02b9', "'"],
  ['\u02bc', "'"],
  ['\uff07', "'"],
  ['\u00b4', "'"],
  ['`', "'"],
  ['\u201c', '"'],
  ['\u201d', '"'],
  ['\u201e', '"'],
  ['\u201f', '"'],
  ['\u00ab', '"'],
  ['\u00bb', '"'],
  ['\u2033', '"'],
  ['\u2036', '"'],
  ['\uff02', '"'],
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2012', '-'],
  ['\u2013', '-'],
  ['\u2014', '-'],
  ['\u2015', '-'],
  ['\u2212', '-'],
  ['\u2043', '-'],
  ['\ufe58', '-'],
  ['\ufe63', '-'],
  ['\uff0d', '-'],
  ['\u2026', '...'],
]);

/** Characters without a picture of their own, but for the joiner U+200D; for a regular expression's brackets. */
export const IGNORABLE =
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';

/** Pictures that a joiner makes one of, as in families and professions; for a regular expression's brackets. */
export const JOINED = '\u2190-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}';
