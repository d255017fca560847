/** The library with a method for every command: the entry point `api` of this package. */

import { OrynMethods } from "./commands/index.js";
import type { Target } from "./commands/caller.js";
import { ProtocolMismatch } from "./errors.js";
import { Expectation } from "./expectation.js";
import { Oryn as LineClient, type Options } from "./oryn.js";
import { Result, type AnswerRecord } from "./result.js";

export * from "./results.js";
export type { Duration, TaggedTarget, Target } from "./commands/caller.js";
export * from "./errors.js";
export { Expectation } from "./expectation.js";
export { Result, type Change } from "./result.js";
export type { Mode, Place } from "./oryn.js";

export interface ApiOptions extends Options {
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
  readonly #client: LineClient;
  readonly #session: string | undefined;
  readonly #raises: boolean;

  /** @throws ConfigurationError for what can't be */
  constructor(options: ApiOptions = {}) {
    super();
    const shared = options as { readonly client?: LineClient; readonly own?: string | undefined };
    this.#client = shared.client ?? new LineClient(options);
    this.#session = shared.own;
    this.#raises = options.raises ?? true;
  }

  /** Start the engine, or wait for the browser, and return the client itself. @throws what the client of lines throws */
  async connect(session?: string): Promise<this> {
    await this.#client.connect(session);
    return this;
  }

  /** End the engine, or the connection. Safe to call twice. */
  close(): Promise<void> {
    return this.#client.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A client of the same engine with other options: another session, or without thrown errors. */
  withOptions({ session = this.#session, raises = this.#raises }: { session?: string; raises?: boolean }): Oryn {
    return new Oryn({ client: this.#client, own: session, raises } as ApiOptions);
  }

  /** The text of the answer to one line, also if it is `error …`. */
  send(line: string): Promise<string> {
    return this.#client.send(this.#session === undefined ? line : `@${this.#session} ${line}`);
  }

  /** Run one line of the language, such as `wait visible "Done"`. @throws CommandError */
  run(line: string): Promise<Result<unknown>> {
    return this.#request({ line });
  }

  /** Checks that wait until they are true: `await oryn.expect("Saved").toBeVisible()`. */
  expect(target: Target): Expectation {
    return new Expectation(this.withOptions({ raises: true }), target);
  }

  /** @internal */
  protected call<Data>(action: string, args: object): Promise<Result<Data>> {
    const passed = Object.entries(args).filter(([, value]) => value !== undefined && value !== false);
    return this.#request({ action, args: Object.fromEntries(passed.map(([name, value]) => [snake(name), value])) });
  }

  async #request<Data>(request: object): Promise<Result<Data>> {
    const session = this.#session === undefined ? {} : { session: this.#session };
    const result = new Result<Data>(recordOf(await this.#client.send(JSON.stringify({ ...request, ...session }))));
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
