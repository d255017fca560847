// Regular expressions of JSON Schemas, matched without backtracking.
//
// A page chooses the text and a plugin the pattern: with JavaScript's own expressions a short text can keep the hub busy for
// hours (`^(a+)+$`). Here all ways through a pattern are followed at once, one character after another, so the time is at most
// length times pattern size, and what one check may take has an end. Refused are what can't be matched so: references
// back, and looking ahead or behind. Thompson 1968; https://swtch.com/~rsc/regexp/regexp1.html

/** Whether a character is one of those that a part of a pattern means. */
type CharacterTest = (character: string) => boolean;
type Edge = 'start' | 'end' | 'edge' | 'inside';

/** A pattern as its parser finds it. */
type Node =
  | { choices: Node[] }
  | { parts: Node[] }
  | { body: Node; min: number; max: number }
  | { test: Edge }
  | { character: CharacterTest };

/** What matches a pattern, one after another. A `fork` goes on at the next instruction and at `to`. */
interface Jump {
  op: 'fork' | 'jump';
  to: number;
}
type Instruction = Jump | { op: 'match' | Edge } | { op: 'character'; character: CharacterTest };
type Program = Instruction[];

const MAX_CHARACTERS = 1000;
const MAX_SIZE = 2000;
const MAX_COUNT = 1000;
const MAX_STEPS = 5_000_000;
const ZERO_WIDTH: Readonly<Record<string, Edge>> = { '^': 'start', $: 'end', '\\b': 'edge', '\\B': 'inside' };
const SINGLE =
  /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/iuy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const WORD = /^\w$/u;

let steps = 0;

/** Begin a check: what patterns may take is counted for the whole of it. */
export const beginCheck = (): void => {
  steps = 0;
};

/** A function of a text: whether a pattern (https://json-schema.org/draft/2020-12/json-schema-core#section-6.4) matches some
 *  part of it. Throws `SyntaxError` for what is no pattern, `TypeError` for what is not supported; the function throws
 *  `TypeError` if the check takes too long. */
export function compilePattern(pattern: string): (text: string) => boolean {
  new RegExp(pattern, 'u');
  if (pattern.length > MAX_CHARACTERS) throw new TypeError(`a pattern has more than ${MAX_CHARACTERS} characters`);
  const program: Program = [];
  emit(new Parser(pattern).alternatives(), program);
  add(program, { op: 'match' });
  return (text) => matches(program, Array.from(text));
}

/** Of patterns that JavaScript has found valid. */
class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  alternatives(): Node {
    const choices = [this.#sequence()];
    while (this.#take('|')) choices.push(this.#sequence());
    return { choices };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text.charAt(this.#at))) parts.push(this.#quantified());
    return { parts };
  }

  #quantified(): Node {
    const body = this.#atom();
    const found = this.#match(QUANTIFIER);
    if (!found) return body;
    const [, symbol, least, comma, most] = found;
    const min = symbol ? Number(symbol === '+') : Number(least);
    const max = symbol ? (symbol === '?' ? 1 : Infinity) : comma ? (most ? Number(most) : Infinity) : min;
    if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw new TypeError('a pattern repeats too often');
    return { body, min, max };
  }

  #atom(): Node {
    if (this.#take('(')) {
      if (this.#take('?') && !this.#take(':') && !this.#match(/<[^=!>][^>]*>/uy)) {
        throw new TypeError('a pattern looks ahead or behind');
      }
      const inner = this.alternatives();
      this.#take(')');
      return inner;
    }
    const [source] = this.#match(SINGLE) ?? [];
    if (source === undefined) throw new SyntaxError('a pattern has no end');
    const test = Object.hasOwn(ZERO_WIDTH, source) ? ZERO_WIDTH[source] : undefined;
    if (test) return { test };
    if (/^\\[1-9k]/u.test(source)) throw new TypeError('a pattern refers back to a group');
    const one = new RegExp(`^${source}$`, 'u');
    return { character: (each) => one.test(each) };
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}

function add<T extends Instruction>(program: Program, instruction: T): T {
  if (program.push(instruction) > MAX_SIZE) throw new TypeError('a pattern is too large');
  return instruction;
}

/** The targets of jumps are not known before the instructions between. */
const jump = (program: Program, op: Jump['op']): Jump => add(program, { op, to: 0 });

/** Append what matches a node. */
function emit(node: Node, program: Program): void {
  if ('choices' in node) {
    const ends: Jump[] = [];
    node.choices.forEach((choice, index) => {
      const fork = index < node.choices.length - 1 ? jump(program, 'fork') : null;
      emit(choice, program);
      if (!fork) return;
      ends.push(jump(program, 'jump'));
      fork.to = program.length;
    });
    for (const each of ends) each.to = program.length;
  } else if ('parts' in node) {
    for (const part of node.parts) emit(part, program);
  } else if ('body' in node) {
    const { body, min, max } = node;
    for (let count = 0; count < min; count++) emit(body, program);
    const forks: Jump[] = [];
    const again = program.length;
    for (let count = min; count < (max === Infinity ? min + 1 : max); count++) {
      forks.push(jump(program, 'fork'));
      emit(body, program);
    }
    if (max === Infinity) jump(program, 'jump').to = again;
    for (const fork of forks) fork.to = program.length;
  } else if ('test' in node) add(program, { op: node.test });
  else add(program, { op: 'character', character: node.character });
}

function matches(program: Program, characters: string[]): boolean {
  let current = new Set<number>();
  for (const [at, character] of characters.entries()) {
    if (follow(program, 0, at, characters, current)) return true; // a match may begin anywhere
    const next = new Set<number>();
    for (const position of current) {
      const instruction = program[position];
      if (instruction?.op !== 'character' || !instruction.character(character)) continue;
      if (follow(program, position + 1, at + 1, characters, next)) return true;
    }
    current = next;
  }
  return follow(program, 0, characters.length, characters, current);
}

/** Add all instructions that are reached from `position` without a character. Returns whether the match is complete. */
function follow(program: Program, position: number, at: number, characters: string[], reached: Set<number>): boolean {
  const open = [position];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const instruction = program[next];
    if (!instruction || reached.has(next)) continue;
    if (++steps > MAX_STEPS) throw new TypeError('the patterns of the schema take too long for this text');
    reached.add(next);
    const { op } = instruction;
    if (op === 'match') return true;
    if (op === 'jump') open.push(instruction.to);
    else if (op === 'fork') open.push(instruction.to, next + 1);
    else if (op !== 'character' && holds(op, at, characters)) open.push(next + 1);
  }
  return false;
}

function holds(op: Edge, at: number, characters: string[]): boolean {
  if (op === 'start') return at === 0;
  if (op === 'end') return at === characters.length;
  const isEdge = WORD.test(characters[at - 1] ?? '') !== WORD.test(characters[at] ?? '');
  return isEdge === (op === 'edge');
}
