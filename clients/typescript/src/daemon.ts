/** The sessions of the user's daemon, over its socket (docs/daemon.md). The daemon is started if it does not run. */

import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { findCommand } from "./discovery.js";
import { CommandError, ConfigurationError, ConnectionLost, DaemonFailed, NotConnected, verbOf } from "./errors.js";
import { daemonFolders } from "./paths.js";
import type { Transport } from "./transport.js";

const PROTOCOL = "1";
const ADDRESSED = /^\s*@([\w-]+)\s/;

/** A response of `POST /command`, or why the daemon rejected the request. */
interface DaemonResponse {
  readonly ok: boolean;
  readonly action?: string;
  readonly text?: string;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
  readonly error_kind: string | null;
  readonly hint: string | null;
}

/** A session of the daemon. It stays open, with its pages, when the client closes. */
export class Daemon implements Transport {
  readonly #binary: string | undefined;
  #session: string | undefined;
  /** Ends what is under way. */
  #closing = new AbortController();
  /** The last command of each session: the next one is sent after it, so that they are done in order. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** @param binary the program `oryn`, which starts the daemon */
  constructor(binary?: string) {
    this.#binary = binary;
  }

  async connect(session: string | undefined): Promise<void> {
    this.#session = session ?? (process.env["ORYN_SESSION"] || "default");
    this.#closing = new AbortController();
    if (!(await isRunning())) await start(this.#binary);
  }

  ask(line: string, abandoned?: AbortSignal): Promise<string> {
    if (this.#session === undefined) return Promise.reject(new NotConnected("the client was closed"));
    const isRequest = line.trimStart().startsWith("{");
    const about = isRequest ? (JSON.parse(line) as { session?: string }) : { line };
    const session = ("session" in about && about.session) || this.#session;
    const queue = (!isRequest && ADDRESSED.exec(line)?.[1]) || session;
    const envelope = JSON.stringify({ protocol_version: PROTOCOL, folder: process.cwd(), ...about, session });
    const closing = this.#closing.signal;
    const answer = (this.#last.get(queue) ?? Promise.resolve()).then(async () => {
      if (closing.aborted || abandoned?.aborted) throw new ConnectionLost(`'${verbOf(line)}' was not run`);
      const response = await post(envelope, verbOf(line), [closing, ...(abandoned ? [abandoned] : [])]);
      return isRequest ? JSON.stringify(recordOf(response)) : (response.text ?? "");
    });
    this.#last.set(queue, answer.catch(() => undefined));
    return answer;
  }

  close(): Promise<void> {
    this.#session = undefined;
    this.#closing.abort();
    this.#last.clear();
    return Promise.resolve();
  }
}

/** The record of a response: its data, without the boundary around what comes from a page. */
function recordOf({ ok, action, text, data, ...response }: DaemonResponse): object {
  const { boundary, ...all } = data ?? {};
  const fenced = `page-${String(boundary)}`;
  const { error: said, ...inside } = (all[fenced] ?? {}) as { error?: object };
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => name !== fenced));
  const error = ok ? {} : { error: { ...errorForm(response), ...said } };
  return { command: action, ...fields, ...inside, ok, text, ...error };
}

function errorForm({ error, error_kind: kind, hint }: Pick<DaemonResponse, "error" | "error_kind" | "hint">): {
  code: string;
  message: string;
  hint: string;
} {
  return { code: (kind ?? "internal_error").toUpperCase(), message: error ?? "", hint: hint ?? "" };
}

async function isRunning(): Promise<boolean> {
  try {
    const { status } = await exchange("GET", "/healthz", "");
    return status === 200;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return false;
  }
}

/** @throws DaemonFailed, EngineNotFound */
async function start(binary: string | undefined): Promise<void> {
  const program = findCommand(binary);
  try {
    await promisify(execFile)(program, ["--json", "daemon", "start"]);
  } catch (error) {
    const { stdout = "", message } = error as { stdout?: string; message: string };
    const output = /^\{.*\}$/m.exec(stdout);
    const { error: why, hint } = (output ? JSON.parse(output[0]) : { error: message, hint: null }) as DaemonResponse;
    throw new DaemonFailed(why ?? message, hint ?? "'oryn doctor' may show why.");
  }
}

/** Run a command. @throws ConnectionLost, CommandError with the error with which the daemon rejects the request */
async function post(envelope: string, verb: string, signals: readonly AbortSignal[]): Promise<DaemonResponse> {
  let status = 0;
  let response: DaemonResponse;
  try {
    const approves = (JSON.parse(envelope) as { action?: string }).action === "confirm";
    const received = await exchange("POST", "/command", envelope, signals, approves);
    status = received.status;
    response = JSON.parse(received.body) as DaemonResponse;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConnectionLost(`the daemon ended before it answered '${verb}'`);
  }
  if (status === 200) return response;
  const { code, message, hint } = errorForm(response);
  throw new CommandError(code, message, hint);
}

/** One request and its response; a signal ends the connection, and with it the command. */
async function exchange(
  method: string,
  path: string,
  body: string,
  signals: readonly AbortSignal[] = [],
  approves = false,
): Promise<{ status: number; body: string }> {
  const { runtime, data } = daemonFolders();
  for (const folder of [runtime, dirname(data), data]) await requirePrivate(folder);
  const token = (await readFile(join(data, "token"), "ascii")).trim();
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Host: "localhost",
  };
  // A person's key, which approves a command; no other request has it.
  if (approves) headers["sec-oryn-person"] = (await readFile(join(data, "person-key"), "ascii")).trim();
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: join(runtime, "daemon.sock"), method, path, headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece)).on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString("utf8") }));
    });
    const end = (): void => void sent.destroy(new Error("abandoned"));
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    sent.once("close", () => signals.forEach((signal) => signal.removeEventListener("abort", end)));
    sent.on("error", reject).end(body);
  });
}

/**
 * Others could put a socket of their own into a folder that they can write to, and get the token.
 * @throws ConfigurationError
 */
async function requirePrivate(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.()) {
    throw new ConfigurationError(`${folder} belongs to another user`, "Set ORYN_HOME to a folder of your own.");
  }
  if (mode & 0o022) {
    throw new ConfigurationError(`${folder} can be written to by others`, `If you trust it: chmod go-w ${folder}`);
  }
}
