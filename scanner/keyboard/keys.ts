// keys (docs/spec/scanner-protocol.md#keys): the keyboard, dispatched for browsers without trusted input, on whatever
// has the focus when each key comes, and what a browser then does by itself, as far as a script can do it. What keys do
// to text is in `editing.ts`, where the tab key takes the focus in `input/traversal.ts`.
// https://w3c.github.io/uievents/#events-keyboard-event-order

import {
  dispatch,
  frameDocument,
  hasAttribute,
  inputTypeOf,
  inputValueOf,
  isMultiple,
  matches,
  nativeClick,
  optionSelected,
  optionsOf,
  ownerOf,
  setInputValue,
  setOptionSelected,
  tagOf,
  windowOf,
} from '../dom/natives';
import { method } from '../dom/unbound';
import type { ClickEffects, InsertedText, KeyData, KeyModifier, KeysRequest, KeysResponse } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { elementAbove, isAttached, isFrame } from '../dom/tree';
import { exposeFrame } from '../dom/numbers';
import { refreshCache } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { isVisible } from '../geometry/visibility';
import { isScrollable } from '../geometry/boxes';
import { isDisabled, optionLabel, selectedTexts } from '../semantics/values';
import { isInEditing, isTextControl, keyTarget } from '../semantics/text_controls';
import { pageScroller } from '../page/scrolling';
import { focusOn } from '../input/events';
import { SCROLL_SHARE } from '../input/act';
import { moveFocus, radioGroup } from '../input/traversal';
import { withEffects } from '../input/pressing';
import { turn } from '../input/pointer';
import { isInput } from '../controls/prepare';
import { clickAny } from '../controls/fields';
import { takesKey } from '../controls/text_entry';
import {
  ARROWS,
  editingCommand,
  editingKey,
  fireInputAndChange,
  insertText,
  own,
  stepDown,
  stepUp,
  submitImplicitly,
} from './editing';
import { isOpenPopover, modalDialogs } from '../dom/top_layer';

/** A key that goes down or up, and what that leads to. */
interface KeyEvent extends Omit<KeyData, 'modifiers' | 'text'> {
  modifiers: readonly KeyModifier[];
  text: string;
  effects: ClickEffects;
}

/** What a key is for and a script can't do. */
type Missing = 'clipboard' | void;

export async function keys(request: KeysRequest): Promise<KeysResponse> {
  const { events } = request;
  const isList: boolean = Array.isArray(events);
  if (!isList) throw new Refusal('INVALID_REQUEST', 'events must be a list');
  const effects: ClickEffects = { opened: [], chooser: false };
  for (const [done, requested] of events.entries()) {
    const element = keyTarget();
    if (isFrame(element) && !frameDocument(element)) return { done, frame: exposeFrame(element), ...effects };
    const missing = takesKey(element) ? perform(element, requested, effects) : undefined;
    if (missing) return { done: done + 1, frame: null, missing, ...effects };
    await turn();
  }
  return { done: events.length, frame: null, ...effects };
}

function perform(element: Element, requested: KeyData | InsertedText, effects: ClickEffects): Missing {
  const { kind } = requested;
  switch (kind) {
    case 'down':
      return keyDown(element, { modifiers: [], text: '', ...requested, effects });
    case 'up':
      return keyUp(element, { modifiers: [], text: '', ...requested, effects });
    case 'insert':
      return insertText(element, requested.text);
    default:
      throw new Refusal('INVALID_REQUEST', `no such kind: ${String(kind)}`);
  }
}

/** The button or box that the space bar holds down: it is pressed when that goes up. */
let heldBySpace: HTMLElement | null = null;

function keyDown(element: Element, event: KeyEvent): Missing {
  if (event.key !== ' ') heldBySpace = null;
  if (!fireKey(element, 'keydown', event)) return;
  // The page may have moved the focus meanwhile.
  const target = keyTarget();
  if (event.text && !fireKey(target, 'keypress', event)) return;
  return keyAction(target, event);
}

function keyUp(element: Element, event: KeyEvent): void {
  const goesOn = fireKey(element, 'keyup', event);
  if (event.key !== ' ') return;
  const held = heldBySpace;
  heldBySpace = null;
  if (goesOn && held && held === element && isAttached(held)) withEffects(held, event.effects, () => nativeClick(held));
}

