/** The client: it carries lines of the Intent Language to an engine and answers back, and reads neither. */

import { Daemon } from "./daemon.js";
import { within } from "./deadline.js";
import { ConfigurationError, NoAnswer, NotConnected } from "./errors.js";
import { oneLine } from "./framing.js";
import { LocalEngine } from "./local.js";
import { name, quote, target, url } from "./quoting.js";
import { RemoteBrowser } from "./remote/browser.js";
import type { Transport } from "./transport.js";

export type Mode = "headless" | "embedded" | "playwright" | "remote";

/** Where a client's commands run: a mode, whose engine is the client's own, or the daemon, which programs share. */
export type Place = Mode | "daemon";

export interface Options {
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

/**
 * A browser that is driven in the Intent Language.
 *
 *     const oryn = new Oryn();
 *     await oryn.connect();
 *     await oryn.send("goto example.com");
 *     console.log(await oryn.send("observe"));
 *     await oryn.close();
 *
 * What an engine answers, also `error …`, is an answer. What is thrown is an `OrynError`: there is none.
 */
export class Oryn implements AsyncDisposable {
  readonly #session: string | undefined;
  readonly #timeout: number | undefined;
  readonly #transport: Transport;
  #isConnected = false;

  /** @throws ConfigurationError for what can't be */
  constructor(options: Options = {}) {
    check(options);
    this.#session = options.session;
    this.#timeout = options.timeout;
    this.#transport = transportOf(options);
  }

  /**
   * Start the engine and wait until it is ready; in mode `remote`, until the extension is connected; in mode `daemon`,
   * find the daemon or start it.
   * @throws EngineNotFound, which says where it was looked for; EngineFailed, ProtocolMismatch, PairingFailed, NoAnswer,
   * DaemonFailed
   */
  async connect(session: string | undefined = this.#session): Promise<this> {
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
    return this;
  }

  /**
   * The answer to one command, as the engine wrote it. Commands that are sent at once are done in the order in which
   * they were sent.
   *
   * Where the engine goes away, what was under way is rejected and not sent again; the next call starts it again, or
   * waits for the browser to come back.
   * @throws UnexpectedInput for more than a line, ConnectionLost, NotConnected, NoAnswer, and what `connect` throws
   */
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // --- optional: lines that are written for you ---

  /** `goto <url>` */
  goto(address: string): Promise<string> {
    return this.send(`goto ${url(address)}`);
  }

  /** `observe`: the elements of the page, numbered. */
  observe(): Promise<string> {
    return this.send("observe");
  }

  /**
   * `click <target>`. A number, and what is a target of the language (`@e5`, `email`, `css(".a")`), are that; any other
   * text is the text of an element, and `quote(text)` always is.
   */
  click(what: number | string): Promise<string> {
    return this.send(`click ${target(what)}`);
  }

  /** `type <target> "<text>"`, whatever the text is. */
  type(what: number | string, text: string): Promise<string> {
    return this.send(`type ${target(what)} ${quote(text)}`);
  }

  /** `sessions` */
  listSessions(): Promise<string> {
    return this.send("sessions");
  }

  /** `session`: the current one. */
  getSession(): Promise<string> {
    return this.send("session");
  }

  /** `session new <name>`; lines for it begin with `@name`. */
  newSession(session: string, mode?: Mode): Promise<string> {
    return this.send(`session new ${name(session)}${mode === undefined ? "" : ` --mode ${name(mode)}`}`);
  }

  /** `session close <name>` */
  closeSession(session: string): Promise<string> {
    return this.send(`session close ${name(session)}`);
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

function transportOf({ mode = "headless", binary, arguments: words, port = 8080, pair }: Options): Transport {
  if (mode === "daemon") return new Daemon(binary);
  return mode === "remote" ? new RemoteBrowser(port, pair) : new LocalEngine(mode, binary, words);
}

/** What a compiler does not see, or nobody has asked one. */
function check({ mode = "headless", arguments: words = [], port = 8080, timeout = 1 }: Options): void {
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
