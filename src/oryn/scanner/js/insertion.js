// insert (docs/spec/scanner-protocol.md#insert): a text put into one field in a single step of this document's own
// script. Nothing comes between the look at the focus and the text: not another frame's script, not the browser's,
// which hands keys to whatever has the focus when they arrive. What the page itself does in its handlers is looked at
// afterwards.

const LIMITED_INPUTS = new Set(['text', 'search', 'tel', 'url', 'email', 'password']);
const INSERTION_FRAMES = 3;

function insert(request) {
  const { text, clear: replaces = true, fits = false } = request;
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const element = typingPlace(requestedElement(request));
  if (!isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  checkOrigin(request, windowOf(ownerOf(element)));
  if (!takesKeys(element)) {
    focusOn(element);
    setWhole(element, text);
    return { mode: 'set', outcome: 'whole' };
  }
  const isControl = isTextControl(element);
  if (fits && (!isControl || maxLengthOf(element) < text.length)) return { mode: 'keys' };
  if (!isControl && !isInEditing(element))
    throw new Refusal('INVALID_ELEMENT_TYPE', 'it takes text by single keys alone, and no secret is typed so');
  if (tagOf(element) === 'input' && /[\r\n]/.test(text))
    throw new Refusal('INVALID_ELEMENT_TYPE', 'a field of one line takes no text of several');
  return insertAtOnce(element, text.replace(/\r\n?/g, '\n'), replaces);
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-maxlength */
function maxLengthOf(element) {
  if (tagOf(element) === 'input' && !LIMITED_INPUTS.has(inputTypeOf(element))) return Infinity;
  const most = /^\s*\d+/.exec(attribute(element, 'maxlength') || '');
  return most ? Number(most[0]) : Infinity;
}

function insertAtOnce(element, text, replaces) {
  const before = contentOf(element);
  const wanted = replaces ? text : before + text;
  nativeFocus(element);
  placeCursor(element, replaces);
  requireFocus(element);
  // A key without a character, as programs that fill in passwords send it: pages wait for one.
  fireInsertionKey(element, 'keydown');
  requireFocus(element);
  const init = { bubbles: true, cancelable: true, composed: true, inputType: 'insertText', data: text };
  const isLeftToUs = dispatch(element, new InputEvent('beforeinput', init));
  if (isLeftToUs) {
    requireFocus(element);
    placeCursor(element, replaces);
    requireFocus(element);
    edited.add(element);
    editDocument(ownerOf(element), 'insertText', false, text);
  }
  fireInsertionKey(element, 'keyup');
  refreshCache();
  const outcome = outcomeOf(element, wanted);
  if (outcome) return { mode: 'inserted', outcome, length: lengthOf(element) };
  return laterOutcome(element, wanted, before, isLeftToUs);
}

/** Editors that hold their text themselves show it a moment later. What is not whole by then is taken back. */
async function laterOutcome(element, wanted, before, isLeftToUs) {
  for (let frames = 0; !isLeftToUs && frames < INSERTION_FRAMES; frames++) {
    await nextFrame();
    refreshCache();
    const outcome = outcomeOf(element, wanted);
    if (outcome) return { mode: 'inserted', outcome, length: lengthOf(element) };
  }
  const length = lengthOf(element);
  if (isAttached(element) && contentOf(element) !== before) restoreContent(element, before);
  return { mode: 'inserted', outcome: 'refused', length };
}

function restoreContent(element, before) {
  if (isTextControl(element)) {
    setFieldValue(element, before);
    inputEvent(element);
    return;
  }
  editDocument(ownerOf(element), 'undo', false, null);
  if (before === '' && contentOf(element) !== '') {
    selectionOf(element).selectAllChildren(element);
    editDocument(ownerOf(element), 'delete', false, null);
  }
}

/** What a field that takes keys holds. */
const contentOf = (element) => (isTextControl(element) ? valueOf(element) : textContentOf(element));
const lengthOf = (element) => (isAttached(element) ? contentOf(element).length : 0);

/** `whole`, `formatted` (other characters between the same letters and digits), `limited` (by `maxlength`), or null. */
function outcomeOf(element, wanted) {
  if (!isAttached(element)) return null;
  const held = contentOf(element);
  if (held === wanted) return 'whole';
  if (!isTextControl(element)) return withoutSpace(held) === withoutSpace(wanted) ? 'whole' : null;
  const letters = lettersOf(wanted);
  if (letters && lettersOf(held) === letters) return 'formatted';
  return held.length === maxLengthOf(element) && held === wanted.slice(0, held.length) ? 'limited' : null;
}

const withoutSpace = (text) => text.replace(/[\s\u200b\ufeff]+/g, '');
const lettersOf = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** That the cursor of the element's own document is in it. */
function requireFocus(element) {
  if (isAttached(element) && hasCursor(element)) return;
  throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the page moved the focus away from the field: nothing was written');
}

function hasCursor(element) {
  const root = rootOf(element);
  const focused = activeOf[nodeTypeOf(root)](root);
  return focused === element || (!isTextControl(element) && focused !== null && contains(focused, element));
}

function fireInsertionKey(element, kind) {
  const init = { bubbles: true, cancelable: true, composed: true, key: 'Unidentified', keyCode: 229, which: 229 };
  if (isAttached(element)) dispatch(element, new KeyboardEvent(kind, { ...init, view: windowOf(ownerOf(element)) }));
}
