// pointer (docs/spec/scanner-protocol.md#pointer): the mouse at a point, dispatched for browsers without trusted input,
// with what a browser does by itself when a person presses there. Order and relations of the events:
// https://www.w3.org/TR/pointerevents3/#mapping-for-devices-that-support-hover and
// https://www.w3.org/TR/uievents/#events-mouseevent-event-order

import { NativePromise, attribute, closest, dispatch, ownerOf, windowOf } from '../dom/natives';
import type {
  Button,
  ClickEffects,
  InnerFrame,
  PointData,
  PointerEffects,
  PointerKind,
  PointerRequest,
  PointerResponse,
} from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { elementAbove, holds, isAttached, isFrame, rootElement } from '../dom/tree';
import { exposeFrame } from '../dom/numbers';
import { refreshCache } from '../dom/snapshot';
import { intoFrame, pointInFrameOf } from '../geometry/frames';
import { hitAt, isScrollable } from '../geometry/boxes';
import { pageScroller } from '../page/scrolling';
import { BUTTON_NUMBERS, fireMouse, firePointer, pointerInit } from './events';
import type { MouseInit } from './events';
import { draggedFiles } from './dropped_files';
import { chooseWord, draggableAround, draggedOver, pressedOn, releasedOn, withEffects } from './pressing';
import type { MouseAt, Press } from './pressing';

const POINTER_KINDS = {
  move: moveMouse,
  down: pressMouse,
  up: releaseMouse,
  cancel: cancelMouse,
  wheel: turnWheel,
  tap: tapScreen,
  touch: touchScreen,
  draggable: findDraggable,
  double: doubleClick,
  drop: dropFiles,
} satisfies Record<Exclude<PointerKind, 'click'>, (event: MouseAction) => PointerFinding | Promise<void>>;

/** What an event tells besides its effects. */
type PointerFinding = Partial<PointerEffects> | void;

const BUTTON_BITS: Readonly<Record<Button, number>> = { left: 1, right: 2, middle: 4 };

/** One event of the mouse. */
interface MouseAction extends MouseAt {
  button: Button;
  count: number;
  dx?: number;
  dy?: number;
  effects: ClickEffects;
  isTouch?: boolean;
}

interface Drag {
  source: Element;
  data: DataTransfer;
  over: Element | null;
  /** Whether what it is over takes it. */
  isAllowed: boolean;
}

interface MousePress extends Press {
  /** Where it began. */
  at: MouseAt;
  /** The page wants no mouse events of it. */
  isQuiet: boolean;
  drag: Drag | null;
}

/** What the mouse is over, and the button that is down. */
const mouse: { over: Element | null; pressed: MousePress | null } = { over: null, pressed: null };

