// IndexedDB of this document's origin as data, in the format of Playwright's storage state: values that JSON has as they
// are (`value`), others encoded (`valueEncoded`), such as {"d": "2026-11-26T…"} for a date.
// https://playwright.dev/docs/api/class-browsercontext#browser-context-storage-state
// https://www.w3.org/TR/IndexedDB/

type Key = IDBValidKey;
type Data = Record<string, unknown>;

/** A database, its stores and indexes, as the file has them. */
interface DatabaseData {
  name: string;
  version: number;
  stores: StoreData[];
}
interface PathData {
  keyPath?: string;
  keyPathArray?: string[];
}
interface IndexData extends PathData {
  name: string;
  multiEntry: boolean;
  unique: boolean;
}
interface StoreSchema extends PathData {
  name: string;
  autoIncrement: boolean;
  indexes: IndexData[];
}
interface StoreData extends StoreSchema {
  records: Data[];
}

/** Deeper values are left out: a reader of the file may recurse. */
const MAX_DEPTH = 20;
const ARRAYS = {
  i8: Int8Array,
  ui8: Uint8Array,
  ui8c: Uint8ClampedArray,
  i16: Int16Array,
  ui16: Uint16Array,
  i32: Int32Array,
  ui32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
  bi64: BigInt64Array,
  bui64: BigUint64Array,
};
const SPECIAL_NUMBERS: Record<string, number> = { NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };
const BASE64_CHUNK = 0x8000;

/** A value that the format does not have, such as a file or a key of the browser's own. */
class Unsupported extends Error {}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

const finished = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('failed'));
  });

// --- values ---

function isJson(value: unknown, above: unknown[] = []): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || above.includes(value) || above.length > MAX_DEPTH) return false;
  const [tag, inner] = [tagOf(value), [...above, value]];
  if (tag === 'Array') return Array.from(value as unknown[]).every((each) => isJson(each, inner));
  return (
    tag === 'Object' && !Object.hasOwn(value, '__proto__') && Object.values(value).every((each) => isJson(each, inner))
  );
}

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += BASE64_CHUNK)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + BASE64_CHUNK)));
  return btoa(parts.join(''));
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function encode(value: unknown, visited = new Map<unknown, number>(), depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new Unsupported();
  if (value === undefined) return { v: 'undefined' };
  if (value === null) return { v: 'null' };
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') {
    const special = Object.keys(SPECIAL_NUMBERS).find((name) => Object.is(SPECIAL_NUMBERS[name], value));
    return special ? { v: special } : value;
  }
  if (typeof value === 'bigint') return { bi: String(value) };
  const kind = tagOf(value);
  if (kind === 'Date') return { d: (value as Date).toJSON() };
  if (kind === 'RegExp') return { r: { p: (value as RegExp).source, f: (value as RegExp).flags } };
  if (kind === 'Error') {
    const { name: n, message: m, stack } = value as Error;
    return { e: { n, m, s: String(stack) } };
  }
  if (kind === 'ArrayBuffer') return { ab: { b: toBase64(new Uint8Array(value as ArrayBuffer)) } };
  for (const [k, { name }] of Object.entries(ARRAYS)) {
    if (kind !== name) continue;
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    return { ta: { b: toBase64(new Uint8Array(buffer, byteOffset, byteLength)), k } };
  }
  if (visited.has(value)) return { ref: visited.get(value) };
  const id = visited.size + 1;
  visited.set(value, id);
  const inner = (each: unknown): unknown => encode(each, visited, depth + 1);
  if (kind === 'Array') return { a: Array.from(value as unknown[], inner), id };
  if (kind === 'Map') {
    return { m: Array.from(value as Map<unknown, unknown>, ([k, v]) => ({ k: inner(k), v: inner(v) })), id };
  }
  if (kind === 'Set') return { s: Array.from(value as Set<unknown>, inner), id };
  if (kind === 'Object') return { o: Object.entries(value as Data).map(([k, v]) => ({ k, v: inner(v) })), id };
  throw new Unsupported();
}

