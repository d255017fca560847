// JSON Schema (draft 2020-12) for messages and for the arguments of tools, without `eval`, which extensions forbid.
// https://json-schema.org/draft/2020-12/json-schema-validation

import { Validator } from './json_schema/index.js';

const MAX_DEPTH = 64;

/** A function that returns null for a valid value, else what is wrong, as a text. Throws `TypeError` for a schema that
 *  can't be used: unresolved or foreign references, invalid patterns, keys that change prototypes. */
export function compile(schema) {
  checkKeys(schema);
  checkKeywords(schema);
  const validator = new Validator(schema, '2020-12', true);
  const validate = (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? null : explain(errors);
  };
  for (const probe of [{}, [], '', 0]) validate(probe); // an unresolved reference throws only if it is followed
  return validate;
}

/** The innermost error says most: the outer ones only repeat that something below is wrong. */
function explain(errors) {
  const { instanceLocation, error } = errors.at(-1);
  return `${instanceLocation.slice(1) || 'the value'}: ${error}`.slice(0, 500);
}

/** Throws `TypeError` for a value with a key `__proto__`, which naive receivers merge into prototypes, or that is too
 *  deep. */
export function checkKeys(value, depth = 0) {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new TypeError(`more than ${MAX_DEPTH} levels`);
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new TypeError('a key is __proto__');
    checkKeys(value[key], depth + 1);
  }
}

// Below these are values or names, not keywords.
const DATA = new Set(['const', 'enum', 'default', 'examples']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function checkKeywords(schema) {
  if (Array.isArray(schema)) schema.forEach(checkKeywords);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    if (keyword === '$ref' && !String(value).startsWith('#')) throw new TypeError('$ref must begin with #');
    if (keyword === 'pattern') new RegExp(value, 'u');
    if (keyword === 'patternProperties') Object.keys(value).forEach((pattern) => new RegExp(pattern, 'u'));
    if (MAPS.has(keyword)) Object.values(value).forEach(checkKeywords);
    else checkKeywords(value);
  }
}
