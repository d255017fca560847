// execute (docs/spec/scanner-protocol.md#execute). The backend runs it in the page's own world, where the page's
// content security policy may forbid it.

import type { ExecuteRequest, ExecuteResponse } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { requireText } from './read';

type AsyncBody = (...args: unknown[]) => Promise<unknown>;

// It has no global name.
const AsyncFunction = (Object.getPrototypeOf(async () => {}) as { constructor: new (body: string) => AsyncBody })
  .constructor;

/** The script is a function's body with `args` as `arguments`; an expression without `return` is one too. */
export function execute(request: ExecuteRequest): Promise<ExecuteResponse> {
  const script = requireText(request.script, 'script');
  const args = request.args ?? [];
  if (!Array.isArray(args)) throw new Refusal('INVALID_REQUEST', 'args must be a list');
  return runScript(script, args).then((result) => ({ result: result === undefined ? null : result }));
}

export async function runScript(script: string, args: readonly unknown[]): Promise<unknown> {
  const body = compiled(script);
  try {
    return await body(...args);
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', messageOf(error));
  }
}

function compiled(script: string): AsyncBody {
  try {
    return new AsyncFunction(`return (${script}\n)`);
  } catch {
    // Not an expression: statements.
  }
  try {
    return new AsyncFunction(script);
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', messageOf(error));
  }
}

function messageOf(error: unknown): string {
  try {
    return String((error && (error as Error).message) || error);
  } catch {
    return 'the script threw something that has no text';
  }
}
