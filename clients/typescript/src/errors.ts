/**
 * What can go wrong between a program and an engine, as one tree. To the client of lines, what goes
 * wrong in a page is no error: it is an answer, which begins with `error`. The methods of commands throw it.
 *
 *     OrynError
 *     ├── UnexpectedInput    what was to be sent is not one line          UNEXPECTED_INPUT
 *     ├── InvalidValue       what is given as a pairing code is none      INVALID_VALUE
 *     ├── ConfigurationError an option with a value that it can't have    INVALID_SETTING
 *     ├── EngineNotFound     there is no engine on this computer          ENGINE_NOT_FOUND
 *     ├── EngineFailed       the engine, or the server, did not start     ENGINE_FAILED
 *     ├── DaemonFailed       the user's daemon did not start              DAEMON_FAILED
 *     ├── ProtocolMismatch   the other end is too old                     PROTOCOL_MISMATCH
 *     ├── MalformedMessage   a message that the protocol does not have    MALFORMED_MESSAGE
 *     ├── FileError          a file that can't be written                 FILE_ERROR
 *     ├── PairingRequired    the extension's code, or a kept key, is due  PAIRING_REQUIRED
 *     ├── PairingFailed      another code, or a key that was revoked      PAIRING_FAILED
 *     ├── BackendUnavailable no browser is connected                      BACKEND_UNAVAILABLE
 *     ├── NotConnected       this client is not connected, or was closed  NOT_CONNECTED
 *     ├── NoAnswer           none within the client's own time limit      NO_ANSWER
 *     ├── ConnectionLost     it went away before it had answered          CONNECTION_LOST
 *     └── CommandError       a command failed                             the command's code
 */

import type { Target } from "./target.js";

/** `code` is stable, for programs; `message` says what happened and to what, `hint` what to do next. */
export class OrynError extends Error {
  readonly code: string = "ORYN_ERROR";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = new.target.name;
    this.hint = hint;
  }
}

export class UnexpectedInput extends OrynError {
  override readonly code = "UNEXPECTED_INPUT";
}

export class InvalidValue extends OrynError {
  override readonly code = "INVALID_VALUE";
}

export class ConfigurationError extends OrynError {
  override readonly code = "INVALID_SETTING";
}

export class EngineNotFound extends OrynError {
  override readonly code = "ENGINE_NOT_FOUND";
}

export class EngineFailed extends OrynError {
  override readonly code = "ENGINE_FAILED";
}

export class DaemonFailed extends OrynError {
  override readonly code = "DAEMON_FAILED";
}

export class ProtocolMismatch extends OrynError {
  override readonly code = "PROTOCOL_MISMATCH";
}

export class MalformedMessage extends OrynError {
  override readonly code = "MALFORMED_MESSAGE";

  constructor(message: string) {
    super(message, "docs/spec/extension-protocol.md describes the messages.");
  }
}

export class FileError extends OrynError {
  override readonly code = "FILE_ERROR";
}

export class PairingRequired extends OrynError {
  override readonly code = "PAIRING_REQUIRED";

  constructor() {
    super("pairing required", "Give the code that the extension's popup shows as 'pair'.");
  }
}

export class PairingFailed extends OrynError {
  override readonly code = "PAIRING_FAILED";

  constructor(hint = "Make a new code in the extension's popup, and give it as 'pair'.") {
    super("pairing failed", hint);
  }
}

export class BackendUnavailable extends OrynError {
  override readonly code = "BACKEND_UNAVAILABLE";
}

export class NotConnected extends OrynError {
  override readonly code = "NOT_CONNECTED";

  constructor(message: string) {
    super(message, "Call connect() first.");
  }
}

/** What was sent may still be done. */
export class NoAnswer extends OrynError {
  override readonly code = "NO_ANSWER";

  constructor(message: string) {
    super(message, "Give the client a longer timeout, or none: every command has a limit of its own.");
  }
}

/** Whether the command was done nobody knows. It is never sent again. */
export class ConnectionLost extends OrynError {
  override readonly code = "CONNECTION_LOST";

  constructor(message: string) {
    super(message, "What was under way may have been done, and is not sent again: look before you repeat it.");
  }
}

/** A command that failed, thrown by the methods of commands: `code` is one of docs/errors.md. */
export class CommandError extends OrynError {
  override readonly code: string;
  /** The command as a line, with secrets masked; undefined for an expectation. */
  readonly command: string | undefined;
  /** The target that the method was called with. */
  target: Target | undefined;

  constructor(code: string, message: string, hint: string, command?: string, target?: Target) {
    super(message, hint);
    this.code = code;
    this.command = command;
    this.target = target;
  }

  /** What happened, to what, and what to do next. */
  override toString(): string {
    const parts = [`${this.message} (${this.code})`];
    if (this.command !== undefined) parts.push(`command: ${this.command}`);
    if (this.hint) parts.push(`hint: ${this.hint}`);
    return parts.join("\n");
  }
}

/** What an error may tell of a line: what follows the verb may be a secret. */
export function verbOf(line: string): string {
  const [, action] = /^\s*\{"action":"(\w+)"/.exec(line) ?? [];
  const verb = action ?? line.split(/\s+/).find((word) => word && !word.startsWith("@")) ?? "";
  return verb.startsWith("{") ? "request" : verb.slice(0, 40);
}
