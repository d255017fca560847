/** The messages of `harbor-plugin/v1`. The hub publishes them as `harbor-plugin-v1.schema.json`; a test compares the two. */

export const NAMESPACE = "harbor-plugin";
export const VERSION = "harbor-plugin/v1";

/** Milliseconds in which a hub answers a registration; docs/spec/plugin-protocol.md#heartbeat. */
export const REGISTRATION_MS = 5000;

export const ERROR_CODES = [
  "TOOL_NOT_FOUND",
  "INVALID_ARGUMENTS",
  "EXECUTION_FAILED",
  "TIMEOUT",
  "INTERNAL_ERROR",
  "NOT_REGISTERED",
  "ALREADY_REGISTERED",
  "PLUGIN_NOT_ALLOWED",
  "PROTOCOL_VERSION_MISMATCH",
] as const;

/** A code of this version, or another one: new codes are a minor change, and the caller gets each as it is. */
export type ErrorCode = (typeof ERROR_CODES)[number] | (string & {});

export const MESSAGE_TYPES = [
  "PLUGIN_REGISTER",
  "PLUGIN_REGISTER_ACK",
  "PLUGIN_UNREGISTER",
  "PLUGIN_UNREGISTER_ACK",
  "PLUGIN_TOOLS_LIST",
  "PLUGIN_TOOLS_LIST_RESULT",
  "PLUGIN_TOOL_CALL",
  "PLUGIN_TOOL_RESULT",
  "PLUGIN_TOOL_ERROR",
  "PLUGIN_PING",
  "PLUGIN_PONG",
  "PLUGIN_DISABLED",
  "PLUGIN_ENABLED",
] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

export interface Envelope {
  readonly namespace: typeof NAMESPACE;
  readonly protocolVersion: typeof VERSION;
  readonly type: MessageType;
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** JSON Schema, draft 2020-12. References must begin with `#`. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface ToolDefinition {
  /** 1 to 128 letters, digits, `_`, `.` or `-`; pages see `<extension id>::<name>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly uiHints?: {
    readonly icon?: string;
    readonly category?: string;
    /** The tool changes or sends something: the hub asks the user at each call. */
    readonly dangerous?: boolean;
    readonly speed?: "instant" | "fast" | "slow";
  };
}

/** A message with an id of its own, or with the id of the request that it answers. */
export function createEnvelope(
  type: MessageType,
  payload: Readonly<Record<string, unknown>>,
  requestId = `plugin-${Date.now()}-${crypto.randomUUID().replaceAll("-", "")}`,
): Envelope {
  return { namespace: NAMESPACE, protocolVersion: VERSION, type, requestId, timestamp: Date.now(), payload };
}

/** Whether a value is a message of exactly this version. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== "object" || value === null) return false;
  const { namespace, protocolVersion, type, requestId, payload } = value as Record<string, unknown>;
  return (
    namespace === NAMESPACE &&
    protocolVersion === VERSION &&
    typeof requestId === "string" &&
    typeof payload === "object" &&
    payload !== null &&
    (MESSAGE_TYPES as readonly unknown[]).includes(type)
  );
}
