// What a page shows to be on its way since an action began: busy regions, spinners, movements that show or hide
// something; and hints that are believed for a short time, as each of them may be meant otherwise: a text, the mouse
// pointer, something that turns for ever, a progress bar.

import { animationsOf, attribute, bodyOf, closest, isConnected, matches, tagOf, textContentOf } from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove } from '../dom/tree';
import { allElements, currentCache } from '../dom/snapshot';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { visibleBox } from '../geometry/visibility';
import { visibleLength } from '../semantics/labels';
import { isDisabled } from '../semantics/values';
import { isCurtain } from '../semantics/interactive';
import { countTexts, take } from '../text/differences';
import { GAUGES, gaugeValue } from '../text/units';

/** What is busy at a moment. */
export interface Busy {
  elements: Seen<Element>;
  movements: Set<Animation>;
  hints: { placeholders: Seen<Element>; loops: Seen<Animation>; waits: boolean };
}

/** Busy things with what each looks like, as a page that draws itself anew has other elements. */
type Seen<T> = Map<T, string>;

/** What was busy before an action is no effect of it. */
export function busyBefore(): Busy {
  const spinners = spinnersAndPlaceholders();
  return {
    elements: seenElements([...authoredBusy(), ...spinners.turning]),
    movements: new Set(movements()),
    hints: {
      placeholders: seenElements(spinners.still),
      loops: new Map(loops().map((loop) => [loop, lookOfLoop(loop)])),
      waits: isWaiting(),
    },
  };
}

const seenElements = (elements: readonly Element[]): Seen<Element> =>
  new Map(elements.map((element) => [element, lookOf(element)]));

const lookOf = (element: Element): string => {
  const above = elementAbove(element);
  return `${markOf(element)}<${above ? markOf(above) : ''}`;
};

const markOf = (element: Element): string => `${tagOf(element)}.${attribute(element, 'class') || ''}`;

const lookOfLoop = (loop: Animation): string => {
  const target = effectOf(loop)?.target;
  return target ? lookOf(target) : '';
};

/** Whether any of these was not there before, nor took the place of one that looked the same. */
function anyNew<T>(now: readonly T[], before: Seen<T>, look: (each: T) => string): boolean {
  const present = new Set(now);
  const left = countTexts([...before].filter(([each]) => !present.has(each)).map(([, former]) => former));
  return now.some((each) => !before.has(each) && !take(left, look(each)));
}

/** Whether something is busy that was not before: a region, a progress bar without a value, a spinner that turns. */
export const isBusySince = ({ elements }: Busy): boolean =>
  anyNew([...authoredBusy(), ...spinnersAndPlaceholders().turning], elements, lookOf);

/** Whether something looks busy that did not before: a placeholder, something that turns for ever, the mouse pointer. */
export function hasHintSince({ hints: { placeholders, loops: turning, waits } }: Busy): boolean {
  if (isWaiting() && !waits) return true;
  return anyNew(spinnersAndPlaceholders().still, placeholders, lookOf) || anyNew(loops(), turning, lookOfLoop);
}

const BUSY = '[aria-busy=true i],[role=progressbar]:not([aria-valuenow],[aria-hidden=true]),progress:not([value])';
const BUSY_CLASSES = ['spinner', 'loading', 'loader', 'skeleton'].map((word) => `[class*=${word} i]`).join();
const BUSY_CLASS =
  /(?:^|[-_]|^is)(?:spinner|loading|loader|skeleton)(?:$|[-_])|[a-z](?:Spinner|Loading|Loader|Skeleton)(?:$|[-_A-Z])/;

/** What says by its role or a state that it is busy. */
const authoredBusy = (): Element[] => queryTrees(BUSY).filter(isStyledVisible);

/**
 * What a class calls a spinner or a placeholder, and what is small or empty enough to be one: many a wrapper, logo or
 * button is called so as well. One of them turns, or stands still.
 */
function spinnersAndPlaceholders(): { turning: Element[]; still: Element[] } {
  const named = namedSpinners();
  const isBare = (element: Element): boolean =>
    !/[\p{L}\p{N}]/u.test(textContentOf(element)) && !matches(element, 'img');
  return {
    turning: named.filter(isTurning),
    still: named.filter((element) => !isTurning(element) && isBare(element)),
  };
}

const isBusyWord = (token: string): boolean => BUSY_CLASS.test(token) || BUSY_CLASS.test(token.toLowerCase());

const namedSpinners = (): Element[] =>
  queryTrees(BUSY_CLASSES).filter((element) => {
    const tokens = (attribute(element, 'class') || '').split(/\s+/);
    if (!tokens.some(isBusyWord) || matches(element, BUSY)) return false;
    return isStyledVisible(element) && visibleBox(element) !== null && !saysMore(element);
  });

/** Whether a page that shows nothing else yet says that something is to come. */
export const isSplashBusy = (): boolean => authoredBusy().length > 0 || namedSpinners().length > 0;

/** Whether anything is busy, says so, or moves what is shown or hidden, since whenever. */
export const isBusy = (): boolean => isSplashBusy() || movements().length > 0 || isWaiting();

function queryTrees(css: string): Element[] {
  allElements();
  return currentCache().trees.flatMap(({ root }) => [...queryAll(root, css)]);
}

const MAX_SPINNER_TEXT = 40;
const CONTENT = 'a,button,input,select,textarea,table,ul,ol,dl,h1,h2,h3,h4,h5,h6,video,iframe';

/** Whether an element holds content: a spinner says `Loading` at most. */
const saysMore = (element: Element): boolean =>
  visibleLength(element) > MAX_SPINNER_TEXT || matches(element, CONTENT) || queryAll(element, CONTENT).length > 0;

const MOVING_PICTURES = 'animate,animateTransform,img[src*=".gif" i]';

/** Whether an element, or a part of it, moves without an end. */
const isTurning = (element: Element): boolean =>
  animationsOf(element, { subtree: true }).some(isEndless) ||
  matches(element, MOVING_PICTURES) ||
  queryAll(element, MOVING_PICTURES).length > 0;

const isEndless = (animation: Animation): boolean =>
  animation.playState === 'running' && effectOf(animation)?.getComputedTiming().iterations === Infinity;

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
function isWaiting(): boolean {
  const body = bodyOf(document);
  return body !== null && ['wait', 'progress'].includes(styleOf(body).cursor);
}

/** Animations without end of what has no text: spinners and placeholders, whatever their classes. */
const loops = (): Animation[] => pageAnimations(isLoop);

function isLoop(animation: Animation): boolean {
  const effect = effectOf(animation);
  if (!effect?.target || !isEndless(animation)) return false;
  return Boolean(effect.pseudoElement) || !/\S/.test(textContentOf(effect.target));
}
