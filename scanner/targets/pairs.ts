// Old things and new ones that stand for each other. Pure.

import { groupBy } from '../dom/words';

export interface Pair<T> {
  old: T;
  heir: T;
}

/** Pairs, in their order, of the same identity, if there are as many new ones as old ones. Null is no identity. */
export function pairAlike<T>(olds: readonly T[], news: readonly T[], identity: (each: T) => string | null): Pair<T>[] {
  const pairs: Pair<T>[] = [];
  const former = groupBy(olds, identity);
  for (const [key, heirs] of groupBy(news, identity)) {
    const group = former.get(key);
    if (key === null || group?.length !== heirs.length) continue;
    group.forEach((old, at) => {
      const heir = heirs[at];
      if (heir !== undefined) pairs.push({ old, heir });
    });
  }
  return pairs;
}
