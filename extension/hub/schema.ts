// JSON Schema (draft 2020-12) for messages and for the arguments of tools, without `eval`, which extensions forbid.
// https://json-schema.org/draft/2020-12/json-schema-validation

import { format as formats, Validator } from '@cfworker/json-schema';
import { isFields } from '../values';
import { beginCheck, compilePattern } from './pattern';

const MAX_DEPTH = 64;
/** Items of an array under a schema with `uniqueItems`, which compares each with each. */
const MAX_UNIQUE_ITEMS = 2000;
const PATTERN = 'pattern ';

delete formats.url; // not of the specification, and its expression takes a time that doubles with each character

/** Returns what is wrong with a value, or null. */
export type Check = (value: unknown) => string | null;

/** A function that returns null for a valid value, else what is wrong, as a text. Throws `TypeError` or `SyntaxError` for a
 *  schema that can't be used: unresolved or foreign references, patterns that are not valid or not supported, keys that
 *  change prototypes. A value comes from a page: no schema may be slow to check. */
export function compile(schema: unknown): Check {
  checkKeys(schema);
  const used = new Set<string>();
  const validator = new Validator(bounded(schema, used), '2020-12', true);
  const validate: Check = (value) => {
    if (used.has('uniqueItems') && longest(value) > MAX_UNIQUE_ITEMS) return `more than ${MAX_UNIQUE_ITEMS} items`;
    beginCheck();
    const { valid, errors } = validator.validate(value);
    return valid ? null : explain(errors);
  };
  for (const probe of [{}, [], '', 0]) validate(probe); // an unresolved reference throws only if it is followed
  return validate;
}

/** The innermost error says most: the outer ones only repeat that something below is wrong. */
function explain(errors: readonly { instanceLocation: string; error: string }[]): string {
  const innermost = errors.at(-1);
  if (!innermost) return 'the value is not valid';
  const { instanceLocation, error } = innermost;
  return `${instanceLocation.slice(1) || 'the value'}: ${error.replace(`format "${PATTERN}`, 'pattern "')}`.slice(
    0,
    500,
  );
}

/** Throws `TypeError` for a value with a key `__proto__`, which naive receivers merge into prototypes, or that is too
 *  deep. */
export function checkKeys(value: unknown, depth = 0): void {
  if (!isFields(value)) return;
  if (depth > MAX_DEPTH) throw new TypeError(`more than ${MAX_DEPTH} levels`);
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new TypeError('a key is __proto__');
    checkKeys(value[key], depth + 1);
  }
}

// Below these are values or names, not keywords.
const DATA = new Set(['const', 'enum', 'default', 'examples']);
const MAPS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

/** A copy of a schema in which the hub's own formats are in the place of patterns, which the validator would give to the
 *  browser's backtracking expressions. `used` gets the keywords. */
function bounded(schema: unknown, used: Set<string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => bounded(each, used));
  if (!isFields(schema)) return schema;
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    used.add(keyword);
    if (keyword === '$ref' && !String(value).startsWith('#')) throw new TypeError('$ref must begin with #');
    if (keyword === 'patternProperties') throw new TypeError('patternProperties is not supported');
    if (keyword === 'format' && String(value).startsWith(PATTERN)) throw new TypeError('there is no such format');
    if (keyword === 'pattern') continue;
    if (DATA.has(keyword)) copy[keyword] = value;
    else if (MAPS.has(keyword)) copy[keyword] = mapped(value, used);
    else copy[keyword] = bounded(value, used);
  }
  return Object.hasOwn(schema, 'pattern') ? withPattern(copy, schema.pattern) : copy;
}

function mapped(value: unknown, used: Set<string>): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bounded(each, used)]));
}

function withPattern(schema: Record<string, unknown>, pattern: unknown): object {
  if (typeof pattern !== 'string') throw new TypeError('a pattern must be a text');
  formats[PATTERN + pattern] ??= compilePattern(pattern);
  const parts: unknown = schema.allOf ?? [];
  if (!Array.isArray(parts)) throw new TypeError('allOf must be a list');
  return { ...schema, allOf: [...(parts as unknown[]), { format: PATTERN + pattern }] };
}

/** The length of the longest array in a value. */
function longest(value: unknown): number {
  if (!isFields(value)) return 0;
  return Object.values(value).reduce<number>(
    (most, each) => Math.max(most, longest(each)),
    Array.isArray(value) ? value.length : 0,
  );
}
