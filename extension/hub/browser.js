// What differs between browsers, and what keeps a background page awake.

/** Firefox's `browser` or Chromium's `chrome`: both return promises. */
export const api = globalThis.browser ?? globalThis.chrome;

/** A page of this extension, which no page of the web and no content script can pretend to be. */
export const isOwnPage = ({ id, url }) => id === api.runtime.id && Boolean(url?.startsWith(api.runtime.getURL('')));

// Less than the shortest idle time-out that Firefox is tested with (1 s). Each call of an extension API counts as activity,
// a pending reply does not.
const AWAKE_MS = 400;
let pending = 0;
let timer = null;

/** Keep the background alive until the promise has settled. */
export async function keepAwake(promise) {
  pending += 1;
  timer ??= setInterval(() => api.runtime.getPlatformInfo().catch(() => {}), AWAKE_MS); // it fails if the background has ended
  try {
    return await promise;
  } finally {
    pending -= 1;
    if (pending === 0) {
      clearInterval(timer);
      timer = null;
    }
  }
}
