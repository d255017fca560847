// What a page shows to be on its way since an action began: busy regions, spinners, movements that show or hide
// something; and hints that are believed for a short time, as each of them may be meant otherwise: a text, the mouse
// pointer, something that turns for ever, a progress bar.

import { attribute, bodyOf, closest, isConnected, matches, tagOf, textContentOf } from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { allElements, currentCache } from '../dom/snapshot';
import { isStyledVisible, styleOf, visibleBox } from '../geometry/visibility';
import { isDisabled } from '../semantics/values';
import { isCurtain } from '../semantics/interactive';
import { GAUGES, gaugeValue } from '../text/units';

/** What is busy at a moment. */
export interface Busy {
  elements: Set<Element>;
  movements: Set<Animation>;
  hints: { loops: Set<Animation>; waits: boolean };
}

/** What was busy before an action is no effect of it. */
export function busyBefore(): Busy {
  return { elements: new Set(busyElements()), movements: new Set(movements()), hints: busyHints() };
}

const BUSY = '[aria-busy=true i],[role=progressbar]:not([aria-valuenow],[aria-hidden=true]),progress:not([value])';
const BUSY_CLASSES = ['spinner', 'loading', 'loader', 'skeleton'].map((word) => `[class*=${word} i]`).join();
const BUSY_CLASS = /^(?:.*[-_])?(?:is-?)?(?:spinner|loading|loader|skeleton)(?:[-_].*)?$/i;

export function busyElements(): Element[] {
  const found: Element[] = [];
  allElements();
  for (const { root } of currentCache().trees) {
    for (const element of queryAll(root, `${BUSY},${BUSY_CLASSES}`)) {
      if (isStyledVisible(element) && (matches(element, BUSY) || isSpinner(element))) found.push(element);
    }
  }
  return found;
}

function isSpinner(element: Element): boolean {
  const tokens = (attribute(element, 'class') || '').split(/\s+/);
  return tokens.some((token) => BUSY_CLASS.test(token)) && visibleBox(element) !== null;
}

const MOVED = wordSet(`
  opacity visibility display transform translate scale height max-height width max-width left right top bottom inset
  margin-left margin-right margin-top margin-bottom clip-path grid-template-rows
`);

const MOVED_CONTROLS =
  'button,a,input,select,textarea,label,summary,[role=button],[role=link],[role=tab],[role=switch]';
const MAX_MOVEMENT_MS = 1500;

/** Transitions and animations that end soon and move something that says something. */
export const movements = (): Animation[] => pageAnimations(isMovement);

function isMovement(animation: Animation): boolean {
  const { playState, currentTime, transitionProperty } = animation as Partial<CSSTransition>;
  const effect = effectOf(animation);
  if (playState !== 'running' || !effect || !effect.target || effect.pseudoElement) return false;
  if (transitionProperty !== undefined && !MOVED.has(transitionProperty)) return false;
  if (!(Number(effect.getComputedTiming().endTime) - Number(currentTime) < MAX_MOVEMENT_MS)) return false;
  if (closest(effect.target, MOVED_CONTROLS) !== null) return false;
  if (/\S/.test(textContentOf(effect.target)) || queryAll(effect.target, 'slot').length) return true;
  return isCurtain(effect.target); // what dims the page comes before a dialog
}

function pageAnimations(test: (animation: Animation) => boolean): Animation[] {
  const found: Animation[] = [];
  allElements();
  for (const { root } of currentCache().trees) {
    if (!root.getAnimations) continue;
    for (const animation of root.getAnimations()) if (test(animation)) found.push(animation);
  }
  return found;
}

/** Browsers have no other kind of effect. `instanceof` would not know those of frames. */
const effectOf = ({ effect }: Animation) => effect as KeyframeEffect | null;

export const MAX_HINT_MS = 1500;
const GAUGE_PAUSE = 500;

// `Saving…`, `Loading results...`: said by something that is no offer.
const UNFINISHED = /^[^…]{1,30}(?:…|\.\.\.)$/;

const OFFERS = 'a,select,textarea,[role=menu],[role=menubar],[role=listbox],[role=option],[role=menuitem],[role=link]';

/** The hints that there are before an action. */
const busyHints = () => ({ loops: new Set(loops()), waits: isWaiting() });

/** What a watch knows of the time since an action. */
interface ActionChanges {
  /** The elements that have other content (false) or are new (true). */
  readonly affected: ReadonlyMap<Element, boolean>;
  /** What the action began with. */
  readonly base: { readonly units: ReadonlyMap<Element, string> } | null;
  /** When a progress bar moved last, in milliseconds of `performance.now`. */
  readonly gaugeMoved: number;
}

/** Whether something that the action has changed, or a message that is new since, says that more is to come. */
export function isUnfinished({ affected, base }: ActionChanges): boolean {
  for (const [element, isNew] of affected) {
    if (!isConnected(element) || closest(element, OFFERS) !== null) continue;
    const control = closest(element, 'button,[role=button]');
    if (isNew && control !== null && !isDisabled(control)) continue; // `Save as…`
    const text = collapse(textContentOf(element));
    if (!UNFINISHED.test(text) || !isStyledVisible(element)) continue;
    if (!base || base.units.get(element) !== text) return true; // else it said so before
  }
  return false;
}

/** Whether a progress bar has moved not long ago and is not at its end. */
export function isAdvancing({ gaugeMoved }: ActionChanges): boolean {
  if (performance.now() - gaugeMoved > GAUGE_PAUSE) return false;
  return currentCache().trees.some(({ root }) => Array.prototype.some.call(queryAll(root, GAUGES), isUnfilled));
}

const isUnfilled = (gauge: Element): boolean =>
  tagOf(gauge) !== 'meter' && isStyledVisible(gauge) && gaugeValue(gauge) !== '100%';

/** Whether the mouse pointer of the page says that it works. */
export function isWaiting(): boolean {
  const body = bodyOf(document);
  return body !== null && ['wait', 'progress'].includes(styleOf(body).cursor);
}

/** Animations without end of what has no text: spinners and placeholders, whatever their classes. */
export const loops = (): Animation[] => pageAnimations(isLoop);

function isLoop(animation: Animation): boolean {
  const effect = effectOf(animation);
  if (animation.playState !== 'running' || !effect || !effect.target) return false;
  if (effect.getComputedTiming().iterations !== Infinity) return false;
  return Boolean(effect.pseudoElement) || !/\S/.test(textContentOf(effect.target));
}
