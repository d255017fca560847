import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, it } from "node:test";

import { Oryn } from "oryn-browser";

import { CASES, SHARED } from "./cases.js";
import { expectCall } from "./expectations.js";

const FAKE = fileURLToPath(new URL("fake_engine.py", SHARED));
const READY = { say: "ready oryn-h v1.0.0 protocol=2\n---\n" };

/** A client of an engine that does what it is told. */
function faked(steps: readonly unknown[], options: { timeout?: number } = {}): Oryn {
  process.env["ORYN_FAKE_ENGINE"] = JSON.stringify(steps);
  return new Oryn({ binary: FAKE, ...options });
}

/** The processes that we have started and that have not ended; undefined where the system does not tell. */
function children(): string | undefined {
  const file = `/proc/${process.pid}/task/${process.pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

describe("faults of an engine", () => {
  afterEach(() => assert.ok(!children(), `processes are left: ${children()}`));

  for (const { name, engine, calls } of CASES.faults.cases) {
    it(name, async () => {
      const oryn = faked(engine);
      try {
        for (const call of calls) await expectCall(oryn, call);
      } finally {
        await oryn.close();
      }
    });
  }

  it("what is written for a command", async () => {
    const written = CASES.framing.commands.filter(({ wire }) => wire !== undefined);
    const echoes = written.flatMap(() => [{ hear: 1 }, { say: "heard {heard}\n---\n" }]);
    const oryn = faked([READY, ...echoes, { wait: true }]);
    await oryn.connect();
    try {
      for (const { command, wire, refused } of CASES.framing.commands) {
        if (refused) await assert.rejects(oryn.send(command), { code: refused });
        else assert.equal(`${await oryn.send(command)}\n`, `heard ${wire}`);
      }
    } finally {
      await oryn.close();
    }
  });

  it("what waits behind a command that is lost is not sent", async () => {
    const oryn = faked([READY, { hear: 1 }, { exit: 1 }]);
    await oryn.connect();
    const [first, second] = await Promise.allSettled([oryn.send("click 1"), oryn.send('type 2 "secret"')]);
    await oryn.close();
    assert.match(String((first as PromiseRejectedResult).reason), /ended before it answered .click.: exit code 1/);
    assert.match(String((second as PromiseRejectedResult).reason), /before 'type' was sent/);
    assert.doesNotMatch(String((second as PromiseRejectedResult).reason), /secret/);
  });

  it("an engine that closes its output is ended", async () => {
    const oryn = faked([READY, { hear: 1 }, { hang_up: true }, { wait: true }]);
    await oryn.connect();
    await assert.rejects(oryn.send("url"), { code: "CONNECTION_LOST", message: /closed its output before/ });
    await oryn.close();
  });

  it("a program that writes on and on is no engine", async () => {
    const oryn = faked([{ flood: 1_000_000 }, { wait: true }]);
    await assert.rejects(oryn.connect(), { code: "ENGINE_FAILED", message: /the program said "xxx/ });
  });

  it("a program that can't be run", async () => {
    const folder = mkdtempSync(join(tmpdir(), "oryn-engine-"));
    const binary = join(folder, "oryn-h");
    writeFileSync(binary, "#!/nowhere/interpreter\n", { mode: 0o755 });
    for (const options of [{ binary }, { binary: FAKE, session: "a\0b" }]) {
      await assert.rejects(new Oryn(options).connect(), { code: "ENGINE_FAILED", message: /can't be run/ });
    }
    rmSync(folder, { recursive: true });
  });

  it("no answer within the time", async () => {
    const oryn = faked([READY, { hear: 1 }, { wait: true }], { timeout: 3 });
    await oryn.connect();
    await assert.rejects(oryn.send("click 3"), { code: "NO_ANSWER", message: "no answer within 3 s" });
    await oryn.close();
  });

  it("a client that is not connected, or was closed, sends nothing", async () => {
    const oryn = faked([READY, { wait: true }]);
    await assert.rejects(oryn.send("url"), { code: "NOT_CONNECTED" });
    await oryn.connect();
    await assert.rejects(oryn.connect(), { code: "INVALID_SETTING" });
    await oryn.close();
    await oryn.close();
    await assert.rejects(oryn.send("url"), { code: "NOT_CONNECTED" });
  });

  it("closing rejects what is under way", async () => {
    const oryn = faked([READY, { hear: 1 }, { wait: true }]);
    await oryn.connect();
    const lost = assert.rejects(oryn.send("click 3"), { code: "CONNECTION_LOST" });
    await oryn.close();
    await lost;
  });

  it("options that can't be", () => {
    const numbers = [{ port: 0 }, { port: 1.5 }, { timeout: 0 }, { timeout: NaN }];
    for (const each of [{ mode: "none" }, { arguments: "-x" }, ...numbers]) {
      assert.throws(() => new Oryn(each as object), { code: "INVALID_SETTING" });
    }
    assert.throws(() => new Oryn({ mode: "remote", pair: "12" }), { code: "INVALID_VALUE" });
  });
});
