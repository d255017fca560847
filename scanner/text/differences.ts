// Counting texts, and finding those in another order. Pure: whose texts they are, nobody asks here.

export function countTexts(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) || 0) + 1);
  return counts;
}

/** Take one of these texts, if there is one left. */
export function take(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) || 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}

/** Whether a part is in a text and more than half of it. */
export const isMostOf = (part: string, text: string): boolean => text.includes(part) && part.length > text.length / 2;

/**
 * The texts that both readings have once, from the first to the last that stands at another place than before, each with
 * its owner; none if all stand in the same order.
 */
export function reordered<O>(before: ReadonlyMap<O, string>, now: ReadonlyMap<O, string>): [string, O][] {
  const former = uniqueTexts(before);
  const present = uniqueTexts(now);
  const was = [...former.keys()].filter((text) => present.has(text));
  const is = [...present].filter(([text]) => former.has(text));
  const from = is.findIndex(([text], at) => text !== was[at]);
  if (from < 0) return [];
  const until = is.length - [...is].reverse().findIndex(([text], at) => text !== was[was.length - 1 - at]);
  return is.slice(from, until);
}

/** The texts that only one owner has, with that owner. */
export function uniqueTexts<O>(units: ReadonlyMap<O, string>): Map<string, O> {
  const counts = countTexts(units.values());
  const unique = new Map<string, O>();
  for (const [owner, text] of units) if (counts.get(text) === 1) unique.set(text, owner);
  return unique;
}
