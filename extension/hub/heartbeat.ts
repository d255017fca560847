// Pings: whether the registered plugins still answer (docs/spec/plugin-protocol.md#heartbeat). The alarm exists only while there are any, so it
// wakes no background for nothing.

import { api } from './browser';
import { PluginGone } from './calls';
import type { Calls } from './calls';
import { TIMEOUTS } from './protocol';
import type { Registry } from './registry';

export const ALARM = 'hub.heartbeat';

export class Heartbeat {
  readonly #registry: Registry;
  readonly #calls: Calls;

  constructor(registry: Registry, calls: Calls) {
    this.#registry = registry;
    this.#calls = calls;
  }

  /** Start or end the alarm, after a change of the registry. */
  async schedule(): Promise<void> {
    const isNeeded = (await this.#registry.entries()).length > 0;
    const alarm = await api.alarms.get(ALARM);
    if (isNeeded && !alarm) await api.alarms.create(ALARM, { periodInMinutes: TIMEOUTS.heartbeat / 60_000 });
    else if (!isNeeded && alarm) await api.alarms.clear(ALARM);
  }

  /** Ping all plugins. One that no longer exists is unregistered. */
  async beat(): Promise<void> {
    await Promise.all((await this.#registry.entries()).map(({ plugin }) => this.#ping(plugin.extensionId)));
  }

  async #ping(id: string): Promise<void> {
    try {
      const { healthy } = await this.#calls.request(id, 'PLUGIN_PING', {});
      await this.#registry.saw(id, healthy);
    } catch (error) {
      if (error instanceof PluginGone) await this.#registry.unregister(id);
      else await this.#registry.saw(id, false);
    }
  }
}
