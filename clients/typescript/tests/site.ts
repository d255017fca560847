/** Pages of the live cases, served on loopback, and how a case is played on them. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Oryn } from "oryn-browser";

import type { Call } from "./cases.js";
import { expectCall } from "./expectations.js";

export class Site {
  /** HTML by path. */
  pages: Readonly<Record<string, string>> = {};
  readonly #server: Server;
  /** Host and port. */
  readonly address: string;

  private constructor(server: Server) {
    this.#server = server;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      const page = this.pages[request.url ?? ""];
      response.writeHead(page === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    });
  }

  static async open(): Promise<Site> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Site(server);
  }

  /** Make the steps of a case, each after the one before, and look at their answers. */
  async play(oryn: Oryn, steps: readonly Call[]): Promise<void> {
    const here = JSON.parse(JSON.stringify(steps).replaceAll("{site}", this.address)) as Call[];
    for (const step of here) await expectCall(oryn, step);
  }

  close(): void {
    this.#server.close();
    // A browser opens connections that it may never use.
    this.#server.closeAllConnections();
  }
}
