// prepare (protocol.py): an element made ready for typed text.

function prepare(request) {
  const element = typingPlace(requestedElement(request));
  if (!isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  nativeFocus(element);
  const mode = takesKeys(element) ? 'keys' : 'set';
  const empty = valueOf(element) === '';
  if (mode === 'keys') {
    placeCursor(element, request.clear === true);
    watchFocus(element);
  }
  return { mode, empty };
}

/** The field that keys are sent to, and whether it has lost the focus since. */
let keyed = { element: null, lost: false };

function watchFocus(element) {
  if (keyed.element) removeListener(keyed.element, 'blur', focusLost, true);
  keyed = { element, lost: false };
  addListener(element, 'blur', focusLost, true);
}

function focusLost() {
  keyed.lost = true;
}

/**
 * Whether the text that was sent as keys after `prepare` has come into its field: `held` of its `length` characters, and
 * where the focus is. A field that the page rewrites holds what it likes: only one that lost the focus is looked at.
 */
function typed({ text }) {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const field = keyed.element;
  if (!field || !isAttached(field) || (!keyed.lost && hasCursor(field))) return { lost: false };
  // Whatever a field puts between what was typed.
  const plainly = lettersOf(text) ? lettersOf : withoutSpace;
  const sent = plainly(text);
  const held = beginningHeld(plainly(contentOf(field)), sent);
  if (held === sent.length) return { lost: false };
  const place = focusedElement();
  return {
    lost: true,
    held,
    length: sent.length,
    place: place && place !== field ? shortDescription(place) : null,
    frame: place !== null && isFrame(place),
  };
}

/** How many characters of the beginning of `sent` a field holds. */
function beginningHeld(content, sent) {
  let least = 0;
  let most = sent.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (content.includes(sent.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** The element itself, or the only field inside it; refuses what can't be typed into. */
function typingPlace(element) {
  let field = isTypingField(element) ? element : null;
  // A combo box that is no field itself holds the field.
  if (field && tagOf(field) !== 'input' && tagOf(field) !== 'textarea' && !isInEditing(field)) field = null;
  if (!field && tagOf(element) === 'label') field = labelControlOf(element);
  if (!field) {
    const inside = queryAll(element, 'input:not([type=hidden]),textarea,[contenteditable]');
    if (inside.length === 1) field = inside[0];
    else if (isTypingField(element)) field = element;
  }
  if (!field || !isTypingField(field))
    throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} can't be typed into`);
  if (isDisabled(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is disabled');
  if (isReadOnly(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is read-only');
  return field;
}

const UNTYPED_INPUTS = new Set(['checkbox', 'radio', 'file', 'hidden', 'submit', 'button', 'reset', 'image']);
const SET_INPUTS = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);

function isTypingField(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return true;
  if (tag === 'input') return !UNTYPED_INPUTS.has(inputTypeOf(element));
  return isInEditing(element) || ['textbox', 'searchbox', 'combobox'].includes(authoredRole(element));
}

function isInEditing(element) {
  for (let node = element; node; node = elementAbove(node)) {
    const state = attribute(node, 'contenteditable');
    if (state !== null) return state.toLowerCase() !== 'false';
  }
  return ownerOf(element).designMode === 'on';
}

const takesKeys = (element) => tagOf(element) !== 'input' || !SET_INPUTS.has(inputTypeOf(element));

function placeCursor(element, selectAll) {
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') {
    const end = valueOf(element).length;
    if (selectAll) element.select();
    else if (element.selectionStart !== null) element.setSelectionRange(end, end);
    return;
  }
  const selection = windowOf(ownerOf(element)).getSelection();
  if (!selection) return;
  selection.selectAllChildren(element);
  if (!selectAll) selection.collapseToEnd();
}
