// What a browser does by itself when a key goes down, as far as a script can do it: text is in `editing.js`, the way of
// the focus in `traversal.js`.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
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

const formParts = getter(HTMLFormElement.prototype, 'elements');

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission */
function submitImplicitly(element) {
  const form = formOf(element);
  if (!form) return;
  const parts = Array.from(formParts(form));
  const button = parts.find((part) => isSubmit(part, tagOf(part))) || defaultButtonOf(form);
  if (button) {
    if (!isDisabled(button)) nativeClick(button);
    return;
  }
  const blocking = parts.filter((part) => tagOf(part) === 'input' && !UNBLOCKING.has(inputTypeOf(part)));
  if (blocking.length < 2 && requestSubmit) requestSubmit(form);
}

const UNBLOCKING = new Set([...UNTYPED_INPUTS, 'range', 'color']);

function fireInputAndChange(element) {
  inputEvent(element);
  changeEvent(element);
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

const stepUp = unbound(HTMLInputElement.prototype.stepUp);
const stepDown = unbound(HTMLInputElement.prototype.stepDown);

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
    if (dispatch(dialog, new Event('cancel', { cancelable: true }))) unbound(HTMLDialogElement.prototype.close)(dialog);
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
