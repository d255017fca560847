// slider (docs/spec/scanner-protocol.md#slider): what an adjustable control stands at, and where its track lies.

import { attribute, boxOf, hasAttribute, inputTypeOf, inputValueOf, tagOf } from '../dom/natives';
import type { RangeValueRequest, SliderData, SliderRequest, SliderResponse } from '../dom/protocol';
import { Refusal, isPresent } from '../dom/refusal';
import { nextFrame } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { elementAbove } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { refreshCache } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { styleOf } from '../geometry/styles';
import type { Box } from '../geometry/styles';
import { rectData } from '../geometry/boxes';
import { authoredRole, isFocusable } from '../semantics/roles';
import { isDisabled, isEditable, isReadOnly, numberIn } from '../semantics/values';
import { SLIDER_CLASS } from '../semantics/interactive';
import { requestedElement } from '../targets/candidates';
import { focusOn } from '../input/events';
import { setWhole } from './fields';

/** Answers at once, or, with `after`, once the value is another one and has come to rest. */
export function slider(request: SliderRequest): SliderResponse | Promise<SliderResponse> {
  const element = sliderOf(requestedElement(request));
  continueNumbers(request.next_id || 1);
  if (!element) return { slider: null, next_id: nextNumber };
  if (request.focus) focusOn(keysTargetOf(element));
  const { after } = request;
  if (!isPresent(after)) return sliderData(element);
  return restingValue(element, after).then(() => sliderData(element));
}

const SLIDER_LEVELS = 3; // how far around a label or a track the only slider may be
const POSSIBLE_SLIDERS = 'input[type=range],[role],[class*=handle i],[class*=thumb i]';

/** Itself, the control of the label that it is, or the only one in it or close around it. */
function sliderOf(element: Element): Element | null {
  if (isAdjustable(element)) return element;
  const control = tagOf(element) === 'label' ? labelControlOf(element) : null;
  if (control && isAdjustable(control)) return control;
  let around: Element | null = element;
  for (let level = 0; around && level <= SLIDER_LEVELS; level++) {
    const inside = Array.from(queryAll(around, POSSIBLE_SLIDERS)).filter(isAdjustable);
    if (inside.length) return (inside.length === 1 && inside[0]) || null;
    around = elementAbove(around);
  }
  return null;
}

const ADJUSTABLE_ROLES = new Set(['slider', 'spinbutton', 'scrollbar', 'separator']);

function isAdjustable(element: Element): boolean {
  if (tagOf(element) === 'input') return inputTypeOf(element) === 'range';
  const role = authoredRole(element);
  if (!role) return isFocusable(element) && SLIDER_CLASS.test(attribute(element, 'class') || '');
  if (!ADJUSTABLE_ROLES.has(role) || isEditable(element)) return false;
  return role === 'slider' || hasAttribute(element, 'aria-valuenow');
}

/** What takes the keys: the slider, or else what can have the focus in it. */
function keysTargetOf(element: Element): Element {
  if (isFocusable(element)) return element;
  return Array.from(queryAll(element, '[tabindex]')).find(isFocusable) || element;
}

const isNativeRange = (element: Element): element is HTMLInputElement => tagOf(element) === 'input';

/** What tells one position from another: of a slider without a value of its own, where its thumb is. */
function positionOf(element: Element): string {
  if (isNativeRange(element)) return inputValueOf(element);
  const now = attribute(element, 'aria-valuenow');
  const text = attribute(element, 'aria-valuetext');
  if (now !== null || text !== null) return `${now}|${text}`;
  const { left, top } = boxOf(element);
  return `@${left},${top}`;
}

