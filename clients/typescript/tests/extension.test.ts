import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { Oryn, quote } from "oryn-browser";

import { CASES, type Call } from "./cases.js";
import { Site } from "./site.js";

/** The code of a browser that asks for a port of this computer. */
const { ORYN_TEST_CODE: pair, ORYN_TEST_PORT: port } = process.env;

describe("the extension in a real browser", { skip: pair === undefined && "needs ORYN_TEST_CODE" }, () => {
  let [site, oryn]: [Site | undefined, Oryn | undefined] = [undefined, undefined];

  before(async () => {
    site = await Site.open();
    oryn = await new Oryn({ mode: "remote", port: Number(port), pair, timeout: 120 }).connect();
  });
  after(async () => {
    site?.close();
    await oryn?.close();
  });

  for (const { name, pages, steps } of CASES.live.cases) {
    it(name, async () => {
      site!.pages = pages;
      await site!.play(oryn!, steps.filter(isAboutPages));
    });
  }

  it("a picture lies where the line says", async () => {
    const folder = mkdtempSync(join(tmpdir(), "oryn-pictures-"));
    try {
      const path = join(folder, "the shot.png");
      assert.match(await oryn!.send(`screenshot --output ${quote(path)}`), new RegExp(`\n"${path}"(?: \\(\\d+x\\d+\\))?$`));
      assert.deepEqual(readFileSync(path).subarray(1, 4).toString(), "PNG");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Whether no session of its own is asked for: such a browser has one. */
function isAboutPages({ send = "" }: Call): boolean {
  return !/session|@work/.test(send);
}
