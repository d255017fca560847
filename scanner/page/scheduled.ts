// What scripts have put off until later, by the numbers of timers, animation frames and idle callbacks: a window counts
// them one after the other, whichever world asks, so the number that the next one gets tells how many there were.
// https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#animation-frames

import { isDocument, windowOf } from '../dom/natives';
import { ownRequests } from '../dom/timing';
import { allElements, currentCache } from '../dom/snapshot';
import { observedVitals } from '../vitals/observed';

/** How many timers and idle callbacks, and how many animation frames, the page has asked for so far. */
export interface Scheduled {
  readonly timers: number;
  /** Null if they were not counted. */
  readonly frames: number | null;
  readonly windows: number;
}

const MAX_WINDOWS = 10;
const probes = new WeakMap<Window, { timers: number; idle: number; frames: number }>(); // what asking has cost so far

/**
 * The counts of the page's document and those of the same origin in it; null if they can't be told. To count frames is to
 * ask for one, which the next move of the mouse has to wait for then.
 */
export function scheduledByPage(countsFrames = true): Scheduled | null {
  allElements();
  const windows = currentCache()
    .trees.map(({ root }) => (isDocument(root) ? windowOf(root) : null))
    .filter((view) => view !== null);
  if (windows.length > MAX_WINDOWS) return null;
  const observing = observedVitals()?.requests ?? { timers: 0, frames: 0 };
  let timers = -ownRequests.timers - observing.timers;
  let frames = -ownRequests.frames - observing.frames;
  for (const view of windows) {
    const probe = probes.get(view) ?? { timers: 0, idle: 0, frames: 0 };
    probes.set(view, probe);
    timers += nextTimer(view) - ++probe.timers + Math.max(0, nextIdleCallback(view) - ++probe.idle);
    if (countsFrames) frames += nextFrameRequest(view) - ++probe.frames;
  }
  const { length } = windows;
  return Number.isInteger(timers + frames) ? { timers, frames: countsFrames ? frames : null, windows: length } : null;
}

/** Whether the page has put something off between two counts, or since frames were counted; null if that is not known. */
export function hasScheduled(before: Scheduled | null, now: Scheduled | null, atFrame = before): boolean | null {
  if (!before || !now || !atFrame) return null;
  return before.windows !== now.windows || now.timers > before.timers || framesBetween(atFrame, now) > 0;
}

/** How many animation frames the page has asked for between two counts, as far as they were counted. */
export const framesBetween = (before: Scheduled, now: Scheduled): number =>
  before.frames === null || now.frames === null ? 0 : now.frames - before.frames;

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
