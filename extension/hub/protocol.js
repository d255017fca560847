// Messages of `harbor-plugin/v1`: their envelope, error codes, time-outs and limits.
//
// The schema file beside this one is the only declaration of the messages: the kit for plugins and the tests read it too.

import { compile } from './schema.js';

export const NAMESPACE = 'harbor-plugin';
export const VERSION = 'harbor-plugin/v1';

/** Milliseconds; docs/spec/plugin-protocol.md#heartbeat. Not frozen: tests shorten them. */
export const TIMEOUTS = { registration: 5000, call: 30_000, ping: 2000, heartbeat: 60_000 };

/** Characters of JSON text. A message of the browser's may have 64 MiB. */
export const MAX_RESULT_CHARACTERS = 4 * 2 ** 20;
export const MAX_REGISTRATION_CHARACTERS = 2 ** 20;

/** An error with a code of docs/spec/plugin-protocol.md#error-codes, or one of the hub's own for pages (`PAGE_CODES`). */
export class HubError extends Error {
  constructor(code, message, details) {
    super(message);
    this.name = 'HubError';
    this.code = code;
    this.details = details;
  }
}

/** What the hub answers to pages besides the codes of the protocol. */
export const PAGE_CODES = ['PERMISSION_DENIED', 'TOO_MANY_REQUESTS', 'INVALID_REQUEST'];

const file = fetch(new URL('harbor-plugin-v1.schema.json', import.meta.url)).then((response) => response.json());
const compiled = new Map(); // message type: the check of its payload

const checks = file.then((schema) => {
  const { payloads, ...definitions } = schema.$defs;
  const check = (part) => compile({ ...part, $defs: definitions });
  for (const [type, payload] of Object.entries(payloads)) compiled.set(type, check(payload));
  return { envelope: check(schema), pluginId: check(definitions.extensionId), toolName: check(definitions.toolName) };
});

/** The parts of a tool's name as pages see it, `pluginId::toolName`. Throws `HubError` with `INVALID_REQUEST` for all else. */
export async function splitToolName(name) {
  const { pluginId: checkId, toolName: checkName } = await checks;
  const parts = typeof name === 'string' ? name.split('::') : [];
  const [pluginId, toolName] = parts;
  if (parts.length !== 2 || checkId(pluginId) || checkName(toolName)) {
    throw new HubError('INVALID_REQUEST', 'a tool is named pluginId::toolName');
  }
  return { pluginId, toolName };
}

/** Whether a message is meant for this protocol, in whatever version. */
export const isOfProtocol = (message) =>
  typeof message === 'object' && message !== null && message.namespace === NAMESPACE;

/** A message that has been checked, or null if its type is unknown: a later minor version may have it, and it is ignored.
 *  Throws `HubError` with `PROTOCOL_VERSION_MISMATCH` or `INVALID_ARGUMENTS`. */
export async function checked(received) {
  const { envelope } = await checks;
  const message = asJson(received);
  if (message.protocolVersion !== VERSION) {
    throw new HubError('PROTOCOL_VERSION_MISMATCH', `the hub speaks ${VERSION} and nothing else`);
  }
  const wrong = envelope(message) ?? compiled.get(message.type)?.(message.payload);
  if (wrong) throw new HubError('INVALID_ARGUMENTS', `${typeName(message)}: ${wrong}`);
  return compiled.has(message.type) ? message : null;
}

/** Chromium passes messages as JSON, Firefox as clones, which may have circles, big numbers and fields without a value. */
function asJson(message) {
  try {
    return JSON.parse(JSON.stringify(message));
  } catch (error) {
    throw new HubError('INVALID_ARGUMENTS', `the message is not JSON: ${error.message}`);
  }
}

const typeName = ({ type }) => (compiled.has(type) ? type : 'the envelope');

/** A message with a new request id, or with the id of the request that it answers. */
export function envelope(type, payload, requestId = newRequestId()) {
  return { namespace: NAMESPACE, protocolVersion: VERSION, type, requestId, timestamp: Date.now(), payload };
}

/** The random part can't be guessed by other plugins. */
const newRequestId = () => `hub-${Date.now()}-${crypto.randomUUID().replaceAll('-', '')}`;
