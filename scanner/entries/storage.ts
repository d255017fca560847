// The web storage of this document's origin. Keys are read by index, because one may be called like a method.

type Entries = [key: string, value: string][];
type AreaName = 'localStorage' | 'sessionStorage';

const OPERATIONS = {
  /** The entries of an area as JSON, which escapes what is no Unicode. */
  read: (name: AreaName): string => JSON.stringify(entriesOf(globalThis[name])),

  /** The entries of both areas as JSON, session storage first. A page may be denied its storage. */
  readBoth(): string {
    const read = (name: AreaName): Entries => {
      try {
        return entriesOf(globalThis[name]);
      } catch {
        return [];
      }
    };
    return JSON.stringify([read('sessionStorage'), read('localStorage')]);
  },

  /** Write entries, in place of all others unless they are merged. */
  write(name: AreaName, entries: Entries, merges: boolean): void {
    const area = globalThis[name];
    if (!merges) area.clear();
    for (const [key, value] of entries) area.setItem(key, value);
  },

  /** Resolves when what another document has written is seen here, or after `limit` milliseconds. */
  untilSeen: (name: AreaName, entries: Entries, merges: boolean, limit: number): Promise<void> =>
    new Promise((done) => {
      const area = globalThis[name];
      const [lastKey, lastValue] = entries.at(-1) ?? [null, null];
      const look = (event?: StorageEvent): void => {
        // Events come in order: after the last one all have been seen, whatever the page has changed since.
        if (event?.storageArea !== area || event.key !== lastKey || event.newValue !== lastValue) {
          if (!merges && area.length !== entries.length) return;
          if (entries.some(([key, value]) => area.getItem(key) !== value)) return;
        }
        end();
      };
      const end = (): void => {
        removeEventListener('storage', look);
        done();
      };
      addEventListener('storage', look);
      setTimeout(end, limit);
      look();
    }),

  /**
   * Begin with the storage that an origin had, below the origin of the top document. A page may be denied its storage or
   * have a smaller quota than before; it then starts without the entries.
   */
  seed(origin: string, top: string, session: Entries, local: Entries): void {
    const around = location.ancestorOrigins;
    if (location.origin !== origin) return;
    if ((around.length ? around[around.length - 1] : location.origin) !== top) return;
    for (const [name, entries] of [
      ['sessionStorage', session],
      ['localStorage', local],
    ] as const) {
      try {
        const area = globalThis[name];
        if (!area.length) for (const [key, value] of entries) area.setItem(key, value);
      } catch {
        // denied, or full
      }
    }
  },
};

function entriesOf(area: Storage): Entries {
  const keys = Array.from({ length: area.length }, (_, index) => area.key(index) ?? '');
  return keys.map((key) => [key, area.getItem(key) ?? '']);
}

export default function askStorage(operation: keyof typeof OPERATIONS, ...values: never[]): unknown {
  return (OPERATIONS as Record<string, (...values: never[]) => unknown>)[operation]?.(...values);
}
