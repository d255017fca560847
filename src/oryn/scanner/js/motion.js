// Whether an element moves, and the wait until it has come to rest.

const LATELY = 40; // milliseconds, two frames and some: a script that moves something has changed the page since then
const SCRIPT_REST = 500; // milliseconds that an element has to come to rest when no animation says that it will
const REST = 32; // milliseconds without a move: frames that a busy machine draws late come right after each other
const PRESS_FRAMES = 4; // between a look at an element and the press
const EDGES = ['left', 'right', 'top', 'bottom'];

// Elements that did not come to rest: they are not waited for again.
const restless = new WeakSet();

/** Whether an element may be moving now: an animation says so, or a script has just changed the page. */
function mayMove(element) {
  return isMoving(element) || performance.now() - mutatedAt < LATELY || isMovingForever(element);
}

/**
 * Wait until an element has the same box in three frames and for 32 ms: `timeout` ms at most if animations move it to rest, and a
 * shorter time if a script does or they never end. Resolves with null, or with how far it still moves in one frame.
 */
async function restingPlace(element, request) {
  const deadline = performance.now() + (request.timeout ?? LOCATE_TIMEOUT);
  while (isMoving(element) && performance.now() < deadline) await nextFrame();
  const isRestless = restless.has(element) || isMovingForever(element);
  const end = performance.now() + (isRestless ? 0 : SCRIPT_REST);
  let moves = 1; // the frame that comes next may be drawn before the script has had its turn
  let motion = { x: 0, y: 0 };
  let present = presentElement(element, request);
  let before = boxOf(present);
  let rested = performance.now();
  do {
    await frameAndTimers();
    present = presentElement(present, request);
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
const frameAndTimers = () => nextFrame().then(() => pause(0));

/** An element, or the one that has taken its place. */
function presentElement(element, request) {
  if (isAttached(element)) return element;
  refreshCache();
  return pressable(requestedElement(request));
}

const motionBetween = (one, other) => ({
  x: motionOf(other.left - one.left, other.right - one.right),
  y: motionOf(other.top - one.top, other.bottom - one.bottom),
});

/** How far a box moves along an axis, from the moves of its two edges. A box that rotates or scales about its center does not. */
const motionOf = (start, end) => Math.min(Math.abs(start + end), Math.max(Math.abs(start), Math.abs(end)));

/** Whether a moving element may be gone from its middle before a press comes. */
const isFast = (motion, { width, height }) =>
  motion.x * PRESS_FRAMES > width / 2 || motion.y * PRESS_FRAMES > height / 2;

// What moves or resizes a box; an animation of anything else need not be waited for.
const MOVES = new RegExp(
  '^(transform|translate|scale|rotate|offset[A-Z]|top|left|right|bottom|inset|width|height|max|min|margin|padding|flex|' +
    'grid|display)',
);

/** Whether an animation that will end moves the element now. */
const isMoving = (element) => isAnimated(element, (end) => isFinite(end));

/** Whether an animation moves the element again and again. */
const isMovingForever = (element) => isAnimated(element, (end) => !isFinite(end));

function isAnimated(element, isWanted) {
  for (let node = element; node; node = elementAbove(node)) {
    for (const animation of animationsOf(node)) {
      const { effect } = animation;
      if (animation.playState !== 'running' || !effect || !isWanted(effect.getComputedTiming().endTime)) continue;
      if (effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => MOVES.test(property))))
        return true;
    }
  }
  return false;
}
