// What becomes of a press: whether it reaches the element that it is for. A page may move, cover or replace the element
// between the press and the release (it validates a field that has lost the focus, or closes a popup), and browsers
// click only what gets both: https://w3c.github.io/uievents/#event-type-click

import {
  addListener,
  boxOf,
  closest,
  contains,
  hostsOf,
  isElement,
  ownerOf,
  removeListener,
  shadowOf,
  tagOf,
  windowOf,
} from '../dom/natives';
import type { PressFate } from '../dom/protocol';
import { numberOfElement } from '../dom/numbers';
import { isAttached } from '../dom/tree';
import { elementNumbered } from '../targets/candidates';
import { receiverOf } from './reception';

/** Whether a press on the second element is one of the first. */
type Receives = (element: Element, hit: Element) => boolean;

/**
 * `reached`; `unknown`, if the press was for a frame, or the page keeps its events from others; else its fate, what it
 * has met instead, and whether it may be made again.
 */
export type PressOutcome = 'reached' | 'unknown' | LostPress;

interface LostPress {
  fate: PressFate;
  by: Element | null;
  again: boolean;
}

const DOWN = ['pointerdown', 'mousedown'];
// A list of the browser's own opens when the mouse goes down, and a page that captures the pointer drags.
const TAKEN = ['click', 'auxclick', 'contextmenu', 'gotpointercapture'];
const DRAG = ['drop', 'dragend'];
const KINDS = [...DOWN, 'mouseup', ...TAKEN, ...DRAG];
const CONTROLS = 'a[href],area[href],button,input,select,textarea,label,summary,[role=button],[role=link],[onclick]';

let record: PressRecord | null = null;

/** Record the next `count` presses of the mouse, which are for an element. */
export function recordPress(element: Element, count: number, receives: Receives): void {
  if (record) record.end();
  record = new PressRecord(element, count, receives);
}

/** What has become of the press that was recorded last. `present`: its element, or what has taken its place. */
export const pressOutcome = (present: Element): PressOutcome => (record ? record.outcome(present) : 'unknown');

/** Whether the browser has dragged away what was pressed last, to where nothing has taken it. */
export const isDropRefused = (): boolean => record !== null && record.isDropRefused;

class PressRecord {
  /** What was pressed: the element, or a part of it. */
  private down: Element | null = null;
  private instead: Element | null = null;
  private isReleased = false;
  private clicks = 0;
  private isDropped = false;
  private isRefused = false;
  private lost: LostPress | null = null;
  private readonly view: Window | null;
  private readonly onEvent = (event: Event): void => this.take(event as MouseEvent);

  constructor(
    private element: Element,
    private readonly count: number,
    private readonly receives: Receives,
  ) {
    this.view = windowOf(ownerOf(element));
    if (this.view) for (const kind of KINDS) addListener(this.view, kind, this.onEvent, true);
  }

  private take(event: MouseEvent): void {
    const [target] = event.composedPath();
    if (!isNode(target) || !isElement(target)) return;
    if (event.type === 'drop') this.isDropped = true;
    if (event.type === 'dragend') this.isRefused = (event as DragEvent).dataTransfer?.dropEffect === 'none';
    if (DRAG.includes(event.type)) return;
    if (DOWN.includes(event.type)) this.follow();
    const isReached = this.receives(this.element, target) && !this.isBeside(target);
    if (event.type === 'mouseup') {
      if (isReached) this.isReleased = true;
      else this.lost = this.outcomeOfRelease(event, target);
    } else if (DOWN.includes(event.type)) {
      if (!isReached) this.instead = target;
      else this.down = target;
    } else if (isReached || (event.type === 'gotpointercapture' && contains(target, this.element))) this.clicks++;
  }

  /** A page that draws itself anew all the time may have put the element's like in its place before the press. */
  private follow(): void {
    const number = numberOfElement.get(this.element);
    if (isAttached(this.element) || number === undefined) return;
    this.element = elementNumbered(number) ?? this.element;
  }

  /** Whether a host was pressed beside the element in its shadow tree, of which a closed one would not tell. */
  private isBeside(target: Element): boolean {
    if (target === this.element || receiverOf(this.element) !== this.element) return false;
    return hostsOf(this.element).includes(target) && shadowOf(target)?.mode === 'open';
  }

  /** Why a release was not over the element, or null: what is around it may have captured the mouse. */
  private outcomeOfRelease(event: MouseEvent, target: Element): LostPress | null {
    if (!isAttached(this.element)) return { fate: 'replaced', by: null, again: true };
    if (!isIn(boxOf(this.element), event)) return { fate: 'moved', by: null, again: true };
    return contains(target, this.element) ? null : { fate: 'covered', by: target, again: true };
  }

  end(): void {
    if (this.view) for (const kind of KINDS) removeListener(this.view, kind, this.onEvent, true);
  }

  /** Whether the browser has dragged the element somewhere where nothing has taken it. */
  get isDropRefused(): boolean {
    return this.isRefused && !this.isDropped;
  }

  outcome(present: Element): PressOutcome {
    if (this.clicks >= this.count || (this.down && tagOf(this.element) === 'select')) return 'reached';
    const { down, instead } = this;
    if (!down) {
      if (!instead) return 'unknown';
      return { fate: 'missed', by: instead, again: !closest(instead, CONTROLS) };
    }
    const isReplaced = present !== this.element || (this.isReleased && !isAttached(down));
    const lost: LostPress | null = isReplaced ? { fate: 'replaced', by: null, again: true } : this.lost;
    // Without a release the browser has taken over: it shows the list of a select.
    return lost ? { ...lost, again: !this.clicks } : 'reached';
  }
}

const isNode = (target: EventTarget | undefined): target is Node => target !== undefined && 'nodeType' in target;

const isIn = ({ left, right, top, bottom }: DOMRect, { clientX, clientY }: MouseEvent): boolean =>
  clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
