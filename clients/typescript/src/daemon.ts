/**
 * The sessions of the user's daemon, over its socket (docs/daemon.md). The daemon is started if it does not run. If the
 * environment names another daemon, its sessions are used (docs/access.md#clients).
 */

import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { findCommand } from "./discovery.js";
import { CommandError, ConfigurationError, ConnectionLost, DaemonFailed, NotConnected, OrynError, verbOf } from "./errors.js";
import { daemonFolders } from "./paths.js";
import { openRemote, remoteDaemon, remoteError } from "./remote.js";
import type { Transport } from "./transport.js";

const PROTOCOL = "1";
/** How many daemons a command is sent to: one that is shutting down takes none. */
const MAX_ATTEMPTS = 10;
/** The status of a daemon that accepts no more commands. */
const STATUS_ENDING = 503;
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

/** No daemon runs, so nobody has the request. */
class DaemonNotRunning extends Error {}

/** The daemon is shutting down and did not take the request, so the command did not run. */
class RequestNotTaken extends Error {}

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
    if (!(await isRunning())) await start(this.#binary); // of a remote daemon, `isRunning` throws
  }

  ask(line: string, abandoned?: AbortSignal): Promise<string> {
    if (this.#session === undefined) return Promise.reject(new NotConnected("the client was closed"));
    const isRequest = line.trimStart().startsWith("{");
    const about = isRequest ? (JSON.parse(line) as { session?: string }) : { line };
    const session = ("session" in about && about.session) || this.#session;
    const queue = (!isRequest && ADDRESSED.exec(line)?.[1]) || session;
    const folder = remoteDaemon() === undefined ? process.cwd() : undefined; // of this computer
    const envelope = JSON.stringify({ protocol_version: PROTOCOL, folder, ...about, session });
    const closing = this.#closing.signal;
    const answer = (this.#last.get(queue) ?? Promise.resolve()).then(async () => {
      if (closing.aborted || abandoned?.aborted) throw new ConnectionLost(`'${verbOf(line)}' was not run`);
      const response = await post(envelope, verbOf(line), [closing, ...(abandoned ? [abandoned] : [])], this.#binary);
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
    if (error instanceof OrynError) throw error;
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

/**
 * Run a command. What a daemon did not take is sent to the next one; what it may have taken is never sent again.
 * @throws ConnectionLost, DaemonFailed, CommandError with the error with which the daemon rejects the request
 */
async function post(
  envelope: string,
  verb: string,
  signals: readonly AbortSignal[],
  binary: string | undefined,
): Promise<DaemonResponse> {
  const approves = (JSON.parse(envelope) as { action?: string }).action === "confirm";
  const send = (): Promise<Received> => exchange("POST", "/command", envelope, signals, approves);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    let received: Received;
    let response: DaemonResponse;
    try {
      received = await sendOrStart(send, binary);
      response = JSON.parse(received.body) as DaemonResponse;
    } catch (error) {
      if (error instanceof RequestNotTaken) continue;
      if (error instanceof OrynError) throw error;
      break;
    }
    if (received.status === 200) return response;
    const { code, message, hint } = errorForm(response);
    throw new CommandError(code, message, hint);
  }
  throw new ConnectionLost(`the daemon ended before it answered '${verb}'`);
}

/** Send a request, to a daemon that is started if none runs. */
async function sendOrStart(send: () => Promise<Received>, binary: string | undefined): Promise<Received> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DaemonNotRunning)) throw error;
  }
  await start(binary);
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DaemonNotRunning)) throw error;
    throw new DaemonFailed("the daemon ended at once", "'oryn daemon logs' may show why.");
  }
}

interface Received {
  readonly status: number;
  readonly body: string;
}

/**
 * One request and its response; a signal ends the connection, and with it the command.
 * @throws DaemonNotRunning, RequestNotTaken, ConfigurationError, else Error if the daemon may have taken the request
 */
async function exchange(
  method: string,
  path: string,
  body: string,
  signals: readonly AbortSignal[] = [],
  approves = false,
): Promise<Received> {
  const remote = remoteDaemon();
  const open = remote === undefined ? await ownDaemon(method, path, approves) : await openRemote(remote, method, path);
  return new Promise((resolve, reject) => {
    const sent = open((answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece)).on("error", reject);
      if (answer.statusCode === STATUS_ENDING) reject(new RequestNotTaken());
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString("utf8") }));
    });
    const end = (): void => void sent.destroy(new Error("abandoned"));
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    sent.once("close", () => signals.forEach((signal) => signal.removeEventListener("abort", end)));
    sent.on("error", (error) => {
      if (remote !== undefined) reject(sent.socket?.bytesRead ? error : remoteError(remote, error));
      else if (isAbsent(error)) reject(new DaemonNotRunning());
      else reject(wasReset(error) && !sent.socket?.bytesRead ? new RequestNotTaken() : error);
    });
    if (signals.some((signal) => signal.aborted)) end();
    else sent.end(body);
  });
}

/** Opens a request whose options are known; the response goes to its argument. */
export type OpenRequest = (received: (answer: IncomingMessage) => void) => ClientRequest;

/**
 * A request to the user's own daemon.
 * @throws DaemonNotRunning, ConfigurationError
 */
async function ownDaemon(method: string, path: string, approves: boolean): Promise<OpenRequest> {
  const { runtime, data } = daemonFolders();
  let token: string;
  try {
    for (const folder of [runtime, dirname(data), data]) await requirePrivate(folder);
    token = (await readFile(join(data, "token"), "ascii")).trim();
  } catch (error) {
    throw isAbsent(error) ? new DaemonNotRunning() : error;
  }
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Host: "localhost",
  };
  // A person's key, which approves a command; no other request has it.
  if (approves) headers["sec-oryn-person"] = (await readFile(join(data, "person-key"), "ascii")).trim();
  const options: RequestOptions = { socketPath: join(runtime, "daemon.sock"), method, path, headers, agent: false };
  return (received) => request(options, received);
}

/** Whether an error of a file or of a connection means that no daemon listens. */
function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ECONNREFUSED";
}

/**
 * Whether the daemon closed the socket with unread input: that resets a Unix socket. If the daemon had read all, the
 * socket is closed normally, which Node reports with the code of a reset, but of no system call.
 */
function wasReset({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall !== undefined && (code === "ECONNRESET" || code === "EPIPE");
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
