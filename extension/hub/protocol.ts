// Messages of `harbor-plugin/v1`: their envelope, error codes, time-outs and limits.
//
// The schema file beside this one declares the messages; the kit for plugins and the tests read it too. The types here say
// the same of messages that it has found valid.

import { messageOf } from '../errors';
import { isFields } from '../values';
import type { Fields, JsonObject, JsonValue } from '../values';
import file from './harbor-plugin-v1.schema.json';
import { compile } from './schema';
import type { Check } from './schema';

export const NAMESPACE = 'harbor-plugin';
export const VERSION = 'harbor-plugin/v1';

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  uiHints?: { icon?: string; category?: string; dangerous?: boolean; speed?: 'instant' | 'fast' | 'slow' };
}

/** A plugin as it describes itself. */
export interface Plugin {
  extensionId: string;
  name: string;
  version: string;
  description?: string;
  author?: string;
  homepage?: string;
  icon?: string;
  tools: Tool[];
}

/** The payloads of messages by their types. */
export interface Payloads {
  PLUGIN_REGISTER: { plugin: Plugin };
  PLUGIN_REGISTER_ACK: { success: boolean; error?: string; toolNamespace?: string };
  PLUGIN_UNREGISTER: { reason?: string };
  PLUGIN_UNREGISTER_ACK: { success: boolean };
  PLUGIN_TOOLS_LIST: object;
  PLUGIN_TOOLS_LIST_RESULT: { tools: Tool[] };
  PLUGIN_TOOL_CALL: { toolName: string; arguments: object; callingOrigin?: string };
  PLUGIN_TOOL_RESULT: { result?: JsonValue; executionTimeMs?: number };
  PLUGIN_TOOL_ERROR: { code: string; message: string; details?: JsonValue };
  PLUGIN_PING: object;
  PLUGIN_PONG: { healthy: boolean; uptime?: number };
  PLUGIN_DISABLED: { reason?: string };
  PLUGIN_ENABLED: object;
}
export type MessageType = keyof Payloads;

export type Message = {
  [Type in MessageType]: {
    namespace: typeof NAMESPACE;
    protocolVersion: typeof VERSION;
    type: Type;
    requestId: string;
    timestamp: number;
    payload: Payloads[Type];
  };
}[MessageType];

/** Milliseconds; docs/spec/plugin-protocol.md#heartbeat. Not frozen: tests shorten them. */
export const TIMEOUTS = { registration: 5000, call: 30_000, ping: 2000, heartbeat: 60_000 };

/** Characters of JSON text. A message of the browser's may have 64 MiB. */
export const MAX_RESULT_CHARACTERS = 4 * 2 ** 20;
export const MAX_REGISTRATION_CHARACTERS = 2 ** 20;

/** An error with a code of docs/spec/plugin-protocol.md#error-codes, or one of the hub's own for pages (`PAGE_CODES`). */
export class HubError extends Error {
  readonly code: string;
  readonly details: JsonValue | undefined;

  constructor(code: string, message: string, details?: JsonValue) {
    super(message);
    this.name = 'HubError';
    this.code = code;
    this.details = details;
  }
}

/** What the hub answers to pages besides the codes of the protocol. */
export const PAGE_CODES = ['PERMISSION_DENIED', 'TOO_MANY_REQUESTS', 'INVALID_REQUEST'];

/** The checks of messages, each of which returns what is wrong. */
interface Checks {
  envelope: Check;
  pluginId: Check;
  toolName: Check;
  payloads: Map<string, Check>; // by the type of the message
}
let compiled: Checks | null = null;

/** Compiled for the first message, not in the first turn of the worker. */
function checks(): Checks {
  if (compiled) return compiled;
  const { payloads, ...definitions } = file.$defs;
  const check = (part: JsonObject) => compile({ ...part, $defs: definitions });
  compiled = {
    envelope: check(file),
    pluginId: check(definitions.extensionId),
    toolName: check(definitions.toolName),
    payloads: new Map(Object.entries(payloads).map(([type, payload]) => [type, check(payload)])),
  };
  return compiled;
}

/** The parts of a tool's name as pages see it, `pluginId::toolName`. Throws `HubError` with `INVALID_REQUEST` for all else. */
export function splitToolName(name: unknown): { pluginId: string; toolName: string } {
  const { pluginId: checkId, toolName: checkName } = checks();
  const [pluginId, toolName, ...more] = typeof name === 'string' ? name.split('::') : [];
  if (pluginId === undefined || toolName === undefined || more.length || checkId(pluginId) || checkName(toolName)) {
    throw new HubError('INVALID_REQUEST', 'a tool is named pluginId::toolName');
  }
  return { pluginId, toolName };
}

/** Whether a message is meant for this protocol, in whatever version. */
export const isOfProtocol = (message: unknown): message is Fields =>
  isFields(message) && message.namespace === NAMESPACE;

/** A message that has been checked, or null if its type is unknown: a later minor version may have it, and it is ignored.
 *  Throws `HubError` with `PROTOCOL_VERSION_MISMATCH` or `INVALID_ARGUMENTS`. */
export function checked(received: unknown): Message | null {
  const { envelope, payloads } = checks();
  const message = asJson(received);
  if (message.protocolVersion !== VERSION) {
    throw new HubError('PROTOCOL_VERSION_MISMATCH', `the hub speaks ${VERSION} and nothing else`);
  }
  const { type } = message;
  const name = typeof type === 'string' && payloads.has(type) ? type : null; // of a type that is known
  const check = name === null ? undefined : payloads.get(name);
  const wrong = envelope(message) ?? check?.(message.payload);
  if (wrong) throw new HubError('INVALID_ARGUMENTS', `${name ?? 'the envelope'}: ${wrong}`);
  return check ? (message as unknown as Message) : null; // the schema has found it valid
}

/** Chromium passes messages as JSON, Firefox as clones, which may have circles, big numbers and fields without a value. */
function asJson(message: unknown): JsonObject {
  try {
    return JSON.parse(JSON.stringify(message)) as JsonObject; // it has a namespace: `isOfProtocol`
  } catch (error) {
    throw new HubError('INVALID_ARGUMENTS', `the message is not JSON: ${messageOf(error)}`);
  }
}

/** A message with a new request id, or with the id of the request that it answers. */
export function envelope<Type extends MessageType>(
  type: Type,
  payload: Payloads[Type],
  requestId = newRequestId(),
): Message {
  const message = { namespace: NAMESPACE, protocolVersion: VERSION, type, requestId, timestamp: Date.now(), payload };
  return message as Message; // the type and its payload are those of one member
}

/** The random part can't be guessed by other plugins. */
const newRequestId = () => `hub-${Date.now()}-${crypto.randomUUID().replaceAll('-', '')}`;
