/**
 * The rule of every client of a daemon that is shutting down (`tests/daemon/test_client_retries.py` has Python's): what
 * it did not take is sent to the next daemon, and nothing is sent twice that it may have taken.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";

import { Oryn } from "oryn-browser";

/**
 * What a daemon does with a command: it answers it, responds that it is shutting down, or closes the connection: at once
 * (not for the first command), within the request, after the request, or within its own answer.
 */
type Reaction = "answers" | "ending" | "closes" | "unread" | "read" | "breaks";

const RESPONSE = { ok: true, action: "title", text: "ok title", data: {}, error: null, error_kind: null, hint: null };
const ENDING = { ok: false, error: "the daemon is ending", error_kind: "daemon_ending", hint: null };
/** A line that fits into no single read, so that a part of it can stay unread. */
const LONG = `type 1 "${"x".repeat(1_000_000)}"`;

/** A socket where a daemon's would be. It reacts to one command after the other; the last reaction is repeated. */
class ScriptedDaemon {
  commands = 0;
  readonly #reactions: Reaction[];
  readonly #server: Server;

  constructor(reactions: readonly Reaction[]) {
    this.#reactions = [...reactions];
    this.#server = createServer((socket) => this.#serve(socket.on("error", () => undefined)));
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve) => this.#server.listen(path, resolve));
  }

  close(): void {
    this.#server.close();
  }

  get #reaction(): Reaction {
    return this.#reactions[Math.min(this.commands, this.#reactions.length) - 1] as Reaction;
  }

  #serve(socket: Socket): void {
    let received = "";
    socket.on("data", (piece) => {
      const isFirst = !received;
      received += piece.toString("latin1");
      if (received.startsWith("GET /healthz")) return respond(socket, "200 OK", {});
      if (isFirst) this.commands++;
      if (this.#reaction === "unread") socket.destroy();
      else if (received.endsWith("}")) this.#react(socket, this.#reaction);
    });
    if (this.#reactions[this.commands] !== "closes") return;
    this.commands++;
    socket.destroy();
  }

  #react(socket: Socket, reaction: Reaction): void {
    if (reaction === "ending") respond(socket, "503 Service Unavailable", ENDING);
    else if (reaction === "answers") respond(socket, "200 OK", RESPONSE);
    else socket.end(reaction === "breaks" ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{" : "");
  }
}

function respond(socket: Socket, status: string, data: object): void {
  const body = JSON.stringify(data);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

describe("a daemon that is shutting down", { skip: process.platform === "win32" && "needs Unix sockets" }, () => {
  let home: string;
  let daemon: ScriptedDaemon | undefined;
  let client: Oryn;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "oryn-daemon-"));
    process.env["ORYN_HOME"] = home;
    for (const folder of ["run", "data/daemon"]) mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "data/daemon/token"), "t");
    // A program that starts no daemon.
    writeFileSync(join(home, "oryn"), "#!/bin/sh\n", { mode: 0o700 });
  });
  afterEach(async () => {
    await client.close();
    daemon?.close();
    daemon = undefined;
    rmSync(home, { recursive: true });
  });

  /** A client that is connected to a daemon with these reactions. */
  async function connected(...reactions: Reaction[]): Promise<ScriptedDaemon> {
    const scripted = (daemon = new ScriptedDaemon(reactions));
    await scripted.listen(join(home, "run/daemon.sock"));
    client = new Oryn({ mode: "daemon", binary: join(home, "oryn") });
    await client.connect();
    return scripted;
  }

  it("gets what it did not take once more", async () => {
    const scripted = await connected("ending", "unread", "ending", "answers");
    assert.equal(await client.send(LONG), "ok title");
    assert.equal(scripted.commands, 4);
  });

  it("may close the connection at once", async () => {
    const scripted = await connected("ending", "closes", "answers");
    assert.equal(await client.send("title"), "ok title");
    assert.equal(scripted.commands, 3);
  });

  for (const reaction of ["read", "breaks"] as const) {
    it(`does not get again what it may have taken: ${reaction}`, async () => {
      const scripted = await connected(reaction, "answers");
      await assert.rejects(client.send("title"), { code: "CONNECTION_LOST", message: /before it answered 'title'/ });
      assert.equal(scripted.commands, 1);
    });
  }

  it("gets a command at most ten times", async () => {
    const scripted = await connected("ending");
    await assert.rejects(client.send("title"), { code: "CONNECTION_LOST" });
    assert.equal(scripted.commands, 10);
  });

  it("is started again, once for a command", async () => {
    const scripted = await connected("answers");
    scripted.close();
    await assert.rejects(client.send("title"), { code: "DAEMON_FAILED", message: "the daemon ended at once" });
    assert.equal(scripted.commands, 0);
  });
});
