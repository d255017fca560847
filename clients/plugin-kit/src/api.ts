/** The part of the extension APIs that the kit uses: `browser` in Firefox, `chrome` in Chromium. */

interface BrowserEvent<Listener> {
  addListener(listener: Listener): void;
}

export interface ExtensionApi {
  readonly runtime: {
    readonly id: string;
    sendMessage(extensionId: string, message: unknown): Promise<unknown>;
    readonly onMessageExternal: BrowserEvent<(message: unknown, sender: { readonly id?: string }) => void>;
    readonly onStartup: BrowserEvent<() => void>;
    readonly onInstalled: BrowserEvent<() => void>;
  };
  /** With the permission "alarms". */
  readonly alarms?: {
    create(name: string, info: { readonly periodInMinutes: number }): Promise<void> | void;
    readonly onAlarm: BrowserEvent<(alarm: { readonly name: string }) => void>;
  };
}

/** The APIs of the browser that the extension runs in. Throws `TypeError` in anything else. */
export function extensionApi(): ExtensionApi {
  const { browser, chrome } = globalThis as { browser?: ExtensionApi; chrome?: ExtensionApi };
  const api = browser ?? chrome;
  if (!api?.runtime?.id) throw new TypeError("a plugin runs in the background of a browser extension");
  return api;
}
