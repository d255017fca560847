// What Firefox has besides Chromium's APIs, and what either lacks: such calls are optional.

export {};

declare global {
  namespace chrome.runtime {
    /** https://developer.mozilla.org/docs/Mozilla/Add-ons/WebExtensions/API/runtime/getBrowserInfo */
    const getBrowserInfo: undefined | (() => Promise<{ name: string; version: string }>);
  }
  interface Navigator {
    /** https://wicg.github.io/ua-client-hints/#getHighEntropyValues */
    readonly userAgentData?: {
      getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
    };
  }
  /** Firefox's name for `chrome`, with promises there too. */
  var browser: typeof chrome | undefined;
}
