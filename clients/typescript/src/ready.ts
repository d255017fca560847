/** Versions of the protocol: the line protocol's and the extension's are one number
 *  (docs/spec/line-protocol.md#protocol-versions). */

import { DISTRIBUTION } from "./discovery.js";
import { EngineFailed, ProtocolMismatch } from "./errors.js";

/** 2 added named sessions. A newer engine is welcome, an older one lacks what this client needs. */
export const PROTOCOL_VERSION = 2;

/** What an engine says of itself first. */
export interface Ready {
  readonly engine: string;
  readonly version: string;
  readonly protocol: number;
}

/**
 * Read an engine's first answer, such as `ready oryn-h v0.1.0 protocol=2`. Without a number it is version 1.
 * @throws EngineFailed where it is none, ProtocolMismatch where its version is too old
 */
export function readReady(line: string): Ready {
  const [, engine, version, rest = ""] = /^ready (\S+) v(\S+)((?: \S+=\S*)*)$/.exec(line) ?? [];
  const protocol = / protocol=(\S*)/.exec(rest)?.[1] ?? "1";
  if (engine === undefined || version === undefined || !/^[0-9]{1,9}$/.test(protocol)) {
    const said = JSON.stringify(line.slice(0, 200));
    throw new EngineFailed(`the program said ${said}, and not that it is ready`, "Is 'binary' an engine of Oryn's?");
  }
  if (Number(protocol) < PROTOCOL_VERSION) {
    throw new ProtocolMismatch(
      `the engine ${engine} ${version} speaks protocol ${protocol}, and ${PROTOCOL_VERSION} is needed`,
      `Update it: pip install --upgrade ${DISTRIBUTION}.`,
    );
  }
  return { engine, version, protocol: Number(protocol) };
}
