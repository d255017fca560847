// Plugins of the server that the user has paired: they speak the protocol through the engine's connection.
//
// Their ids begin with "oryn:", which no extension's id can. They last as long as the connection.

import { HubError } from './protocol.js';

const PREFIX = 'oryn:';

/** Whether an id is that of a server's plugin. */
export const isOfServer = (id) => id.startsWith(PREFIX);

export class ServerPlugins {
  #registry;
  #calls;
  #plugins;
  #turn = Promise.resolve();

  /** `plugins` handles messages (`PluginMessages`). */
  constructor(registry, calls, plugins) {
    this.#registry = registry;
    this.#calls = calls;
    this.#plugins = plugins;
  }

  /** Handle a message that the server has sent as the plugin `id`: one after another, so that nothing registers after the
   *  server has gone. */
  receive(id, message) {
    if (!isOfServer(id)) throw new HubError('PLUGIN_NOT_ALLOWED', 'that is no id of a server');
    return this.#next(async () => {
      await this.#plugins.handle(message, id);
    });
  }

  /** The connection has ended: unregister all plugins, and end their calls. */
  withdraw() {
    return this.#next(async () => {
      const gone = new HubError('NOT_REGISTERED', 'the server of the plugin is no longer connected');
      for (const id of await this.#registry.withdrawServer()) this.#calls.abandon(id, gone);
    });
  }

  #next(work) {
    this.#turn = this.#turn.then(work, work);
    return this.#turn;
  }
}
