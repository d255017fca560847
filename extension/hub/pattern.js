// Regular expressions of JSON Schemas, matched without backtracking.
//
// A page chooses the text and a plugin the pattern: with JavaScript's own expressions a short text can keep the hub busy for
// hours (`^(a+)+$`). Here all ways through a pattern are followed at once, one character after another, so the time is at most
// length times pattern size, and what one check may take has an end. Refused are what can't be matched so: references
// back, and looking ahead or behind. Thompson 1968; https://swtch.com/~rsc/regexp/regexp1.html

const MAX_CHARACTERS = 1000;
const MAX_SIZE = 2000;
const MAX_COUNT = 1000;
const MAX_STEPS = 5_000_000;
const ZERO_WIDTH = { '^': 'start', $: 'end', '\\b': 'edge', '\\B': 'inside' };
const SINGLE = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/iuy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const WORD = /^\w$/u;

let steps = 0;

/** Begin a check: what patterns may take is counted for the whole of it. */
export const beginCheck = () => {
  steps = 0;
};

/** A function of a text: whether a pattern (https://json-schema.org/draft/2020-12/json-schema-core#section-6.4) matches some
 *  part of it. Throws `SyntaxError` for what is no pattern, `TypeError` for what is not supported; the function throws
 *  `TypeError` if the check takes too long. */
export function compilePattern(pattern) {
  new RegExp(pattern, 'u');
  if (pattern.length > MAX_CHARACTERS) throw new TypeError(`a pattern has more than ${MAX_CHARACTERS} characters`);
  const program = [];
  emit(new Parser(pattern).alternatives(), program);
  add(program, { op: 'match' });
  return (text) => matches(program, Array.from(text));
}

/** Of patterns that JavaScript has found valid. */
class Parser {
  #text;
  #at = 0;

  constructor(text) {
    this.#text = text;
  }

  alternatives() {
    const choices = [this.#sequence()];
    while (this.#take('|')) choices.push(this.#sequence());
    return { choices };
  }

  #sequence() {
    const parts = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at])) parts.push(this.#quantified());
    return { parts };
  }

  #quantified() {
    const body = this.#atom();
    const found = this.#match(QUANTIFIER);
    if (!found) return body;
    const [, symbol, least, comma, most] = found;
    const min = symbol ? Number(symbol === '+') : Number(least);
    const max = symbol ? (symbol === '?' ? 1 : Infinity) : comma ? (most ? Number(most) : Infinity) : min;
    if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw new TypeError('a pattern repeats too often');
    return { body, min, max };
  }

  #atom() {
    if (this.#take('(')) {
      if (this.#take('?') && !this.#take(':') && !this.#match(/<[^=!>][^>]*>/uy)) {
        throw new TypeError('a pattern looks ahead or behind');
      }
      const inner = this.alternatives();
      this.#take(')');
      return inner;
    }
    const [source] = this.#match(SINGLE);
    if (Object.hasOwn(ZERO_WIDTH, source)) return { test: ZERO_WIDTH[source] };
    if (/^\\[1-9k]/u.test(source)) throw new TypeError('a pattern refers back to a group');
    const one = new RegExp(`^${source}$`, 'u');
    return { character: (each) => one.test(each) };
  }

  #take(text) {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression) {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}

function add(program, instruction) {
  if (program.push(instruction) > MAX_SIZE) throw new TypeError('a pattern is too large');
  return instruction;
}

/** Append what matches a node. A `fork` goes on at the next instruction and at `to`. */
function emit({ choices, parts, body, min, max, test, character }, program) {
  if (choices) {
    const ends = choices.map((choice, index) => {
      const fork = index < choices.length - 1 && add(program, { op: 'fork' });
      emit(choice, program);
      const jump = fork && add(program, { op: 'jump' });
      if (fork) fork.to = program.length;
      return jump;
    });
    for (const jump of ends) if (jump) jump.to = program.length;
  } else if (parts) {
    for (const part of parts) emit(part, program);
  } else if (body) {
    for (let count = 0; count < min; count++) emit(body, program);
    const forks = [];
    const again = program.length;
    for (let count = min; count < (max === Infinity ? min + 1 : max); count++) {
      forks.push(add(program, { op: 'fork' }));
      emit(body, program);
    }
    if (max === Infinity) add(program, { op: 'jump', to: again });
    for (const fork of forks) fork.to = program.length;
  } else add(program, test ? { op: test } : { op: 'character', character });
}

function matches(program, characters) {
  let current = new Set();
  for (let at = 0; at <= characters.length; at++) {
    if (follow(program, 0, at, characters, current)) return true; // a match may begin anywhere
    if (at === characters.length) return false;
    const next = new Set();
    for (const position of current) {
      const { op, character } = program[position];
      if (op === 'character' && character(characters[at]) && follow(program, position + 1, at + 1, characters, next)) {
        return true;
      }
    }
    current = next;
  }
  return false;
}

/** Add all instructions that are reached from `position` without a character. Returns whether the match is complete. */
function follow(program, position, at, characters, reached) {
  const open = [position];
  while (open.length) {
    const next = open.pop();
    if (reached.has(next)) continue;
    if (++steps > MAX_STEPS) throw new TypeError('the patterns of the schema take too long for this text');
    reached.add(next);
    const { op, to } = program[next];
    if (op === 'match') return true;
    if (op === 'jump') open.push(to);
    else if (op === 'fork') open.push(to, next + 1);
    else if (op !== 'character' && holds(op, at, characters)) open.push(next + 1);
  }
  return false;
}

function holds(op, at, characters) {
  if (op === 'start') return at === 0;
  if (op === 'end') return at === characters.length;
  const isEdge = WORD.test(characters[at - 1] ?? '') !== WORD.test(characters[at] ?? '');
  return isEdge === (op === 'edge');
}
