/** A plugin: registers with the hub, stays registered, and answers the hub's messages. */

import { type ExtensionApi, extensionApi } from "./api.js";
import { createEnvelope, type Envelope, type MessageType, isEnvelope, REGISTRATION_MS } from "./protocol.js";
import { definitionOf, type Tool, ToolError } from "./tool.js";

/** Oryn's extension in Chromium, and in Firefox, where the specification prescribes the id. */
export const HUB_IDS: readonly string[] = ["kidkfejemcaammjoicambgihhoeehacc", "raffi.krikorian.harbor@gmail.com"];

const ALARM = "oryn-plugin-kit";
/** A hub that was installed after the plugin finds it within this time. */
const REGISTRATION_MINUTES = 5;

export interface PluginOptions {
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly icon?: string;
  readonly tools: readonly Tool[];
  /** Extension ids of hubs. Default: `HUB_IDS`. */
  readonly hubs?: readonly string[];
  /** Called if a hub has rejected the registration. Default: `console.error`. */
  onRejected?(hub: string, error: string): void;
  /** Called if no hub has answered a registration within five seconds, once until one does. Default: `console.warn`. */
  onUnanswered?(): void;
  /** Default: the APIs of the browser. */
  readonly api?: ExtensionApi;
}

/** Start a plugin. Call it in the first turn of the background, so that the hub's messages wake it. Throws `TypeError` if
 *  two tools have the same name. */
export function startPlugin(options: PluginOptions): Plugin {
  return new Plugin(options);
}

interface CallPayload {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly callingOrigin?: string;
}

export class Plugin {
  readonly #options: PluginOptions;
  readonly #api: ExtensionApi;
  readonly #hubs: readonly string[];
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #startedAt = Date.now();
  /** By the request ids of registrations that wait for their answer. */
  readonly #registrations = new Map<string, (isAccepted: boolean) => void>();
  #isEnabled = true;
  #isUnanswered = false;

  /** @internal */
  constructor(options: PluginOptions) {
    this.#options = options;
    this.#api = options.api ?? extensionApi();
    this.#hubs = options.hubs ?? HUB_IDS;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size < options.tools.length) throw new TypeError("two tools have the same name");
    const { runtime, alarms } = this.#api;
    runtime.onMessageExternal.addListener((message, sender) => {
      // Firefox lets every extension send messages: only the hub's count.
      if (sender.id && this.#hubs.includes(sender.id) && isEnvelope(message)) void this.#handle(sender.id, message);
    });
    const register = () => void this.register();
    runtime.onStartup.addListener(register);
    runtime.onInstalled.addListener(register);
    alarms?.onAlarm.addListener(({ name }) => name === ALARM && register());
    void alarms?.create(ALARM, { periodInMinutes: REGISTRATION_MINUTES });
    register();
  }

  /** False between the hub's `PLUGIN_DISABLED` and `PLUGIN_ENABLED`. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** Register with all hubs, and wait at most five seconds for their answers. Returns whether one has accepted. The kit
   *  registers whenever the background starts, and every five minutes. */
  async register(): Promise<boolean> {
    const { name, version, description, author, homepage, icon, tools } = this.#options;
    const optional = Object.entries({ description, author, homepage, icon }).filter(([, value]) => value !== undefined);
    const plugin = {
      extensionId: this.#api.runtime.id,
      name,
      version,
      ...Object.fromEntries(optional),
      tools: tools.map(definitionOf),
    };
    const answers = await Promise.all(this.#hubs.map((hub) => this.#registerWith(hub, { plugin })));
    const wasUnanswered = this.#isUnanswered;
    this.#isUnanswered = answers.every((isAccepted) => isAccepted === undefined);
    if (this.#isUnanswered && !wasUnanswered) this.#reportUnanswered();
    return answers.includes(true);
  }

  /** Take the tools back. The next registration, at the latest in five minutes, offers them again. */
  async unregister(reason?: string): Promise<void> {
    const payload = reason === undefined ? {} : { reason };
    await Promise.all(this.#hubs.map((hub) => this.#send(hub, createEnvelope("PLUGIN_UNREGISTER", payload))));
  }

  /** Whether the hub has accepted the registration; undefined if it has not answered in time. */
  async #registerWith(hub: string, payload: Readonly<Record<string, unknown>>): Promise<boolean | undefined> {
    const request = createEnvelope("PLUGIN_REGISTER", payload);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = new Promise<boolean | undefined>((resolve) => {
      this.#registrations.set(request.requestId, resolve);
      timer = setTimeout(resolve, REGISTRATION_MS, undefined);
    });
    void this.#send(hub, request);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#registrations.delete(request.requestId);
    }
  }

  async #handle(hub: string, { type, requestId, payload }: Envelope): Promise<void> {
    const answer = (answerType: MessageType, content: Readonly<Record<string, unknown>>) =>
      this.#send(hub, createEnvelope(answerType, content, requestId));
    switch (type) {
      case "PLUGIN_TOOL_CALL":
        return answer(...(await this.#call(payload)));
      case "PLUGIN_TOOLS_LIST":
        return answer("PLUGIN_TOOLS_LIST_RESULT", { tools: this.#options.tools.map(definitionOf) });
      case "PLUGIN_PING":
        return answer("PLUGIN_PONG", { healthy: true, uptime: (Date.now() - this.#startedAt) / 1000 });
      case "PLUGIN_DISABLED":
      case "PLUGIN_ENABLED":
        this.#isEnabled = type === "PLUGIN_ENABLED";
        return undefined;
      case "PLUGIN_REGISTER_ACK":
        this.#registrations.get(requestId)?.(payload["success"] === true);
        if (payload["success"] !== true) this.#reject(hub, String(payload["error"]));
        return undefined;
      default: // answers to what the kit does not wait for
        return undefined;
    }
  }

  async #call(payload: Envelope["payload"]): Promise<[MessageType, Record<string, unknown>]> {
    const start = performance.now();
    try {
      const { toolName, arguments: values, callingOrigin } = payload as unknown as CallPayload;
      const tool = this.#tools.get(toolName);
      if (!tool) throw new ToolError("TOOL_NOT_FOUND", `there is no tool ${String(toolName)}`);
      const result: unknown = await tool.run(values, { callingOrigin });
      return ["PLUGIN_TOOL_RESULT", { result: result ?? null, executionTimeMs: performance.now() - start }];
    } catch (error) {
      if (error instanceof ToolError) {
        const { code, message, details } = error;
        return ["PLUGIN_TOOL_ERROR", { code, message, ...(details !== undefined && { details }) }];
      }
      const message = error instanceof Error ? error.message : String(error);
      return ["PLUGIN_TOOL_ERROR", { code: "EXECUTION_FAILED", message }];
    }
  }

  async #send(hub: string, message: Envelope): Promise<void> {
    try {
      await this.#api.runtime.sendMessage(hub, message);
    } catch {
      // This hub is not installed, or does not reply: its answers are messages of their own.
    }
  }

  #reject(hub: string, error: string): void {
    if (this.#options.onRejected) this.#options.onRejected(hub, error);
    else console.error(`the hub ${hub} has rejected the registration: ${error}`);
  }

  #reportUnanswered(): void {
    if (this.#options.onUnanswered) this.#options.onUnanswered();
    else console.warn(`no hub has answered in ${REGISTRATION_MS / 1000} s: install Oryn's extension, or enable it`);
  }
}
