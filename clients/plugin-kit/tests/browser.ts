/** A stand-in for the extension APIs of one plugin, with a hub on the other side. */

import type { ExtensionApi } from "../src/index.js";
import { createEnvelope, type Envelope, type MessageType } from "../src/protocol.js";

export const HUB = "hub@test";

class Listeners<Listener extends (...values: never[]) => void> {
  readonly all: Listener[] = [];
  addListener(listener: Listener): void {
    this.all.push(listener);
  }
}

export class BrowserStandIn implements ExtensionApi {
  readonly sent: { hub: string; message: Envelope }[] = [];
  readonly runtime = {
    id: "plugin@test",
    sendMessage: async (hub: string, message: unknown) => {
      this.sent.push({ hub, message: message as Envelope });
      this.#arrived?.();
      throw new Error("The message port closed before a response was received."); // as of a hub that does not reply
    },
    onMessageExternal: new Listeners<(message: unknown, sender: { readonly id?: string }) => void>(),
    onStartup: new Listeners<() => void>(),
    onInstalled: new Listeners<() => void>(),
  };
  readonly alarms = {
    created: [] as string[],
    create: (name: string) => void this.alarms.created.push(name),
    onAlarm: new Listeners<(alarm: { readonly name: string }) => void>(),
  };
  #arrived: (() => void) | undefined;

  /** Deliver a value to the plugin as if the extension `sender` had sent it. */
  deliver(message: unknown, sender = HUB): void {
    for (const listener of this.runtime.onMessageExternal.all) listener(message, { id: sender });
  }

  /** Send a request of the hub's, and return the plugin's answer. */
  async ask(type: MessageType, payload: Record<string, unknown>): Promise<Envelope> {
    const request = createEnvelope(type, payload);
    this.deliver(request);
    for (;;) {
      const answer = this.sent.find(({ message }) => message.requestId === request.requestId);
      if (answer) return answer.message;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }
}