function fireKey(element: Element, kind: 'keydown' | 'keypress' | 'keyup', event: KeyEvent): boolean {
  const { key, code, key_code: number, location, modifiers, text, repeat = false } = event;
  // https://w3c.github.io/uievents/#determine-keypress-keycode
  const character = kind === 'keypress' ? text.charCodeAt(0) : 0;
  const init = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: windowOf(ownerOf(element)),
    key,
    code,
    location,
    repeat,
    keyCode: character || number,
    which: character || number,
    charCode: character,
    ctrlKey: modifiers.includes('control'),
    shiftKey: modifiers.includes('shift'),
    altKey: modifiers.includes('alt'),
    metaKey: modifiers.includes('meta'),
  };
  return dispatch(element, new KeyboardEvent(kind, init));
}

const CLIPBOARD = new Set(['copy', 'cut', 'paste', 'pasteAndMatchStyle']);

function keyAction(element: Element, event: KeyEvent): Missing {
  const { key, command, modifiers } = event;
  refreshCache();
  if (command && CLIPBOARD.has(command)) return 'clipboard';
  if (command) return editingCommand(element, command);
  if (key === 'Tab') return moveFocus(modifiers.includes('shift'));
  if (key === 'Escape') return closeTopLayer();
  if (modifiers.includes('alt') || modifiers.includes('meta')) return;
  if (isTextControl(element) || isInEditing(element)) return editingKey(element, event);
  if (modifiers.includes('control')) return;
  if (controlKey(element, event)) return;
  scrollKey(element, event);
}

/** Whether the key was for the control that has the focus. */
function controlKey(element: Element, event: KeyEvent): boolean {
  const { key, text } = event;
  if (tagOf(element) === 'select') return selectKey(element, key, text);
  if (isInput(element) && own(INPUT_KEYS, inputTypeOf(element))?.(element, key)) return true;
  if (key === 'Enter') return enterKey(element, event);
  if (key === ' ' && isPressedBySpace(element)) {
    heldBySpace = element;
    return true;
  }
  return false;
}

const INPUT_KEYS: Readonly<Record<string, (input: HTMLInputElement, key: string) => boolean>> = {
  radio: radioKey,
  range: rangeKey,
};

const PRESSED_INPUTS = new Set(['submit', 'button', 'reset', 'image', 'file', 'color']);

const isButtonLike = (element: Element): element is HTMLElement =>
  tagOf(element) === 'button' ||
  tagOf(element) === 'summary' ||
  (isInput(element) && PRESSED_INPUTS.has(inputTypeOf(element)));

const isPressedBySpace = (element: Element): element is HTMLElement =>
  isButtonLike(element) || (isInput(element) && ['checkbox', 'radio'].includes(inputTypeOf(element)));

/** Enter presses a button or link at once; in any other field it sends the form. */
function enterKey(element: Element, { effects }: KeyEvent): boolean {
  const isLink = (tagOf(element) === 'a' || tagOf(element) === 'area') && hasAttribute(element, 'href');
  if (isButtonLike(element) || isLink) withEffects(element, effects, () => clickAny(element));
  else if (tagOf(element) === 'input') submitImplicitly(element);
  else return false;
  return true;
}

// --- select ---

const TYPEAHEAD = 1000;

interface Typeahead {
  element: Element | null;
  text: string;
  time: number;
}

let typeahead: Typeahead = { element: null, text: '', time: 0 };

function selectKey(select: Element, key: string, text: string): boolean {
  const options = Array.from(optionsOf(select)).filter((option) => !matches(option, ':disabled'));
  const at = options.findIndex(optionSelected);
  const last = options.length - 1;
  const places = { ArrowUp: at - 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowRight: at + 1, Home: 0, End: last };
  const place = own<number>({ ...places, PageUp: at - 3, PageDown: at + 3 }, key);
  if (place !== undefined) chooseOnly(select, options[Math.min(last, Math.max(0, place))]);
  else if (text && key.length === 1 && (key !== ' ' || typeahead.element === select))
    typeAhead(select, options, at, key);
  else return false;
  return true;
}

