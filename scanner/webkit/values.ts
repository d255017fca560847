// Values of the page's scripts as the DevTools protocol gives them: as JSON, or as a text where that would say less.
// https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject

import { attribute, isElement, localNameOf, nodeTypeOf } from '../dom/natives';
import { getter } from '../dom/unbound';

const MAX_DEPTH = 1000;
const MAX_LENGTH = 1_000_000;
const nodeNameOf = getter(Node.prototype, 'nodeName');

/** The JSON of an object, whatever it has as `toJSON`; null if it has none: a circle, a `bigint` in it. */
export function plainJson(value: unknown): string | null {
  try {
    return JSON.stringify(copied(value, 0));
  } catch {
    return null;
  }
}

function copied(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH || typeof value === 'bigint' || typeof value === 'symbol') throw new TypeError('not JSON');
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return value;
  if (Array.isArray(value)) {
    const { length } = value as unknown[];
    if (length > MAX_LENGTH) throw new TypeError('too long');
    return Array.from({ length }, (_, index) => copied((value as unknown[])[index], depth + 1) ?? null);
  }
  const found = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) found[key] = copied((value as Record<string, unknown>)[key], depth + 1);
  return found;
}

/** What a node is called: `div#main.wide`, `#document`; null for all else. */
export function nodeText(value: unknown): string | null {
  try {
    const node = value as Node;
    if (nodeTypeOf(node) === Node.DOCUMENT_TYPE_NODE) return `<!DOCTYPE ${nodeNameOf(node)}>`;
    if (!isElement(node)) return nodeNameOf(node);
    const id = attribute(node, 'id');
    const classes = (attribute(node, 'class') ?? '').split(/\s+/).filter(Boolean);
    return localNameOf(node) + (id ? `#${id}` : '') + classes.map((name) => `.${name}`).join('');
  } catch {
    return null;
  }
}
