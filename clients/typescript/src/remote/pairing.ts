/** Codes, nonces and proofs: how a server and an extension know each other (docs/spec/extension-protocol.md#pairing-and-handshake). */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { InvalidValue } from "../errors.js";

/** Pairings that may fail within a minute, so that nobody can guess on. */
const TRIES = 5;
const MINUTE = 60_000;

/** A code as a person may write it, in lower case or with blanks and hyphens in it. @throws InvalidValue */
export function readCode(text: string): string {
  const code = text.replace(/[\s-]/g, "").toUpperCase();
  if (/^[A-Z0-9]{6}$/.test(code)) return code;
  throw new InvalidValue("a pairing code has six letters and digits", "The extension's popup shows it.");
}

export function newNonce(): string {
  return randomBytes(16).toString("hex");
}

/** What a server answers an extension's nonce with; the secret is a code, or a kept key's. */
export function serverProof(secret: string, nonce: string): string {
  return digest(secret, nonce);
}

/** What an extension answers a server's nonce with; never what a server's proof would be. */
export function extensionProof(secret: string, nonce: string): string {
  return digest(secret, `extension ${nonce}`);
}

/** Compared in a time that says nothing about where they differ. */
export function matches(candidate: string | undefined, proof: string): boolean {
  const [left, right] = [Buffer.from(candidate ?? ""), Buffer.from(proof)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function digest(secret: string, message: string): string {
  return createHmac("sha256", secret).update(message).digest("hex");
}

/** Counts the pairings that failed, from whomever. Times are in milliseconds. */
export class WrongPairings {
  #times: number[] = [];

  allows(now: number): boolean {
    this.#times = this.#times.filter((time) => now - time < MINUTE);
    return this.#times.length < TRIES;
  }

  note(now: number): void {
    this.#times.push(now);
  }
}
