/** A lock between processes, also of other languages: a file that is there as long as somebody holds it. */

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Milliseconds: what is held for longer was left behind, for its holder has died. */
const STALE = 10_000;
const LOOK = 10;

/** Do something short while nobody else does it under the same name. @throws Error of the file system */
export function exclusively<T>(path: string, act: () => T): T {
  const mark = randomBytes(8).toString("hex");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  while (!take(path, mark)) {
    freeStale(path);
    pause(LOOK);
  }
  try {
    return act();
  } finally {
    attempt(() => {
      if (readFileSync(path, "utf8") === mark) unlinkSync(path);
    });
  }
}

function take(path: string, mark: string): boolean {
  try {
    writeFileSync(path, mark, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Put away what was left behind. It takes another name first: of several who do this only one succeeds. */
function freeStale(path: string): void {
  attempt(() => {
    if (Date.now() - statSync(path).mtimeMs <= STALE) return;
    const aside = `${path}.${randomBytes(4).toString("hex")}`;
    renameSync(path, aside);
    unlinkSync(aside);
  });
}

/** It may be gone by now. */
function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
