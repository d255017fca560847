/**
 * The messages between the extension and a server (docs/spec/extension-protocol.md#messages): text frames, `<id>:<content>`. What both
 * ends say about the connection itself has the id 0: a word, and fields with percent-encoded values.
 */

import { MalformedMessage, ProtocolMismatch } from "../errors.js";
import { PROTOCOL_VERSION } from "../ready.js";
import { readFile, type SentFile } from "./files.js";

/** Characters of a message to the extension, and to the server. */
export const COMMAND_LIMIT = 1024 * 1024;
export const ANSWER_LIMIT = 48 * 1024 * 1024;
/** Characters of a message with the id 0. */
const FIELDS_LIMIT = 4096;

const FORMS = {
  pairing: /^[0-9a-f]{32}$/,
  nonce: /^[0-9a-f]{32}$/,
  key: /^[0-9a-f]{8}$/,
  secret: /^[0-9a-f]{64}$/,
};

export interface Message {
  readonly id: number;
  readonly content: string;
}

/** What an extension says about itself first; `nonce` is to be answered with a proof. */
export interface Registration {
  readonly kind: "register";
  readonly protocol: number;
  readonly engine: string;
  readonly extension: string;
  readonly browser: string;
  readonly nonce: string | undefined;
  readonly key: string | undefined;
  readonly reconnected: boolean;
}

/** The extension has verified us. `proof` answers our nonce, `key` and `secret` are for later where a code was used. */
export interface Paired {
  readonly kind: "paired";
  readonly proof: string | undefined;
  readonly key: string | undefined;
  readonly secret: string | undefined;
}

export type Control =
  | Registration
  | Paired
  | SentFile
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "ping" }
  | { readonly kind: "unknown" };

/** @throws MalformedMessage */
export function readMessage(frame: string): Message {
  const found = /^(0|[1-9][0-9]{0,15}):/.exec(frame);
  const id = Number(found?.[1]);
  if (found === null || !Number.isSafeInteger(id)) throw new MalformedMessage("a message without an id");
  return { id, content: frame.slice(found[0].length) };
}

/** What a message with the id 0 says; a word that is not known is to be ignored. @throws MalformedMessage */
export function readControl(content: string): Control {
  const word = /^\S*/.exec(content)?.[0] ?? "";
  if (word === "file") return readFile(content.slice(word.length + 1));
  if (!["register", "paired", "error", "ping"].includes(word)) return { kind: "unknown" };
  if (content.length > FIELDS_LIMIT) throw new MalformedMessage(`a '${word}' of ${content.length} characters`);
  const rest = content.slice(word.length).trim();
  if (word === "register") return registration(fieldsOf(rest));
  if (word === "paired") return paired(fieldsOf(rest));
  return word === "error" ? { kind: "error", message: rest } : { kind: "ping" };
}

/** Newer extensions are welcome, older ones lack what we need. @throws ProtocolMismatch */
export function requireVersion(protocol: number): void {
  if (protocol >= PROTOCOL_VERSION) return;
  const message = `unsupported protocol version ${protocol}, require ${PROTOCOL_VERSION}+`;
  throw new ProtocolMismatch(message, "Update the Oryn extension.");
}

/** The message that refuses. */
export function failed(message: string): string {
  return `0:error ${message}`;
}

/** A message with the id 0; fields without a value are left out. */
export function control(word: string, fields: Readonly<Record<string, string | undefined>> = {}): string {
  const serialized = Object.entries(fields).map(([name, value]) =>
    value === undefined ? "" : ` ${name}=${encodeURIComponent(value)}`,
  );
  return `0:${word}${serialized.join("")}`;
}

function registration(fields: ReadonlyMap<string, string>): Registration {
  const [engine, extension, browser] = ["engine", "extension", "browser"].map((name) => fields.get(name));
  const protocol = fields.get("protocol") ?? "";
  if (!/^[0-9]{1,9}$/.test(protocol) || !engine || !extension || !browser) {
    throw new MalformedMessage("a registration needs protocol, engine, extension and browser");
  }
  // Version 1 sent another thing as `pairing`.
  const accepted = Number(protocol) >= PROTOCOL_VERSION ? fields : new Map<string, string>();
  return {
    kind: "register",
    protocol: Number(protocol),
    engine,
    extension,
    browser,
    nonce: formed(accepted, "pairing"),
    key: formed(accepted, "key"),
    reconnected: accepted.get("reconnected") === "true",
  };
}

function paired(fields: ReadonlyMap<string, string>): Paired {
  return { kind: "paired", proof: fields.get("proof"), key: formed(fields, "key"), secret: formed(fields, "secret") };
}

function formed(fields: ReadonlyMap<string, string>, name: keyof typeof FORMS): string | undefined {
  const value = fields.get(name);
  if (value !== undefined && !FORMS[name].test(value)) throw new MalformedMessage(`'${name}' is not of its form`);
  return value;
}

/** `name=value` pairs between spaces; words without a `=` are ignored, as unknown names are. */
function fieldsOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(/\s+/)) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const name = part.slice(0, equals);
    if (found.has(name)) throw new MalformedMessage(`'${name.slice(0, 40)}' twice`);
    try {
      found.set(name, decodeURIComponent(part.slice(equals + 1).replace(/%(?![0-9a-f]{2})/gi, "%25")));
    } catch {
      throw new MalformedMessage(`'${name.slice(0, 40)}' is not UTF-8`);
    }
  }
  return found;
}
