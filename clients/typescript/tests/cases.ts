/** The cases that the tests of every language's client run: `tests/clients/protocol.json`. */

import { readFileSync } from "node:fs";

export interface Fails {
  readonly fails?: string;
  readonly has?: readonly string[];
  readonly hint_has?: readonly string[];
  readonly has_not?: readonly string[];
}

export interface Call extends Fails {
  readonly connect?: true;
  readonly send?: string;
  readonly answer?: string;
  readonly answer_is_not?: string;
}

interface Cases {
  readonly framing: {
    readonly answers: readonly { wire: string; payload: string }[];
    readonly streams: readonly { pieces: string[]; payloads: string[] }[];
    readonly commands: readonly { command: string; wire?: string; refused?: string }[];
  };
  readonly ready: {
    readonly lines: readonly ({ line: string; engine?: string; version?: string; protocol?: number } & Fails)[];
  };
  readonly quoting: {
    readonly quote: readonly { text: string; written: string }[];
  };
  readonly discovery: {
    readonly cases: readonly ({
      name: string;
      mode: "headless" | "embedded";
      binary?: string;
      path: string[];
      files: string[];
      found?: string[];
    } & Fails)[];
  };
  readonly modes: { readonly refused: readonly ({ name: string; mode: "embedded" } & Fails)[] };
  readonly faults: { readonly cases: readonly { name: string; engine: unknown[]; calls: Call[] }[] };
  readonly remote: {
    readonly frames: readonly ({ frame: string; id?: number; content?: string } & Fails)[];
    readonly registrations: readonly ({ frame: string } & Fails & Record<string, unknown>)[];
    readonly proofs: readonly { secret: string; message: string; proof: string }[];
    readonly replies: readonly {
      name: string;
      code: string | null;
      keys: Record<string, string>;
      frame: string;
      reply?: string;
      reply_begins?: string;
    }[];
  };
  readonly live: {
    readonly cases: readonly { name: string; session?: string; pages: Record<string, string>; steps: Call[] }[];
  };
}

/** The folder of the shared cases, seen from `build`. */
export const SHARED = new URL("../../../tests/clients/", import.meta.url);

export const CASES = JSON.parse(readFileSync(new URL("protocol.json", SHARED), "utf8")) as Cases;