export async function pointer(request: PointerRequest): Promise<PointerResponse> {
  const { kind, x, y, count = 1, captured = false } = request;
  if (kind !== 'click' && !Object.prototype.hasOwnProperty.call(POINTER_KINDS, kind))
    throw new Refusal('INVALID_REQUEST', `no such kind: ${kind}`);
  if (!isFiniteNumber(x) || !isFiniteNumber(y)) throw new Refusal('INVALID_REQUEST', 'x and y are required');
  const { button = 'left' } = request;
  if (!Object.prototype.hasOwnProperty.call(BUTTON_BITS, button))
    throw new Refusal('INVALID_REQUEST', `no such button: ${button}`);
  const inner = captured ? null : frameAt(x, y);
  if (inner) return inner;
  const effects: ClickEffects = { opened: [], chooser: false };
  const event: MouseAction = { button, modifiers: [], ...request, x, y, count, effects };
  if (kind !== 'click') return { frame: null, ...effects, ...(await POINTER_KINDS[kind](event)) };
  moveMouse(event);
  for (let number = 1; number <= count; number++) {
    await pressMouse({ ...event, count: number });
    await releaseMouse({ ...event, count: number });
  }
  return { frame: null, ...effects };
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

/** Where the point lies in a frame that only another scanner reaches, or null. */
function frameAt(x: number, y: number): InnerFrame | null {
  const hit = hitAt(x, y);
  if (!hit || !isFrame(hit)) return null;
  if (mouse.over) crossTo(hit, { x, y, modifiers: [] });
  return { frame: exposeFrame(hit), ...intoFrame(hit, pointInFrameOf(hit, { x, y })) };
}

const mouseTarget = ({ x, y }: PointData): Element => hitAt(x, y) || rootElement(document);

/** What events at the point carry, in the viewport of the target's own frame. */
function mouseInit(target: Element, event: MouseAt, more: PointerEventInit & WheelEventInit = {}): MouseInit {
  const point = pointInFrameOf(target, event);
  const held = mouse.pressed ? BUTTON_BITS[mouse.pressed.button] : 0;
  const init = pointerInit(target, point, { buttons: held, modifiers: event.modifiers });
  return { ...init, screenX: event.x, screenY: event.y, button: 0, ...more };
}

function moveMouse(event: MouseAction): void {
  const target = mouseTarget(event);
  const { pressed } = mouse;
  if (pressed && pressed.drag) return moveDrag(pressed.drag, target, event);
  if (pressed && isDragged(pressed, event)) return;
  crossTo(target, event);
  firePointer(target, 'pointermove', mouseInit(target, event, { button: -1 }));
  if (!(pressed && pressed.isQuiet)) fireMouse(target, 'mousemove', mouseInit(target, event));
  if (pressed) draggedOver(pressed, event);
}

/** The mouse leaves what it was over and comes over `target`. What is around both hears nothing. */
function crossTo(target: Element, event: MouseAt): void {
  const before = mouse.over && isAttached(mouse.over) ? mouse.over : null;
  if (before === target) return;
  mouse.over = target;
  const cross = (element: Element, kinds: 'over' | 'out' | 'enter' | 'leave', other: Element | null): void => {
    if (isUnheard(element)) return;
    const init = mouseInit(element, event, {
      relatedTarget: other && ownerOf(other) === ownerOf(element) ? other : null,
    });
    firePointer(element, `pointer${kinds}`, { ...init, bubbles: kinds === 'over' || kinds === 'out' });
    fireMouse(element, `mouse${kinds}`, { ...init, bubbles: kinds === 'over' || kinds === 'out' });
  };
  if (before) {
    cross(before, 'out', target);
    for (let node: Element | null = before; node && !holds(node, target); node = elementAbove(node))
      cross(node, 'leave', target);
  }
  cross(target, 'over', before);
  const entered: Element[] = [];
  for (let node: Element | null = target; node && !(before && holds(node, before)); node = elementAbove(node))
    entered.push(node);
  for (const node of entered.reverse()) cross(node, 'enter', before);
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-disabled */
const isUnheard = (element: Element): boolean =>
  closest(element, 'button:disabled,input:disabled,select:disabled,textarea:disabled') !== null;

async function pressMouse(event: MouseAction): Promise<void> {
  const { button, count } = event;
  const target = mouseTarget(event);
  const pressed: MousePress = {
    button,
    target,
    count,
    at: event,
    isQuiet: false,
    drag: null,
    source: null,
    anchor: null,
  };
  mouse.pressed = pressed;
  if (isUnheard(target)) return;
  const about = { button: BUTTON_NUMBERS[button], detail: count };
  pressed.isQuiet = event.isTouch ? false : !firePointer(target, 'pointerdown', mouseInit(target, event, about));
  const goesOn = pressed.isQuiet || fireMouse(target, 'mousedown', mouseInit(target, event, about));
  if (goesOn) pressedOn(pressed, event);
  if (button === 'right') firePointer(target, 'contextmenu', mouseInit(target, event, about));
  await turn();
}

async function releaseMouse(event: MouseAction): Promise<void> {
  const { pressed } = mouse;
  if (!pressed) return;
  if (pressed.drag) await endDrag(pressed.drag, event);
  mouse.pressed = null;
  if (pressed.drag) return;
  const { button, count } = pressed;
  const target = mouseTarget(event);
  const init = mouseInit(target, event, { button: BUTTON_NUMBERS[button], detail: count, buttons: 0 });
  if (!isUnheard(target)) {
    firePointer(target, 'pointerup', init);
    if (!pressed.isQuiet) fireMouse(target, 'mouseup', init);
  }
  releasedOn(pressed);
  const common = commonHolder(pressed.target, target);
  if (common) clicked(common, button, count, event);
  await turn();
}

/** https://w3c.github.io/uievents/#event-type-click: what held the mouse both when it went down and up. */
function commonHolder(first: Element, second: Element): Element | null {
  if (!isAttached(first)) return null;
  for (let node: Element | null = second; node; node = elementAbove(node)) if (holds(node, first)) return node;
  return null;
}

function clicked(element: Element, button: Button, count: number, event: MouseAction): void {
  if (isUnheard(element)) return;
  const init = { ...mouseInit(element, event, { button: BUTTON_NUMBERS[button], detail: count, buttons: 0 }) };
  const fire = (kind: string): boolean => dispatch(element, new PointerEvent(kind, init));
  withEffects(element, event.effects, () => fire(button === 'left' ? 'click' : 'auxclick'));
  if (button === 'left' && count === 2) fireMouse(element, 'dblclick', init);
}

/** A drag or press is broken off: nothing is dropped, and nothing clicked. */
async function cancelMouse(event: MouseAction): Promise<void> {
  const { pressed } = mouse;
  if (pressed && pressed.drag) await endDrag({ ...pressed.drag, isAllowed: false }, event);
  else if (pressed) firePointer(mouseTarget(event), 'pointercancel', mouseInit(mouseTarget(event), event));
  mouse.pressed = null;
}

/** A short touch, with the mouse events that follow it: https://www.w3.org/TR/touch-events/#mouse-events. */
async function tapScreen(event: MouseAction): Promise<void> {
  if (touchScreen(event).prevented) return;
  await pressMouse({ ...event, count: 1, isTouch: true });
  await releaseMouse({ ...event, count: 1 });
}

/** A short touch alone. */
function touchScreen(event: MouseAction): { prevented: boolean } {
  const target = mouseTarget(event);
  const init = { ...mouseInit(target, event, { detail: 1 }), pointerType: 'touch', pointerId: 2 };
  const cross = (kinds: readonly string[]): void => kinds.forEach((kind) => firePointer(target, kind, init));
  cross(['pointerover', 'pointerenter', 'pointerdown']);
  const goesOn = fireTouch(target, 'touchstart', init, true);
  cross(['pointerup', 'pointerout', 'pointerleave']);
  return { prevented: !fireTouch(target, 'touchend', init, false) || !goesOn };
}

/** False if the page keeps the mouse events from following. */
function fireTouch(target: Element, kind: string, init: MouseInit, isDown: boolean): boolean {
  if (typeof TouchEvent === 'undefined' || typeof Touch === 'undefined') return true; // Firefox without a touch screen
  const { clientX, clientY } = init;
  const touch = touchAt(target, clientX, clientY);
  const touches = touchList(target, ...(isDown ? [touch] : []));
  const more = { touches, targetTouches: touches, changedTouches: touchList(target, touch) };
  return dispatch(target, new TouchEvent(kind, { bubbles: true, cancelable: true, composed: true, ...more }));
}

/** What WebKit has instead of a constructor, and lists. */
interface TouchDocument {
  createTouch?(view: Window | null, target: EventTarget, identifier: number, pageX: number, pageY: number): Touch;
  createTouchList?(...touches: Touch[]): Touch[];
}

function touchAt(target: Element, clientX: number, clientY: number): Touch {
  const owner = ownerOf(target) as Document & TouchDocument;
  const view = windowOf(owner);
  return owner.createTouch
    ? owner.createTouch(view, target, 0, clientX + (view?.scrollX ?? 0), clientY + (view?.scrollY ?? 0))
    : new Touch({ identifier: 0, target, clientX, clientY });
}

const touchList = (target: Element, ...touches: Touch[]): Touch[] =>
  (ownerOf(target) as TouchDocument).createTouchList?.(...touches) ?? touches;

function findDraggable(event: MouseAction): { draggable: boolean } {
  return { draggable: draggableAround(mouseTarget(event)) !== null };
}

/** What belongs to two clicks of a browser that counts each as the first. */
function doubleClick(event: MouseAction): void {
  const target = mouseTarget(event);
  if (isUnheard(target)) return;
  chooseWord(target, event);
  fireMouse(target, 'dblclick', mouseInit(target, event, { detail: 2 }));
}

/** Files from outside the browser. What takes no drop gets none: a browser would open the files then. */
function dropFiles(event: MouseAction): void {
  const target = mouseTarget(event);
  const data = draggedFiles();
  fireDrag(target, 'dragenter', event, data);
  const isAllowed = !fireDrag(target, 'dragover', event, data);
  fireDrag(target, isAllowed ? 'drop' : 'dragleave', event, data);
}

function turnWheel(event: MouseAction): void {
  const target = mouseTarget(event);
  const { dx = 0, dy = 0 } = event;
  const init = mouseInit(target, event, { deltaX: dx, deltaY: dy });
  if (!dispatch(target, new WheelEvent('wheel', init))) return;
  const page = pageScroller(ownerOf(target));
  const takes = (node: Element): boolean => isScrollable(node, Math.abs(dx) > Math.abs(dy), node === page);
  let scroller: Element | null = target;
  while (scroller && scroller !== page && !takes(scroller)) scroller = elementAbove(scroller);
  (scroller || page).scrollBy({ left: dx, top: dy, behavior: 'instant' });
}

/** Other tasks of the page go first: promises that an event has settled, and what another thread has posted. */
export function turn(): Promise<void> {
  return new NativePromise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      refreshCache();
      resolve();
    };
    port2.postMessage(null);
  });
}

