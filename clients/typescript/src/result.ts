/** The answer to a typed call, with its text for a reader and its data for a program. */

import { readFile } from "node:fs/promises";

import { CommandError, FileError } from "./errors.js";
import type { PageAddress } from "./_generated/results.js";

/**
 * A change of the page that a command has led to. `sign` is `+` (new), `-` (gone), `~` (changed) or `@` (another page);
 * `kind` is `appeared`, `gone`, `changed`, `page`, `url`, `title`, `text`, `dialog`, `tab`, `tab_closed` or `download`;
 * `data` has the rest: `element` or `elements`, `url`, `title`, `text` …
 */
export interface Change {
  readonly sign: "+" | "-" | "~" | "@";
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A change in the record of an answer: its fields stand beside its sign and its kind. */
interface ChangeRecord {
  readonly sign: Change["sign"];
  readonly change: string;
  readonly [field: string]: unknown;
}

/** The record of an answer, as the engine sends it: the form of `output json`, with the answer's text. */
export interface AnswerRecord {
  readonly ok: boolean;
  readonly command: string;
  readonly text: string;
  readonly page?: PageAddress;
  readonly elements?: readonly object[];
  readonly patterns?: object;
  readonly more?: number;
  readonly tools?: readonly string[];
  readonly result?: unknown;
  readonly notes?: readonly string[];
  readonly changes?: readonly ChangeRecord[];
  readonly more_changes?: number;
  readonly meanwhile?: readonly ChangeRecord[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string | null };
}

export class Result<Data> {
  /** Whether the command succeeded. */
  readonly ok: boolean;
  /** The command as it is written in a line, with secrets masked. */
  readonly command: string;
  /** The whole answer for a reader, as `send` returns it. */
  readonly text: string;
  /** The result, of the type that the method declares; null if the command has none. */
  readonly data: Data;
  /** The page that the command has opened, led to, or looked at. */
  readonly page: PageAddress | undefined;
  readonly changes: readonly Change[];
  /** How many further changes the answer leaves out. */
  readonly moreChanges: number;
  /** What had changed before the command. */
  readonly meanwhile: readonly Change[];
  readonly notes: readonly string[];
  /** Why the command failed. */
  readonly error: CommandError | undefined;

  constructor(record: AnswerRecord) {
    const { ok, command, text, page, result = null, notes = [], changes = [], meanwhile = [], error } = record;
    this.changes = changes.map(changeOf);
    this.meanwhile = meanwhile.map(changeOf);
    const led = [...this.changes].reverse().find(({ kind }) => kind === "page")?.data;
    this.ok = ok;
    this.command = command;
    this.text = text;
    this.data = (record.elements ? observed(record) : result) as Data;
    this.page = page ?? (led && { url: String(led["url"]), title: String(led["title"]) });
    this.moreChanges = record.more_changes ?? 0;
    this.notes = notes;
    this.error = error && new CommandError(error.code, error.message, error.hint ?? "", command);
  }

  /** The files that the command has written: its own, then finished downloads. */
  get files(): readonly string[] {
    const own = (this.data as { readonly path?: unknown } | null)?.path;
    const downloads = this.changes.filter(({ kind }) => kind === "download").map(({ data }) => data["path"]);
    return [own, ...downloads].filter((path) => typeof path === "string");
  }

  /** The first of `files`. @throws FileError if there is none */
  get path(): string {
    const [path] = this.files;
    if (path === undefined) {
      throw new FileError(`'${this.command}' has written no file`, "A picture, a PDF and a download have one.");
    }
    return path;
  }

  /** The content of `path`. */
  readBytes(): Promise<Buffer> {
    return readFile(this.path);
  }

  toString(): string {
    return this.text;
  }

  /** What `console.log` shows. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.text;
  }
}

function changeOf({ sign, change, ...data }: ChangeRecord): Change {
  return { sign, kind: change, data };
}

function observed({ page, elements, patterns, more, tools }: AnswerRecord): object {
  return { ...page, elements, patterns, more, ...(tools && { tools }) };
}
