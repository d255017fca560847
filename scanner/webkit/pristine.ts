// JavaScript's own functions in a document that gets no realm of its own (a sandbox, `data:`): put back while the scanner
// runs, and the page's afterwards. It uses nothing that a page may have replaced itself.

import { method } from '../dom/unbound';

const { getOwnPropertyDescriptor, defineProperty, deleteProperty, ownKeys, getPrototypeOf, setPrototypeOf } = Reflect;

/** The descriptor inherits nothing: what a page adds to `Object.prototype` would count as a part of it. */
function describe(owner: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  if (descriptor) setPrototypeOf(descriptor, null);
  return descriptor;
}

interface Own {
  readonly owner: object;
  readonly key: PropertyKey;
  readonly descriptor: PropertyDescriptor | undefined;
}

export interface Pristine {
  /** Put them back, until `end` was called as often; false if the page keeps them from it. */
  readonly begin: () => boolean;
  readonly end: () => void;
}

/** Remember the functions as they are now: before the page's scripts. */
export function rememberPristine(): Pristine {
  const owners: object[] = [
    ...[Object, Array, String, Number, Boolean, RegExp, Promise, Map, Set, WeakMap, WeakSet, Function, Error].flatMap(
      (type) => [type, type.prototype as object],
    ),
    ...[
      JSON,
      Math,
      Reflect,
      getPrototypeOf([][Symbol.iterator]()) as object,
      getPrototypeOf(new Map().keys()) as object,
    ],
    ...[getPrototypeOf(new Set().keys()) as object, NodeList.prototype, HTMLCollection.prototype],
  ];
  const saved: Own[] = [];
  for (const owner of owners) {
    for (const key of ownKeys(owner)) {
      const descriptor = describe(owner, key);
      if (typeof descriptor?.value === 'function') saved[saved.length] = { owner, key, descriptor };
    }
  }
  const open = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype];
  const openKeys = open.map((owner) => new Set(ownKeys(owner)));
  const has = method(Set.prototype, 'has') as (keys: Set<PropertyKey>, key: PropertyKey) => boolean;
  let replaced: Own[] = [];
  let uses = 0;

  const restore = (): void => {
    for (let at = replaced.length - 1; at >= 0; at--) {
      const { owner, key, descriptor } = replaced[at] as Own;
      if (descriptor) defineProperty(owner, key, descriptor);
      else deleteProperty(owner, key);
    }
    replaced = [];
  };

  /** Whether all are JavaScript's own now. */
  const putBack = (): boolean => {
    let count = 0;
    for (let at = 0; at < open.length; at++) {
      const owner = open[at] as object;
      const keys = ownKeys(owner);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index] as PropertyKey;
        if (has(openKeys[at] as Set<PropertyKey>, key)) continue;
        replaced[count++] = { owner, key, descriptor: describe(owner, key) };
        if (!deleteProperty(owner, key)) return false;
      }
    }
    for (let at = 0; at < saved.length; at++) {
      const { owner, key, descriptor } = saved[at] as Own;
      const found = describe(owner, key);
      if (found && 'value' in found && found.value === descriptor?.value) continue;
      replaced[count++] = { owner, key, descriptor: found };
      if (!defineProperty(owner, key, descriptor as PropertyDescriptor)) return false;
    }
    return true;
  };

  return {
    begin: () => {
      if (uses++ || putBack()) return true;
      uses--;
      restore();
      return false;
    },
    end: () => {
      if (!--uses) restore();
    },
  };
}
