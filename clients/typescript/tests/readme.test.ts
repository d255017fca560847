/** The examples of README.md are programs that print what stands below them; example.com is a server on loopback. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";

import * as exported from "oryn-browser";

import { FakeExtension, freePort } from "./fake_extension.js";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const EXAMPLE = /^```js\n(.*?)^```\n\n```\n(.*?)^```$/gms;
const CODE = "A7X9K2";
const PAGES: Readonly<Record<string, string>> = {
  "/": "<title>Example Domain</title><a href=/more>Learn more</a>",
  "/more": "<title>More</title><input aria-label=Note>",
};

const run = promisify(execFile);
const binary = process.env["ORYN_TEST_ENGINE"];

describe("README.md", { skip: binary === undefined && "needs ORYN_TEST_ENGINE" }, () => {
  const examples = [...README.matchAll(EXAMPLE)].map(([, program = "", printed = ""]) => ({ program, printed }));
  let server: Server;
  let [site, home] = ["", ""];

  before(async () => {
    home = mkdtempSync(join(tmpdir(), "oryn-home-"));
    server = createServer((request, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end(PAGES[request.url ?? ""]);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    site = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true });
  });

  /** Run a program as somebody with the package would, and give what it prints. */
  async function printedBy(program: string, port: number): Promise<string> {
    // Below this package its own name leads to it: https://nodejs.org/api/packages.html#self-referencing
    const file = fileURLToPath(new URL(`example-${port}.mjs`, import.meta.url));
    const own = program.replaceAll("https://example.com", `http://${site}`).replaceAll("example.com", site);
    writeFileSync(file, own.replace("8080", String(port)));
    const path = `${dirname(binary!)}${delimiter}${process.env["PATH"]}`;
    const env = { ...process.env, PATH: path, ORYN_HOME: home };
    try {
      return (await run(process.execPath, [file, CODE], { env })).stdout.replaceAll(site, "example.com");
    } finally {
      rmSync(file);
    }
  }

  /** What a browser with the extension would do. */
  async function browserAt(port: number): Promise<void> {
    const browser = await FakeExtension.paired(port, { code: CODE });
    assert.equal(await browser.receive(), "1:title");
    browser.say('1:ok title\n\n"Example Domain"');
  }

  it("has examples", () => assert.equal(examples.length, 5));

  for (const { program, printed } of examples) {
    it(program.split("\n")[2]!, async () => {
      const port = await freePort();
      const browser = program.includes("remote") ? browserAt(port) : undefined;
      assert.equal(await printedBy(program, port), printed);
      await browser;
    });
  }

  it("lists every error", () => {
    const listed = [...README.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \|/gm)].map(([, code, name]) => `${name} ${code}`);
    const source = readFileSync(new URL("../src/errors.ts", import.meta.url), "utf8");
    const codes = [...source.matchAll(/class (\w+) extends OrynError \{\n +override readonly code = "(\w+)"/g)];
    const thrown = codes.map(([, name, code]) => `${name} ${code}`).filter((each) => each.split(" ")[0]! in exported);
    assert.deepEqual(listed.sort(), thrown.sort());
    assert.equal(codes.length, thrown.length + 1, "all but MalformedMessage, which nobody is thrown, is exported");
  });
});
