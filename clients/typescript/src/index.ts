/** Oryn: the browser for AI agents. */

export type { Duration, TaggedTarget, Target } from "./caller.js";
export type { Mode, Place } from "./connection.js";
export {
  BackendUnavailable,
  CommandError,
  ConfigurationError,
  ConnectionLost,
  DaemonFailed,
  EngineFailed,
  EngineNotFound,
  FileError,
  InvalidValue,
  NoAnswer,
  NotConnected,
  OrynError,
  PairingFailed,
  PairingRequired,
  ProtocolMismatch,
  UnexpectedInput,
} from "./errors.js";
export { Expectation } from "./expectation.js";
export { quote } from "./framing.js";
export { Oryn, type Options } from "./oryn.js";
export { Result, type Change } from "./result.js";
export * from "./_generated/results.js";
