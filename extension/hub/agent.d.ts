/** The API that Oryn's extension gives to pages of http and https: tools of the user's plugins, under the user's consent. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type AgentErrorCode =
  | 'TOOL_NOT_FOUND'
  | 'INVALID_ARGUMENTS'
  | 'EXECUTION_FAILED'
  | 'TIMEOUT'
  | 'INTERNAL_ERROR'
  | 'NOT_REGISTERED'
  | 'ALREADY_REGISTERED'
  | 'PLUGIN_NOT_ALLOWED'
  | 'PROTOCOL_VERSION_MISMATCH'
  /** The user has refused, now or in the last ten minutes, or has not answered. */
  | 'PERMISSION_DENIED'
  /** More than 1,000 requests of a document are open, or an origin asks for more than 3 tools at once. */
  | 'TOO_MANY_REQUESTS'
  /** Not JSON, too large, not of this API, or with a name that is not `pluginId::toolName`. */
  | 'INVALID_REQUEST'
  /** Codes of a plugin's own. */
  | (string & {});

export interface AgentError extends Error {
  readonly name: 'AgentError';
  readonly code: AgentErrorCode;
  readonly details?: JsonValue;
}

export interface AgentTool {
  /** `pluginId::toolName`, for `call`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema, draft 2020-12. */
  readonly inputSchema: { readonly [keyword: string]: JsonValue };
  readonly outputSchema?: { readonly [keyword: string]: JsonValue };
  readonly uiHints?: {
    readonly icon?: string;
    readonly category?: string;
    /** The user is asked at each call. */
    readonly dangerous?: boolean;
    readonly speed?: 'instant' | 'fast' | 'slow';
  };
}

export interface ToolAnswer {
  readonly success: true;
  readonly result: JsonValue;
  /** Milliseconds in the plugin, if it says so. */
  readonly executionTimeMs?: number;
}

export interface Agent {
  readonly tools: {
    /** The tools that the user allows this origin; empty before any permission. Never opens a window. */
    list(): Promise<readonly AgentTool[]>;
    /** Call a tool. Asks the user if they have not decided. Rejects with `AgentError`. */
    call(name: string, values?: { readonly [key: string]: JsonValue }): Promise<ToolAnswer>;
  };
  /** Ask the user for tools by name (1 to 50), or for all. Rejects with `AgentError`. */
  requestPermission(options?: { readonly tools?: readonly string[] }): Promise<{ readonly granted: boolean }>;
}

declare global {
  interface Window {
    readonly agent?: Agent;
  }
}
