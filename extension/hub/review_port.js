// What the review page shows and changes: plugins, the allowlist, and what origins were granted.

import { keepAwake } from './browser.js';
import { envelope, HubError } from './protocol.js';

export class Review {
  #registry;
  #calls;
  #grants;
  #ports = new Set();

  constructor(registry, calls, grants) {
    this.#registry = registry;
    this.#calls = calls;
    this.#grants = grants;
  }

  connect(port) {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener((message) => {
      keepAwake(this.#handle(message)).catch((error) => port.postMessage({ type: 'error', message: error.message }));
    });
    this.update();
  }

  /** Send the state to all review pages. */
  async update() {
    if (this.#ports.size === 0) return;
    const state = {
      type: 'state',
      plugins: await this.#registry.entries(),
      allowlist: await this.#registry.allowlist(),
      grants: await this.#grants.list(),
    };
    for (const port of this.#ports) port.postMessage(state);
  }

  async #handle(message) {
    switch (message.type) {
      case 'revoke':
        return this.#grants.revoke(message.origin);
      case 'disable':
        return this.#setDisabled(message.id, message.disabled === true);
      case 'refresh': {
        const { tools } = await this.#calls.request(message.id, 'PLUGIN_TOOLS_LIST', {});
        return this.#registry.setTools(message.id, tools);
      }
      case 'allowlist':
        for (const id of await this.#registry.setAllowlist(message.ids)) {
          this.#calls.abandon(id, new HubError('PLUGIN_NOT_ALLOWED', 'the plugin is not in the allowlist'));
        }
        return undefined;
      default:
        throw new HubError('INVALID_REQUEST', 'there is no such message');
    }
  }

  async #setDisabled(id, disabled) {
    await this.#registry.setDisabled(id, disabled);
    if (disabled) this.#calls.abandon(id, new HubError('PLUGIN_NOT_ALLOWED', 'the user has disabled the plugin'));
    const [type, payload] = disabled ? ['PLUGIN_DISABLED', { reason: 'the user has disabled it' }] : ['PLUGIN_ENABLED', {}];
    await this.#calls.notify(id, envelope(type, payload));
  }
}
