/** What a server can prove itself with: the keys that it keeps, and the code that its user has given it. */

import { PairingFailed, PairingRequired } from "../errors.js";
import type { Keys } from "./keys.js";
import type { Paired, Registration } from "./messages.js";
import { readCode, WrongPairings } from "./pairing.js";

/** What both ends know. `key` names it where it is a kept one; else it is a code. */
export interface Secret {
  readonly text: string;
  readonly key: string | undefined;
}

/** Those of one server, for all its connections. */
export class Credentials {
  readonly #keys: Keys;
  readonly #wrong = new WrongPairings();
  #code: string | undefined;
  /** Where the server listens. */
  port: number | undefined;

  /** @throws InvalidValue for what is no code */
  constructor(keys: Keys, code?: string) {
    this.#keys = keys;
    this.#code = code === undefined ? undefined : readCode(code);
  }

  get hasCode(): boolean {
    return this.#code !== undefined;
  }

  /**
   * What to prove with. A code is spent by this.
   * @throws PairingRequired where there is nothing, PairingFailed where too many have tried codes: keys can't be
   * guessed, and whoever has one is not kept out
   */
  secretFor(registration: Registration): Secret {
    const isByCode = registration.key === undefined && this.hasCode;
    if (isByCode && !this.#wrong.allows(Date.now())) {
      throw new PairingFailed("Too many pairings have failed: wait a minute.");
    }
    const text = registration.key === undefined ? this.#spent() : this.#keys.find(registration.key, this.port);
    if (registration.nonce === undefined || text === undefined) throw new PairingRequired();
    return { text, key: registration.key };
  }

  /** A proof was wrong, on either end. */
  failed(): void {
    this.#wrong.note(Date.now());
  }

  /**
   * An extension has proved that it knows the secret; the id of the key that both have from now on. A file that can't
   * be written costs the next connection its key, not this one.
   */
  proved(secret: Secret, paired: Paired, browser: string): string | undefined {
    try {
      if (secret.key !== undefined) {
        this.#keys.used(secret.key, browser);
      } else if (paired.key !== undefined && paired.secret !== undefined) {
        this.#keys.keep(paired.key, paired.secret, browser, this.port);
        return paired.key;
      }
    } catch (error) {
      process.emitWarning(`the pairing is not saved: ${(error as Error).message}`, "OrynWarning");
    }
    return secret.key;
  }

  #spent(): string | undefined {
    const code = this.#code;
    this.#code = undefined;
    return code;
  }
}