/** What `encode` makes. */
type Encoded =
  | { ref: number }
  | { v: string }
  | { d: string }
  | { bi: string }
  | { r: { p: string; f: string } }
  | { e: { n: string; m: string; s: string } }
  | { ab: { b: string } }
  | { ta: { b: string; k: keyof typeof ARRAYS } }
  | { a: unknown[]; id: number }
  | { m: { k: unknown; v: unknown }[]; id: number }
  | { s: unknown[]; id: number }
  | { o?: { k: string; v: unknown }[]; id: number };

function decode(encoded: unknown, decoded = new Map<number, unknown>()): unknown {
  if (typeof encoded !== 'object' || encoded === null) return encoded;
  const value = encoded as Encoded;
  const inner = (each: unknown): unknown => decode(each, decoded);
  if ('ref' in value) return decoded.get(value.ref);
  if ('v' in value) return value.v === 'null' ? null : SPECIAL_NUMBERS[value.v];
  if ('d' in value) return new Date(value.d);
  if ('bi' in value) return BigInt(value.bi);
  if ('r' in value) return new RegExp(value.r.p, value.r.f);
  if ('e' in value) return Object.assign(new Error(value.e.m), { name: value.e.n, stack: value.e.s });
  if ('ab' in value) return fromBase64(value.ab.b).buffer;
  if ('ta' in value) return new ARRAYS[value.ta.k](fromBase64(value.ta.b).buffer);
  const keep = <T>(copy: T): T => {
    decoded.set(value.id, copy);
    return copy;
  };
  if ('a' in value) {
    const list = keep<unknown[]>([]);
    for (const each of value.a) list.push(inner(each));
    return list;
  }
  if ('m' in value) {
    const map = keep(new Map<unknown, unknown>());
    for (const { k, v } of value.m) map.set(inner(k), inner(v));
    return map;
  }
  if ('s' in value) {
    const set = keep(new Set<unknown>());
    for (const each of value.s) set.add(inner(each));
    return set;
  }
  const record = keep<Data>({});
  for (const { k, v } of value.o ?? []) if (k !== '__proto__') record[k] = inner(v);
  return record;
}

const fieldOf = (name: string, value: unknown): Data =>
  isJson(value) ? { [name]: value } : { [`${name}Encoded`]: encode(value) };
const valueOf = (row: Data, name: string): unknown =>
  `${name}Encoded` in row ? decode(row[`${name}Encoded`]) : row[name];

// --- schemas ---

const pathOf = (path: string | string[] | null): PathData =>
  typeof path === 'string' ? { keyPath: path } : path ? { keyPathArray: Array.from(path) } : {};
const keyPathOf = (row: PathData): string | string[] | null => row.keyPathArray ?? row.keyPath ?? null;

const schemaOf = (store: IDBObjectStore): StoreSchema => ({
  name: store.name,
  ...pathOf(store.keyPath),
  autoIncrement: store.autoIncrement,
  indexes: Array.from(store.indexNames, (name) => {
    const index = store.index(name);
    return { name, ...pathOf(index.keyPath), multiEntry: index.multiEntry, unique: index.unique };
  }),
});

/** A text that is equal for equal schemas, however the properties are ordered. */
const describe = (stores: readonly StoreSchema[]): string =>
  JSON.stringify(
    stores
      .map((store) => [
        store.name,
        keyPathOf(store),
        store.autoIncrement,
        store.indexes.map((each) => [each.name, keyPathOf(each), each.multiEntry, each.unique]).sort(),
      ])
      .sort(),
  );

const schemasOf = (db: IDBDatabase): StoreSchema[] => {
  if (!db.objectStoreNames.length) return [];
  const transaction = db.transaction(db.objectStoreNames);
  return Array.from(db.objectStoreNames, (name) => schemaOf(transaction.objectStore(name)));
};

// --- reading ---

