import assert from "node:assert/strict";
import { test } from "node:test";
import { tools as decoding } from "../plugins/decode/tools.js";
import { tools as timing } from "../plugins/time/tools.js";
import { ToolError } from "../src/index.js";

const ALL = [...decoding, ...timing];

async function run(name: string, values: Record<string, unknown>): Promise<any> {
  const tool = ALL.find((each) => each.name === name);
  assert.ok(tool, name);
  return tool.run(values, { callingOrigin: undefined });
}

const rejects = (name: string, values: Record<string, unknown>) =>
  assert.rejects(run(name, values), (error) => error instanceof ToolError && error.code !== "INTERNAL_ERROR");

test("Base64, the vectors of RFC 4648, and texts beyond ASCII", async () => {
  for (const [text, encoded] of [["", ""], ["f", "Zg=="], ["fo", "Zm8="], ["foobar", "Zm9vYmFy"], ["Grüße 🙂", "R3LDvMOfZSDwn5mC"]]) {
    assert.equal(await run("base64_encode", { text }), encoded);
    assert.equal(await run("base64_decode", { text: encoded }), text);
  }
  assert.equal(await run("base64_encode", { text: "??>>", urlSafe: true }), "Pz8-Pg");
  assert.equal(await run("base64_decode", { text: "Pz8-Pg" }), "??>>");
  await rejects("base64_decode", { text: "!" });
  await rejects("base64_decode", { text: "/w==" });
});

test("percent-encoding", async () => {
  assert.equal(await run("url_encode", { text: "a b&ü" }), "a%20b%26%C3%BC");
  assert.equal(await run("url_decode", { text: "a%20b%26%C3%BC+" }), "a b&ü+");
  await rejects("url_decode", { text: "%E0%A4%A" });
});

test("the token of RFC 7515, appendix A.1", async () => {
  const token =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." +
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ." +
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  assert.deepEqual(await run("jwt_decode", { token }), {
    header: { typ: "JWT", alg: "HS256" },
    payload: { iss: "joe", exp: 1300819380, "http://example.com/is_root": true },
    isSigned: true,
    isVerified: false,
  });
  for (const wrong of ["", "a.b", "a.b.c", "a.b.c.d"]) await rejects("jwt_decode", { token: wrong });
});

test("hashes of abc, the examples of FIPS 180-4", async () => {
  assert.equal(await run("hash", { text: "abc", algorithm: "SHA-1" }), "a9993e364706816aba3e25717850c26c9cd0d89d");
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(await run("hash", { text: "abc" }), expected);
});

test("instants in time zones, over the change to summer time", async () => {
  const at = async (instant: string, timeZone?: string) =>
    (await run("convert", { instant, ...(timeZone && { timeZone }) })).local;
  assert.equal(await at("2026-03-29T00:59:59Z", "Europe/Paris"), "2026-03-29T01:59:59+01:00");
  assert.equal(await at("2026-03-29T01:00:00Z", "Europe/Paris"), "2026-03-29T03:00:00+02:00");
  assert.equal(await at("2026-01-01T00:00:00+05:30"), "2025-12-31T18:30:00+00:00");
  assert.equal((await run("convert", { instant: "2026-01-01T12:00:00Z" })).weekday, "Thursday");
  for (const instant of ["2026-01-01", "now", "2026-01-01T12:00:00", "2026-13-01T12:00:00Z"]) {
    await rejects("convert", { instant });
  }
  await rejects("convert", { instant: "2026-01-01T12:00:00Z", timeZone: "Mars/Olympus" });
});

test("the current time", async () => {
  const before = Date.now();
  const { iso, timeZone } = await run("now", {});
  assert.ok(before <= Date.parse(iso) && Date.parse(iso) <= Date.now());
  assert.equal(timeZone, "UTC");
});

test("differences", async () => {
  const from = "2026-01-01T00:00:00Z";
  const later = await run("difference", { from, to: "2026-01-02T01:02:03.5Z" });
  assert.deepEqual(later, { seconds: 90123.5, days: 1, hours: 1, minutes: 2, remainder: 3.5 });
  assert.equal((await run("difference", { from, to: "2025-12-31T23:59:59Z" })).seconds, -1);
});

test("every tool is described, and takes only what it describes", () => {
  for (const { name, title, description, inputSchema } of ALL) {
    assert.ok(title && description, name);
    assert.equal(inputSchema["additionalProperties"], false, name);
  }
});
