// Waiting by events: mutations, frames, input and style events, with a timer for pages that are not drawn.

import { NativePromise, addListener, removeListener } from '../dom/natives';
import type { Root } from '../dom/natives';
import type { SettleRequest, SettleResponse } from '../dom/protocol';
import { nextFrame, pause, startTimer, stopTimer } from '../dom/timing';
import { pageObserver } from '../dom/banner';
import { OBSERVED, allElements, currentCache, refreshCache } from '../dom/snapshot';
import { MAX_HINT_MS, hasHintSince, isAdvancing, isBusySince, isUnfinished, movements } from './busy';
import type { Busy } from './busy';
import { hasScheduled, scheduledByPage } from './scheduled';
import type { Scheduled } from './scheduled';
import { hasUnreportedChanges, textWatch } from './watch';
import type { TextWatch } from './watch';
import { isClosed } from '../dom/windows';

const SETTLE_TIMEOUT = 500;
const QUIET_FRAMES = 2;
const QUIET = 32; // what a script has begun often goes on a frame or two later: a second message, the next number
const BUSY_STEP = 40;
const RUN_OUT = 1500; // for what an action has set in motion, such as a number that counts up

/**
 * The frames without a mutation so far, the time since when there was none, and what was put off at the first and at the
 * last frame.
 */
interface Quietness {
  mutated: boolean;
  frames: number;
  since: number;
  first: Scheduled | null;
  scheduled: Scheduled | null;
}

/**
 * settle: two frames and 32 ms without a mutation, for which a page is given longer that was at rest before the action;
 * then, for `busy` milliseconds at most, nothing on its way that a person would wait for; and whether a script has
 * closed the window meanwhile. `unheard`: no script hears of the action, so that a page is quiet that has not changed.
 */
export async function settle(request: SettleRequest): Promise<SettleResponse> {
  const started = performance.now();
  const deadline = started + (request.timeout ?? SETTLE_TIMEOUT);
  const state: Quietness = { mutated: false, frames: 0, since: started, first: null, scheduled: null };
  const mutations = pageObserver(() => {
    state.mutated = true;
    state.frames = 0;
    state.since = performance.now();
  });
  allElements();
  for (const tree of currentCache().trees) mutations.observe(tree.root, OBSERVED);
  if (request.unheard && !hasUnreportedChanges()) {
    state.frames = QUIET_FRAMES;
    state.since = -Infinity;
  } else {
    const posted = pause(0); // what the action has posted (a form's submission) comes before it, but frames may not
    await untilQuiet(state, deadline);
    await posted;
  }
  if (textWatch && textWatch.wasAtRest) await untilQuiet(state, started + Math.min(RUN_OUT, request.busy ?? 0));
  const quiet = isQuiet(state);
  const busy = quiet ? await untilNotBusy(state, started + (request.busy ?? 0)) : null;
  mutations.disconnect();
  return { mutated: state.mutated, quiet, busy, pending: isPending(state), closed: isClosed(window) };
}

/** Whether the page has put off something since the action that is watched; null if that can't be told. */
function isPending({ first, scheduled }: Quietness): boolean | null {
  if (!textWatch) return null;
  const now = scheduledByPage();
  textWatch.noteFrames(first, now);
  if (textWatch.schedulesByItself || textWatch.drawsByItself) return null;
  const before = textWatch.scheduled;
  return hasScheduled(before, now, scheduled ?? before); // what came with a frame that is over is done
}

const isQuiet = (state: Quietness): boolean => state.frames >= QUIET_FRAMES && performance.now() - state.since >= QUIET;

async function untilQuiet(state: Quietness, deadline: number): Promise<void> {
  while (!isQuiet(state) && performance.now() < deadline) {
    if (state.frames < QUIET_FRAMES) {
      state.scheduled = scheduledByPage();
      state.first ??= state.scheduled;
      await nextFrame();
      state.frames++;
    } else {
      await pause(Math.ceil(state.since + QUIET - performance.now()));
    }
  }
}

/** Resolves with what is still on its way at the deadline, or null. */
async function untilNotBusy(state: Quietness, deadline: number): Promise<string | null> {
  for (;;) {
    const busy = busyNow();
    if (!busy || performance.now() >= deadline) return busy;
    state.frames = 0;
    const until = performance.now() + BUSY_STEP;
    while (performance.now() < until) await nextFrame();
    refreshCache();
    await untilQuiet(state, deadline);
  }
}

/** What is on its way since the action that is watched, in words, or null. */
function busyNow(): string | null {
  if (!textWatch || !textWatch.busy) return null;
  const { busy } = textWatch;
  if (isBusySince(busy)) return 'a part of the page is still busy';
  if (movements().some((each) => !busy.movements.has(each))) return 'the page is still moving';
  return looksBusy(textWatch, busy) ? 'the page looks as if it is still busy' : null;
}

/** Whether there are hints that came with the action that is watched. */
function looksBusy(watch: TextWatch, before: Busy): boolean {
  if (performance.now() - watch.began > MAX_HINT_MS) return false;
  return isUnfinished(watch) || isAdvancing(watch) || hasHintSince(before);
}

// Some changes make no event: a hover that ends, `history.pushState` where there is no navigation API.
export const TICK = 200;

const SIGNS = ['input', 'change', 'transitionend', 'animationend', 'scroll', 'load', 'focusin', 'toggle', 'click'];
const WINDOW_SIGNS = ['resize', 'popstate', 'hashchange'];
const { navigation } = window as Window & { navigation?: EventTarget };

/** Something that tells when the page may look different: `next(until)` resolves true at a sign, false at that time. */
export class ChangeWaiter {
  private seen = false;
  private wake: (() => void) | null = null;
  private readonly sign = (): void => {
    this.seen = true;
    if (this.wake) this.wake();
  };
  private readonly observer = pageObserver(this.sign);
  private readonly roots = new Set<Root>();

  constructor() {
    this.watchTrees();
    for (const kind of WINDOW_SIGNS) addListener(window, kind, this.sign);
    if (navigation) addListener(navigation, 'currententrychange', this.sign);
  }

  /** Trees may come while waiting: shadow roots, frames. */
  watchTrees(): void {
    allElements();
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      for (const kind of SIGNS) addListener(root, kind, this.sign, { capture: true, passive: true });
    }
  }

  next(until: number): Promise<boolean> {
    return new NativePromise((resolve) => {
      const timer = startTimer(() => this.wake?.(), Math.max(0, until - performance.now()));
      this.wake = () => {
        stopTimer(timer);
        this.wake = null;
        const { seen } = this;
        this.seen = false;
        resolve(seen);
      };
      if (this.seen) this.wake();
    });
  }

  end(): void {
    this.observer.disconnect();
    for (const root of this.roots) for (const kind of SIGNS) removeListener(root, kind, this.sign, { capture: true });
    for (const kind of WINDOW_SIGNS) removeListener(window, kind, this.sign);
    if (navigation) removeListener(navigation, 'currententrychange', this.sign);
  }
}
