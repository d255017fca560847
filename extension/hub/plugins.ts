// Messages from plugins: registration, and answers to the hub's requests.
//
// `sender.id` comes from the browser and is the only identity that counts. Firefox ignores `externally_connectable`, so
// every extension can send; what is not of this protocol is ignored, what is and not valid gets an answer with its code.

import { messageOf } from '../errors';
import type { Fields } from '../values';
import type { Calls } from './calls';
import { checked, envelope, HubError, isOfProtocol } from './protocol';
import type { Message, Payloads } from './protocol';
import type { Registry } from './registry';
import { Stored } from './stored';

const MAX_REMEMBERED_IDS = 200;

export class PluginMessages {
  readonly #registry: Registry;
  readonly #calls: Calls;
  readonly #used = new Stored<Record<string, string[]>>('session', 'used_request_ids', {}); // extension id: its last request ids

  constructor(registry: Registry, calls: Calls) {
    this.#registry = registry;
    this.#calls = calls;
  }

  /** Handle a message, and return the message that answers it, or null. The plugin gets it as a message of its own, too. */
  async handle(received: unknown, senderId: string | undefined): Promise<Message | null> {
    if (!isOfProtocol(received) || !senderId) return null;
    let reply: Message | null;
    try {
      const message = this.#checked(received, senderId);
      reply = message && (await this.#dispatch(message, senderId));
    } catch (error) {
      reply = this.#refusal(received, error);
    }
    if (reply) this.#calls.notify(senderId, reply);
    return reply;
  }

  #checked(received: Fields, senderId: string): Message | null {
    try {
      return checked(received);
    } catch (error) {
      if (typeof received.requestId === 'string') this.#calls.invalid(senderId, received.requestId, messageOf(error));
      throw error;
    }
  }

  async #dispatch(message: Message, senderId: string): Promise<Message | null> {
    const { type, requestId } = message;
    if (type === 'PLUGIN_REGISTER' || type === 'PLUGIN_UNREGISTER') await this.#claim(senderId, message);
    if (type === 'PLUGIN_REGISTER') {
      await this.#registry.register(senderId, message.payload.plugin);
      return envelope('PLUGIN_REGISTER_ACK', { success: true, toolNamespace: senderId }, requestId);
    }
    if (type === 'PLUGIN_UNREGISTER') {
      return envelope('PLUGIN_UNREGISTER_ACK', await this.#unregister(senderId, message.payload), requestId);
    }
    if (!(await this.#registry.has(senderId))) throw new HubError('NOT_REGISTERED', 'register before other messages');
    if (!this.#calls.answer(senderId, message)) {
      throw new HubError('INVALID_ARGUMENTS', 'no request of the hub to this plugin is waiting for this answer');
    }
    if (type !== 'PLUGIN_PONG') await this.#registry.saw(senderId, true); // a pong says itself whether all is well
    return null;
  }

  async #unregister(senderId: string, { reason }: Payloads['PLUGIN_UNREGISTER']) {
    const success = await this.#registry.unregister(senderId);
    this.#calls.abandon(
      senderId,
      new HubError('NOT_REGISTERED', `the plugin has unregistered: ${reason ?? 'no reason'}`),
    );
    return { success };
  }

  /** A plugin uses a request id once. A new registration, with an id of its own, replaces the old one: a plugin registers
   *  whenever its background starts. */
  async #claim(senderId: string, { type, requestId }: Message): Promise<void> {
    const used = await this.#used.read();
    const ids = (Object.hasOwn(used, senderId) && used[senderId]) || [];
    if (ids.includes(requestId)) {
      const isRegistered = type === 'PLUGIN_REGISTER' && (await this.#registry.has(senderId));
      throw new HubError(isRegistered ? 'ALREADY_REGISTERED' : 'INVALID_ARGUMENTS', 'the request id was used before');
    }
    used[senderId] = [...ids, requestId].slice(-MAX_REMEMBERED_IDS);
    await this.#used.save();
  }

  #refusal({ type, requestId }: Fields, error: unknown): Message | null {
    const code = error instanceof HubError ? error.code : 'INTERNAL_ERROR';
    if (!(error instanceof HubError)) console.error('hub: a message of a plugin:', error);
    const id = typeof requestId === 'string' ? requestId.slice(0, 200) : '';
    if (type === 'PLUGIN_TOOL_ERROR' && !id) return null; // answering errors with errors could go on for ever
    if (type === 'PLUGIN_REGISTER') {
      return envelope('PLUGIN_REGISTER_ACK', { success: false, error: `${code}: ${messageOf(error)}` }, id);
    }
    if (type === 'PLUGIN_UNREGISTER') return envelope('PLUGIN_UNREGISTER_ACK', { success: false }, id);
    return envelope('PLUGIN_TOOL_ERROR', { code, message: messageOf(error) }, id);
  }
}
