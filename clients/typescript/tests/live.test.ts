import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";

import { Oryn } from "oryn";

import { CASES, type Call } from "./cases.js";
import { expectCall } from "./expecting.js";

/** The engine that the tests are for: a path, or none to look for it. */
const binary = process.env["ORYN_TEST_ENGINE"];

describe("the real engine in a real browser", { skip: binary === undefined && "needs ORYN_TEST_ENGINE" }, () => {
  let pages: Record<string, string> = {};
  let server: Server;
  let site = "";

  before(async () => {
    server = createServer((request, response) => {
      const page = pages[request.url ?? ""];
      response.writeHead(page === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    site = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  function here(step: Call): Call {
    return JSON.parse(JSON.stringify(step).replaceAll("{site}", site)) as Call;
  }

  for (const { name, session, pages: served, steps } of CASES.live.cases) {
    it(name, async () => {
      pages = served;
      const oryn = new Oryn({ binary });
      await oryn.connect(session);
      try {
        for (const step of steps) await expectCall(oryn, here(step));
      } finally {
        await oryn.close();
      }
    });
  }

  it("sends at once are done in their order", async () => {
    pages = { "/": "<title>One</title><input aria-label=Name>" };
    await using(new Oryn({ binary }), async (oryn) => {
      const answers = await Promise.all([oryn.goto(`http://${site}/`), oryn.type("Name", "Ada"), oryn.send("value 1")]);
      assert.match(answers[1]!, /^ok type "Name" "Ada"/);
      assert.match(answers[2]!, /"Ada"/);
    });
  });

  it("an engine that ended is started again", async () => {
    await using(new Oryn({ binary, session: "again" }), async (oryn) => {
      assert.equal(await oryn.send("exit"), "ok exit");
      assert.match(await oryn.getSession(), /^name: again$/m);
    });
  });

  it("two clients at once have a browser each", async () => {
    pages = { "/": "<title>One</title>", "/two": "<title>Two</title>" };
    await using(new Oryn({ binary, session: "one" }), (one) =>
      using(new Oryn({ binary, session: "two" }), async (two) => {
        await Promise.all([one.goto(`http://${site}/`), two.goto(`http://${site}/two`)]);
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
