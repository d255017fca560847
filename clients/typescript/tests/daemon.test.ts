/** Both libraries' mode `daemon`: sessions that other programs use too, with a real daemon. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import {
  CommandError,
  ConfigurationError,
  ConnectionLost,
  EngineNotFound,
  NoAnswer,
  NotConnected,
  Oryn,
} from "oryn-browser";

import { daemonFolders } from "../dist/paths.js";

import { Site } from "./site.js";

const binary = process.env["ORYN_TEST_COMMAND"];
const PAGE = `<title>Shop</title><button onclick="this.textContent = 'Sold'">Buy</button>`;

/** What the command line prints for these words. */
function oryn(...words: string[]): string {
  return execFileSync(binary as string, words, { encoding: "utf8" });
}

describe("the daemon's sessions", { skip: binary === undefined && "needs ORYN_TEST_COMMAND" }, () => {
  const home = mkdtempSync(join(tmpdir(), "oryn-daemon-"));
  let site: Site;
  before(async () => {
    process.env["ORYN_HOME"] = home;
    site = await Site.open();
    site.pages = { "/": PAGE };
  });
  after(() => {
    oryn("daemon", "stop");
    site.close();
    rmSync(home, { recursive: true });
  });

  it("are shared with the command line, and stay", async () => {
    const client = await new Oryn({ mode: "daemon", binary, session: "library" }).connect();
    const opened = await client.goto(`http://${site.address}/`);
    assert.deepEqual([opened.page?.title, opened.command], ["Shop", `goto http://${site.address}/`]);
    assert.equal((await client.click("Buy")).changes[0]?.kind, "changed");
    await client.expect("Sold").toBeVisible();
    assert.equal(await client.send("title"), 'ok title\n\n"Shop"');
    assert.equal(oryn("--session", "library", "--raw", "title"), "Shop\n");
    const picture = await client.screenshot(undefined, { output: join(home, "page.png") });
    assert.equal((await picture.readBytes()).subarray(1, 4).toString(), "PNG");
    await client.networkStart();
    assert.deepEqual((await client.networkStop()).data, { requests: 0 });
    await assert.rejects(client.click("Sell"), (error) => {
      return error instanceof CommandError && error.code === "ELEMENT_NOT_FOUND" && error.hint !== "";
    });
    assert.equal((await client.withOptions({ raises: false }).run("clck 3")).error?.code, "UNKNOWN_COMMAND");
    await client.close();
    await assert.rejects(client.title(), NotConnected);

    const again = await new Oryn({ mode: "daemon", binary }).connect();
    const same = again.withOptions({ session: "library" });
    assert.equal((await same.title()).data, "Shop");
    assert.deepEqual((await same.endSession()).data, { closed: ["library"] });
    await again.close();
  });

  it("run the lines of one session in order, and those of several at once", async () => {
    const client = await new Oryn({ mode: "daemon", binary, session: "one" }).connect();
    const texts = ["goto about:blank", ...[1, 2, 3].map((number) => `eval "window.n = (window.n || 0) * 10 + ${number}"`)];
    const answers = await Promise.all(texts.map((text) => client.send(text)));
    assert.match(answers[3] ?? "", /123/);
    await client.send("session new two");
    const slow = client.send("wait 60s");
    slow.catch(() => undefined);
    assert.match(await client.send("@two url"), /about:blank/);
    await client.close();
    await assert.rejects(slow, ConnectionLost);
  });

  it("give a command up with the client's time limit", async () => {
    const client = await new Oryn({ mode: "daemon", binary, session: "one", timeout: 1 }).connect();
    await assert.rejects(client.send("wait 60s"), NoAnswer);
    await client.close();
    const patient = await new Oryn({ mode: "daemon", binary, session: "one" }).connect();
    assert.match(await patient.send("url"), /about:blank/);
    await patient.close();
  });

  it("reject what is no command, with the daemon's error", async () => {
    const client = await new Oryn({ mode: "daemon", binary, session: "x".repeat(200) }).connect();
    await assert.rejects(client.title(), (error) => error instanceof CommandError && error.code === "INVALID_REQUEST");
    await client.close();
  });

  it("lie in folders of one user", async () => {
    const { data } = daemonFolders();
    chmodSync(data, 0o777);
    await assert.rejects(new Oryn({ mode: "daemon", binary }).connect(), ConfigurationError);
    chmodSync(data, 0o700);
  });

  it("end with the daemon; the next command starts another", async () => {
    const client = await new Oryn({ mode: "daemon", binary, session: "one" }).connect();
    const slow = client.send("wait 60s");
    await client.send("@two url"); // by then the daemon has the command before it
    oryn("daemon", "stop");
    assert.match(await slow, /^error wait: the daemon ended in the middle of the command/);
    assert.match(await client.send("url"), /^ok url/);
    await client.close();
  });
});

describe("the daemon's program and folders", () => {
  it("are looked for where the command line has them", async () => {
    const nowhere = new Oryn({ mode: "daemon", binary: "/nowhere/oryn" });
    const moved = mkdtempSync(join(tmpdir(), "oryn-daemon-"));
    process.env["ORYN_HOME"] = moved;
    await assert.rejects(nowhere.connect(), EngineNotFound);
    rmSync(moved, { recursive: true });
    const cached = daemonFolders({ XDG_CACHE_HOME: "/c", XDG_DATA_HOME: "/d" }, "linux");
    assert.deepEqual(cached, { runtime: "/c/oryn/run", data: "/d/oryn/daemon" });
    assert.deepEqual(daemonFolders({ ORYN_HOME: "/o" }, "linux"), { runtime: "/o/run", data: "/o/data/daemon" });
  });
});
