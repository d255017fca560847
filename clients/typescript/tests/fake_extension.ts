/** A stand-in for the extension: its end of the protocol over a real WebSocket. */

import { once } from "node:events";
import { createServer } from "node:net";

import { WebSocket } from "ws";

import { extensionProof, newNonce, serverProof } from "../dist/remote/pairing.js";

export const ORIGIN = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";
export const KEY = { id: "0a1b2c3d", secret: "0123456789abcdef".repeat(4) };

export interface Greeting {
  readonly code?: string;
  readonly key?: typeof KEY;
  readonly reconnected?: boolean;
  readonly protocol?: number;
}

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

export class FakeExtension {
  readonly socket: WebSocket;
  readonly #heard: string[] = [];
  #listener: (() => void) | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      this.#heard.push(data.toString());
      this.#listener?.();
    });
  }

  /** Connect as soon as somebody listens. */
  static async open(port: number, headers: Record<string, string> = {}): Promise<FakeExtension> {
    for (;;) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { Origin: ORIGIN, ...headers } });
      const extension = new FakeExtension(socket);
      const outcome = await new Promise<string>((resolve) => {
        socket.once("open", () => resolve("open")).once("error", (error) => resolve(error.message));
      });
      if (outcome === "open") return extension;
      if (!outcome.includes("ECONNREFUSED")) throw new Error(outcome);
    }
  }

  /** Connect, and pair by a code, or a key that both have. */
  static async paired(port: number, greeting: Greeting): Promise<FakeExtension> {
    const extension = await FakeExtension.open(port);
    await extension.pair(greeting);
    return extension;
  }

  say(frame: string): void {
    this.socket.send(frame);
  }

  /** The next frame. */
  async receive(): Promise<string> {
    while (!this.#heard.length) await new Promise<void>((resolve) => (this.#listener = resolve));
    return this.#heard.shift() ?? "";
  }

  register(nonce: string, { key, reconnected, protocol = 2 }: Greeting): void {
    const more = `${key ? ` key=${key.id}` : ""}${reconnected ? " reconnected=true" : ""}`;
    this.say(`0:register protocol=${protocol} engine=0.1.0 extension=0.1.0 browser=Chrome/156 pairing=${nonce}${more}`);
  }

  /** @throws Error with what the server says where it knows neither the code nor the key */
  async pair(greeting: Greeting): Promise<void> {
    const nonce = newNonce();
    this.register(nonce, greeting);
    const said = await this.receive();
    const [, proof, theirs] = /^0:ok pairing=([0-9a-f]{64}) nonce=([0-9a-f]{32}) files=1$/.exec(said) ?? [];
    if (proof === undefined || theirs === undefined) throw new Error(said);
    const secret = greeting.key?.secret ?? greeting.code ?? "";
    if (proof !== serverProof(secret, nonce)) throw new Error("the server's proof is wrong");
    const fresh = greeting.key ? "" : ` key=${KEY.id} secret=${KEY.secret}`;
    this.say(`0:paired proof=${extensionProof(secret, theirs)}${fresh}`);
  }

  /** The code with which the server closes the connection. */
  async closed(): Promise<number> {
    if (this.socket.readyState === WebSocket.CLOSED) return 0;
    const [code] = (await once(this.socket, "close")) as [number];
    return code;
  }

  async close(): Promise<void> {
    const closed = this.closed();
    this.socket.close();
    await closed;
  }
}
