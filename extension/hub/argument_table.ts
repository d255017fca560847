// The arguments of a call as a table for people: one row for each value, nested ones by their path.

import { element } from '../popup/dom';
import type { JsonValue } from '../values';
import { shortened, visible } from './text';

const MAX_ROWS = 40;
const MAX_NAME = 120;
const MAX_VALUE = 1200;

interface ArgumentRow {
  path: string;
  /** Of an object or a list only if nothing is in it. */
  value: JsonValue;
}

/** All rows of the arguments. Nesting is as deep as JSON that has been checked, so recursion ends. */
export function* argumentRows(value: JsonValue, path = ''): Generator<ArgumentRow> {
  if (typeof value !== 'object' || value === null) {
    yield { path, value };
    return;
  }
  const parts: [string, JsonValue][] = Array.isArray(value)
    ? value.map((each: JsonValue, index): [string, JsonValue] => [`${path}[${index + 1}]`, each])
    : Object.entries(value).map(([name, each]) => [path ? `${path} › ${name}` : name, each]);
  if (parts.length === 0 && path) yield { path, value };
  for (const [name, each] of parts) yield* argumentRows(each, name);
}

/** The body of the table for a call's arguments as JSON, and how many values it leaves out. `null` for what is no
 *  complete JSON, or has no arguments. */
export function argumentTable(json: string): { rows: HTMLElement[]; omitted: number } | null {
  let all: ArgumentRow[];
  try {
    all = [...argumentRows(JSON.parse(json) as JsonValue)];
  } catch {
    return null; // cut off
  }
  if (all.length === 0) return null;
  const rows = all
    .slice(0, MAX_ROWS)
    .map(({ path, value }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, element('bdi', {}, shortened(visible(path), MAX_NAME))),
        element('td', { dir: 'auto' }, valueElement(value)),
      ),
    );
  return { rows, omitted: all.length - rows.length };
}

const remark = (text: string) => element('span', { className: 'remark' }, text);

/** Text stands for itself, in the font of text; what is no text is in that of code, so that `"5"` is not 5. */
function valueElement(value: JsonValue): HTMLElement {
  if (Array.isArray(value)) return remark('empty list');
  if (typeof value === 'object' && value !== null) return remark('empty object');
  if (typeof value !== 'string') return element('code', {}, String(value));
  if (value.trim() === '') return remark(value === '' ? 'empty text' : `${value.length} blank characters`);
  const text = visible(value, true);
  const rest = text.length - MAX_VALUE;
  if (rest <= 0) return element('span', { className: 'text' }, text);
  return element(
    'span',
    { className: 'text' },
    shortened(text, MAX_VALUE),
    remark(` ${rest.toLocaleString()} more characters are in the JSON below`),
  );
}
