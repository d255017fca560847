export const wordSet = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

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
