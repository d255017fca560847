// How a wanted text fits one that a page has. Pure.

/** How a text fits, the best first. */
export const TIERS = ['exact', 'case', 'contains'] as const;
export type Tier = (typeof TIERS)[number];

export interface Fit {
  tier: Tier;
  /** Characters of the text beyond the wanted ones. */
  excess: number;
}

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
