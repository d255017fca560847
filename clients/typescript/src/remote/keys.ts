/**
 * The keys by which a server and the extensions that it has been paired with know each other again: one file of the
 * user's, 0600, which every server of theirs reads at each registration, also those in Python.
 *
 *     {"version": 1, "keys": {"3f9a1c20": {"secret": "<64 hex>", "browser": "Chrome/156.0.8078.79",
 *      "since": "2026-11-22T08:00:00Z", "last_used": "2026-11-22T09:00:00Z", "port": 8080}}}
 *
 * A key is good at the port of the server that was paired: a program that listens where the extension calls, when that
 * server does not run, could else have another server of the user's prove for it.
 */

import { readFileSync } from "node:fs";

import { exclusively } from "../exclusive.js";
import { writePrivate } from "../private_file.js";

const VERSION = 1;
/** Those used longest ago give way. */
const MAX_KEYS = 100;
const MAX_NAME_LENGTH = 200;

interface Row {
  readonly secret: string;
  readonly browser: string;
  readonly since: string;
  readonly last_used: string;
  readonly port?: unknown;
}

type Rows = Readonly<Record<string, Row>>;

/** The file's keys. Nothing is held: another process may have written it in the meantime. */
export class Keys {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The secret of a key, where it is good at `port`. A damaged file has none; what is right in it is still used. */
  find(id: string, port?: number): string | undefined {
    const row = this.#read()[id];
    const isElsewhere = typeof row?.port === "number" && port !== undefined && row.port !== port;
    return isElsewhere ? undefined : row?.secret;
  }

  /** A browser was paired. @throws Error of the file system */
  keep(id: string, secret: string, browser: string, port?: number): void {
    const now = time();
    const row = { secret, browser: browser.slice(0, MAX_NAME_LENGTH), since: now, last_used: now, port };
    this.#alone(() => this.#write({ ...this.#read(), [id]: row }));
  }

  /** A browser has come with its key. @throws Error of the file system */
  used(id: string, browser: string): void {
    this.#alone(() => {
      const rows = this.#read();
      const row = rows[id];
      if (row) this.#write({ ...rows, [id]: { ...row, browser: browser.slice(0, MAX_NAME_LENGTH), last_used: time() } });
    });
  }

  /** No other process, in Python or here, changes the file meanwhile. */
  #alone(act: () => void): void {
    exclusively(`${this.#file}.taken`, act);
  }

  #read(): Rows {
    let data: unknown;
    try {
      data = JSON.parse(readFileSync(this.#file, "utf8"));
    } catch {
      return {};
    }
    const { version, keys } = (data ?? {}) as { version?: unknown; keys?: unknown };
    if (version !== VERSION || typeof keys !== "object" || keys === null) return {};
    return Object.fromEntries(Object.entries(keys).filter((entry): entry is [string, Row] => isKey(...entry)));
  }

  #write(rows: Rows): void {
    const latest = Object.entries(rows)
      .sort(([, one], [, other]) => (one.last_used < other.last_used ? -1 : 1))
      .slice(-MAX_KEYS);
    writePrivate(this.#file, `${JSON.stringify({ version: VERSION, keys: Object.fromEntries(latest) }, null, 1)}\n`);
  }
}

function isKey(id: string, row: unknown): boolean {
  const { secret, browser, since, last_used } = (row ?? {}) as Record<string, unknown>;
  const texts = [secret, browser, since, last_used].every((value) => typeof value === "string");
  return texts && /^[0-9a-f]{8}$/.test(id) && /^[0-9a-f]{64}$/.test(String(secret));
}

function time(): string {
  return new Date().toISOString().replace(/\.[0-9]+Z$/, "Z");
}
