import { NativePromise } from './natives';

const FRAME_FALLBACK = 50;
const LATE_FRAME = 250; // of a page that is being drawn, on a busy machine
const RECENT_FRAME = 1000; // so long after a frame, a page counts as being drawn
const nativeFrame = requestAnimationFrame.bind(window);
const nativeTimer = setTimeout.bind(window);
const nativeIdleCallback = (window as Partial<Window>).requestIdleCallback?.bind(window);
export const stopTimer = clearTimeout.bind(window);

/** How many timers and idle callbacks, and how many frames, the scanner has asked its own window for. */
export const ownRequests = { timers: 0, frames: 0 };

export function startTimer(callback: () => void, delay: number): ReturnType<typeof setTimeout> {
  ownRequests.timers++;
  return nativeTimer(callback, delay);
}

export function requestFrame(callback: FrameRequestCallback): number {
  ownRequests.frames++;
  return nativeFrame(callback);
}

/** Call back when the page is idle, or after so many milliseconds. */
export function requestIdle(callback: () => void, timeout: number): void {
  if (!nativeIdleCallback) {
    startTimer(callback, 0);
    return;
  }
  ownRequests.timers++;
  nativeIdleCallback(callback, { timeout });
}

export const pause = (milliseconds: number): Promise<void> =>
  new NativePromise((resolve) => startTimer(resolve, milliseconds));
let drawnAt = -RECENT_FRAME;

/**
 * Resolves at the next frame, or after 50 ms if none is drawn (hidden pages). If one was drawn within the last second,
 * the next one is waited for longer: a busy machine must not make a page look as if it were at rest.
 */
export function nextFrame(): Promise<void> {
  return new NativePromise<void>((resolve) => {
    const isDrawn = performance.now() - drawnAt < RECENT_FRAME && document.visibilityState === 'visible';
    const timer = startTimer(resolve, isDrawn ? LATE_FRAME : FRAME_FALLBACK);
    requestFrame(() => {
      stopTimer(timer);
      drawnAt = performance.now();
      resolve();
    });
  });
}

/**
 * Resolves a whole frame later. The next frame alone may be at hand at once; the one behind it comes after what the page
 * does for the first: timers, effects, entries of its performance.
 */
export async function wholeFrame(): Promise<void> {
  await nextFrame();
  await nextFrame();
}

export const roundMs = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
