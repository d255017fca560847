/** The connection to an engine: it sends lines and requests and returns the answers, and parses neither. */

import { Daemon } from "./daemon.js";
import { within } from "./deadline.js";
import { ConfigurationError, NoAnswer, NotConnected } from "./errors.js";
import { oneLine } from "./framing.js";
import { LocalEngine } from "./local.js";
import { RemoteBrowser } from "./remote/browser.js";
import type { Transport } from "./transport.js";

export type Mode = "headless" | "embedded" | "playwright" | "remote";

/** Where a client's commands run: a mode, whose engine is the client's own, or the daemon, which programs share. */
export type Place = Mode | "daemon";

export interface ConnectionOptions {
  /**
   * `headless` (the default, Chromium), `embedded` (WebKit) or `playwright` (a browser that Playwright drives), whose
   * engine is started as a process; `remote`: a server on this computer, to which the extension in the user's own
   * browser connects; or `daemon`: the sessions of the user's daemon, which the command line uses too. It is started
   * if it does not run, and its sessions stay open when the client closes.
   */
  readonly mode?: Place | undefined;
  /** The first session's name, else that of ORYN_SESSION, else `default`. */
  readonly session?: string | undefined;
  /** The engine's program, where it is not to be looked for. */
  readonly binary?: string | undefined;
  /** More options of the engine, such as `["--timeout", "60s"]`. */
  readonly arguments?: readonly string[] | undefined;
  /** Where the extension connects to. Default: 8080. */
  readonly port?: number | undefined;
  /** The code that the extension shows, needed once for each browser. */
  readonly pair?: string | undefined;
  /** Seconds that each call may take. Default: as long as it takes, and every command has a limit of its own. */
  readonly timeout?: number | undefined;
}

/** A connection to the engine of a mode, which clients share that `Oryn.withOptions` makes. An answer is never thrown. */
export class EngineConnection {
  readonly #session: string | undefined;
  readonly #timeout: number | undefined;
  readonly #transport: Transport;
  #isConnected = false;

  /** @throws ConfigurationError for invalid options */
  constructor(options: ConnectionOptions = {}) {
    check(options);
    this.#session = options.session;
    this.#timeout = options.timeout;
    this.#transport = transportOf(options);
  }

  /** As `Oryn.connect`. */
  async connect(session: string | undefined = this.#session): Promise<void> {
    if (this.#isConnected) {
      throw new ConfigurationError("the client is connected already", "Call close() first, or make another client.");
    }
    this.#isConnected = true;
    try {
      await this.#limited("the engine did not get ready", () => this.#transport.connect(session));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** As `Oryn.send`, for a line or a request. */
  async send(command: string): Promise<string> {
    const line = oneLine(command);
    if (!this.#isConnected) throw new NotConnected("the client is not connected");
    return this.#limited("no answer", (abandoned) => this.#transport.ask(line, abandoned));
  }

  /** End the engine, or the server, and with it what is under way. The daemon goes on. Safe to call twice. */
  async close(): Promise<void> {
    this.#isConnected = false;
    await this.#transport.close();
  }

  async #limited<T>(what: string, call: (abandoned: AbortSignal) => Promise<T>): Promise<T> {
    const seconds = this.#timeout;
    const limit = new AbortController();
    if (seconds === undefined) return call(limit.signal);
    return within(seconds, call(limit.signal), () => {
      limit.abort();
      return new NoAnswer(`${what} within ${seconds} s`);
    });
  }
}

function transportOf({ mode = "headless", binary, arguments: words, port = 8080, pair }: ConnectionOptions): Transport {
  if (mode === "daemon") return new Daemon(binary);
  return mode === "remote" ? new RemoteBrowser(port, pair) : new LocalEngine(mode, binary, words);
}

/** What a compiler does not see, or nobody has asked one. */
function check({ mode = "headless", arguments: words = [], port = 8080, timeout = 1 }: ConnectionOptions): void {
  if (!["headless", "embedded", "playwright", "remote", "daemon"].includes(mode)) {
    const hint = "It may be headless, embedded, playwright or remote, or daemon.";
    throw new ConfigurationError(`the mode can't be '${mode}'`, hint);
  }
  if (mode === "daemon" && process.platform === "win32") {
    throw new ConfigurationError("this system has no sockets by which to reach the daemon", "Use an engine of its own.");
  }
  if (!Array.isArray(words)) {
    throw new ConfigurationError("the arguments are no array", 'Give one: arguments: ["--timeout", "60s"].');
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ConfigurationError(`the port can't be ${port}`, "It may be 1 to 65535.");
  }
  // Node's timers count milliseconds in 31 bits.
  if (!(timeout > 0 && timeout <= 2_147_483)) {
    throw new ConfigurationError(`the timeout can't be ${timeout}`, "It is in seconds, and more than 0.");
  }
}
