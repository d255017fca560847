// Requests of the hub to plugins, and the answers that belong to them (docs/spec/plugin-protocol.md#messages).
//
// An answer is a message of its own, or the value that `runtime.sendMessage` returns: plugins do either. An answer counts if
// it has the id of a request that is still open, comes from the extension that was sent it, and is of a type that answers it.

import { api, keepAwake } from './browser';
import { messageOf } from '../errors';
import { checked, envelope, HubError, isOfProtocol, PAGE_CODES, TIMEOUTS } from './protocol';
import type { Message, Payloads } from './protocol';
import { isOfServer } from './identity';

/** The types of answers by those of requests. */
const ANSWERS = {
  PLUGIN_TOOL_CALL: 'PLUGIN_TOOL_RESULT',
  PLUGIN_TOOLS_LIST: 'PLUGIN_TOOLS_LIST_RESULT',
  PLUGIN_PING: 'PLUGIN_PONG',
} as const;
type RequestType = keyof typeof ANSWERS;
type AnswerTo<Type extends RequestType> = Payloads[(typeof ANSWERS)[Type]];
/** How often the hub looks whether a plugin that is slow to answer still exists. */
const PROBE_MS = 2000;
const LIMITS = { PLUGIN_TOOL_CALL: 'call', PLUGIN_TOOLS_LIST: 'registration', PLUGIN_PING: 'ping' } as const;

interface OpenCall {
  pluginId: string;
  type: RequestType;
  resolve: (payload: unknown) => void;
  reject: (error: HubError) => void;
}

/** Sends a message to a plugin of the server. */
type ToServer = (pluginId: string, message: Message) => void;

/** The extension does not exist, is disabled, or does not listen. */
export class PluginGone extends HubError {
  constructor() {
    super('NOT_REGISTERED', 'the plugin is not there any more');
  }
}

export class Calls {
  readonly #open = new Map<string, OpenCall>(); // by request id
  readonly #probes = new Map<string, string[]>(); // id of an open request: ids of the pings that were sent meanwhile
  #toServer: ToServer | null = null;

  /** Send to plugins of the server by `toServer(pluginId, message)`. */
  connectServer(toServer: ToServer): void {
    this.#toServer = toServer;
  }

  /** Send a request and wait for the payload of its answer. Throws `HubError`: `TIMEOUT`, what the plugin has answered,
   *  and `PluginGone`. */
  request<Type extends RequestType>(pluginId: string, type: Type, payload: Payloads[Type]): Promise<AnswerTo<Type>> {
    const message = envelope(type, payload);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(message.requestId, { pluginId, type, resolve, reject });
    });
    const limit = TIMEOUTS[LIMITS[type]];
    const timer = setTimeout(() => {
      this.#fail(message.requestId, new HubError('TIMEOUT', `the plugin has not answered in ${limit} ms`));
    }, limit);
    const probe = setInterval(() => this.#probe(pluginId, message.requestId), PROBE_MS);
    void this.#send(pluginId, message, message.requestId);
    const settled = keepAwake(
      answer.finally(() => {
        clearTimeout(timer);
        clearInterval(probe);
        this.#probes.delete(message.requestId);
      }),
    );
    return settled as Promise<AnswerTo<Type>>; // `answer` takes no message of another type
  }

  /** Send a message that has no answer. Whether the plugin gets it does not matter, and the browser may never say so: a plugin
   *  can keep the message open. */
  notify(pluginId: string, message: Message): void {
    this.#deliver(pluginId, message).catch(() => {});
  }

  /** Handle an answer that `check` has found valid. Returns whether a request was waiting for it. */
  answer(senderId: string, message: Message): boolean {
    const { type, requestId, payload } = message;
    const call = this.#open.get(requestId);
    if (type === 'PLUGIN_PONG' && [...this.#probes.values()].some((ids) => ids.includes(requestId))) return true;
    if (!call || call.pluginId !== senderId) return false;
    if (message.type === 'PLUGIN_TOOL_ERROR') {
      // What the hub alone says, about the user and the page, is no plugin's word.
      const { code, message: text, details } = message.payload;
      const own = PAGE_CODES.includes(code) ? 'EXECUTION_FAILED' : code;
      this.#fail(requestId, new HubError(own, text, details));
      return true;
    }
    if (ANSWERS[call.type] !== type) return false;
    this.#open.delete(requestId);
    call.resolve(payload);
    return true;
  }

  /** An answer that is not valid ends the request, if it is its plugin's. */
  invalid(senderId: string, requestId: string, message: string): boolean {
    if (this.#open.get(requestId)?.pluginId !== senderId) return false;
    this.#fail(requestId, new HubError('INTERNAL_ERROR', `the plugin's answer is not valid: ${message}`));
    return true;
  }

  /** End all requests to a plugin that was unregistered or disabled. */
  abandon(pluginId: string, error: HubError): void {
    for (const [requestId, call] of this.#open) if (call.pluginId === pluginId) this.#fail(requestId, error);
  }

  #probe(pluginId: string, requestId: string): void {
    const ping = envelope('PLUGIN_PING', {});
    this.#probes.set(requestId, [...(this.#probes.get(requestId) ?? []), ping.requestId]);
    void this.#send(pluginId, ping, requestId);
  }

  /** Send a message for the open request `requestId`: the request itself, or a ping while it is open. */
  async #send(pluginId: string, message: Message, requestId: string): Promise<void> {
    let reply: unknown;
    try {
      reply = await this.#deliver(pluginId, message);
    } catch (error) {
      // A plugin that listens and does not reply rejects too, with another text ("message port closed").
      if (/Receiving end does not exist|Invalid extension id/i.test(messageOf(error))) {
        this.#fail(requestId, new PluginGone());
      }
      return;
    }
    if (!isOfProtocol(reply) || reply.requestId !== requestId) return;
    try {
      const message = checked(reply);
      if (message) this.answer(pluginId, message);
    } catch (error) {
      this.invalid(pluginId, requestId, messageOf(error));
    }
  }

  /** Returns the reply, if the plugin's browser gives one. */
  async #deliver(pluginId: string, message: Message): Promise<unknown> {
    if (!isOfServer(pluginId)) return await api.runtime.sendMessage(pluginId, message);
    this.#toServer?.(pluginId, message);
    return undefined;
  }

  #fail(requestId: string, error: HubError): void {
    const call = this.#open.get(requestId);
    this.#open.delete(requestId);
    call?.reject(error);
  }
}
