/**
 * The server's end of one conversation with an extension (docs/spec/extension-protocol.md), whatever carries it. Nothing that
 * the other end sends throws: what is no message is ignored, or ends the conversation.
 */

import {
  BackendUnavailable,
  ConnectionLost,
  OrynError,
  PairingFailed,
  PairingRequired,
  UnexpectedInput,
  verbOf,
} from "../errors.js";
import type { Credentials, Secret } from "./credentials.js";
import { MAX_BYTES, MAX_FILES, type Reply, type SentFile } from "./files.js";
import {
  COMMAND_LIMIT,
  control,
  failed,
  readControl,
  readMessage,
  requireVersion,
  type Control,
  type Paired,
  type Registration,
} from "./messages.js";
import { extensionProof, matches, newNonce, serverProof } from "./pairing.js";

/** Milliseconds that the other end has to say who it is, and to prove it. */
const REGISTERING = 10_000;
const PROVING = 5_000;
/** What a connection is closed with: who the other is was not proved; it came again; it said nothing; all is over. */
export const CLOSED = { refused: 4403, replaced: 4409, silent: 4408, leaving: 1001 } as const;

/** What carries the conversation. Neither throws. */
export interface Wire {
  send(frame: string): void;
  close(code: number, reason: string): void;
}

/** Whoever wants to know of conversations in which both ends know each other, and of those in which they don't. */
export interface Home {
  arrived(peer: Peer): void;
  left(peer: Peer): void;
  refused(error: OrynError): void;
}

interface Waiting {
  readonly line: string;
  readonly files: SentFile[];
  resolve(reply: Reply): void;
  reject(error: OrynError): void;
}

interface Offer {
  readonly secret: Secret;
  readonly nonce: string;
  readonly browser: string;
}

export class Peer {
  readonly #wire: Wire;
  readonly #credentials: Credentials;
  readonly #home: Home;
  readonly #waiting = new Map<number, Waiting>();
  #limit: NodeJS.Timeout;
  #latest = 0;
  #offer: Offer | undefined;
  #isPaired = false;
  #hasEnded = false;
  /** The id of the key that both keep. */
  key: string | undefined;

  constructor(wire: Wire, credentials: Credentials, home: Home) {
    this.#wire = wire;
    this.#credentials = credentials;
    this.#home = home;
    this.#limit = setTimeout(() => this.end(CLOSED.silent, "no registration"), REGISTERING);
  }

  /** A text frame has come. */
  receive(frame: string): void {
    if (this.#hasEnded) return;
    try {
      const { id, content } = readMessage(frame);
      if (id === 0) this.#told(readControl(content));
      else this.#answered(id, content);
    } catch (error) {
      if (!(error instanceof OrynError)) throw error;
      if (!this.#isPaired) this.#refuse(error);
    }
  }

  /** The connection is gone. */
  lost(): void {
    this.#hasEnded = true;
    this.#startAgain();
  }

  /** Close the connection. Safe to call twice. */
  end(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.lost();
    this.#wire.close(code, reason);
  }

  /**
   * Have a line done, which may read `files`; its answer, with the files that it wrote.
   * @throws BackendUnavailable where it was not sent; ConnectionLost where it was, and may have been done
   */
  ask(line: string, files: readonly SentFile[] = [], abandoned?: AbortSignal): Promise<Reply> {
    if (!this.#isPaired) return Promise.reject(new BackendUnavailable("the browser is not connected", "Try again."));
    const id = (this.#latest += 1);
    const frame = `${id}:${line}`;
    if (frame.length > COMMAND_LIMIT) {
      const hint = `A browser takes ${COMMAND_LIMIT} at most.`;
      return Promise.reject(new UnexpectedInput(`a line of ${line.length} characters`, hint));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { line, files: [], resolve, reject });
      for (const { name, content } of files) {
        this.#wire.send(`0:file ${id} ${Buffer.from(name).toString("base64")} ${content.toString("base64")}`);
      }
      this.#wire.send(frame);
      abandoned?.addEventListener("abort", () => {
        if (this.#waiting.has(id)) this.#wire.send(`0:cancel ${id}`);
      });
    });
  }

  #told(message: Control): void {
    if (message.kind === "register") this.#register(message);
    else if (message.kind === "ping") this.#wire.send(control("pong"));
    else if (message.kind === "paired" && this.#offer) this.#prove(message, this.#offer);
    else if (message.kind === "error" && this.#offer) this.#unproved();
    else if (message.kind === "file") this.#take(message);
  }

  #register(registration: Registration): void {
    this.#startAgain();
    requireVersion(registration.protocol);
    try {
      const secret = this.#credentials.secretFor(registration);
      const nonce = newNonce();
      this.#offer = { secret, nonce, browser: registration.browser };
      const pairing = serverProof(secret.text, registration.nonce ?? "");
      this.#wire.send(control("ok", { pairing, nonce, files: "1" }));
      this.#limit = setTimeout(() => this.#unproved(), PROVING);
    } catch (error) {
      if (!(error instanceof PairingRequired)) throw error;
      // The connection stays: the extension may register again, with another key or none.
      this.#wire.send(failed(error.message));
      this.#home.refused(error);
    }
  }

  #prove(paired: Paired, { secret, nonce, browser }: Offer): void {
    if (!matches(paired.proof, extensionProof(secret.text, nonce))) return this.#unproved();
    clearTimeout(this.#limit);
    this.#offer = undefined;
    this.key = this.#credentials.proved(secret, paired, browser);
    this.#isPaired = true;
    this.#home.arrived(this);
  }

  #unproved(): void {
    this.#credentials.failed();
    this.#refuse(new PairingFailed());
  }

  #refuse(error: OrynError): void {
    this.#wire.send(failed(error.message));
    this.#home.refused(error);
    this.end(CLOSED.refused, error.message);
  }

  /** What nobody waits for is ignored. */
  #answered(id: number, text: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve({ id, text, files: waiting.files });
  }

  #take(file: SentFile): void {
    const { files } = this.#waiting.get(file.id) ?? {};
    const bytes = files?.reduce((sum, { content }) => sum + content.length, file.content.length) ?? 0;
    if (files && files.length < MAX_FILES && bytes <= MAX_BYTES) files.push(file);
  }

  /** Nobody knows the other any more, and what was in flight will not be answered. */
  #startAgain(): void {
    clearTimeout(this.#limit);
    this.#offer = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (this.#isPaired) {
      this.#isPaired = false;
      this.#home.left(this);
    }
    for (const { line, reject } of waiting) {
      reject(new ConnectionLost(`the connection to the browser was lost before it answered '${verbOf(line)}'`));
    }
  }
}
