// Whether an element moves, and the wait until it has come to rest.

import { animationsOf, boxOf } from '../dom/natives';
import type { PointData, RectData } from '../dom/protocol';
import { nextFrame, pause } from '../dom/timing';
import { elementAbove } from '../dom/tree';
import { mutatedAt, recentMutations } from '../dom/snapshot';
import type { Edges } from '../geometry/styles';

const LATELY = 40; // milliseconds, two frames and some: a script that moves something has changed the page since then
const OFTEN = 5; // changes of the page, which may go on although the last is not so late: its timers may be
const SCRIPT_REST = 500; // milliseconds that an element has to come to rest when no animation says that it will
const REST = 32; // milliseconds without a move: frames that a busy machine draws late come right after each other
const PRESS_FRAMES = 4; // between a look at an element and the press
const EDGES = ['left', 'right', 'top', 'bottom'] as const;

// Elements that did not come to rest are not waited for again.
const restless = new WeakSet<Element>();

/** How far something moves in one frame. */
export type Motion = PointData;

/** Whether an element may be moving now: an animation says so, or a script has just changed the page. */
export function mayMove(element: Element): boolean {
  if (performance.now() - mutatedAt < LATELY || recentMutations() > OFTEN) return true;
  return isMoving(element) || isMovingForever(element);
}

/**
 * Wait until an element has the same box in three frames and for 32 ms: `timeout` ms at most if animations move it to
 * rest, and a shorter time if a script does or they never end. Resolves with null, or with how far it still moves in
 * one frame. `successor` tells what has taken the element's place, or itself.
 */
export async function restingPlace(
  element: Element,
  timeout: number,
  successor: (element: Element) => Element,
): Promise<Motion | null> {
  const deadline = performance.now() + timeout;
  while (isMoving(element) && performance.now() < deadline) await nextFrame();
  const isRestless = restless.has(element) || isMovingForever(element);
  const end = performance.now() + (isRestless ? 0 : SCRIPT_REST);
  let moves = 1; // the frame that comes next may be drawn before the script has had its turn
  let motion: Motion = { x: 0, y: 0 };
  let present = successor(element);
  let before = boxOf(present);
  let rested = performance.now();
  do {
    await frameAndTimers();
    present = successor(present);
    const now = boxOf(present);
    const moved = motionBetween(before, now);
    const isSame = EDGES.every((edge) => before[edge] === now[edge]);
    before = now;
    if (!isSame) {
      moves = 2;
      rested = performance.now();
    } else if (--moves < 0 && performance.now() - rested >= REST) return null;
    motion = { x: Math.max(motion.x / 2, moved.x), y: Math.max(motion.y / 2, moved.y) };
  } while (moves < 2 || performance.now() < end);
  restless.add(present);
  return motion;
}

/** Resolves after the next frame and the timers that are due then: frames may overtake those on a busy machine. */
const frameAndTimers = (): Promise<void> => nextFrame().then(() => pause(0));

const motionBetween = (one: Edges, other: Edges): Motion => ({
  x: motionOf(other.left - one.left, other.right - one.right),
  y: motionOf(other.top - one.top, other.bottom - one.bottom),
});

/**
 * How far a box moves along an axis, from the moves of its two edges. A box that rotates or scales about its centre
 * does not move.
 */
const motionOf = (start: number, end: number): number =>
  Math.min(Math.abs(start + end), Math.max(Math.abs(start), Math.abs(end)));

/** Whether a moving element may be gone from its middle before a press comes. */
export const isFast = (motion: Motion, { width, height }: RectData): boolean =>
  motion.x * PRESS_FRAMES > width / 2 || motion.y * PRESS_FRAMES > height / 2;

// What moves or resizes a box; an animation of anything else need not be waited for.
const MOVES = new RegExp(
  '^(transform|translate|scale|rotate|offset[A-Z]|top|left|right|bottom|inset|width|height|max|min|margin|padding|flex|' +
    'grid|display)',
);

/** Whether an animation that will end moves the element now. */
const isMoving = (element: Element): boolean => isAnimated(element, (end) => isFinite(end));

/** Whether an animation moves the element again and again. */
const isMovingForever = (element: Element): boolean => isAnimated(element, (end) => !isFinite(end));

function isAnimated(element: Element, isWanted: (end: number) => boolean): boolean {
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    for (const animation of animationsOf(node)) {
      const effect = animation.effect as KeyframeEffect | null; // browsers have no other kind
      if (animation.playState !== 'running' || !effect) continue;
      if (!isWanted(Number(effect.getComputedTiming().endTime))) continue;
      if (effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => MOVES.test(property))))
        return true;
    }
  }
  return false;
}
