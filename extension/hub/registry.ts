// The plugins that have registered, and who may (docs/spec/plugin-protocol.md#registration).
//
// Kept on disk: Firefox starts a plugin's background only for an event, and no plugin is notified that the hub starts.

import { messageOf } from '../errors';
import { isOfServer } from './identity';
import type { PluginIdentity } from './identity';
import { HubError, MAX_REGISTRATION_CHARACTERS, splitToolName } from './protocol';
import type { Plugin, Tool } from './protocol';
import { checkKeys, compile } from './schema';
import type { Check } from './schema';
import { Stored } from './stored';

/** Pings without a pong after which pages no longer see a plugin's tools. */
export const MAX_MISSED = 3;
const MAX_SERVER_PLUGINS = 100;
const NOT_IN_ALLOWLIST = 'the plugin is not in the allowlist';
const IDENTITY_FIELDS = ['extensionId', 'name', 'version', 'author', 'homepage', 'icon'] as const;
const PLUGIN_FIELDS = [...IDENTITY_FIELDS, 'description'] as const;
const TOOL_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'uiHints'] as const;
const HINT_FIELDS = ['icon', 'category', 'dangerous', 'speed'] as const;

/** A plugin that has registered. */
export interface PluginEntry {
  plugin: Plugin;
  disabled: boolean;
  /** How many pings it has missed. */
  missed: number;
  lastSeen: number;
}
type Plugins = Record<string, PluginEntry>;

/** A tool that can be called. */
export interface CallableTool {
  pluginId: string;
  plugin: PluginIdentity;
  /** Its name as pages see it. */
  fullName: string;
  isDangerous: boolean;
  definition: Tool;
}

const pick = <T extends object, K extends keyof T>(value: T, fields: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    fields.filter((field) => Object.hasOwn(value, field)).map((field) => [field, value[field]]),
  ) as Pick<T, K>;

export class Registry {
  readonly #plugins = new Stored<Plugins>('local', 'plugins', {}); // by extension id
  #ofServer: Plugins = {}; // the same for the plugins of the server: while it is connected
  readonly #disabledOfServer = new Stored<string[]>('local', 'disabled_of_server', []); // ids
  readonly #allowlist = new Stored<string[]>('local', 'allowlist', []);
  readonly #checks = new WeakMap<Tool, Check>(); // of their arguments
  readonly #changed: () => void;

