/** `Oryn`: a browser with a method for every command. */

import { OrynMethods } from "./_generated/index.js";
import type { Target } from "./caller.js";
import { EngineConnection, type ConnectionOptions } from "./connection.js";
import { ProtocolMismatch } from "./errors.js";
import { Expectation } from "./expectation.js";
import { Result, type AnswerRecord } from "./result.js";

export interface Options extends ConnectionOptions {
  /** Whether methods throw the error of a command that fails (the default), or return its result. */
  readonly raises?: boolean | undefined;
}

/**
 * A browser with a method for every command.
 *
 *     const oryn = await new Oryn().connect();
 *     await oryn.goto("example.com");
 *     await oryn.click("Learn more");
 *     console.log((await oryn.title()).data);
 *     await oryn.close();
 *
 * Methods return a `Result` with `text`, `data` and `changes`, and throw a `CommandError` if the command fails.
 */
export class Oryn extends OrynMethods implements AsyncDisposable {
  readonly #connection: EngineConnection;
  readonly #session: string | undefined;
  readonly #raises: boolean;

  /** @throws ConfigurationError for invalid options */
  constructor(options: Options = {}) {
    super();
    const shared = options as { readonly connection?: EngineConnection; readonly own?: string | undefined };
    this.#connection = shared.connection ?? new EngineConnection(options);
    this.#session = shared.own;
    this.#raises = options.raises ?? true;
  }

  /**
   * Start the engine, wait until it is ready and return the client itself; in mode `remote`, wait until the extension
   * is connected; in mode `daemon`, find the daemon or start it.
   * @throws EngineNotFound, which lists the searched places; EngineFailed, ProtocolMismatch, PairingFailed, NoAnswer,
   * DaemonFailed
   */
  async connect(session?: string): Promise<this> {
    await this.#connection.connect(session);
    return this;
  }

  /** End the engine, or the connection. Safe to call twice. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A client of the same engine with other options: another session, or without thrown errors. */
  withOptions({ session = this.#session, raises = this.#raises }: { session?: string; raises?: boolean }): Oryn {
    return new Oryn({ connection: this.#connection, own: session, raises } as Options);
  }

  /**
   * Send one line and return the answer's text as the engine wrote it, also if it is `error …`. Commands that are sent
   * concurrently run in the order in which they were sent.
   *
   * If the engine is lost, commands in progress fail and are not sent again; the next call starts the engine again, or
   * waits for the browser to come back.
   * @throws UnexpectedInput for more than a line, ConnectionLost, NotConnected, NoAnswer, and what `connect` throws
   */
  send(line: string): Promise<string> {
    return this.#connection.send(this.#session === undefined ? line : `@${this.#session} ${line}`);
  }

  /** Run one line of the language, such as `wait visible "Done"`. @throws CommandError */
  run(line: string): Promise<Result<unknown>> {
    return this.#request({ line });
  }

  /** Checks that wait until they are true: `await oryn.expect("Saved").toBeVisible()`. */
  expect(target: Target): Expectation {
    return new Expectation(this.withOptions({ raises: true }), target);
  }

  // The names that clients in every language have for these commands (docs/spec/line-protocol.md#clients).

  /** List the sessions: `sessions`. */
  listSessions(): ReturnType<OrynMethods["sessions"]> {
    return this.sessions();
  }

  /** Show the current session: `session`. */
  getSession(): ReturnType<OrynMethods["session"]> {
    return this.session();
  }

  /** Start a session: `session new <name>`. */
  newSession(...args: Parameters<OrynMethods["sessionNew"]>): ReturnType<OrynMethods["sessionNew"]> {
    return this.sessionNew(...args);
  }

  /** End a session: `session close <name>`. */
  closeSession(name: string): ReturnType<OrynMethods["sessionClose"]> {
    return this.sessionClose(name);
  }

  /** @internal */
  protected call<Data>(action: string, args: object): Promise<Result<Data>> {
    const passed = Object.entries(args).filter(([, value]) => value !== undefined && value !== false);
    return this.#request({ action, args: Object.fromEntries(passed.map(([name, value]) => [snake(name), value])) });
  }

  async #request<Data>(request: object): Promise<Result<Data>> {
    const session = this.#session === undefined ? {} : { session: this.#session };
    const result = new Result<Data>(recordOf(await this.#connection.send(JSON.stringify({ ...request, ...session }))));
    if (result.error) {
      result.error.target = (request as { readonly args?: { readonly target?: Target } }).args?.target;
      if (this.#raises) throw result.error;
    }
    return result;
  }
}

function recordOf(answer: string): AnswerRecord {
  try {
    return JSON.parse(answer) as AnswerRecord;
  } catch {
    throw new ProtocolMismatch("the engine does not answer requests", "It is older than this library: update it.");
  }
}

/** `noSubmit` → `no_submit`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
