// Plugins of the server that the user has paired: they speak the protocol through the engine's connection.
//
// Their ids begin with "oryn:", which no extension's id can. They last as long as the connection.

import type { Calls } from './calls';
import { isOfServer } from './identity';
import type { PluginMessages } from './plugins';
import { HubError } from './protocol';
import type { Registry } from './registry';

export class ServerPlugins {
  readonly #registry: Registry;
  readonly #calls: Calls;
  readonly #plugins: PluginMessages;
  #turn: Promise<void> = Promise.resolve();

  /** `plugins` handles messages (`PluginMessages`). */
  constructor(registry: Registry, calls: Calls, plugins: PluginMessages) {
    this.#registry = registry;
    this.#calls = calls;
    this.#plugins = plugins;
  }

  /** Handle a message that the server has sent as the plugin `id`: one after another, so that nothing registers after the
   *  server has gone. */
  receive(id: string, message: unknown): Promise<void> {
    if (!isOfServer(id)) throw new HubError('PLUGIN_NOT_ALLOWED', 'that is no id of a server');
    return this.#next(async () => {
      await this.#plugins.handle(message, id);
    });
  }

  /** The connection has ended: unregister all plugins, and end their calls. */
  withdraw(): Promise<void> {
    return this.#next(() => {
      const gone = new HubError('NOT_REGISTERED', 'the server of the plugin is no longer connected');
      for (const id of this.#registry.withdrawServer()) this.#calls.abandon(id, gone);
    });
  }

  #next(work: () => void | Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work, work);
    return this.#turn;
  }
}