  /** `changed()` is called after each change of what is registered. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Register what the extension `senderId` has sent, or replace what it had registered. Throws `HubError`. */
  async register(senderId: string, plugin: Plugin): Promise<void> {
    if (plugin.extensionId !== senderId) {
      throw new HubError('PLUGIN_NOT_ALLOWED', `the extensionId must be the sender's, ${senderId}`);
    }
    if (!(await this.allows(senderId))) throw new HubError('PLUGIN_NOT_ALLOWED', NOT_IN_ALLOWLIST);
    const tools = this.#checkedTools(plugin.tools);
    const plugins = await this.#holder(senderId);
    const wasDisabled = isOfServer(senderId) && (await this.#disabledOfServer.read()).includes(senderId);
    const old = entryIn(plugins, senderId);
    if (isOfServer(senderId) && !old && Object.keys(plugins).length >= MAX_SERVER_PLUGINS) {
      throw new HubError('PLUGIN_NOT_ALLOWED', `a server may have ${MAX_SERVER_PLUGINS} plugins`);
    }
    plugins[senderId] = {
      plugin: { ...pick(plugin, PLUGIN_FIELDS), tools },
      disabled: old?.disabled ?? wasDisabled,
      missed: 0,
      lastSeen: Date.now(),
    };
    await this.#save();
  }

  /** Returns whether it was registered. */
  async unregister(id: string): Promise<boolean> {
    const plugins = await this.#holder(id);
    if (!Object.hasOwn(plugins, id)) return false;
    Reflect.deleteProperty(plugins, id);
    await this.#save();
    return true;
  }

  /** Unregister the plugins of the server. Returns their ids. */
  withdrawServer(): string[] {
    const ids = Object.keys(this.#ofServer);
    this.#ofServer = {};
    if (ids.length) this.#changed();
    return ids;
  }

  /** Replace a plugin's tools. Throws `HubError`. */
  async setTools(id: string, tools: Tool[]): Promise<void> {
    const entry = await this.entry(id);
    entry.plugin.tools = this.#checkedTools(tools);
    await this.#save();
  }

  /** Throws `HubError` with `NOT_REGISTERED`. */
  async entry(id: string): Promise<PluginEntry> {
    const entry = entryIn(await this.#holder(id), id);
    if (!entry) throw new HubError('NOT_REGISTERED', 'the plugin is not registered');
    return entry;
  }

  async entries(): Promise<PluginEntry[]> {
    return [...Object.values(await this.#plugins.read()), ...Object.values(this.#ofServer)];
  }

  async has(id: string): Promise<boolean> {
    return Object.hasOwn(await this.#holder(id), id);
  }

  async setDisabled(id: string, disabled: boolean): Promise<void> {
    (await this.entry(id)).disabled = disabled;
    if (isOfServer(id)) {
      const ids = await this.#disabledOfServer.read();
      const rest = ids.filter((each) => each !== id);
      ids.splice(0, ids.length, ...(disabled ? [...rest, id].slice(-MAX_SERVER_PLUGINS) : rest));
      await this.#disabledOfServer.save();
    }
    await this.#save();
  }

  /** A plugin has sent something (`answered`), or missed a ping. Only a change of what pages see is written. */
  async saw(id: string, answered: boolean): Promise<void> {
    const entry = entryIn(await this.#holder(id), id);
    if (!entry) return;
    const before = entry.missed;
    entry.missed = answered ? 0 : entry.missed + 1;
    if (answered) entry.lastSeen = Date.now();
    if (entry.missed !== before) await this.#save();
  }

  /** An empty allowlist allows all. */
  async allows(id: string): Promise<boolean> {
    const ids = await this.#allowlist.read();
    return ids.length === 0 || ids.includes(id);
  }

  async allowlist(): Promise<string[]> {
    return [...(await this.#allowlist.read())];
  }

  /** Replace the allowlist. Plugins that it no longer has stay registered, and can't be called until it has them again. */
  async setAllowlist(ids: string[]): Promise<void> {
    const list = await this.#allowlist.read();
    list.splice(0, list.length, ...ids);
    await this.#allowlist.save();
    await this.#save();
  }

  /** The ids of the registered plugins that the user lets work: in the allowlist and not disabled. */
  async enabled(): Promise<string[]> {
    const found: string[] = [];
    for (const { plugin, disabled } of await this.entries()) {
      if (!disabled && (await this.allows(plugin.extensionId))) found.push(plugin.extensionId);
    }
    return found;
  }

  /** The tools that can be called now. */
  async tools(): Promise<CallableTool[]> {
    const enabled = await this.enabled();
    const found: CallableTool[] = [];
    for (const { plugin, missed } of await this.entries()) {
      if (missed >= MAX_MISSED || !enabled.includes(plugin.extensionId)) continue;
      for (const tool of plugin.tools) found.push(describe(plugin, tool));
    }
    return found;
  }

  /** A tool by the name that pages see. Throws `HubError`: `INVALID_REQUEST`, `TOOL_NOT_FOUND`, `NOT_REGISTERED`,
   *  `PLUGIN_NOT_ALLOWED`. */
  async tool(fullName: unknown): Promise<CallableTool> {
    const { pluginId, toolName } = splitToolName(fullName);
    const { plugin, disabled } = await this.entry(pluginId);
    if (disabled) throw new HubError('PLUGIN_NOT_ALLOWED', 'the user has disabled the plugin');
    if (!(await this.allows(pluginId))) throw new HubError('PLUGIN_NOT_ALLOWED', NOT_IN_ALLOWLIST);
    const tool = plugin.tools.find(({ name }) => name === toolName);
    if (!tool) throw new HubError('TOOL_NOT_FOUND', 'the plugin has no such tool');
    return describe(plugin, tool);
  }

  /** Check arguments against a tool's schema. Throws `HubError` with `INVALID_ARGUMENTS`. */
  checkArguments({ definition }: CallableTool, values: unknown): void {
    const check = this.#checks.get(definition) ?? compile(definition.inputSchema);
    this.#checks.set(definition, check);
    let wrong: string | null;
    try {
      checkKeys(values);
      wrong = check(values);
    } catch (error) {
      wrong = messageOf(error); // too deep, or a schema that only this value leads into a circle
    }
    if (wrong) throw new HubError('INVALID_ARGUMENTS', wrong);
  }

  /** The plugins among which one with this id is. */
  async #holder(id: string): Promise<Plugins> {
    return isOfServer(id) ? this.#ofServer : await this.#plugins.read();
  }

  #checkedTools(tools: Tool[]): Tool[] {
    if (JSON.stringify(tools).length > MAX_REGISTRATION_CHARACTERS) {
      throw new HubError('INVALID_ARGUMENTS', `the tools have more than ${MAX_REGISTRATION_CHARACTERS} characters`);
    }
    const names = new Set(tools.map(({ name }) => name));
    if (names.size < tools.length) throw new HubError('INVALID_ARGUMENTS', 'two tools have the same name');
    return tools.map((tool) => {
      const definition: Tool = pick(tool, TOOL_FIELDS);
      if (definition.uiHints) definition.uiHints = pick(definition.uiHints, HINT_FIELDS);
      try {
        this.#checks.set(definition, compile(definition.inputSchema));
      } catch (error) {
        throw new HubError('INVALID_ARGUMENTS', `the inputSchema of ${tool.name}: ${messageOf(error)}`);
      }
      return definition;
    });
  }

  async #save(): Promise<void> {
    await this.#plugins.save();
    this.#changed();
  }
}

/** An entry by its id, which a plugin chooses: `constructor` is none. */
const entryIn = (plugins: Plugins, id: string): PluginEntry | undefined =>
  Object.hasOwn(plugins, id) ? plugins[id] : undefined;

const describe = (plugin: Plugin, definition: Tool): CallableTool => ({
  pluginId: plugin.extensionId,
  plugin: pick(plugin, IDENTITY_FIELDS),
  fullName: `${plugin.extensionId}::${definition.name}`,
  isDangerous: definition.uiHints?.dangerous === true,
  definition,
});
