import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Turns } from "../dist/turns.js";

describe("turns", () => {
  it("one command at a time, in the order in which they were asked for", async () => {
    const written: string[] = [];
    const turns = new Turns((line) => written.push(line));
    const answers = Promise.all(["a", "b", "c"].map((line) => turns.ask(line)));
    assert.deepEqual(written, ["a"]);
    for (const answer of ["1", "2", "3"]) assert.ok(turns.answered(answer));
    assert.deepEqual(written, ["a", "b", "c"]);
    assert.deepEqual(await answers, ["1", "2", "3"]);
    assert.ok(!turns.answered("4"));
  });

  it("an abandoned command is cancelled, its answers are not the next one's, and what was not sent never is", async () => {
    const written: string[] = [];
    const turns = new Turns((line) => written.push(line));
    const limits = [new AbortController(), new AbortController()] as const;
    void turns.ask("a", limits[0].signal);
    void turns.ask("b", limits[1].signal);
    const last = turns.ask("c");
    limits.forEach((limit) => limit.abort());
    assert.deepEqual(written, ["a", '{"cancel":true}']);
    assert.ok(turns.answered("1: of the command") && turns.answered("2: of the cancellation"));
    turns.answered("3");
    assert.equal(await last, "3");
    assert.deepEqual(written, ["a", '{"cancel":true}', "c"]);
  });

  it("who comes after the end is told why", async () => {
    const turns = new Turns(() => assert.fail("nothing is written"));
    turns.fail("it ended");
    await assert.rejects(turns.ask('@work type 1 "secret"'), { message: "it ended before 'type' was sent" });
  });
});
