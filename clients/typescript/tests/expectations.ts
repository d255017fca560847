/** What the cases say of errors. */

import assert from "node:assert/strict";

import { Oryn, OrynError } from "oryn-browser";

import type { Call, Fails } from "./cases.js";

export function isExpected(error: unknown, { fails, has = [], hint_has = [], has_not = [] }: Fails): true {
  assert.ok(error instanceof OrynError, String(error));
  assert.equal(error.code, fails);
  for (const text of has) assert.ok(error.message.includes(text), `${error.message} has no ${text}`);
  for (const text of hint_has) assert.ok(error.hint.includes(text), `${error.hint} has no ${text}`);
  for (const text of has_not) assert.ok(!`${error.message} ${error.hint}`.includes(text), `it tells ${text}`);
  return true;
}

/** Make a call of a case, and look at what comes of it. */
export async function expectCall(oryn: Oryn, step: Call): Promise<void> {
  const outcome = step.connect ? oryn.connect().then(() => undefined) : oryn.send(step.send ?? "");
  if (step.fails) {
    await assert.rejects(outcome, (error) => isExpected(error, step));
  } else if (step.answer_is_not !== undefined) {
    assert.notEqual(await outcome.catch((error: unknown) => error), step.answer_is_not);
  } else {
    assert.equal(await outcome, step.answer);
  }
}
