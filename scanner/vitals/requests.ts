// What web-vitals schedules by: esbuild puts these in the place of the globals that it names (`inject`, scanner/build.mjs).
// They count, because a window numbers timers, idle callbacks and frames of all worlds together, and the scanner takes
// those that it can't explain for the page's (page/scheduled.ts).

/** How many timers and idle callbacks, and how many animation frames, the library has asked for. */
export const requests = { timers: 0, frames: 0 };

function countedTimer(callback: () => void, delay?: number): number {
  requests.timers++;
  return window.setTimeout(callback, delay);
}

function countedIdleCallback(callback: IdleRequestCallback, options?: IdleRequestOptions): number {
  requests.timers++;
  return window.requestIdleCallback(callback, options);
}

function countedFrame(callback: FrameRequestCallback): number {
  requests.frames++;
  return window.requestAnimationFrame(callback);
}

export {
  countedTimer as setTimeout,
  countedIdleCallback as 'globalThis.requestIdleCallback',
  countedFrame as requestAnimationFrame,
};
