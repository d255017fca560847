// How a wanted text fits one that a page has. Pure.

import type { MatchData, MatchTier } from '../dom/protocol';

/** How a text fits, the best first. */
export const TIERS: readonly MatchTier[] = ['exact', 'case', 'contains'];

export type Fit = Pick<MatchData, 'tier' | 'excess'>;

/** Both with their white space collapsed. */
export function fitText(text: string, wanted: string): Fit | null {
  if (text === wanted) return { tier: 'exact', excess: 0 };
  if (text.length < wanted.length) return null;
  const low = text.toLowerCase();
  const lowWanted = wanted.toLowerCase();
  if (low === lowWanted) return { tier: 'case', excess: 0 };
  return low.includes(lowWanted) ? { tier: 'contains', excess: text.length - wanted.length } : null;
}

export const withoutSpaces = (text: string): string => text.replace(/\s+/g, '').toLowerCase();
