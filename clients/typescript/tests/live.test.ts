import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Oryn } from "oryn-browser";

import { CASES } from "./cases.js";
import { Site } from "./site.js";

/** The engine that the tests are for: a path, or none to look for it. */
const binary = process.env["ORYN_TEST_ENGINE"];

describe("the real engine in a real browser", { skip: binary === undefined && "needs ORYN_TEST_ENGINE" }, () => {
  let site: Site;
  before(async () => (site = await Site.open()));
  after(() => site.close());

  for (const { name, session, pages, steps } of CASES.live.cases) {
    it(name, async () => {
      site.pages = pages;
      const oryn = new Oryn({ binary });
      await oryn.connect(session);
      try {
        await site.play(oryn, steps);
      } finally {
        await oryn.close();
      }
    });
  }

  it("sends at once are done in their order", async () => {
    site.pages = { "/": "<title>One</title><input aria-label=Name>" };
    await using(new Oryn({ binary }), async (oryn) => {
      const sent = [`goto http://${site.address}/`, 'type "Name" "Ada"', "value 1"].map((line) => oryn.send(line));
      const [, typed, value] = await Promise.all(sent);
      assert.match(typed!, /^ok type "Name" "Ada"/);
      assert.match(value!, /"Ada"/);
    });
  });

  it("an engine that ended is started again", async () => {
    await using(new Oryn({ binary, session: "again" }), async (oryn) => {
      assert.equal(await oryn.send("exit"), "ok exit");
      assert.match(await oryn.send("session"), /^name: again$/m);
    });
  });

  it("two clients at once have a browser each", async () => {
    site.pages = { "/": "<title>One</title>", "/two": "<title>Two</title>" };
    await using(new Oryn({ binary, session: "one" }), (one) =>
      using(new Oryn({ binary, session: "two" }), async (two) => {
        await Promise.all([one.goto(`http://${site.address}/`), two.goto(`http://${site.address}/two`)]);
        assert.deepEqual(await Promise.all([one.send("title"), two.send("title")]), [
          'ok title\n\n"One"',
          'ok title\n\n"Two"',
        ]);
      }),
    );
  });
});

/** What `await using` does where the runtime has it. */
async function using(oryn: Oryn, act: (oryn: Oryn) => Promise<void>): Promise<void> {
  await oryn.connect();
  try {
    await act(oryn);
  } finally {
    await oryn[Symbol.asyncDispose]();
  }
}