// HTML drag and drop with dispatched events.
// https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model

const DRAG_BEGINS = 4; // pixels that the mouse must go

/** Whether the press becomes a drag now; from then on the page hears of the drag instead of the mouse. */
function isDragged(pressed: MousePress, event: MouseAt): boolean {
  const { source, at, target } = pressed;
  if (!source || Math.hypot(event.x - at.x, event.y - at.y) < DRAG_BEGINS) return false;
  pressed.source = null;
  // One that a script makes takes no `effectAllowed` or `dropEffect`: they stay 'none', and count for nothing.
  const data = new DataTransfer();
  const link = attribute(source, 'href');
  const { href } = source as { href?: unknown } & Element;
  if (link !== null && typeof href === 'string') {
    data.setData('text/uri-list', href);
    data.setData('text/plain', href);
  }
  if (!fireDrag(source, 'dragstart', at, data)) return false;
  firePointer(target, 'pointercancel', mouseInit(target, at));
  pressed.drag = { source, data, over: null, isAllowed: false };
  moveDrag(pressed.drag, mouseTarget(event), event);
  return true;
}

const fireDrag = (
  element: Element,
  kind: string,
  event: MouseAt,
  dataTransfer: DataTransfer,
  more: DragEventInit = {},
): boolean => dispatch(element, new DragEvent(kind, { ...mouseInit(element, event), dataTransfer, ...more }));

function moveDrag(drag: Drag, target: Element, event: MouseAt): void {
  const { source, data } = drag;
  fireDrag(source, 'drag', event, data);
  if (drag.over !== target) {
    const before = drag.over;
    drag.over = target;
    fireDrag(target, 'dragenter', event, data, { relatedTarget: before });
    if (before && isAttached(before)) fireDrag(before, 'dragleave', event, data, { relatedTarget: target });
  }
  drag.isAllowed = !fireDrag(target, 'dragover', event, data);
}

async function endDrag(drag: Drag, event: MouseAt): Promise<void> {
  const { source, data, over, isAllowed } = drag;
  if (over && isAttached(over)) {
    if (isAllowed) fireDrag(over, 'drop', event, data);
    else fireDrag(over, 'dragleave', event, data);
  }
  fireDrag(source, 'dragend', event, data, { buttons: 0 });
  await turn();
}