async function readStore(store: IDBObjectStore, skipped: { count: number }): Promise<StoreData> {
  const [keys, values] = await Promise.all([finished(store.getAllKeys()), finished<unknown[]>(store.getAll())]);
  const records: Data[] = [];
  keys.forEach((key, index) => {
    try {
      records.push({ ...(store.keyPath === null ? fieldOf('key', key) : {}), ...fieldOf('value', values[index]) });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      skipped.count += 1;
    }
  });
  return { ...schemaOf(store), records };
}

async function readDatabase(name: string, version: number, skipped: { count: number }): Promise<DatabaseData> {
  const db = await finished(indexedDB.open(name));
  try {
    if (!db.objectStoreNames.length) return { name, version, stores: [] };
    const transaction = db.transaction(db.objectStoreNames);
    const stores = Array.from(db.objectStoreNames, (each) => readStore(transaction.objectStore(each), skipped));
    return { name, version, stores: await Promise.all(stores) };
  } finally {
    db.close();
  }
}

/** All databases as JSON: `{"databases": […], "skipped": the number of records with values that the format lacks}`. */
async function read(): Promise<string> {
  const skipped = { count: 0 };
  const databases: DatabaseData[] = [];
  for (const { name = '', version = 0 } of await indexedDB.databases())
    databases.push(await readDatabase(name, version, skipped));
  return JSON.stringify({ databases, skipped: skipped.count });
}

// --- writing ---

async function create({ name, version, stores }: DatabaseData): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    for (const row of stores) {
      const store = request.result.createObjectStore(row.name, {
        keyPath: keyPathOf(row),
        autoIncrement: row.autoIncrement,
      });
      for (const index of row.indexes)
        store.createIndex(index.name, keyPathOf(index) ?? [], { unique: index.unique, multiEntry: index.multiEntry });
    }
  };
  return finished(request);
}

/** The names of the databases that have to be deleted before `write`: those of another form, and with `replaces` those
 *  that the data lacks. A page that uses one would delay its deletion, for ever maybe, so the browser must do it. */
async function unfit(databases: readonly DatabaseData[], replaces: boolean): Promise<string[]> {
  const names: string[] = [];
  for (const { name = '', version } of await indexedDB.databases()) {
    const data = databases.find((each) => each.name === name);
    if (data ? data.version !== version || !(await hasSchema(name, data.stores)) : replaces) names.push(name);
  }
  return names;
}

async function hasSchema(name: string, stores: readonly StoreSchema[]): Promise<boolean> {
  const db = await finished(indexedDB.open(name));
  try {
    return describe(schemasOf(db)) === describe(stores);
  } finally {
    db.close();
  }
}

function fill(db: IDBDatabase, stores: readonly StoreData[], replaces: boolean): Promise<void> {
  if (!db.objectStoreNames.length) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(db.objectStoreNames, 'readwrite');
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
    try {
      if (replaces) for (const name of db.objectStoreNames) transaction.objectStore(name).clear();
      for (const { name, records } of stores) {
        const store = transaction.objectStore(name);
        for (const row of records) {
          if (store.keyPath === null) store.put(valueOf(row, 'value'), valueOf(row, 'key') as Key);
          else store.put(valueOf(row, 'value'));
        }
      }
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
      transaction.abort();
    }
  });
}

/** Write databases; `replaces`: what they do not have is deleted. */
async function write(databases: readonly DatabaseData[], replaces: boolean): Promise<void> {
  const present = new Set((await indexedDB.databases()).map(({ name }) => name));
  for (const data of databases) {
    const db = await (present.has(data.name) ? finished(indexedDB.open(data.name)) : create(data));
    try {
      await fill(db, data.stores, replaces);
    } finally {
      db.close();
    }
  }
}

const OPERATIONS = { read, unfit, write };

export default function askDatabases(
  operation: keyof typeof OPERATIONS,
  databases: DatabaseData[],
  replaces: boolean,
): Promise<unknown> {
  return OPERATIONS[operation](databases, replaces);
}
