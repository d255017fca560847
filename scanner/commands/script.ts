// execute (docs/spec/scanner-protocol.md#execute). The backend runs it in the page's own world, where the page's
// content security policy may forbid it.

import { Refusal } from '../dom/refusal';
import { requireText } from './read';

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/** The script is a function's body with `args` as `arguments`; an expression without `return` is one too. */
export function execute(request) {
  requireText(request.script, 'script');
  const args = request.args ?? [];
  if (!Array.isArray(args)) throw new Refusal('INVALID_REQUEST', 'args must be a list');
  return runScript(request.script, args).then((result) => ({ result: result === undefined ? null : result }));
}

export async function runScript(script, args) {
  const body = compiled(script);
  try {
    return await body(...args);
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', messageOf(error));
  }
}

function compiled(script) {
  try {
    return new AsyncFunction(`return (${script}\n)`);
  } catch (error) {
    // Not an expression: statements.
  }
  try {
    return new AsyncFunction(script);
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', messageOf(error));
  }
}

function messageOf(error) {
  try {
    return String((error && error.message) || error);
  } catch (inner) {
    return 'the script threw something that has no text';
  }
}
