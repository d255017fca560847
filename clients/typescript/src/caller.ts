/** The base of the generated classes: what their methods are given, and how they run a command. */

import type { Result } from "./result.js";

export type { TaggedTarget, Target } from "./target.js";

/** Seconds, or a duration of the language: `"500ms"`. */
export type Duration = number | string;

/** Base of the classes with the methods of commands. */
export abstract class CommandCaller {
  /**
   * Run the command of this name in the API vocabulary. Arguments that are undefined or false count as absent.
   * @internal
   */
  protected abstract call<Data>(action: string, args: object): Promise<Result<Data>>;
}
