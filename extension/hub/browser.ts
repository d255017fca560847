// What differs between browsers, and what keeps a background page awake.

/** Firefox's `browser` or Chromium's `chrome`: both return promises. */
export const api = globalThis.browser ?? chrome;

/** A page of this extension, which no page of the web and no content script can pretend to be. */
export const isOwnPage = (sender: chrome.runtime.MessageSender | undefined): boolean =>
  sender?.id === api.runtime.id && Boolean(sender.url?.startsWith(api.runtime.getURL('')));

// Less than the shortest idle time-out that Firefox is tested with (1 s). Each call of an extension API counts as activity,
// a pending reply does not.
const AWAKE_MS = 400;
let pending = 0;
let timer: ReturnType<typeof setInterval> | null = null;

/** Keep the background alive until the promise has settled. */
export async function keepAwake<T>(promise: Promise<T>): Promise<T> {
  pending += 1;
  timer ??= setInterval(() => {
    api.runtime.getPlatformInfo().catch(() => {}); // the background has ended
  }, AWAKE_MS);
  try {
    return await promise;
  } finally {
    pending -= 1;
    if (pending === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  }
}
