/** Mode `remote`: the engine is in the extension of the user's own browser, which connects to us (docs/spec/extension-protocol.md). */

import { join } from "node:path";

import {
  BackendUnavailable,
  ConnectionLost,
  NotConnected,
  PairingFailed,
  PairingRequired,
  ProtocolMismatch,
  type OrynError,
} from "../errors.js";
import { dataFolder } from "../paths.js";
import type { Transport } from "../transport.js";
import { Credentials } from "./credentials.js";
import { lineOf, putAway, readBy, Recordings } from "./files.js";
import { Keys } from "./keys.js";
import { listen, type ExtensionServer } from "./server.js";
import { CLOSED, type Home, type Peer } from "./peer.js";

/** Seconds within which an extension is back that has lost its connection: it tries every 30 s at least. */
const COMING_BACK = 40;

/** Why a browser is not let in, where that does not mend itself. */
const FINAL = [PairingRequired, PairingFailed, ProtocolMismatch];

interface Awaiting {
  arrive(peer: Peer): void;
  reject(error: OrynError): void;
}

export class RemoteBrowser implements Transport, Home {
  readonly #port: number;
  readonly #credentials: Credentials;
  #server: Promise<ExtensionServer> | undefined;
  #peer: Peer | undefined;
  #awaiting: Awaiting[] = [];
  #recordings = new Recordings();
  #refusal: OrynError | undefined;

  /** @throws InvalidValue for a pairing code that is none */
  constructor(port: number, pair?: string) {
    this.#port = port;
    this.#credentials = new Credentials(new Keys(join(dataFolder(), "remote-keys.json")), pair);
  }

  async connect(): Promise<void> {
    this.#server ??= listen(this.#port, this.#credentials, this);
    try {
      await this.#server;
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
    await this.#withBrowser(async () => undefined);
  }

  async ask(line: string, abandoned?: AbortSignal): Promise<string> {
    if (!this.#server) throw new NotConnected("the client was closed");
    return this.#withBrowser(async (peer) => {
      if (abandoned?.aborted) throw new ConnectionLost("it was given up before it was sent");
      const naming = lineOf(line);
      const reply = await peer.ask(line, readBy(naming), abandoned);
      const result = putAway(this.#recordings.naming(naming), reply);
      this.#recordings.answered(naming, reply.text);
      return result;
    }, COMING_BACK);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    this.#server = undefined;
    this.#reject(new ConnectionLost("the client was closed"));
    this.#peer?.end(CLOSED.leaving, "the client was closed");
    await server?.close();
  }

  arrived(peer: Peer): void {
    if (this.#peer && this.#peer.key !== peer.key) return peer.end(CLOSED.replaced, "another browser is connected");
    const before = this.#peer;
    this.#peer = peer;
    this.#recordings = new Recordings();
    this.#refusal = undefined;
    before?.end(CLOSED.replaced, "the browser has connected again");
    for (const { arrive } of this.#awaiting.splice(0)) arrive(peer);
  }

  left(peer: Peer): void {
    if (this.#peer === peer) this.#peer = undefined;
  }

  refused(error: OrynError): void {
    this.#refusal = error;
    // A browser that names a key which is lost here comes again without it, and then the code counts.
    const mendsItself = error instanceof PairingRequired && this.#credentials.hasCode;
    if (FINAL.some((kind) => error instanceof kind) && !mendsItself) this.#reject(error);
  }

  /** What `act` gives with the browser: at once where it is connected, else in the order of asking when it comes. */
  #withBrowser<T>(act: (peer: Peer) => Promise<T>, seconds?: number): Promise<T> {
    if (this.#peer) return act(this.#peer);
    return new Promise((resolve, reject) => {
      const late = (): void => {
        this.#awaiting = this.#awaiting.filter((each) => each !== awaiting);
        reject(this.#missing());
      };
      const timer = seconds === undefined ? undefined : setTimeout(late, seconds * 1000);
      const awaiting: Awaiting = {
        arrive: (peer) => {
          clearTimeout(timer);
          resolve(act(peer));
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#awaiting.push(awaiting);
    });
  }

  #reject(error: OrynError): void {
    for (const { reject } of this.#awaiting.splice(0)) reject(error);
  }

  #missing(): BackendUnavailable {
    const why = this.#refusal ? `; the last one that came: ${this.#refusal.message}` : "";
    return new BackendUnavailable(`no browser is connected${why}`, "Click Connect in the extension's popup.");
  }
}
