// What the review page shows and changes: plugins, the allowlist, and what origins were granted.

import { messageOf } from '../errors';
import { keepAwake } from './browser';
import type { Calls } from './calls';
import type { Grants } from './grants';
import type { ReviewMessage, ReviewRequest, ReviewState } from './messages';
import { envelope, HubError } from './protocol';
import type { Registry } from './registry';

export class Review {
  readonly #registry: Registry;
  readonly #calls: Calls;
  readonly #grants: Grants;
  readonly #ports = new Set<chrome.runtime.Port>();
  #turn: Promise<void> = Promise.resolve();

  constructor(registry: Registry, calls: Calls, grants: Grants) {
    this.#registry = registry;
    this.#calls = calls;
    this.#grants = grants;
  }

  connect(port: chrome.runtime.Port): void {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener((message: ReviewRequest) => {
      keepAwake(this.#handle(message)).catch((error: unknown) => {
        port.postMessage({ type: 'error', message: messageOf(error) } satisfies ReviewMessage);
      });
    });
    void this.update();
  }

  /** Send the state to all review pages. */
  async update(): Promise<void> {
    if (this.#ports.size === 0) return;
    const state: ReviewState = {
      type: 'state',
      plugins: await this.#registry.entries(),
      enabled: await this.#registry.enabled(),
      allowlist: await this.#registry.allowlist(),
      grants: await this.#grants.list(),
    };
    for (const port of this.#ports) port.postMessage(state);
  }

  async #handle(message: ReviewRequest): Promise<void> {
    switch (message.type) {
      case 'revoke':
        return this.#grants.revoke(message.origin);
      case 'disable':
        return this.#change(() => this.#registry.setDisabled(message.id, message.disabled));
      case 'refresh': {
        const { tools } = await this.#calls.request(message.id, 'PLUGIN_TOOLS_LIST', {});
        return this.#registry.setTools(message.id, tools);
      }
      case 'allowlist':
        return this.#change(() => this.#registry.setAllowlist(message.ids));
      default:
        throw new HubError('INVALID_REQUEST', 'there is no such message');
    }
  }

  /** Change which plugins may work, one change after another. */
  #change(work: () => Promise<void>): Promise<void> {
    const run = () => this.#changeNow(work);
    this.#turn = this.#turn.then(run, run);
    return this.#turn;
  }

  /** End the calls of plugins that no longer may work, and notify those for which it has changed. */
  async #changeNow(work: () => Promise<void>): Promise<void> {
    const before = await this.#registry.enabled();
    await work();
    const after = await this.#registry.enabled();
    for (const id of before.filter((each) => !after.includes(each))) {
      const isAllowed = await this.#registry.allows(id);
      const reason = isAllowed ? 'the user has disabled the plugin' : 'the plugin is no longer in the allowlist';
      this.#calls.abandon(id, new HubError('PLUGIN_NOT_ALLOWED', reason));
      this.#calls.notify(id, envelope('PLUGIN_DISABLED', { reason }));
    }
    for (const id of after.filter((each) => !before.includes(each)))
      this.#calls.notify(id, envelope('PLUGIN_ENABLED', {}));
  }
}
