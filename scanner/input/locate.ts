// locate (docs/spec/scanner-protocol.md#locate): the point where an element can be pressed, after looking whether it is
// there, visible, enabled, not covered and at rest.

import {
  NativePromise,
  animationsOf,
  attribute,
  boxOf,
  boxesOf,
  closest,
  contains,
  hasAttribute,
  hostsOf,
  isHtml,
  matches,
  ownerOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type {
  ApproachRequest,
  ApproachResponse,
  ElementData,
  ElementParameters,
  FindResponse,
  LocateParameters,
  LocateResponse,
  PointData,
  RectData,
  WatchResponse,
} from '../dom/protocol';
import { Refusal, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { nextFrame, pause } from '../dom/timing';
import { makeRoomAt, queryAll } from '../dom/banner';
import { HOVERED, elementAbove, frameElementOf, holds, isAttached } from '../dom/tree';
import { mutatedAt, recentMutations, refreshCache } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { drawnAround, isNativeBox, isTransparentControl, isVisible, styleOf, visibleBox } from '../geometry/visibility';
import type { Box, Edges } from '../geometry/visibility';
import { hitIn, rectData } from '../geometry/boxes';
import { outOfFrame, pointInFrameOf, pointInPage } from '../geometry/frames';
import { authoredRole } from '../semantics/roles';
import { isDisabled } from '../semantics/values';
import { isTypingField } from '../semantics/text_controls';
import { selectBehind } from '../semantics/select_widgets';
import { isSubmit } from '../semantics/interactive';
import { factsOf, requestedElement } from '../targets/candidates';
import { visibleLabel } from '../targets/describe';
import { buttonNames, coveringDialog } from '../page/layers';
import { watchTexts } from '../page/watch';
import { find } from '../page/scan';
import { bringIntoView, visiblePart } from '../page/scrolling';
import { expectPress } from './boundary_events';
import { recordPress } from './press_record';

const LOCATE_TIMEOUT = 1000;

/** Answers at once, or a promise while an animation moves the element or after it was scrolled to. */
export function locate(request: ElementParameters & LocateParameters): LocateResponse | Promise<LocateResponse> {
  const element = pressable(requestedElement(request));
  const scrolled = request.scroll_into_view !== false && bringIntoView(element);
  const moving = !request.force && mayMove(element);
  if (!scrolled && !moving) return placeOf(element, request);
  const ready: Promise<Motion | null | void> = moving ? restingPlace(element, request) : drawn();
  return ready.then((motion) => {
    refreshCache();
    const place = placeOf(presentElement(element, request), request);
    if (motion && isFast(motion, place.rect))
      throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the element is moving and does not come to rest');
    return place;
  });
}

/** The browser aims its input by what it has drawn: the first frame asks for that, the second comes after it. */
const drawn = (): Promise<void> => nextFrame().then(nextFrame);

function placeOf(element: Element, request: ElementParameters & LocateParameters): LocateResponse {
  const { purpose = 'click', force } = request;
  if (request.scroll_into_view !== false) bringIntoView(element);
  const box = force ? visibleBox(element) || boxOf(element) : isVisible(element) ? visibleBox(element) : null;
  if (!box || (!box.width && !box.height)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  if (!force && purpose !== 'hover' && purpose !== 'any' && isDisabled(element))
    throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  const point = force ? requestedPoint(box, request.offset) : freePoint(element, box, request.offset);
  if (purpose === 'choose' || purpose === 'open')
    refuseSender(hitIn(ownerOf(element), point.x, point.y) || element, purpose === 'open');
  const { x, y } = pointInPage(element, point);
  makeRoomAt(x, y);
  if (request.presses) {
    const count = wholeNumber(request.presses, 'presses');
    expectPress(element, count);
    recordPress(element, count, receives);
  }
  return {
    x,
    y,
    rect: rectData(element, box),
    tag: tagOf(element),
    type: factsOf(element).type,
    hovered: isUnderMouse(hitIn(ownerOf(element), point.x, point.y)),
  };
}

/** Whether the mouse is over an element and none of its children. */
const isUnderMouse = (element: Element | null): boolean =>
  element !== null && matches(element, HOVERED) && !queryAll(element, HOVERED).length;

/** `offset` is relative to the centre. */
function requestedPoint(box: Edges, offset: PointData | null | undefined): PointData {
  const middle = middleOf(box);
  return offset ? { x: middle.x + offset.x, y: middle.y + offset.y } : middle;
}

/** What a person presses for an element: a hidden native control's visible label. */
export function pressable(element: Element): Element {
  const isTouchable = !isNativeBox(element) || styleOf(element).pointerEvents !== 'none';
  if (isTouchable && isVisible(element)) return element;
  return visibleLabel(element) || element;
}

export const middleOf = (box: Edges): PointData => ({
  x: (Math.max(box.left, 0) + box.right) / 2,
  y: (Math.max(box.top, 0) + box.bottom) / 2,
});

/**
 * A point of the element that the element itself receives: the asked offset, else its centre, else others of its
 * boxes.
 */
function freePoint(element: Element, box: Box, offset: PointData | null | undefined): PointData {
  let blocker: Element | null = null;
  const points = offset ? [requestedPoint(box, offset)] : pointsOf(element, box);
  for (const point of [...points.map((exact) => wholePoint(element, exact)), ...points.slice(0, 1)]) {
    const hit = hitIn(ownerOf(element), point.x, point.y);
    if (hit && receives(element, hit)) {
      const outer = framesCover(element, point);
      if (!outer) return point;
      blocker = blocker || outer;
    } else blocker = blocker || hit;
  }
  if (!blocker) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is outside the viewport');
  const covered = shortDescription(blocker);
  const dialog = coveringDialog(blocker, element);
  const buttons = dialog ? buttonNames(dialog) : [];
  throw new Refusal('ELEMENT_NOT_INTERACTABLE', `the element is covered by ${covered}`, {
    covered_by: covered,
    ...(buttons.length && { buttons }),
  });
}

/**
 * Mouse events lie on whole pixels of the tab's viewport (https://www.w3.org/TR/uievents/#dom-mouseevent-clientx is a
 * long): between two, a press may hit what `elementFromPoint` does not.
 */
function wholePoint(element: Element, point: PointData): PointData {
  const { x, y } = pointInPage(element, point);
  return pointInFrameOf(element, { x: Math.round(x), y: Math.round(y) });
}

// Shares of a box, across and down.
const ELSEWHERE = [0.2, 0.8, 0.1, 0.9].flatMap((share): [number, number][] => [
  [share, share],
  [share, 1 - share],
  [0.5, share],
  [share, 0.5],
]);

/** Points of what is seen of an element's boxes, the likely ones first. */
function pointsOf(element: Element, box: Box): PointData[] {
  const points: PointData[] = [];
  const boxes: Box[] = Array.from(boxesOf(element)).filter(({ width, height }) => width >= 1 && height >= 1);
  const [first] = boxes;
  const wholes = first ? [boxes.length === 1 ? box : first, box, ...boxes] : [box];
  for (const part of [...wholes.map((whole) => visiblePart(element, whole) || whole), box]) {
    const { left, top, width, height } = part;
    points.push(middleOf(part));
    for (const [across, down] of ELSEWHERE) points.push({ x: left + width * across, y: top + height * down });
    if (points.length > 60) break;
  }
  return points;
}

/** Whether a press on `hit` reaches `element`: itself, its content, its host or its label. */
function receives(element: Element, hit: Element): boolean {
  if (holds(element, hit)) return true;
  for (let node: Element | null = hit; node; node = elementAbove(node)) {
    if (tagOf(node) === 'label' && isHtml(node) && labelControlOf(node) === element) return true;
  }
  if (hostsOf(element).includes(hit)) return true;
  return (
    isPressedForCombobox(element, hit) ||
    isValueOver(element, hit) ||
    (isTransparentControl(element) && isDrawnFor(element, hit))
  );
}

/** Whether `hit` is the combo box around a field, or what is right around one that takes no presses itself. */
function isPressedForCombobox(element: Element, hit: Element): boolean {
  const combobox = tagOf(element) === 'input' ? closest(element, '[role=combobox]') : null;
  if (!combobox || !contains(hit, element)) return false;
  return combobox === element
    ? styleOf(element).pointerEvents === 'none' && hit === elementAbove(element)
    : holds(combobox, hit);
}

const VALUE_LEVELS = 3;
const NO_VALUE = 'a,button,input,select,textarea,[role=button],[role=listbox],[role=option]';

/** Whether `hit` is what a combo box shows as chosen over its own field. */
function isValueOver(element: Element, hit: Element): boolean {
  if (tagOf(element) !== 'input' || authoredRole(element) !== 'combobox' || closest(hit, NO_VALUE)) return false;
  for (let node = elementAbove(element), level = 0; node && level < VALUE_LEVELS; node = elementAbove(node), level++) {
    if (queryAll(node, 'input:not([type=hidden]),select,textarea').length > 1) return false;
    if (node !== hit && holds(node, hit)) return true;
  }
  return false;
}

const INNER_CONTROLS = 'a,button,input,select,textarea,[role=button]';

/** Whether `hit` is drawn in the place of a transparent field, and is no control of its own. */
function isDrawnFor(element: Element, hit: Element): boolean {
  const around = drawnAround(element);
  if (hit === around || hit === elementAbove(element)) return true;
  if (!around) return false;
  const control = isNativeBox(element) || !holds(around, hit) ? hit : closest(hit, INNER_CONTROLS);
  return control === null || (control !== hit && !holds(around, control));
}

/** What covers the frames that hold the element at this point, or null. */
function framesCover(element: Element, point: PointData): Element | null {
  let inner = point;
  for (let owner = ownerOf(element); owner !== document;) {
    const frame = frameElementOf(owner);
    if (!frame) return null;
    inner = outOfFrame(frame, inner);
    owner = ownerOf(frame);
    const hit = hitIn(owner, inner.x, inner.y);
    if (!hit || !holds(frame, hit)) return hit || frame;
  }
  return null;
}

/** `div#overlay "We use cookies…"`: what an element is, in a few words. */
export function shortDescription(element: Element): string {
  const id = attribute(element, 'id');
  const classes = (attribute(element, 'class') || '').trim().split(/\s+/)[0];
  const name = collapse(attribute(element, 'aria-label') || textContentOf(element).slice(0, 200)).slice(0, 40);
  return tagOf(element) + (id ? `#${id}` : classes ? `.${classes}` : '') + (name ? ` "${name}"` : '');
}

// Presses that open something or choose a value.

const PRESSED_CONTROLS = 'a[href],area[href],button,summary,input,[role=button],[role=link],[role=menuitem]';
const POPUP_ATTRIBUTES = ['aria-expanded', 'aria-controls', 'aria-owns', 'popovertarget'];
const CHOICES = new Set(['combobox', 'listbox', 'option', 'radio', 'gridcell', 'treeitem', 'tab', 'spinbutton']);

/**
 * A press that is to open something or to choose a value must reach no button that may do something else: send the
 * form, go to another page. `plain`: a button is taken that neither sends a form nor says what it does.
 */
function refuseSender(hit: Element, plain: boolean): void {
  const button = closest(hit, PRESSED_CONTROLS);
  if (!button || isTypingField(button) || mayOpen(button)) return;
  const isLink = tagOf(button) === 'a' || tagOf(button) === 'area' || authoredRole(button) === 'link';
  if (plain && !isLink && !isSubmit(button, tagOf(button))) return;
  throw new Refusal(
    'INVALID_ELEMENT_TYPE',
    `a ${isLink ? 'link' : 'button'} that shows nothing to choose from is for click`,
  );
}

/** Whether a button says that it opens something to choose from, or is a choice itself. */
function mayOpen(button: Element): boolean {
  if (CHOICES.has(authoredRole(button)) || closest(button, '[role=combobox],[role=listbox],[role=grid]')) return true;
  const popup = attribute(button, 'aria-haspopup');
  if (popup) return popup !== 'false';
  return POPUP_ATTRIBUTES.some((name) => hasAttribute(button, name)) || selectBehind(button) !== null;
}

// Whether an element moves, and the wait until it has come to rest.

const LATELY = 40; // milliseconds, two frames and some: a script that moves something has changed the page since then
const OFTEN = 5; // changes of the page, which may go on although the last is not so late: its timers may be
const SCRIPT_REST = 500; // milliseconds that an element has to come to rest when no animation says that it will
const REST = 32; // milliseconds without a move: frames that a busy machine draws late come right after each other
const PRESS_FRAMES = 4; // between a look at an element and the press
const EDGES = ['left', 'right', 'top', 'bottom'] as const;

// Elements that did not come to rest are not waited for again.
const restless = new WeakSet<Element>();

/** How far something moves in one frame. */
type Motion = PointData;

/** Whether an element may be moving now: an animation says so, or a script has just changed the page. */
function mayMove(element: Element): boolean {
  if (performance.now() - mutatedAt < LATELY || recentMutations() > OFTEN) return true;
  return isMoving(element) || isMovingForever(element);
}

/**
 * Wait until an element has the same box in three frames and for 32 ms: `timeout` ms at most if animations move it to
 * rest, and a shorter time if a script does or they never end. Resolves with null, or with how far it still moves in
 * one frame.
 */
async function restingPlace(element: Element, request: ElementParameters & LocateParameters): Promise<Motion | null> {
  const deadline = performance.now() + (request.timeout ?? LOCATE_TIMEOUT);
  while (isMoving(element) && performance.now() < deadline) await nextFrame();
  const isRestless = restless.has(element) || isMovingForever(element);
  const end = performance.now() + (isRestless ? 0 : SCRIPT_REST);
  let moves = 1; // the frame that comes next may be drawn before the script has had its turn
  let motion: Motion = { x: 0, y: 0 };
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
const frameAndTimers = (): Promise<void> => nextFrame().then(() => pause(0));

/** An element, or the one that has taken its place. */
function presentElement(element: Element, request: ElementParameters & LocateParameters): Element {
  if (isAttached(element)) return element;
  refreshCache();
  return pressable(requestedElement(request));
}

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
const isFast = (motion: Motion, { width, height }: RectData): boolean =>
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

// approach (docs/spec/scanner-protocol.md#approach): what comes before an action, in one round trip: its target is
// found, the page is watched, and the target is located.

export function approach(request: ApproachRequest): ApproachResponse | Promise<ApproachResponse> {
  const found = request.target ? find(request) : null;
  if (found && !found.matches.length) return { found };
  const watched = watchTexts(request);
  const id = found ? onlyMatch(found.matches) : wholeNumber(request.id, 'id');
  // If the page has changed meanwhile, that is reported before the action scrolls or waits.
  if (!request.locate || watched.mutated || id === null) return { found, watched };
  const done = (place: LocateResponse): ApproachResponse => ({ found, watched, place: { ...place, id } });
  try {
    const place = locate({ ...request.locate, id });
    return place instanceof NativePromise
      ? place.then(done, (error: unknown) => refused(error, found, watched))
      : done(place);
  } catch (error) {
    return refused(error, found, watched);
  }
}

/** The match that any ranking chooses, or null: whether a part of a longer text is meant is for the engine to say. */
function onlyMatch([match, ...others]: readonly ElementData[]): number | null {
  const tier = match?.match?.tier;
  return match && !others.length && (tier === 'exact' || tier === 'case') ? match.id : null;
}

/** The engine locates once more what can't be pressed yet: it waits for that. */
function refused(error: unknown, found: FindResponse | null, watched: WatchResponse): ApproachResponse {
  if (!(error instanceof Refusal)) throw error;
  return { found, watched };
}
