import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";

import { Oryn, quote } from "oryn-browser";

import { FakeExtension, freePort, KEY } from "./fake_extension.js";

const CODE = "A7X9K2";

describe("a browser that connects", () => {
  let [home, port, before_] = ["", 0, process.env["ORYN_HOME"]];
  let oryn: Oryn;

  before(() => (home = process.env["ORYN_HOME"] = mkdtempSync(join(tmpdir(), "oryn-home-"))));
  after(() => {
    rmSync(home, { recursive: true });
    if (before_ === undefined) delete process.env["ORYN_HOME"];
    else process.env["ORYN_HOME"] = before_;
  });
  beforeEach(async () => (port = await freePort()));
  afterEach(async () => {
    await oryn.close();
    rmSync(join(home, "data"), { recursive: true, force: true });
  });

  const keys = (): string => join(home, "data", "remote-keys.json");

  /** A client, and a browser that is paired with it. */
  async function connected(): Promise<FakeExtension> {
    oryn = new Oryn({ mode: "remote", port, pair: "a7x-9k2" });
    const [browser] = await Promise.all([FakeExtension.paired(port, { code: CODE }), oryn.connect()]);
    return browser;
  }

  it("is paired by its code, and its key is kept for the owner alone", async () => {
    await connected();
    const saved = JSON.parse(readFileSync(keys(), "utf8"));
    const row = saved.keys[KEY.id];
    assert.deepEqual([saved.version, row.secret, row.browser], [1, KEY.secret, "Chrome/156"]);
    assert.match(row.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(statSync(keys()).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, "data")).mode & 0o777, 0o700);
  });

  it("is known again by its key", async () => {
    await (await connected()).close();
    await oryn.close();
    oryn = new Oryn({ mode: "remote", port });
    const [browser] = await Promise.all([FakeExtension.paired(port, { key: KEY }), oryn.connect()]);
    const answer = oryn.send("url");
    assert.equal(await browser.receive(), "1:url");
    browser.say("1:ok url");
    assert.equal(await answer, "ok url");
  });

  it("answers in any order", async () => {
    const browser = await connected();
    const answers = Promise.all([oryn.send("@tab1 url"), oryn.send("@tab2 url")]);
    assert.deepEqual([await browser.receive(), await browser.receive()], ["1:@tab1 url", "2:@tab2 url"]);
    for (const frame of ["2:two", "7:nobody asked", "1:one\n\n| 5:6"]) browser.say(frame);
    assert.deepEqual(await answers, ["one\n\n| 5:6", "two"]);
  });

  it("is to cancel a command that is given up", async () => {
    const browser = await connected();
    await oryn.close();
    oryn = new Oryn({ mode: "remote", port, timeout: 3 });
    const [again] = await Promise.all([FakeExtension.paired(port, { key: KEY }), oryn.connect(), browser.close()]);
    await assert.rejects(oryn.send("wait 30s"));
    assert.deepEqual([await again.receive(), await again.receive()], ["1:wait 30s", "0:cancel 1"]);
  });

  it("says that it lives, and much that is not known yet", async () => {
    const browser = await connected();
    for (const frame of ["0:news of=tomorrow", "not a message", "0:ping"]) browser.say(frame);
    assert.equal(await browser.receive(), "0:pong");
  });

  it("writes files: where the line says, else where pictures lie, and nowhere else", async () => {
    const browser = await connected();
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const file = (name: string, text: string): void => browser.say(`0:file 1 ${base64(name)} ${base64(text)}`);
    const answer = oryn.send(`screenshot --output ${quote(join(home, "my shot.png"))}`);
    await browser.receive();
    for (const name of ["my shot.png", "other.png", "profile", ".bashrc"]) file(name, `of ${name}`);
    browser.say(`0:file 9 ${base64("a.png")} ${base64("of nobody")}`);
    for (const name of ["../../escaped.png", "..", ""]) file(name, "no name");
    browser.say("0:file 1 !! ??");
    browser.say('1:ok screenshot\n\n"/files/1/my shot.png", "/files/1/other.png" and "/files/1/profile"');
    const found = /^ok screenshot\n\n"(.+)", "(.+)" and "\/files\/1\/profile"$/.exec(await answer);
    assert.equal(found?.[1], join(home, "my shot.png"));
    assert.match(found[2]!, /screenshots.[0-9a-f]{16}\.png$/);
    const files = found.slice(1, 3);
    assert.deepEqual(files.map((name) => readFileSync(name, "utf8")), ["of my shot.png", "of other.png"]);
    for (const name of files) assert.equal(statSync(name).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(home).sort(), ["data", "my shot.png"]);
    assert.deepEqual(readdirSync(join(home, "data", "screenshots")).length, 1);
  });

  it("writes a recording where its beginning says, each tab's its own", async () => {
    const browser = await connected();
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    let id = 0;
    const says = async (line: string, written = ""): Promise<string> => {
      const answer = oryn.send(line);
      assert.equal(await browser.receive(), `${(id += 1)}:${line}`);
      if (written) browser.say(`0:file ${id} ${base64("a.har")} ${base64(written)}`);
      browser.say(`${id}:ok har\n\n"/files/${id}/a.har"`);
      return answer;
    };
    const [path, other] = [join(home, "a.har"), join(home, "data", "a.har")];
    await says(`har start ${quote(path)}`);
    await says(`@tab2 har start ${quote(other)}`);
    assert.equal(await says("har stop", "one"), `ok har\n\n${JSON.stringify(path)}`);
    assert.equal(await says("@tab2 har stop", "two"), `ok har\n\n${JSON.stringify(other)}`);
    assert.deepEqual([path, other].map((name) => readFileSync(name, "utf8")), ["one", "two"]);
    rmSync(path);
    assert.match(await says("har stop", "of nobody"), /"\/files\/5\/a\.har"/);
    assert.throws(() => statSync(path));
  });

  it("sends the file that a line reads before it", async () => {
    const browser = await connected();
    const script = join(home, "data", "hide.js");
    writeFileSync(script, "hide()");
    const answer = oryn.send(`script add ${quote(script)}`);
    const content = Buffer.from("hide()").toString("base64");
    assert.equal(await browser.receive(), `0:file 1 ${Buffer.from("hide.js").toString("base64")} ${content}`);
    assert.equal(await browser.receive(), `1:script add ${quote(script)}`);
    browser.say(`0:file 1 ${Buffer.from("hide.js").toString("base64")} ${Buffer.from("bad()").toString("base64")}`);
    browser.say("1:ok script add");
    assert.equal(await answer, "ok script add");
    assert.equal(readFileSync(script, "utf8"), "hide()");
    await assert.rejects(oryn.send("script add nowhere.js"), /can't read .*nowhere\.js/);
    writeFileSync(script, " ".repeat(700 * 1024 + 1));
    await assert.rejects(oryn.send(`script add ${quote(script)}`), /is larger than 716800 bytes/);
  });

  it("sends a file that no line names, or that can't be written", async () => {
    const browser = await connected();
    const victim = join(home, "victim.png");
    writeFileSync(victim, "untouched");
    const sent = [`type 1 ${quote(victim)}`, `screenshot --output ${join(home, "nowhere", "a.png")}`];
    const answers = sent.map((line) => oryn.send(line));
    const lost = assert.rejects(answers[1]!, { code: "FILE_ERROR", message: /nowhere.a\.png: ENOENT/ });
    for (const frame of ["1:victim.png", "2:a.png"]) {
      const [id, name] = frame.split(":");
      browser.say(`0:file ${id} ${Buffer.from(name!).toString("base64")} aGk=`);
      browser.say(`${id}:ok`);
    }
    assert.equal(await answers[0], "ok");
    await lost;
    assert.equal(readFileSync(victim, "utf8"), "untouched");
  });

  it("goes away in the middle of a command, and is waited for", async () => {
    const browser = await connected();
    const lost = assert.rejects(oryn.send("click 3"), {
      code: "CONNECTION_LOST",
      message: "the connection to the browser was lost before it answered 'click'",
    });
    assert.equal(await browser.receive(), "1:click 3");
    browser.socket.terminate();
    await lost;
    const later = [oryn.send("url"), oryn.send("title")];
    const again = await FakeExtension.paired(port, { key: KEY, reconnected: true });
    assert.deepEqual([await again.receive(), await again.receive()], ["1:url", "2:title"]);
    again.say("2:ok title");
    again.say("1:ok url");
    assert.deepEqual(await Promise.all(later), ["ok url", "ok title"]);
  });

  it("begins anew on the same connection: what was in flight is lost", async () => {
    const browser = await connected();
    const lost = assert.rejects(oryn.send("click 3"), { code: "CONNECTION_LOST" });
    assert.equal(await browser.receive(), "1:click 3");
    await browser.pair({ key: KEY, reconnected: true });
    await lost;
    const answer = oryn.send("url");
    assert.equal(await browser.receive(), "2:url");
    browser.say("2:ok");
    assert.equal(await answer, "ok");
  });

  it("connects a second time: the first connection ends", async () => {
    const browser = await connected();
    const closed = browser.closed();
    const again = await FakeExtension.paired(port, { key: KEY, reconnected: true });
    assert.equal(await closed, 4409);
    const answer = oryn.send("url");
    assert.equal(await again.receive(), "1:url");
    again.say("1:ok");
    assert.equal(await answer, "ok");
  });

  it("has another code: nothing is kept", async () => {
    oryn = new Oryn({ mode: "remote", port, pair: CODE });
    const refused = assert.rejects(oryn.connect(), { code: "PAIRING_FAILED" });
    const browser = await FakeExtension.open(port);
    browser.register("00112233445566778899aabbccddeeff", {});
    assert.match(await browser.receive(), /^0:ok pairing=b6dfa46d34af2afe7badcd0ac3b13f6a/);
    browser.say(`0:paired proof=${"0".repeat(64)} key=${KEY.id} secret=${KEY.secret}`);
    assert.equal(await browser.receive(), "0:error pairing failed");
    assert.equal(await browser.closed(), 4403);
    await refused;
    assert.throws(() => statSync(keys()));
  });

  it("says that our proof is wrong", async () => {
    oryn = new Oryn({ mode: "remote", port, pair: CODE });
    const refused = assert.rejects(oryn.connect(), { code: "PAIRING_FAILED" });
    const browser = await FakeExtension.open(port);
    browser.register("00112233445566778899aabbccddeeff", {});
    await browser.receive();
    browser.say("0:error pairing failed");
    await refused;
  });

  it("shows a code that nobody has given us; a code counts once", async () => {
    oryn = new Oryn({ mode: "remote", port });
    const refused = assert.rejects(oryn.connect(), { code: "PAIRING_REQUIRED", message: "pairing required" });
    const browser = await FakeExtension.open(port);
    await assert.rejects(browser.pair({ code: CODE }), { message: "0:error pairing required" });
    await refused;
  });

  it("names a key that is lost here, and comes again without it", async () => {
    oryn = new Oryn({ mode: "remote", port, pair: CODE });
    const ready = oryn.connect();
    const browser = await FakeExtension.open(port);
    await assert.rejects(browser.pair({ key: KEY }), { message: "0:error pairing required" });
    await browser.pair({ code: CODE });
    await ready;
  });

  it("is too old", async () => {
    oryn = new Oryn({ mode: "remote", port, pair: CODE });
    const refused = assert.rejects(oryn.connect(), { code: "PROTOCOL_MISMATCH" });
    const browser = await FakeExtension.open(port);
    browser.register(CODE, { protocol: 1 });
    assert.equal(await browser.receive(), "0:error unsupported protocol version 1, require 2+");
    await refused;
  });

  it("is no extension, or calls us by another name", async () => {
    oryn = new Oryn({ mode: "remote", port, pair: CODE, timeout: 20 });
    const lost = assert.rejects(oryn.connect(), { code: "CONNECTION_LOST" });
    await (await FakeExtension.open(port)).close();
    await assert.rejects(FakeExtension.open(port, { Origin: "https://a.example" }), { message: /403/ });
    await assert.rejects(FakeExtension.open(port, { Origin: "null" }), { message: /403/ });
    await assert.rejects(FakeExtension.open(port, { Host: "a.example" }), { message: /421/ });
    await assert.rejects(FakeExtension.open(port, { Host: "127.0.0.1.a.example" }), { message: /421/ });
    await (await FakeExtension.open(port, { Host: `localhost:${port}` })).close();
    await oryn.close();
    await lost;
  });

  it("has a key of a server at another port: nothing is proved for whoever stands between", async () => {
    await (await connected()).close();
    const row = JSON.parse(readFileSync(keys(), "utf8"));
    assert.equal(row.keys[KEY.id].port, port);
    row.keys[KEY.id].port = port + 1;
    writeFileSync(keys(), JSON.stringify(row));
    await assert.rejects(FakeExtension.paired(port, { key: KEY }), { message: "0:error pairing required" });
  });

  it("guesses keys: that does not keep out who has one", async () => {
    await (await connected()).close();
    const guesser = Array.from({ length: 5 }, async () => {
      const browser = await FakeExtension.open(port);
      browser.register("00112233445566778899aabbccddeeff", { key: KEY });
      assert.match(await browser.receive(), /^0:ok/);
      browser.say(`0:paired proof=${"0".repeat(64)}`);
      return browser.closed();
    });
    assert.deepEqual(await Promise.all(guesser), [4403, 4403, 4403, 4403, 4403]);
    await (await FakeExtension.paired(port, { key: KEY })).close();
  });

  it("does not come within the time", async () => {
    oryn = new Oryn({ mode: "remote", port, timeout: 0.2 });
    await assert.rejects(oryn.connect(), { code: "NO_ANSWER" });
  });

  it("opens a connection that it does not use, which does not keep us", { timeout: 20_000 }, async () => {
    await connected();
    const unused = connect(port, "127.0.0.1");
    const closed = once(unused.on("error", () => undefined), "close");
    await once(unused, "connect");
    await (await FakeExtension.open(port)).close(); // it has been accepted: this one came after it
    await oryn.close();
    await closed;
  });

  it("does not let go: it is not waited for", { timeout: 20_000 }, async () => {
    const browser = await connected();
    browser.socket.pause();
    await oryn.close();
    browser.socket.terminate();
  });

  it("can't be waited for at another program's port", async () => {
    await connected();
    const other = new Oryn({ mode: "remote", port });
    await assert.rejects(other.connect(), { code: "INVALID_SETTING", message: /EADDRINUSE/ });
  });

  it("keys that are damaged are none, and others stay", async () => {
    await mkdir(join(home, "data"));
    const row = { secret: KEY.secret, browser: "B", since: "2026-01-01T00:00:00Z", last_used: "2026-01-01T00:00:00Z" };
    const rows = { [KEY.id]: { ...row, secret: 5 }, "not an id": row, ffffffff: row };
    writeFileSync(keys(), JSON.stringify({ version: 1, keys: rows }));
    await connected();
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(keys(), "utf8")).keys).sort(), [KEY.id, "ffffffff"]);
  });
});
