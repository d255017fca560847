// locate (docs/spec/scanner-protocol.md#locate): the point where an element can be pressed, after looking whether it is
// there, visible, enabled, not covered and at rest.

import { NativePromise, attribute, boxOf, closest, hasAttribute, matches, ownerOf, tagOf } from '../dom/natives';
import type {
  ApproachRequest,
  ApproachResponse,
  ElementData,
  ElementParameters,
  FindResponse,
  LocateParameters,
  LocateResponse,
  PointData,
  WatchResponse,
} from '../dom/protocol';
import { Refusal, wholeNumber } from '../dom/refusal';
import { nextFrame } from '../dom/timing';
import { makeRoomAt, queryAll } from '../dom/banner';
import { HOVERED, isAttached } from '../dom/tree';
import { refreshCache } from '../dom/snapshot';
import { isNativeBox, isVisible, visibleBox } from '../geometry/visibility';
import { styleOf } from '../geometry/styles';
import type { Box } from '../geometry/styles';
import { hitIn, rectData } from '../geometry/boxes';
import { pointInFrameOf, pointInPage } from '../geometry/frames';
import { authoredRole } from '../semantics/roles';
import { isDisabled } from '../semantics/values';
import { isTypingField } from '../semantics/text_controls';
import { selectBehind } from '../semantics/select_widgets';
import { isSubmit } from '../semantics/interactive';
import { factsOf, requestedElement } from '../targets/candidates';
import { visibleLabel } from '../targets/describe';
import { placesOfWords } from '../targets/word_places';
import { watchTexts } from '../page/watch';
import { find } from '../page/scan';
import { bringIntoView, scrollToMiddle } from '../page/scrolling';
import { expectPress } from './boundary_events';
import { pointsOf, requestedPoint } from './press_points';
import { recordPress } from './press_record';
import { freePoint, receiverOf, receives } from './reception';
import { isFast, mayMove, restingPlace } from './rest';

const LOCATE_TIMEOUT = 1000;

/** Answers at once, or a promise while an animation moves the element or after it was scrolled to. */
export function locate(request: LocateOf): LocateResponse | Promise<LocateResponse> {
  const element = pressable(requestedElement(request));
  const scrolled = request.scroll_into_view !== false && bringIntoView(element, partOf(element, request));
  const moving = !request.force && mayMove(element);
  if (!scrolled && !moving) {
    const place = placeUnlessStuck(element, request);
    if (place) return place;
  }
  const successor = (present: Element): Element => presentElement(present, request);
  const ready = moving ? restingPlace(element, request.timeout ?? LOCATE_TIMEOUT, successor) : drawn();
  return ready.then((motion) => {
    refreshCache();
    const place = placeOf(presentElement(element, request), request);
    if (motion && isFast(motion, place.rect))
      throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the element is moving and does not come to rest');
    return place;
  });
}

type LocateOf = ElementParameters & LocateParameters;

/** The browser aims its input by what it has drawn: the first frame asks for that, the second comes after it. */
const drawn = (): Promise<null> =>
  nextFrame()
    .then(nextFrame)
    .then(() => null);

/**
 * The place of an element that need not be scrolled to. If what stays where it is while the page scrolls lies over it,
 * such as a header, it is scrolled to the middle: the answer is null then.
 */
function placeUnlessStuck(element: Element, request: LocateOf): LocateResponse | null {
  try {
    return placeOf(element, request);
  } catch (error) {
    const isCovered = error instanceof Refusal && error.data?.covered_by && !error.data.buttons;
    if (!isCovered || request.scroll_into_view === false || !scrollToMiddle(element)) throw error;
    return null;
  }
}

/** Where words that are meant stand in an element that is no control, or what of it else is to be seen. */
function partOf(element: Element, { words }: LocateOf): (() => Box | null) | undefined {
  if (!words || !placesIn(element, words).length) return undefined;
  return () => placesIn(element, words)[0] ?? visibleBox(element);
}

/** A control is pressed as a whole. */
const placesIn = (element: Element, words: string): Box[] =>
  factsOf(element).type === 'generic' ? placesOfWords(element, words) : [];

function placeOf(element: Element, request: LocateOf): LocateResponse {
  const { purpose = 'click', force, offset, words } = request;
  if (request.scroll_into_view !== false) bringIntoView(element, partOf(element, request));
  const box = force ? visibleBox(element) || boxOf(element) : isVisible(element) ? visibleBox(element) : null;
  if (!box || (!box.width && !box.height)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const receiver = receiverOf(element) ?? element;
  if (!force && purpose !== 'hover' && purpose !== 'any' && isDisabled(receiver))
    throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  const points = offset ? [requestedPoint(box, offset)] : pointsOf(element, box, words ? placesIn(element, words) : []);
  const point = force ? requestedPoint(box, offset) : freePoint(element, points, (exact) => wholePoint(element, exact));
  if (purpose === 'choose' || purpose === 'open')
    refuseSender(hitIn(ownerOf(element), point.x, point.y) || element, purpose === 'open');
  const { x, y } = pointInPage(element, point);
  makeRoomAt(x, y);
  if (request.presses) {
    const count = wholeNumber(request.presses, 'presses');
    expectPress(receiver, count);
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

/**
 * Mouse events lie on whole pixels of the tab's viewport (https://www.w3.org/TR/uievents/#dom-mouseevent-clientx is a
 * long): between two, a press may hit what `elementFromPoint` does not.
 */
function wholePoint(element: Element, point: PointData): PointData {
  const { x, y } = pointInPage(element, point);
  return pointInFrameOf(element, { x: Math.round(x), y: Math.round(y) });
}

/** An element, or the one that has taken its place. */
function presentElement(element: Element, request: LocateOf): Element {
  if (isAttached(element)) return element;
  refreshCache();
  return pressable(requestedElement(request));
}

/** Whether the mouse is over an element and none of its children. */
const isUnderMouse = (element: Element | null): boolean =>
  element !== null && matches(element, HOVERED) && !queryAll(element, HOVERED).length;

/** What a person presses for an element: a hidden native control's visible label. */
export function pressable(element: Element): Element {
  const isTouchable = !isNativeBox(element) || styleOf(element).pointerEvents !== 'none';
  if (isTouchable && isVisible(element)) return element;
  return visibleLabel(element) || element;
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
