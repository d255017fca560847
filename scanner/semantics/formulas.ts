// Formulas as a line of text: https://www.w3.org/TR/mathml-core/

import { attribute, childrenOf, tagOf, textContentOf } from '../dom/natives';
import { collapse } from '../dom/words';

/** What a formula says: its author's words for it, else its signs, with `/`, `^`, `_` and `√` where others only stand so. */
export const formulaText = (math: Element): string => attribute(math, 'alttext')?.trim() || collapse(signsOf(math));

function signsOf(element: Element): string {
  const parts = [...childrenOf(element)].filter((each) => !tagOf(each).startsWith('annotation'));
  if (!parts.length) return textContentOf(element).trim();
  const join = LAYOUTS[tagOf(element)];
  const signs = parts.map(signsOf);
  return join ? join(...signs.map(grouped)) : signs.join('');
}

/** Several signs together where they are one part of something. */
const grouped = (signs: string): string => (/^(?:[\p{L}\p{N}.,]*|.)$/u.test(signs) ? signs : `(${signs})`);

const index = (base = '', below = ''): string => `${base}_${below}`;
const power = (base = '', above = ''): string => `${base}^${above}`;
const both = (base = '', below = '', above = ''): string => `${base}_${below}^${above}`;

const LAYOUTS: Readonly<Record<string, ((...parts: string[]) => string) | undefined>> = {
  mfrac: (above, below) => `${above}/${below}`,
  msqrt: (...parts) => `√${parts.length > 1 ? `(${parts.join('')})` : parts.join('')}`,
  mroot: (base, degree) => `${degree}√${base}`,
  msub: index,
  munder: index,
  msup: power,
  mover: power,
  msubsup: both,
  munderover: both,
};