function sliderData(element: Element): SliderResponse {
  refreshCache();
  const native = isNativeRange(element);
  const bound = (name: string, initial: number | null) =>
    numberIn(element, native ? name : `aria-value${name}`) ?? initial;
  const box = boxOf(element);
  const track = native || isTrack(box) ? box : trackBox(element);
  const vertical = attribute(element, 'aria-orientation') === 'vertical' || track.height > 1.5 * track.width;
  const reversed = !vertical && styleOf(element).direction === 'rtl';
  const state: Omit<SliderData, 'thumb'> = {
    id: numberOf(element),
    native,
    position: positionOf(element),
    now: native ? Number(inputValueOf(element)) : numberIn(element, 'aria-valuenow'),
    text: attribute(element, 'aria-valuetext'),
    min: bound('min', native ? 0 : null),
    max: bound('max', native ? 100 : null),
    step: native ? numberIn(element, 'step') : null,
    vertical,
    reversed,
    disabled: isDisabled(element) || isReadOnly(element),
    track: rectData(element, track),
  };
  const thumb = !native && track === box ? thumbOnTrack(box, state) : box;
  return { slider: { ...state, thumb: rectData(element, thumb) }, next_id: nextNumber };
}

const TRACK_LENGTH = 60; // pixels

/** Whether the slider's element is its track, not its thumb. */
const isTrack = ({ width, height }: Box): boolean =>
  Math.max(width, height) >= Math.max(TRACK_LENGTH, 2.5 * Math.min(width, height));

/** Where the thumb is on a track, according to the value. */
function thumbOnTrack(track: Box, { now, min, max, vertical, reversed }: Omit<SliderData, 'thumb'>): Box {
  const { left, top, width, height } = track;
  const share = now === null || min === null || max === null || max <= min ? 0.5 : (now - min) / (max - min);
  const along = vertical || reversed ? 1 - share : share;
  if (vertical) {
    const y = top + along * height;
    return { left, top: y, right: track.right, bottom: y, width, height: 0 };
  }
  const x = left + along * width;
  return { left: x, top, right: x, bottom: track.bottom, width: 0, height };
}

/** What the thumb moves along: the nearest box around it that is clearly longer than the thumb in one direction. */
function trackBox(element: Element): DOMRect {
  const thumb = boxOf(element);
  for (let node = elementAbove(element), level = 0; node && level < 4; node = elementAbove(node), level++) {
    const box = boxOf(node);
    if (Math.max(box.width, box.height) > 2.5 * Math.max(thumb.width, thumb.height, 8)) return box;
  }
  return thumb;
}

const SLIDER_SETTLE = 400; // ms that a page may take to show a change

/** Wait until the position is another than `after`, then until two frames pass without a change. */
async function restingValue(element: Element, after: string): Promise<void> {
  const deadline = performance.now() + SLIDER_SETTLE;
  while (positionOf(element) === after && performance.now() < deadline) await nextFrame();
  for (let still = 0, last = positionOf(element); still < 2 && performance.now() < deadline;) {
    await nextFrame();
    const now = positionOf(element);
    still = now === last ? still + 1 : 0;
    last = now;
  }
}

/**
 * range_value (docs/spec/scanner-protocol.md#range_value): a native range takes its value whole, also one that a widget
 * draws over; with `short`, one that is a step beside it, for a key that makes the last step.
 */
export function rangeValue(request: RangeValueRequest): SliderResponse {
  continueNumbers(request.next_id || 1);
  const element = sliderOf(requestedElement(request));
  if (!element || !isNativeRange(element)) throw new Refusal('INVALID_ELEMENT_TYPE', 'the element is no native range');
  if (isDisabled(element)) throw new Refusal('ELEMENT_DISABLED', 'the slider is disabled');
  focusOn(element);
  const before = inputValueOf(element);
  setWhole(element, request.short ? valueBeside(element, String(request.value), before) : String(request.value));
  return sliderData(element);
}

/** The value that is a step before one, or after the lowest; that one itself if it is there already or there are no steps. */
function valueBeside(element: HTMLInputElement, wanted: string, before: string): string {
  const copy = element.cloneNode() as HTMLInputElement;
  copy.value = wanted;
  const reached = copy.value;
  if (reached === before || copy.step === 'any') return wanted;
  copy.stepDown();
  if (copy.value === reached) copy.stepUp();
  return copy.value;
}
