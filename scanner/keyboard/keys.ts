// What a browser does by itself when a key goes down, as far as a script can do it: text is in `editing.js`, the way of
// the focus in `traversal.js`.

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
  method,
  windowOf,
} from '../dom/natives';
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
import {
  ARROWS,
  editingCommand,
  editingKey,
  fireInputAndChange,
  insertText,
  stepDown,
  stepUp,
  submitImplicitly,
} from './editing';

const ARROW_SCROLL = 40;
const CLIPBOARD = new Set(['copy', 'cut', 'paste', 'pasteAndMatchStyle']);
const TYPEAHEAD = 1000;

/** Answers `clipboard` where the key is for what a script may not touch. */
function keyAction(element, event) {
  const { key, command, modifiers } = event;
  refreshCache();
  if (CLIPBOARD.has(command)) return 'clipboard';
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
function controlKey(element, event) {
  const { key, text } = event;
  const tag = tagOf(element);
  if (tag === 'select') return selectKey(element, key, text);
  if (tag === 'input' && Object.prototype.hasOwnProperty.call(INPUT_KEYS, inputTypeOf(element))) {
    if (INPUT_KEYS[inputTypeOf(element)](element, key)) return true;
  }
  if (key === 'Enter') return enterKey(element, event);
  if (key === ' ' && isPressedBySpace(element)) {
    heldBySpace = element;
    return true;
  }
  return false;
}

const INPUT_KEYS = { radio: radioKey, range: rangeKey };
const PRESSED_INPUTS = new Set(['submit', 'button', 'reset', 'image', 'file', 'color']);

const isButtonLike = (element) =>
  tagOf(element) === 'button' ||
  tagOf(element) === 'summary' ||
  (tagOf(element) === 'input' && PRESSED_INPUTS.has(inputTypeOf(element)));

const isPressedBySpace = (element) =>
  isButtonLike(element) || (tagOf(element) === 'input' && ['checkbox', 'radio'].includes(inputTypeOf(element)));

/** Enter presses a button or link at once; in any other field it sends the form. */
function enterKey(element, { effects }) {
  const isLink = (tagOf(element) === 'a' || tagOf(element) === 'area') && hasAttribute(element, 'href');
  if (isButtonLike(element) || isLink) withEffects(element, effects, () => nativeClick(element));
  else if (tagOf(element) === 'input') submitImplicitly(element);
  else return false;
  return true;
}

// --- select ---

let typeahead = { element: null, text: '', time: 0 };

function selectKey(select, key, text) {
  const options = Array.from(optionsOf(select)).filter((option) => !matches(option, ':disabled'));
  const at = options.findIndex(optionSelected);
  const last = options.length - 1;
  const places = { ArrowUp: at - 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowRight: at + 1, Home: 0, End: last };
  Object.assign(places, { PageUp: at - 3, PageDown: at + 3 });
  if (Object.prototype.hasOwnProperty.call(places, key))
    chooseOnly(select, options[Math.min(last, Math.max(0, places[key]))]);
  else if (text && key.length === 1 && (key !== ' ' || typeahead.element === select))
    typeAhead(select, options, at, key);
  else return false;
  return true;
}

/** Letters in quick succession spell an option's beginning; one alone goes on to the next that begins so. */
function typeAhead(select, options, at, key) {
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

function chooseOnly(select, wanted) {
  if (!wanted || (optionSelected(wanted) && selectedTexts(select).length === 1)) return;
  if (isMultiple(select)) for (const option of optionsOf(select)) setOptionSelected(option, false);
  setOptionSelected(wanted, true);
  fireInputAndChange(select);
}

// --- radio buttons, ranges ---

function radioKey(radio, key) {
  const [across, down] = ARROWS[key] || [0, 0];
  const step = across + down;
  if (!step) return false;
  const group = radioGroup(radio).filter((each) => !isDisabled(each) && (each === radio || isVisible(each)));
  const next = group[(group.indexOf(radio) + step + group.length) % group.length];
  if (hasAttribute(radio, 'name') && next !== radio) {
    focusOn(next);
    nativeClick(next);
  }
  return true;
}

/** One step with an arrow, a tenth of the way with a page key. */
function rangeKey(range, key) {
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
function closeTopLayer() {
  const dialogs = queryPage('dialog[open]').filter((dialog) => matches(dialog, ':modal'));
  const dialog = dialogs[dialogs.length - 1];
  if (dialog) {
    if (dispatch(dialog, new Event('cancel', { cancelable: true }))) method(HTMLDialogElement.prototype, 'close')(dialog);
    return;
  }
  const popovers = queryPage('[popover]').filter((each) => each.hidePopover && matches(each, ':popover-open'));
  if (popovers.length) popovers[popovers.length - 1].hidePopover();
}

function scrollKey(element, { key, modifiers }) {
  const arrow = ARROWS[key];
  const back = modifiers.includes('shift') && key === ' ';
  const pages = { PageUp: -1, PageDown: 1, ' ': back ? -1 : 1 };
  const ends = { Home: -Infinity, End: Infinity };
  const isSideways = Boolean(arrow && arrow[0]);
  if (!arrow && !Object.prototype.hasOwnProperty.call({ ...pages, ...ends }, key)) return;
  const page = pageScroller(ownerOf(element));
  let scroller = element;
  while (scroller && scroller !== page && !isScrollable(scroller, isSideways, false)) scroller = elementAbove(scroller);
  scroller = scroller || page;
  const top = arrow ? arrow[1] * ARROW_SCROLL : (pages[key] || 0) * scroller.clientHeight * SCROLL_SHARE;
  const left = arrow ? arrow[0] * ARROW_SCROLL : 0;
  if (ends[key]) scroller.scrollTo({ top: ends[key] < 0 ? 0 : scroller.scrollHeight, behavior: 'instant' });
  else scroller.scrollBy({ top, left, behavior: 'instant' });
}

// keys (docs/spec/scanner-protocol.md#keys): the keyboard, dispatched for browsers without trusted input, on whatever
// has the focus when each key comes. What a browser then does by itself is in `key_actions.js`.
// https://w3c.github.io/uievents/#events-keyboard-event-order

/** The button or box that the space bar holds down: it is pressed when that goes up. */
let heldBySpace = null;

export async function keys(request) {
  const { events } = request;
  if (!Array.isArray(events)) throw new Refusal('INVALID_REQUEST', 'events must be a list');
  const effects = { opened: [], chooser: false };
  for (let done = 0; done < events.length; done++) {
    const element = keyTarget();
    if (isFrame(element) && !frameDocument(element)) return { done, frame: exposeFrame(element), ...effects };
    const event = { modifiers: [], text: '', ...events[done], effects };
    if (!Object.prototype.hasOwnProperty.call(KEY_KINDS, event.kind))
      throw new Refusal('INVALID_REQUEST', `no such kind: ${event.kind}`);
    const missing = KEY_KINDS[event.kind](element, event);
    if (missing) return { done: done + 1, frame: null, missing, ...effects };
    await turn();
  }
  return { done: events.length, frame: null, ...effects };
}

const KEY_KINDS = { down: keyDown, up: keyUp, insert: (element, { text }) => insertText(element, text) };

/** Answers what the key wants and a script can't do (`clipboard`), or nothing. */
function keyDown(element, event) {
  if (event.key !== ' ') heldBySpace = null;
  if (!fireKey(element, 'keydown', event)) return;
  // The page may have moved the focus meanwhile.
  const target = keyTarget();
  if (event.text && !fireKey(target, 'keypress', event)) return;
  return keyAction(target, event);
}

function keyUp(element, event) {
  const goesOn = fireKey(element, 'keyup', event);
  if (event.key !== ' ') return;
  const held = heldBySpace;
  heldBySpace = null;
  if (goesOn && held === element && isAttached(element))
    withEffects(element, event.effects, () => nativeClick(element));
}

function fireKey(element, kind, { key, code, key_code: number, location, modifiers, text, repeat = false }) {
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
