/** The library with a method for every command, with the real engine and with a browser that says what it is told to. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { CommandError, ConnectionLost, Oryn, type ElementRow } from "oryn-browser";

import { FakeExtension, freePort } from "./fake_extension.js";
import { Site } from "./site.js";

const binary = process.env["ORYN_TEST_ENGINE"];
const PAGE = `<title>Form</title><input aria-label=Name><label><input type=checkbox> Agree</label>
<button onclick="later.textContent = 'Thank you'">Send</button><p id=later>Busy</p><a href=/next>Next</a>`;

describe("methods, in a real browser", { skip: binary === undefined && "needs ORYN_TEST_ENGINE" }, () => {
  let site: Site;
  let oryn: Oryn;
  let folder = "";
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "oryn-api-"));
    site = await Site.open();
    site.pages = { "/": PAGE, "/next": "<title>Next page</title>" };
    oryn = await new Oryn({ binary }).connect();
  });
  after(async () => {
    await oryn.close();
    site.close();
    rmSync(folder, { recursive: true });
  });

  it("return results", async () => {
    const opened = await oryn.goto(`http://${site.address}/`);
    assert.deepEqual([opened.ok, opened.page?.title, opened.data], [true, "Form", null]);
    const { data: seen } = await oryn.observe();
    const field: ElementRow | undefined = seen.elements.find(({ text }) => text === "Name");
    assert.ok(field);
    const typed = await oryn.type(field.id, 'say "hi" --enter # 1');
    assert.equal(typed.changes[0]?.kind, "changed");
    assert.equal((typed.changes[0]?.data["element"] as ElementRow).text, "Name");
    assert.equal((await oryn.value("Name")).data, 'say "hi" --enter # 1');
    assert.equal((await oryn.isChecked("Agree")).data, false);
    assert.equal((await oryn.count({ css: "input" })).data, 2);
    assert.match(`${await oryn.click("Send")}`, /^ok click "Send"\n\n# changes\n/);
    const { data: links } = await oryn.extractPage("links");
    assert.deepEqual([links[0]?.href, links[0]?.text], [`http://${site.address}/next`, "Next"]);
    await oryn.expect({ css: "#later" }).toHaveText("Thank you");
    await oryn.expect("Send").toBeVisible();
    assert.equal((await oryn.click("Next")).page?.title, "Next page");
    assert.equal((await oryn.run("title")).data, "Next page");
    assert.equal(await oryn.send("title"), 'ok title\n\n"Next page"');
    const picture = await oryn.screenshot(undefined, { output: join(folder, "page.png") });
    assert.equal(picture.path, join(folder, "page.png"));
    // @ts-expect-error options are no target
    void (() => oryn.screenshot({ output: join(folder, "page.png") }));
    assert.equal((await picture.readBytes()).subarray(1, 4).toString(), "PNG");
  });

  it("throw the error of a command, unless asked not to", async () => {
    await assert.rejects(oryn.click("Nothing"), (error) => {
      assert.ok(error instanceof CommandError);
      assert.deepEqual([error.code, error.command, error.target], ["ELEMENT_NOT_FOUND", 'click "Nothing"', "Nothing"]);
      assert.match(String(error), /\(ELEMENT_NOT_FOUND\)\ncommand: click "Nothing"\nhint: ./);
      return error.hint !== "";
    });
    const failed = await oryn.withOptions({ raises: false }).click("Nothing");
    assert.deepEqual([failed.ok, failed.error?.code], [false, "ELEMENT_NOT_FOUND"]);
    await assert.rejects(oryn.expect({ css: "h9" }).toHaveCount(1, { timeout: 0.1 }), /expected 1 of them .*found 0/);
    assert.throws(() => failed.path, /has written no file/);
  });

  it("run in other sessions", async () => {
    await oryn.sessionNew("other");
    const other = oryn.withOptions({ session: "other" });
    assert.equal((await other.url()).data, "about:blank");
    assert.match((await oryn.url()).data, /^http:/);
  });
});

describe("methods, in the user's own browser", () => {
  it("are requests, and files lie where they say", async () => {
    const folder = mkdtempSync(join(tmpdir(), "oryn-api-"));
    const home = process.env["ORYN_HOME"];
    process.env["ORYN_HOME"] = folder;
    const port = await freePort();
    const oryn = new Oryn({ mode: "remote", port, pair: "A7X9K2" });
    try {
      const connected = oryn.connect();
      const browser = await FakeExtension.paired(port, { code: "A7X9K2" });
      await connected;
      const path = join(folder, "my shot.png");
      const taken = oryn.screenshot("Buy", { output: path });
      assert.deepEqual(JSON.parse((await browser.receive()).slice(2)), {
        action: "screenshot",
        args: { target: "Buy", output: path },
      });
      const base64 = (text: string): string => Buffer.from(text).toString("base64");
      browser.say(`0:file 1 ${base64("my shot.png")} ${base64("a picture")}`);
      const sent = "/files/1/my shot.png";
      const text = `ok screenshot\n\n"${sent}"`;
      browser.say(`1:${JSON.stringify({ ok: true, command: "screenshot", result: { path: sent, size: 9 }, text })}`);
      const { text: answerText, path: written } = await taken;
      assert.deepEqual([answerText, written], [`ok screenshot\n\n${JSON.stringify(path)}`, path]);
      assert.equal(readFileSync(path, "utf8"), "a picture");
      const hides = (error: Error): boolean => error instanceof ConnectionLost && !error.message.includes("hunter2");
      const lost = assert.rejects(oryn.type("password", "hunter2"), hides);
      await browser.receive();
      await oryn.close();
      await lost;
    } finally {
      await oryn.close();
      if (home === undefined) delete process.env["ORYN_HOME"];
      else process.env["ORYN_HOME"] = home;
      rmSync(folder, { recursive: true });
    }
  });
});
