/**
 * What commands write: the extension sends it, and it lies where the command says, else in a folder of Oryn's own; and
 * what they read, which is sent before them (docs/spec/extension-protocol.md#files).
 */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, join, resolve } from "node:path";

import { FileError, MalformedMessage } from "../errors.js";
import { dataFolder } from "../paths.js";
import { replace, writePrivate } from "../private_file.js";

/** Bytes of a file, and files and bytes of one command. */
const FILE_LIMIT = 32 * 1024 * 1024;
const READ_LIMIT = 700 * 1024;
export const MAX_FILES = 20;
export const MAX_BYTES = 64 * 1024 * 1024;

/** A file that command `id` has written; `name` is a name alone, in no folder. */
export interface SentFile {
  readonly kind: "file";
  readonly id: number;
  readonly name: string;
  readonly content: Buffer;
}

/** An answer, and what its command has written. */
export interface Reply {
  readonly id: number;
  readonly text: string;
  readonly files: readonly SentFile[];
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const PICTURES = [".png", ".jpg", ".jpeg", ".webp"];
/** The commands that name a file to write. */
const WRITING = /^\s*(?:@\S+\s+)?(?:screenshot|export|har)\s/i;
const RECORDING = /^\s*(@\S+\s+)?har\s+"?(start|stop)\b/i;
const READING = /^\s*(?:@\S+\s+)?script\s+add\s/i;
const WORD = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S+)/g;

/** What follows the word `file`: an id, a name and a content in base64. @throws MalformedMessage */
export function readFile(rest: string): SentFile {
  const [id = "", name = "", content = "", ...more] = rest.split(" ");
  if (!/^[1-9][0-9]{0,15}$/.test(id) || !BASE64.test(name) || !BASE64.test(content) || more.length) {
    throw new MalformedMessage("a file that is not in its form");
  }
  const file = { kind: "file", id: Number(id), name: text(name), content: Buffer.from(content, "base64") } as const;
  if (!isFileName(file.name)) throw new MalformedMessage("a file whose name is invalid");
  if (file.content.length > FILE_LIMIT) throw new MalformedMessage(`a file of ${file.content.length} bytes`);
  return file;
}

/**
 * Write what a command has written: the file that its line names where it names it, pictures without a name into our
 * folder; of anything else nothing is kept. The answer's text, with their paths in it.
 * @throws FileError
 */
export function putAway(line: string, { id, text: answer, files }: Reply): string {
  return files.reduce((text, file) => {
    const path = written(line, file);
    if (path === undefined) return text;
    const [sent, real] = [`"/files/${id}/${file.name}"`, JSON.stringify(path)];
    // The record of an answer has the answer's text as a string.
    return text.replaceAll(sent, real).replaceAll(escaped(sent), escaped(real));
  }, answer);
}

/**
 * A line that names the same files as a request (docs/clients.md, The protocol) in the place of a line; a line itself
 * is that line.
 */
export function lineOf(request: string): string {
  if (!request.startsWith("{")) return request;
  const { action, args = {}, line, session } = JSON.parse(request) as Request;
  const address = session === undefined ? "" : `@${session} `;
  if (action === undefined) return `${address}${line}`;
  const named = [args["action"], ...NAMING.map((name) => args[name])].filter((value) => typeof value === "string");
  return `${address}${action.replaceAll("_", " ")} ${named.map((value) => JSON.stringify(value)).join(" ")}`;
}

interface Request {
  readonly action?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly line?: string;
  readonly session?: string;
}

/** The arguments that name a file. */
const NAMING = ["path", "output", "out"];

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The files that a line reads. @throws FileError */
export function readBy(line: string): SentFile[] {
  if (!READING.test(line)) return [];
  const name = words(line).at(-1) ?? "";
  const path = pathOf(name);
  try {
    const content = readFileSync(path);
    if (content.length > READ_LIMIT) throw new Error(`it is larger than ${READ_LIMIT} bytes`);
    return [{ kind: "file", id: 0, name: basename(path), content }];
  } catch (error) {
    throw new FileError(`can't read ${path}: ${(error as Error).message}`, "Name another file.");
  }
}

/** Where the recordings that have begun are to be written: `har stop` needs no path where `har start` had one. */
export class Recordings {
  readonly #begun = new Map<string, string>();

  /** The line that says where a file of this one's lies: itself, or the one that has begun its recording. */
  naming(line: string): string {
    const [, tab = "", action] = RECORDING.exec(line) ?? [];
    const begun = action?.toLowerCase() === "stop" ? this.#begun.get(tab.trim()) : undefined;
    return begun !== undefined && words(line).at(-1)?.toLowerCase() === "stop" ? begun : line;
  }

  /** A line was answered. */
  answered(line: string, answer: string): void {
    const [, tab = "", action] = RECORDING.exec(line) ?? [];
    if (action === undefined || !(answer.startsWith("ok ") || answer.startsWith('{"ok":true'))) return;
    if (action.toLowerCase() === "start") this.#begun.set(tab.trim(), line);
    else this.#begun.delete(tab.trim());
  }
}

/** Whether a text is a name of a file on every system, and in no folder. */
export function isFileName(name: string): boolean {
  const isPlain = !/[\/\\:*?"<>|\u0000-\u001f]/.test(name);
  return isPlain && name.replace(/[. ]/g, "") !== "" && Buffer.byteLength(name) <= 255;
}

function written(line: string, { name, content }: SentFile): string | undefined {
  const named = namedBy(line, name);
  const suffix = extname(name).toLowerCase();
  if (named === undefined && !PICTURES.includes(suffix)) return undefined;
  const path = named ?? join(dataFolder(), "screenshots", `${randomBytes(8).toString("hex")}${suffix}`);
  try {
    if (named === undefined) writePrivate(path, content);
    else replace(path, content);
  } catch (error) {
    throw new FileError(`can't write ${path}: ${(error as Error).message}`, "It is lost; name another and try again.");
  }
  return path;
}

/** The path that a line gives a file of this name, which the browser was told whole and takes for the name alone. */
function namedBy(line: string, name: string): string | undefined {
  if (!WRITING.test(line)) return undefined;
  const path = words(line).find((word) => basename(word) === name);
  return path === undefined ? undefined : pathOf(path);
}

function words(line: string): string[] {
  return [...line.matchAll(WORD)].map(([, double, single, bare]) => unescaped(double ?? single) ?? bare ?? "");
}

function pathOf(word: string): string {
  return resolve(word.replace(/^~(?=[/\\])/, homedir()));
}

function unescaped(inside: string | undefined): string | undefined {
  return inside?.replace(/\\(["'\\])/g, "$1");
}

function text(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
