// What keys do to text, by the document's own editing commands: those keep the cursor, the undo history, `maxlength` and
// what a number field takes, and fire `input` themselves. https://w3c.github.io/editing/docs/execCommand/

const isTextControl = (element) =>
  tagOf(element) === 'textarea' ||
  (tagOf(element) === 'input' && !UNTYPED_INPUTS.has(inputTypeOf(element)) && !SET_INPUTS.has(inputTypeOf(element)));

/** A change that the page may refuse (https://w3c.github.io/input-events/#event-type-beforeinput). */
function edit(element, inputType, command, data = null) {
  if (isTextControl(element) && (isReadOnly(element) || isDisabled(element))) return;
  const init = { bubbles: true, cancelable: true, composed: true, inputType, data };
  if (!dispatch(element, new InputEvent('beforeinput', init))) return;
  edited.add(element);
  editDocument(ownerOf(element), command, false, data);
}

/** Fields whose `change` the browser still owes: it tells when they lose the focus, and before their form is sent. */
const edited = new WeakSet();

/** Text that no key makes, where the cursor is. */
function insertText(element, text) {
  if (isTextControl(element) || isInEditing(element)) edit(element, 'insertText', 'insertText', text);
}

const selectionOf = (element) => windowOf(ownerOf(element)).getSelection();

function editingCommand(element, command) {
  if (command === 'selectAll') return selectAll(element);
  if (command === 'undo' || command === 'redo') {
    editDocument(ownerOf(element), command);
    return;
  }
  const moved = MAC_COMMANDS[command];
  if (!moved) return;
  const [action, direction, unit, inputType] = moved;
  if (action === 'move') selectionOf(element).modify('move', direction, unit);
  else erase(element, direction, unit, inputType);
}

const MAC_COMMANDS = {
  moveToBeginningOfLine: ['move', 'backward', 'lineboundary'],
  moveToEndOfLine: ['move', 'forward', 'lineboundary'],
  moveToBeginningOfDocument: ['move', 'backward', 'documentboundary'],
  moveToEndOfDocument: ['move', 'forward', 'documentboundary'],
  moveWordLeft: ['move', 'left', 'word'],
  moveWordRight: ['move', 'right', 'word'],
  deleteToBeginningOfLine: ['erase', 'backward', 'lineboundary', 'deleteSoftLineBackward'],
  deleteWordBackward: ['erase', 'backward', 'word', 'deleteWordBackward'],
};

function selectAll(element) {
  if (isTextControl(element)) element.select();
  else editDocument(ownerOf(element), 'selectAll');
}

function editingKey(element, event) {
  const { key, text, modifiers } = event;
  const hasControl = modifiers.includes('control');
  if (Object.prototype.hasOwnProperty.call(MOVES_CURSOR, key)) return moveCursor(element, key, modifiers);
  if (key === 'Backspace')
    return hasControl
      ? erase(element, 'backward', 'word', 'deleteWordBackward')
      : edit(element, 'deleteContentBackward', 'delete');
  if (key === 'Delete')
    return hasControl
      ? erase(element, 'forward', 'word', 'deleteWordForward')
      : edit(element, 'deleteContentForward', 'forwardDelete');
  if (hasControl) return;
  if (key === 'Enter') return breakLine(element, modifiers.includes('shift'));
  if (text) edit(element, 'insertText', 'insertText', text);
}

// By character, line or word (with control): https://w3c.github.io/selection-api/#dom-selection-modify
const MOVES_CURSOR = {
  ArrowLeft: ['left', 'character', 'word'],
  ArrowRight: ['right', 'character', 'word'],
  ArrowUp: ['backward', 'line', 'paragraph'],
  ArrowDown: ['forward', 'line', 'paragraph'],
  Home: ['backward', 'lineboundary', 'documentboundary'],
  End: ['forward', 'lineboundary', 'documentboundary'],
};

function moveCursor(element, key, modifiers) {
  if (tagOf(element) === 'input' && inputTypeOf(element) === 'number' && key in ARROWS && ARROWS[key][1])
    return stepNumber(element, ARROWS[key][1]);
  const [direction, usual, withControl] = MOVES_CURSOR[key];
  const alter = modifiers.includes('shift') ? 'extend' : 'move';
  selectionOf(element).modify(alter, direction, modifiers.includes('control') ? withControl : usual);
}

function stepNumber(element, down) {
  if (isReadOnly(element) || isDisabled(element)) return;
  const before = inputValueOf(element);
  if (down > 0) stepDown(element);
  else stepUp(element);
  if (inputValueOf(element) !== before) fireInputAndChange(element);
}

/** Erase what is selected, or as far as the cursor would move. */
function erase(element, direction, unit, inputType) {
  const selection = selectionOf(element);
  const isField = isTextControl(element) && element.selectionStart !== null;
  const isEmpty = isField ? element.selectionStart === element.selectionEnd : selection.isCollapsed;
  if (isEmpty) selection.modify('extend', direction, unit);
  edit(element, inputType, 'delete');
}

/** Enter: a new line, a new paragraph, or, in a field of one line, the form is sent. */
function breakLine(element, withShift) {
  if (tagOf(element) === 'input') {
    if (edited.delete(element)) changeEvent(element);
    submitImplicitly(element);
  } else if (tagOf(element) === 'textarea') edit(element, 'insertLineBreak', 'insertText', '\n');
  else if (withShift) edit(element, 'insertLineBreak', 'insertLineBreak');
  else edit(element, 'insertParagraph', 'insertParagraph');
}
