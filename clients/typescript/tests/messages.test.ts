import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

import { dataFolder } from "../dist/paths.js";
import { Credentials } from "../dist/remote/credentials.js";
import type { Keys } from "../dist/remote/keys.js";
import { readControl, readMessage } from "../dist/remote/messages.js";
import { isExtension, isLoopback } from "../dist/remote/origins.js";
import { extensionProof, matches, serverProof } from "../dist/remote/pairing.js";
import { Peer } from "../dist/remote/peer.js";

import { CASES } from "./cases.js";
import { isExpected } from "./expectations.js";

describe("messages", () => {
  for (const { frame, fails, ...message } of CASES.remote.frames) {
    it(JSON.stringify(frame), () => {
      if (fails) assert.throws(() => readMessage(frame), (error) => isExpected(error, { fails }));
      else assert.deepEqual(readMessage(frame), message);
    });
  }
  for (const { frame, fails, ...registration } of CASES.remote.registrations) {
    it(frame, () => {
      const read = (): unknown => readControl(readMessage(frame).content);
      if (fails) assert.throws(read, (error) => isExpected(error, { fails }));
      else assert.deepEqual(withNulls(read()), { kind: "register", ...registration });
    });
  }
  it("a control message that is too long", () => {
    assert.throws(() => readControl(`error ${"x".repeat(5_000)}`), { code: "MALFORMED_MESSAGE" });
  });
});

describe("proofs", () => {
  for (const { secret, message, proof } of CASES.remote.proofs) {
    it(proof, () => {
      const nonce = message.replace("extension ", "");
      const expected = message === nonce ? serverProof(secret, nonce) : extensionProof(secret, nonce);
      assert.ok(matches(expected, proof));
      assert.ok(!matches(expected.toUpperCase(), proof) && !matches("", proof) && !matches(undefined, proof));
    });
  }
});

describe("replies to a registration", () => {
  for (const { name, code, keys, frame, reply, reply_begins } of CASES.remote.replies) {
    it(name, () => {
      const said: string[] = [];
      const wire = { send: (text: string) => said.push(text), close: () => undefined };
      const home = { arrived: () => undefined, left: () => undefined, refused: () => undefined };
      const stored = { find: (id: string) => keys[id] } as Keys;
      const peer = new Peer(wire, new Credentials(stored, code ?? undefined), home);
      peer.receive(frame);
      peer.lost();
      if (reply !== undefined) assert.deepEqual(said, [reply]);
      else assert.ok(said[0]?.startsWith(reply_begins!), said[0]);
    });
  }
});

describe("where we are", () => {
  it("who may connect", () => {
    const hosts = ["localhost", "LOCALHOST:80", "localhost.", "127.0.0.1:8080", "127.9.9.9", "[::1]", "[::1]:8080"];
    for (const host of hosts) assert.ok(isLoopback(host), host);
    for (const host of ["", undefined, "a.example", "localhost.a.example", "127.0.0.1.a.example", "10.0.0.1", "::2"]) {
      assert.ok(!isLoopback(host), host);
    }
    assert.ok(isExtension(undefined) && isExtension("moz-extension://0a1b-2c"));
    for (const origin of ["null", "", "https://a.example", "chrome-extension://a/b", "x-chrome-extension://a"]) {
      assert.ok(!isExtension(origin), origin);
    }
  });
  it("folders", () => {
    const home = tmpdir();
    assert.equal(dataFolder({ ORYN_HOME: home }), join(home, "data"));
    assert.equal(dataFolder({ XDG_DATA_HOME: home }, "linux"), join(home, "oryn"));
    assert.match(dataFolder({}, "linux"), /\.local.share.oryn$/);
    assert.match(dataFolder({}, "darwin"), /Library.Application Support.oryn$/);
    assert.equal(dataFolder({ LOCALAPPDATA: home }, "win32"), join(home, "oryn"));
  });
});

function withNulls(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, each ?? null]));
}
