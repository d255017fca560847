/**
 * The line protocol's framing: a stream of text into answers. An answer is its lines, then a line that is exactly
 * `---`. A line of an answer that is itself backslashes and `---` comes with one backslash more than was meant.
 */

import { UnexpectedInput } from "./errors.js";

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const TERMINATOR = "---";
const ESCAPED = /^\\(\\*---)$/;

/** A string of the language that means `text`, whatever is in it. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`;
}

/** A command, where it is one line of text that can be sent. @throws UnexpectedInput */
export function oneLine(command: string): string {
  if (/[\n\r]/.test(command)) {
    const hint = "Send one command at a time. Inside a string, \\n is a line break; quote(text) writes such a string.";
    throw new UnexpectedInput("a line break in a command", hint);
  }
  if (/\p{Surrogate}/u.test(command)) throw new UnexpectedInput("half a character", "Send commands as Unicode text.");
  return command;
}

/** Cuts what an engine writes into the answers in it. Pieces may end anywhere, also inside a line. */
export class AnswerSplitter {
  #lines: string[] = [];
  #unfinished: string[] = [];
  #size = 0;

  /** How many characters there are of an answer that is not whole yet. */
  get size(): number {
    return this.#size;
  }

  /** Its first line, or what there is of that. */
  get beginning(): { readonly text: string; readonly isWhole: boolean } {
    const [first] = this.#lines;
    return { text: first ?? this.#unfinished.join(""), isWhole: first !== undefined };
  }

  /** The answers that are whole with this piece, unescaped, in order. */
  *feed(piece: string): Generator<string> {
    const parts = piece.split("\n");
    const rest = parts.pop();
    for (const part of parts) {
      this.#size += part.length + 1;
      const line = this.#take(part);
      if (line === TERMINATOR) {
        yield this.#lines.join("\n");
        this.#lines = [];
        this.#size = 0;
      } else {
        this.#lines.push(line.replace(ESCAPED, "$1"));
      }
    }
    if (rest) this.#unfinished.push(rest);
    this.#size += rest?.length ?? 0;
  }

  #take(end: string): string {
    const line = this.#unfinished.join("") + end;
    this.#unfinished = [];
    return line;
  }
}
