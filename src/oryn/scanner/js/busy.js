// What a page shows to be on its way since an action began: busy regions, spinners, and movements that show or hide
// something.

const BUSY = '[aria-busy=true i],[role=progressbar]:not([aria-valuenow],[aria-hidden=true]),progress:not([value])';
const BUSY_CLASSES = ['spinner', 'loading', 'loader', 'skeleton'].map((word) => `[class*=${word} i]`).join();
const BUSY_CLASS = /^(?:.*[-_])?(?:is-?)?(?:spinner|loading|loader|skeleton)(?:[-_].*)?$/i;
const MOVED = wordSet(`
  opacity visibility display transform translate scale height max-height width max-width left right top bottom inset
  margin-left margin-right margin-top margin-bottom clip-path grid-template-rows
`);
const MOVED_CONTROLS = 'button,a,input,select,textarea,label,summary,[role=button],[role=link],[role=tab],[role=switch]';
const LONGEST_MOVEMENT = 1500;
/** What was busy before an action is no effect of it. */
function busyBefore() {
  return { elements: new Set(busyElements()), movements: new Set(movements()), hints: busyHints() };
}

/** What is on its way since the action that is watched, in words, or null. */
function busyNow() {
  if (!textWatch || !textWatch.busy) return null;
  const { elements, movements: earlier } = textWatch.busy;
  if (busyElements().some((element) => !elements.has(element))) return 'a part of the page is still busy';
  if (movements().some((each) => !earlier.has(each))) return 'the page is still moving';
  return looksBusy(textWatch) ? 'the page looks as if it is still busy' : null;
}

function busyElements() {
  const found = [];
  allElements();
  for (const { root } of currentCache().trees) {
    for (const element of queryAll(root, `${BUSY},${BUSY_CLASSES}`)) {
      if (isStyledVisible(element) && (matches(element, BUSY) || isSpinner(element))) found.push(element);
    }
  }
  return found;
}

function isSpinner(element) {
  const tokens = (attribute(element, 'class') || '').split(/\s+/);
  return tokens.some((token) => BUSY_CLASS.test(token)) && visibleBox(element) !== null;
}

/** Transitions and animations that end soon and move something that says something. */
const movements = () => pageAnimations(isMovement);

function pageAnimations(test) {
  const found = [];
  allElements();
  for (const { root } of currentCache().trees) {
    if (!root.getAnimations) continue;
    for (const animation of root.getAnimations()) if (test(animation)) found.push(animation);
  }
  return found;
}

function isMovement({ playState, effect, currentTime, transitionProperty }) {
  if (playState !== 'running' || !effect || !effect.target || effect.pseudoElement) return false;
  if (transitionProperty !== undefined && !MOVED.has(transitionProperty)) return false;
  if (!(effect.getComputedTiming().endTime - currentTime < LONGEST_MOVEMENT)) return false;
  if (closest(effect.target, MOVED_CONTROLS) !== null) return false;
  if (/\S/.test(textContentOf(effect.target)) || queryAll(effect.target, 'slot').length) return true;
  return isCurtain(effect.target); // what dims the page comes before a dialog
}
