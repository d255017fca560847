/** Oryn: the browser for AI agents. */

export {
  BackendUnavailable,
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
export { Oryn, type Mode, type Options, type Place } from "./oryn.js";
export { quote } from "./quoting.js";