/** Letters in quick succession spell an option's beginning; one alone goes on to the next that begins so. */
function typeAhead(select: Element, options: readonly HTMLOptionElement[], at: number, key: string): void {
  const now = performance.now();
  const goesOn = typeahead.element === select && now - typeahead.time < TYPEAHEAD;
  typeahead = { element: select, text: (goesOn ? typeahead.text : '') + key.toLowerCase(), time: now };
  const { text } = typeahead;
  const from = text.length === 1 ? at + 1 : Math.max(0, at);
  const inTurn = [...options.slice(from), ...options.slice(0, from)];
  chooseOnly(
    select,
    inTurn.find((option) => optionLabel(option).toLowerCase().startsWith(text)),
  );
}

function chooseOnly(select: Element, wanted: HTMLOptionElement | undefined): void {
  if (!wanted || (optionSelected(wanted) && selectedTexts(select).length === 1)) return;
  if (isMultiple(select)) for (const option of optionsOf(select)) setOptionSelected(option, false);
  setOptionSelected(wanted, true);
  fireInputAndChange(select);
}

// --- radio buttons, ranges ---

function radioKey(radio: HTMLInputElement, key: string): boolean {
  const [across, down] = ARROWS[key] || [0, 0];
  const step = across + down;
  if (!step) return false;
  const group = radioGroup(radio).filter((each) => !isDisabled(each) && (each === radio || isVisible(each)));
  const next = group[(group.indexOf(radio) + step + group.length) % group.length];
  if (hasAttribute(radio, 'name') && next && next !== radio) {
    focusOn(next);
    nativeClick(next);
  }
  return true;
}

/** One step with an arrow, a tenth of the way with a page key. */
function rangeKey(range: HTMLInputElement, key: string): boolean {
  const before = inputValueOf(range);
  const most = Number(range.max === '' ? 100 : range.max);
  const least = Number(range.min === '' ? 0 : range.min);
  const page = (most - least) / 10;
  const [across, down] = ARROWS[key] || [0, 0];
  if (across > 0 || down < 0) stepUp(range);
  else if (across || down) stepDown(range);
  else if (key === 'Home') setInputValue(range, String(least));
  else if (key === 'End') setInputValue(range, String(most));
  else if (key === 'PageUp') setInputValue(range, String(Number(before) + page));
  else if (key === 'PageDown') setInputValue(range, String(Number(before) - page));
  else return false;
  if (inputValueOf(range) !== before) fireInputAndChange(range);
  return true;
}

// --- the page ---

/** https://html.spec.whatwg.org/multipage/interaction.html#close-requests */
function closeTopLayer(): void {
  const dialog = modalDialogs().at(-1);
  if (dialog) {
    if (dispatch(dialog, new Event('cancel', { cancelable: true })))
      method(HTMLDialogElement.prototype, 'close')(dialog);
    return;
  }
  queryPage('[popover]').filter(isOpenPopover).at(-1)?.hidePopover();
}

const ARROW_SCROLL = 40;

function scrollKey(element: Element, { key, modifiers }: KeyEvent): void {
  const arrow = ARROWS[key];
  const back = modifiers.includes('shift') && key === ' ';
  const pages = own<number>({ PageUp: -1, PageDown: 1, ' ': back ? -1 : 1 }, key);
  const isSideways = Boolean(arrow?.[0]);
  if (!arrow && !pages && key !== 'Home' && key !== 'End') return;
  const page = pageScroller(ownerOf(element));
  let inner: Element | null = element;
  while (inner && inner !== page && !isScrollable(inner, isSideways, false)) inner = elementAbove(inner);
  const scroller = inner || page;
  const top = arrow ? arrow[1] * ARROW_SCROLL : (pages || 0) * scroller.clientHeight * SCROLL_SHARE;
  const left = arrow ? arrow[0] * ARROW_SCROLL : 0;
  if (key === 'Home') scroller.scrollTo({ top: 0, behavior: 'instant' });
  else if (key === 'End') scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'instant' });
  else scroller.scrollBy({ top, left, behavior: 'instant' });
}
