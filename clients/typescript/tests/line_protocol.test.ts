import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StringDecoder } from "node:string_decoder";

import { AnswerSplitter } from "../dist/framing.js";
import { readReady } from "../dist/ready.js";
import { quote } from "oryn-browser";

import { CASES } from "./cases.js";
import { isExpected } from "./expectations.js";

describe("framing", () => {
  for (const { wire, payload } of CASES.framing.answers) {
    it(JSON.stringify(wire), () => assert.deepEqual([...new AnswerSplitter().feed(wire)], [payload]));
  }
  for (const { pieces, payloads } of CASES.framing.streams) {
    it(pieces.join(" "), () => {
      const [splitter, decoder] = [new AnswerSplitter(), new StringDecoder("utf8")];
      const found = pieces.flatMap((piece) => [...splitter.feed(decoder.write(Buffer.from(piece, "hex")))]);
      assert.deepEqual(found, payloads);
    });
  }
  it("counts what is not whole yet", () => {
    const splitter = new AnswerSplitter();
    assert.deepEqual([...splitter.feed("ok\n---\nhalf\nan ans")], ["ok"]);
    assert.equal(splitter.size, "half\nan ans".length);
    assert.deepEqual(splitter.beginning, { text: "half", isWhole: true });
  });
});

describe("ready", () => {
  for (const { line, fails, has, ...ready } of CASES.ready.lines) {
    it(JSON.stringify(line), () => {
      if (fails) assert.throws(() => readReady(line), (error) => isExpected(error, { fails, has: has ?? [] }));
      else assert.deepEqual(readReady(line), ready);
    });
  }
});

describe("quoting", () => {
  for (const { text, written } of CASES.quoting.quote) it(written, () => assert.equal(quote(text), written));
});
