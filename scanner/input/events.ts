// Events that the scanner dispatches itself, where a browser has no trusted input, in the order of
// https://www.w3.org/TR/pointerevents3/#mapping-for-devices-that-support-hover and
// https://www.w3.org/TR/uievents/#events-mouseevent-event-order

import { dispatch, isHtml, nativeFocus, ownerOf, windowOf } from '../dom/natives';
import { method } from '../dom/unbound';
import type { Button, PointData } from '../dom/protocol';
import { elementAbove } from '../dom/tree';
import { isFocusable } from '../semantics/roles';
import { focusedElement } from '../semantics/values';

export const BUTTON_NUMBERS: Readonly<Record<Button, number>> = { left: 0, middle: 1, right: 2 };

/** What mouse and pointer events have in common. */
export interface MouseInit extends PointerEventInit {
  clientX: number;
  clientY: number;
}

interface Buttons {
  button?: number;
  buttons?: number;
  detail?: number;
  /** The names of keys, in any case. */
  modifiers?: readonly string[];
}

/** What mouse and pointer events at a point carry. */
export function pointerInit(
  element: Element,
  point: PointData,
  { button = 0, buttons = 0, detail = 0, modifiers = [] }: Buttons = {},
): MouseInit {
  const held = new Set(modifiers.map((name) => String(name).toLowerCase()));
  return {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: windowOf(ownerOf(element)),
    clientX: point.x,
    clientY: point.y,
    button,
    buttons,
    detail,
    ctrlKey: held.has('control'),
    shiftKey: held.has('shift'),
    altKey: held.has('alt'),
    metaKey: held.has('meta'),
    pointerId: 1,
    pointerType: 'mouse',
    isPrimary: true,
  };
}

/** Like all functions here that dispatch one event: false if the page has prevented its default action. */
export const fireMouse = (element: Element, kind: string, init: MouseEventInit): boolean =>
  dispatch(element, new MouseEvent(kind, init));

// Pointer events count no clicks: https://www.w3.org/TR/pointerevents3/#attributes-and-default-actions
export const firePointer = (element: Element, kind: string, init: PointerEventInit): boolean =>
  dispatch(element, new PointerEvent(kind, { ...init, detail: 0 }));

export function hoverEvents(element: Element, point: PointData, modifiers: readonly string[]): void {
  const init = pointerInit(element, point, { modifiers });
  const entering = { ...init, bubbles: false };
  firePointer(element, 'pointerover', init);
  firePointer(element, 'pointerenter', entering);
  fireMouse(element, 'mouseover', init);
  fireMouse(element, 'mouseenter', entering);
  firePointer(element, 'pointermove', init);
  fireMouse(element, 'mousemove', init);
}

interface Clicks {
  button?: Button;
  count?: number;
  modifiers?: readonly string[];
}

/** Press and release `count` times; the default actions follow from the click events themselves. */
export function clickEvents(
  element: Element,
  point: PointData,
  { button = 'left', count = 1, modifiers = [] }: Clicks,
): void {
  const number = BUTTON_NUMBERS[button];
  hoverEvents(element, point, modifiers);
  for (let detail = 1; detail <= count; detail++) {
    const down = pointerInit(element, point, {
      button: number,
      buttons: 1 << (number === 1 ? 2 : number === 2 ? 1 : 0),
      detail,
      modifiers,
    });
    const up = { ...down, buttons: 0 };
    firePointer(element, 'pointerdown', down);
    if (fireMouse(element, 'mousedown', down)) focusNearest(element);
    firePointer(element, 'pointerup', up);
    fireMouse(element, 'mouseup', up);
    if (button === 'right') fireMouse(element, 'contextmenu', up);
    else fireMouse(element, button === 'left' ? 'click' : 'auxclick', up);
  }
  if (button === 'left' && count === 2)
    fireMouse(element, 'dblclick', pointerInit(element, point, { detail: 2, modifiers }));
}

/**
 * A press moves the focus to the nearest focusable element, if there is one
 * (https://html.spec.whatwg.org/multipage/interaction.html#focusing-steps).
 */
export function focusNearest(element: Element): boolean {
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    if (isFocusable(node)) {
      if (focusedElement() !== node) focusOn(node);
      return true;
    }
  }
  return false;
}

export function focusOn(element: Element): void {
  const options = { preventScroll: true };
  if (isHtml(element)) nativeFocus(element, options);
  else (element as Partial<SVGElement>).focus?.(options);
}

export function keyEvents(element: Element, character: string, between: () => void): void {
  const init = {
    bubbles: true,
    cancelable: true,
    composed: true,
    key: character === '\n' ? 'Enter' : character,
    ...keyCodeOf(character),
    view: windowOf(ownerOf(element)),
  };
  const goesOn = dispatch(element, new KeyboardEvent('keydown', init));
  if (goesOn) dispatch(element, new KeyboardEvent('keypress', init));
  if (goesOn) between();
  dispatch(element, new KeyboardEvent('keyup', init));
}

/** The codes of a digit's or letter's key, which older pages ask for. */
function keyCodeOf(character: string): { code?: string; keyCode?: number; which?: number } {
  if (!/^[0-9a-z]$/i.test(character)) return {};
  const upper = character.toUpperCase();
  const keyCode = upper.charCodeAt(0);
  return { code: `${/\d/.test(upper) ? 'Digit' : 'Key'}${upper}`, keyCode, which: keyCode };
}

/** `beforeinput`, which a page may refuse, the change itself, then `input`. */
export function inputEvents(element: Element, inputType: string, data: string | null, change: () => void): void {
  const init = { bubbles: true, composed: true, inputType, data };
  if (!dispatch(element, new InputEvent('beforeinput', { ...init, cancelable: true }))) return;
  change();
  dispatch(element, new InputEvent('input', init));
}

export const changeEvent = (element: Element): boolean => dispatch(element, new Event('change', { bubbles: true }));

/** Null in browsers that have none. */
export const requestSubmit =
  'requestSubmit' in HTMLFormElement.prototype ? method(HTMLFormElement.prototype, 'requestSubmit') : null;
