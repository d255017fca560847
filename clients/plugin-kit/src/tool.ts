/** A tool: what pages see of it, and the function that executes it. */

import type { ErrorCode, ToolDefinition } from "./protocol.js";

/** An error that the caller gets as it is. All other errors arrive as `EXECUTION_FAILED` with their message. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** JSON for the caller. */
    readonly details?: unknown,
  ) {
    super(message);
  }
}

export interface CallContext {
  /** The origin of the page that calls. For information: the user's consent has been checked. */
  readonly callingOrigin: string | undefined;
}

export interface Tool extends ToolDefinition {
  /** Execute a call. The hub has checked the arguments against `inputSchema`. Returns JSON. Must end within 30 s. */
  run(values: Readonly<Record<string, unknown>>, context: CallContext): unknown;
}

/** Declare a tool with the type of its arguments, which `inputSchema` must describe. */
export function defineTool<Arguments>(
  tool: ToolDefinition & { run(values: Readonly<Arguments>, context: CallContext): unknown },
): Tool {
  return tool as Tool;
}

/** What of a tool goes to the hub. */
export function definitionOf({ run: _, ...definition }: Tool): ToolDefinition {
  return definition;
}
