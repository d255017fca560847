/** Files that nobody but their owner can read, and that are there whole or not at all. */

import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folders above it are made where they are missing. @throws Error of the file system; what was there stays */
export function writePrivate(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replace(file, content);
}

/** The same in a folder that is there. @throws Error of the file system; what was there stays */
export function replace(file: string, content: string | Uint8Array): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString("hex")}`);
  try {
    const opened = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(opened, content);
    } finally {
      closeSync(opened);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
