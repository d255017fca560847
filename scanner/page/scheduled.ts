// What scripts have put off until later, by the numbers of timers, animation frames and idle callbacks: a window counts
// them one after the other, whichever world asks, so the number that the next one gets tells how many there were.
// https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#animation-frames

import { isDocument, windowOf } from '../dom/natives';
import { ownRequests } from '../dom/timing';
import { allElements, currentCache } from '../dom/snapshot';

/** How many timers and idle callbacks, and how many animation frames, the page has asked for so far. */
export interface Scheduled {
  readonly timers: number;
  readonly frames: number;
  readonly windows: number;
}

const MAX_WINDOWS = 10;
const probes = new WeakMap<Window, { timers: number; idle: number; frames: number }>(); // what asking has cost so far

/** The counts of the page's document and those of the same origin in it; null if they can't be told. */
export function scheduledByPage(): Scheduled | null {
  allElements();
  const windows = currentCache()
    .trees.map(({ root }) => (isDocument(root) ? windowOf(root) : null))
    .filter((view) => view !== null);
  if (windows.length > MAX_WINDOWS) return null;
  const counts = { timers: -ownRequests.timers, frames: -ownRequests.frames, windows: windows.length };
  for (const view of windows) {
    const probe = probes.get(view) ?? { timers: 0, idle: 0, frames: 0 };
    probes.set(view, probe);
    counts.timers += nextTimer(view) - ++probe.timers + Math.max(0, nextIdleCallback(view) - ++probe.idle);
    counts.frames += nextFrameRequest(view) - ++probe.frames;
  }
  return Number.isInteger(counts.timers + counts.frames) ? counts : null;
}

/** Whether the page has put something off between two counts, or since frames were counted; null if that is not known. */
export function hasScheduled(before: Scheduled | null, now: Scheduled | null, atFrame = before): boolean | null {
  if (!before || !now || !atFrame) return null;
  return before.windows !== now.windows || now.timers > before.timers || now.frames > atFrame.frames;
}

// What a page has put in the place of these may answer with something else: then nothing is told.

const nothing = (): void => {};

function nextTimer(view: Window): number {
  const number = view.setTimeout(nothing, 0);
  view.clearTimeout(number);
  return Number(number);
}

function nextFrameRequest(view: Window): number {
  const number = view.requestAnimationFrame(nothing);
  view.cancelAnimationFrame(number);
  return number;
}

function nextIdleCallback(view: Partial<Pick<Window, 'requestIdleCallback' | 'cancelIdleCallback'>>): number {
  if (!view.requestIdleCallback || !view.cancelIdleCallback) return 0;
  const number = view.requestIdleCallback(nothing);
  view.cancelIdleCallback(number);
  return number;
}
