// Overrides the language and the time zone of a page. Runs in the page's own world, before its scripts, and at once in a
// page that is loaded already. The proxies look like the functions that they replace. Workers keep the browser's own.
// https://tc39.es/ecma402/ and https://tc39.es/ecma262/#sec-date-objects

import { LocalTime } from '../page/local_time';

interface Region {
  /** A language tag; null is the browser's own language. */
  readonly locale: string | null;
  /** A name of the IANA database; null is the browser's own time zone. */
  readonly zone: string | null;
}
type Callable = (...values: unknown[]) => unknown;
type Answer = (self: unknown, values: unknown[], own: Callable) => unknown;

/** `key` addresses an override that is installed already. */
export default function overrideRegion(key: string, initial: Region): void {
  const { navigator } = globalThis as { navigator?: { javaEnabled?: Callable } };
  try {
    // A method that no page calls with values carries a change to the override that is there.
    if (navigator?.javaEnabled?.(key, initial) === key) return;
  } catch {
    // there is no override yet
  }
  if (initial.locale === null && initial.zone === null) return;
  let { locale, zone } = initial;
  const RealDate = Date;
  const DateTimeFormat = Intl.DateTimeFormat;

  const { parse, prototype } = RealDate;
  const { getTimezoneOffset } = prototype; // eslint-disable-line @typescript-eslint/unbound-method
  const timeIn = (name: string | null): LocalTime | null =>
    name === null ? null : new LocalTime(name, RealDate, DateTimeFormat, parse, getTimezoneOffset);
  let time = timeIn(zone);

  replace(Navigator.prototype as unknown as Owner, 'javaEnabled', (self, values, own) => {
    if (values[0] !== key) return Reflect.apply(own, self, values);
    ({ locale, zone } = values[1] as Region);
    time = timeIn(zone);
    return key;
  });
  replaceGetter(Navigator.prototype, 'language', (own) => locale ?? own);
  replaceGetter(Navigator.prototype, 'languages', (own) => (locale === null ? own : languagesOf(locale)));

  const fill = (name: string, [locales, options, ...more]: unknown[]): unknown[] => {
    const wanted = locales === undefined && locale !== null ? locale : locales;
    const needsZone = name === 'DateTimeFormat' && zone !== null;
    const own = options as { timeZone?: unknown } | undefined;
    return [wanted, needsZone && own?.timeZone === undefined ? { ...own, timeZone: zone } : options, ...more];
  };
  for (const name of Object.getOwnPropertyNames(Intl)) replaceFormat(name, fill);

  const localized: [owner: object, names: string[]][] = [
    [Number.prototype, ['toLocaleString']],
    [BigInt.prototype, ['toLocaleString']],
    [String.prototype, ['toLocaleUpperCase', 'toLocaleLowerCase']],
    [RealDate.prototype, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']],
  ];
  for (const [owner, names] of localized) {
    const kind = owner === RealDate.prototype ? 'DateTimeFormat' : '';
    for (const name of names) {
      replace(owner as Owner, name, (self, values, own) => Reflect.apply(own, self, fill(kind, values)));
    }
  }
  replace(String.prototype as unknown as Owner, 'localeCompare', (self, [other, ...more], own) =>
    Reflect.apply(own, self, [other, ...fill('', more)]),
  );

  for (const name of LocalTime.methods) {
    replace(RealDate.prototype as unknown as Owner, name, (self, values, own) =>
      time && self instanceof RealDate ? time.call(self, name, values as number[]) : Reflect.apply(own, self, values),
    );
  }
  replace(RealDate as unknown as Owner, 'parse', (self, values, own) =>
    time ? time.parse(String(values[0])) : Reflect.apply(own, self, values),
  );
  const DateProxy = new Proxy(RealDate, {
    construct(target, values: unknown[], wanted) {
      const [first] = values;
      if (!time || values.length === 0) return Reflect.construct(target, values, wanted) as object;
      if (values.length > 1) return Reflect.construct(target, [time.at(values as number[])], wanted) as object;
      const isText = typeof first === 'string';
      return Reflect.construct(target, [isText ? time.parse(first) : first], wanted) as object;
    },
    apply: (target, self, values: unknown[]) =>
      time ? time.call(new RealDate(), 'toString', []) : (Reflect.apply(target, self, values) as string),
  });
  define(RealDate.prototype, 'constructor', DateProxy);
  define(globalThis, 'Date', DateProxy);
}

/** `de-DE` is followed by `de`. */
function languagesOf(locale: string): readonly string[] {
  return Object.freeze([...new Set([locale, locale.split('-')[0] ?? locale])]);
}

type Owner = Record<string, Callable | undefined>;

const define = (owner: object, name: string, value: unknown): void => {
  const found = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { ...found, value });
};

/** Replace a method of an object. */
function replace(owner: Owner, name: string, answer: Answer): void {
  const own = owner[name];
  if (typeof own !== 'function') return;
  define(owner, name, new Proxy(own, { apply: (target, self, values: unknown[]) => answer(self, values, target) }));
}

/** Replace the getter of a property; `change` gets its value. */
function replaceGetter(owner: object, name: string, change: (own: unknown) => unknown): void {
  const found = Object.getOwnPropertyDescriptor(owner, name);
  if (!found?.get) return;
  const { get: own } = found as { get: Callable };
  const get = new Proxy(own, {
    apply: (target, self, values: unknown[]) => change(Reflect.apply(target, self, values)),
  });
  Object.defineProperty(owner, name, { ...found, get });
}

/** Replace a constructor of `Intl`, such as `NumberFormat`, by one that knows the language and the time zone. */
function replaceFormat(name: string, fill: (name: string, values: unknown[]) => unknown[]): void {
  const own = (Intl as unknown as Record<string, unknown>)[name];
  if (typeof own !== 'function' || !(own as { supportedLocalesOf?: unknown }).supportedLocalesOf) return;
  const proxy: unknown = new Proxy(own as Callable, {
    construct: (target, values: unknown[], wanted) =>
      Reflect.construct(target, fill(name, values), wanted === proxy ? target : wanted) as object,
    apply: (target, self, values: unknown[]) => Reflect.apply(target, self, fill(name, values)),
  });
  define((own as { prototype: object }).prototype, 'constructor', proxy);
  define(Intl, name, proxy);
}
