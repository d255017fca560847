/** Where the engine's program is: the path that the user gave, `PATH`, then the usual places
 *  (docs/spec/line-protocol.md#finding-an-engine). */

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

import { EngineNotFound } from "./errors.js";

/** The modes that have a process of their own; in mode `remote` the engine is inside the browser's extension. */
export type EngineMode = "headless" | "embedded" | "playwright";

/** How an engine is started: a program, and the words that come before all others. */
export interface Program {
  readonly path: string;
  readonly words: readonly string[];
}

/** Folders to look into. */
export interface Places {
  readonly path: readonly string[];
  readonly home: string;
  readonly local: string;
  /** Where Node itself is: package managers and virtual environments put programs side by side. */
  readonly beside: string;
}

/** What the engine is called on PyPI, as this package is on npm (`oryn` is somebody else's there). */
export const DISTRIBUTION = "oryn-browser";

const OWN_NAMES = { headless: "oryn-h", embedded: "oryn-e", playwright: "oryn-p" } as const;
const COMMON_NAME = "oryn";
const IS_WINDOWS = process.platform === "win32";

/**
 * The program of a mode: `oryn-h`, `oryn-e` or `oryn-p`, else `oryn` with the mode as its first word.
 * @throws EngineNotFound with the places that were looked into
 */
export function findProgram(mode: EngineMode, binary?: string, places: Places = usualPlaces()): Program {
  const found = binary === undefined ? foundIn(places, [OWN_NAMES[mode], COMMON_NAME]) : explicit(binary, places);
  if (found !== undefined) return { path: found, words: isCommon(found) ? [mode] : [] };
  if (binary !== undefined) {
    throw new EngineNotFound(`${binary} is no program`, `Give the path of ${OWN_NAMES[mode]} or oryn as 'binary'.`);
  }
  throw new EngineNotFound(
    `neither ${OWN_NAMES[mode]} nor ${COMMON_NAME} is in PATH, ${common(places).join(", ")}`,
    `Install it with 'pip install ${DISTRIBUTION}', activate its environment, or give its path as 'binary'.`,
  );
}

/**
 * The program `oryn`, which has commands beside those of an engine.
 * @throws EngineNotFound with the places that were looked into
 */
export function findCommand(binary?: string, places: Places = usualPlaces()): string {
  const found = binary === undefined ? foundIn(places, [COMMON_NAME]) : explicit(binary, places);
  if (found !== undefined) return found;
  throw new EngineNotFound(
    binary === undefined
      ? `${COMMON_NAME} is not in PATH, ${common(places).join(", ")}`
      : `${binary} is no program`,
    `Install it with 'pip install ${DISTRIBUTION}[daemon]', activate its environment, or give its path as 'binary'.`,
  );
}

function usualPlaces(): Places {
  const path = (process.env["PATH"] ?? process.env["Path"] ?? "").split(delimiter).filter(Boolean);
  return { path, home: homedir(), local: "/usr/local/bin", beside: dirname(process.execPath) };
}

function foundIn(places: Places, names: readonly string[]): string | undefined {
  const inPath = names.flatMap((name) => places.path.map((folder) => join(folder, name)));
  const elsewhere = common(places).flatMap((folder) => names.map((name) => join(folder, name)));
  for (const candidate of [...inPath, ...elsewhere]) {
    const found = runnable(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A path, with `~` for the home; a name alone is looked for in PATH. */
function explicit(binary: string, { path, home }: Places): string | undefined {
  if (basename(binary) !== binary) return runnable(binary.replace(/^~(?=[/\\])/, home));
  return path.map((folder) => runnable(join(folder, binary))).find((found) => found !== undefined);
}

function common({ home, local, beside }: Places): string[] {
  return [join(home, ".local", "bin"), local, join(home, ".cargo", "bin"), beside];
}

function isCommon(path: string): boolean {
  return basename(path).replace(/\.exe$/i, "") === COMMON_NAME;
}

function runnable(path: string): string | undefined {
  return (IS_WINDOWS ? [path, `${path}.exe`] : [path]).find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return statSync(candidate).isFile();
    } catch {
      return false;
    }
  });
}
