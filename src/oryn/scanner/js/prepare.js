// prepare (docs/spec/scanner-protocol.md#prepare): an element made ready for typed text.

function prepare(request) {
  const target = requestedElement(request);
  const editor = editorOf(target);
  const element = editor ? enabledField(editor.input) : typingPlace(target);
  if (!isVisible(editor ? editor.root : element))
    throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  nativeFocus(element);
  if (editor) return prepareEditor(editor, request.clear === true);
  const mode = takesKeys(element) ? 'keys' : 'set';
  const before = valueOf(element);
  if (mode === 'keys') {
    placeCursor(element, request.clear === true);
    watchFocus(element, request.clear === true ? '' : before);
  }
  return { mode, empty: before === '', control: isTextControl(element), lines: tagOf(element) === 'textarea' };
}

function prepareEditor(editor, selectsAll) {
  const { input, family } = editor;
  if (!family || !family.isCode) placeCursor(input, selectsAll);
  watchFocus(input, null);
  const isMac = /^mac/i.test(windowOf(ownerOf(input)).navigator.platform);
  return { mode: 'editor', empty: heldText(editor) === '', mac: isMac, ...editorData(editor) };
}

/** The field that keys are sent to, what it had in front of them, and whether it has lost the focus since. */
let keyed = { element: null, before: null, lost: false };

function watchFocus(element, before) {
  if (keyed.element) removeListener(keyed.element, 'blur', focusLost, true);
  keyed = { element, before, lost: false };
  addListener(element, 'blur', focusLost, true);
}

function focusLost() {
  keyed.lost = true;
}

/**
 * What became of the text that was sent as keys after `prepare`. If its field has lost the focus: `held` of its
 * `length` characters have come into it, and where the focus is. Else how the content of a form's field differs.
 */
function typed({ text }) {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const field = keyed.element;
  if (!field || !isAttached(field)) return { lost: false };
  return !keyed.lost && hasCursor(field) ? typedContent(field, text) : lostText(field, text);
}

function typedContent(field, text) {
  if (keyed.before === null || !isTextControl(field)) return { lost: false };
  const wanted = keyed.before + text.replace(/\r\n?/g, '\n');
  const held = contentOf(field);
  const outcome = outcomeOf(field, wanted) || 'other';
  const content = outcome === 'other' && !isSecret(field) ? { held_text: held, wanted_text: wanted } : {};
  return { lost: false, outcome, length: held.length, wanted: wanted.length, ...content };
}

function lostText(field, text) {
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
  return enabledField(field);
}

function enabledField(field) {
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
