// What keys do to text, by the document's own editing commands: those keep the cursor, the undo history, `maxlength` and
// what a number field takes, and fire `input` themselves. https://w3c.github.io/editing/docs/execCommand/

import { dispatch, editDocument, formOf, inputTypeOf, inputValueOf, ownerOf, tagOf, windowOf } from '../dom/natives';
import { getter, method } from '../dom/unbound';
import type { InsertRequest, InsertResponse, RestoreFieldResponse, WriteOutcome } from '../dom/protocol';
import { Refusal, checkOrigin } from '../dom/refusal';
import { nextFrame, wholeFrame } from '../dom/timing';
import { isAttached } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { refreshCache } from '../dom/snapshot';
import { isVisible } from '../geometry/visibility';
import { isDisabled, isReadOnly } from '../semantics/values';
import {
  UNTYPED_INPUTS,
  contentOf,
  hasCursor,
  isInEditing,
  isPlainText,
  isTextControl,
  maxLengthOf,
} from '../semantics/text_controls';
import { isSubmit } from '../semantics/interactive';
import { elementNumbered, requestedElement } from '../targets/candidates';
import { changeEvent, focusOn, keyEvents, requestSubmit } from '../input/events';
import { defaultButtonOf } from '../input/act';
import { inputEvent } from '../input/pressing';
import { focusField, isInput, isTextField, placeCursor, takesWhole, typingPlace } from '../controls/prepare';
import { codeBoxes, concealField } from '../controls/code_boxes';
import type { CodeBoxes } from '../controls/code_boxes';
import { clickAny, setFieldValue, setWhole } from '../controls/fields';
import { beginEntry, entryOf, fieldContent, outcomeOf } from '../controls/text_entry';
import type { TextEntry } from '../controls/text_entry';
import { moveCaret, selectionOf } from './caret';
import type { Direction } from './caret';

const formParts = getter(HTMLFormElement.prototype, 'elements');
export const stepUp = method(HTMLInputElement.prototype, 'stepUp');
export const stepDown = method(HTMLInputElement.prototype, 'stepDown');

/** A key in a field or an editor, with what it types. */
interface EditingKey {
  readonly key: string;
  readonly text: string;
  readonly modifiers: readonly string[];
}

export function editingKey(element: Element, event: EditingKey): void {
  const { key, text, modifiers } = event;
  const hasControl = modifiers.includes('control');
  const move = own(CURSOR_MOVES, key);
  if (move) return moveCursor(element, key, move, modifiers);
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

/** The value of a table's own entry. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.prototype.hasOwnProperty.call(table, name) ? table[name] : undefined;

type CursorMove = readonly [direction: Direction, unit: string, unitWithControl: string];

// By character, line or word (with control): https://w3c.github.io/selection-api/#dom-selection-modify
const CURSOR_MOVES: Readonly<Record<string, CursorMove>> = {
  ArrowLeft: ['left', 'character', 'word'],
  ArrowRight: ['right', 'character', 'word'],
  ArrowUp: ['backward', 'line', 'paragraph'],
  ArrowDown: ['forward', 'line', 'paragraph'],
  Home: ['backward', 'lineboundary', 'documentboundary'],
  End: ['forward', 'lineboundary', 'documentboundary'],
};

export const ARROWS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function moveCursor(element: Element, key: string, move: CursorMove, modifiers: readonly string[]): void {
  const [, down] = ARROWS[key] || [0, 0];
  if (down && isInput(element) && inputTypeOf(element) === 'number') return stepNumber(element, down);
  const [direction, usual, withControl] = move;
  const alter = modifiers.includes('shift') ? 'extend' : 'move';
  moveCaret(element, alter, direction, modifiers.includes('control') ? withControl : usual);
}

function stepNumber(element: HTMLInputElement, down: number): void {
  if (isReadOnly(element) || isDisabled(element)) return;
  const before = inputValueOf(element);
  if (down > 0) stepDown(element);
  else stepUp(element);
  if (inputValueOf(element) !== before) fireInputAndChange(element);
}

/** Erase what is selected, or as far as the cursor would move. */
function erase(element: Element, direction: Direction, unit: string, inputType: string): void {
  const selection = selectionOf(element);
  const isField = isTextControl(element) && isTextField(element) && element.selectionStart !== null;
  const isEmpty = isField ? element.selectionStart === element.selectionEnd : selection?.isCollapsed;
  if (isEmpty) moveCaret(element, 'extend', direction, unit);
  edit(element, inputType, 'delete');
}

/** Enter: a new line, a new paragraph, or, in a field of one line, the form is sent. */
function breakLine(element: Element, withShift: boolean): void {
  if (tagOf(element) === 'input') {
    if (edited.delete(element)) changeEvent(element);
    submitImplicitly(element);
  } else if (isPlainText(element)) edit(element, 'insertLineBreak', 'insertHTML', '\n');
  else if (tagOf(element) === 'textarea') edit(element, 'insertLineBreak', 'insertText', '\n');
  else if (withShift) edit(element, 'insertLineBreak', 'insertLineBreak');
  else edit(element, 'insertParagraph', 'insertParagraph');
}

/** A change that the page may refuse (https://w3c.github.io/input-events/#event-type-beforeinput). */
function edit(element: Element, inputType: string, command: string, data: string | null = null): void {
  if (isTextControl(element) && (isReadOnly(element) || isDisabled(element))) return;
  const init = { bubbles: true, cancelable: true, composed: true, inputType, data };
  if (!dispatch(element, new InputEvent('beforeinput', init))) return;
  edited.add(element);
  editDocument(ownerOf(element), command, false, data ?? undefined);
}

/** Fields whose `change` the browser still owes: it tells when they lose the focus, and before their form is sent. */
const edited = new WeakSet<Element>();

/** Text that no key makes, where the cursor is. */
export function insertText(element: Element, text: string): void {
  if (isTextControl(element) || isInEditing(element)) edit(element, 'insertText', 'insertText', text);
}

export function editingCommand(element: Element, command: string): void {
  if (command === 'selectAll') return selectAll(element);
  if (command === 'undo' || command === 'redo') {
    editDocument(ownerOf(element), command);
    return;
  }
  const moved = MAC_COMMANDS[command];
  if (!moved) return;
  const [direction, unit, inputType] = moved;
  if (inputType) erase(element, direction, unit, inputType);
  else moveCaret(element, 'move', direction, unit);
}

/** How far the cursor moves, or, with the `inputType` of the change, how far is erased. */
type MacCommand = readonly [direction: Direction, unit: string, inputType?: string];

const MAC_COMMANDS: Readonly<Record<string, MacCommand>> = {
  moveToBeginningOfLine: ['backward', 'lineboundary'],
  moveToEndOfLine: ['forward', 'lineboundary'],
  moveToBeginningOfDocument: ['backward', 'documentboundary'],
  moveToEndOfDocument: ['forward', 'documentboundary'],
  moveWordLeft: ['left', 'word'],
  moveWordRight: ['right', 'word'],
  deleteToBeginningOfLine: ['backward', 'lineboundary', 'deleteSoftLineBackward'],
  deleteWordBackward: ['backward', 'word', 'deleteWordBackward'],
};

function selectAll(element: Element): void {
  if (isTextControl(element) && isTextField(element)) element.select();
  else editDocument(ownerOf(element), 'selectAll');
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission */
export function submitImplicitly(element: Element): void {
  const form = formOf(element);
  if (!form) return;
  const parts = Array.from(formParts(form));
  const button = parts.find((part) => isSubmit(part, tagOf(part))) || defaultButtonOf(form);
  if (button) {
    if (!isDisabled(button)) clickAny(button);
    return;
  }
  const blocking = parts.filter((part) => tagOf(part) === 'input' && !UNBLOCKING.has(inputTypeOf(part)));
  if (blocking.length < 2 && requestSubmit) requestSubmit(form);
}

const UNBLOCKING = new Set([...UNTYPED_INPUTS, 'range', 'color']);

export function fireInputAndChange(element: Element): void {
  inputEvent(element);
  changeEvent(element);
}

// insert (docs/spec/scanner-protocol.md#insert): a text put into one field in a single step of this document's own
// script. Nothing comes between the look at the focus and the text: not another frame's script, not the browser's,
// which hands keys to whatever has the focus when they arrive. What the page itself does in its handlers is looked at
// afterwards.

const INSERTION_FRAMES = 3;

export function insert(request: InsertRequest): InsertResponse | Promise<InsertResponse> {
  const { text, clear: replaces = true, fits = false } = request;
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const named = requestedElement(request);
  const element = typingPlace(named);
  if (!isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const view = windowOf(ownerOf(element));
  if (!view) throw new Refusal('ELEMENT_STALE', 'the element is no longer on the page');
  checkOrigin(request, view);
  if (takesWhole(element)) {
    focusOn(element);
    setWhole(element, text);
    return { mode: 'set', outcome: 'whole' };
  }
  const code = codeBoxes(element, text.length, request.code === true);
  if (code && !request.again && replaces && !fits)
    return insertIntoBoxes(numberOf(named), code, text, request.code === true);
  const isControl = isTextControl(element);
  if (fits && (!isControl || maxLengthOf(element) < text.length)) return { mode: 'keys' };
  if (!isControl && !isInEditing(element))
    throw new Refusal('INVALID_ELEMENT_TYPE', 'it takes text by single keys alone, and no secret is typed so');
  if (tagOf(element) === 'input' && /[\r\n]/.test(text))
    throw new Refusal('INVALID_ELEMENT_TYPE', 'a field of one line takes no text of several');
  const former = request.again ? entryOf(named) : null;
  const entry = former ?? beginEntry(numberOf(named), element, replaces ? '' : contentOf(element));
  if (request.code) concealField(element);
  return insertAtOnce(entry, element, entry.wanted(text), former ? true : replaces, Boolean(former));
}

/** again: what is not whole is left to the caller, who takes it back with `restore_field`. */
async function insertAtOnce(
  entry: TextEntry,
  element: Element,
  wanted: string,
  replaces: boolean,
  again: boolean,
): Promise<InsertResponse> {
  const before = contentOf(element);
  const text = replaces ? wanted : wanted.slice(before.length);
  focusField(element);
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
  // Editors that hold their text themselves show it a moment later.
  let outcome: WriteOutcome | null = null;
  let field = element;
  for (let frames = 0; frames <= INSERTION_FRAMES; frames++) {
    if (frames) await nextFrame();
    refreshCache();
    field = isAttached(element) ? element : (elementNumbered(entry.number) ?? element);
    outcome = outcomeOf(field, wanted);
    if (outcome || isLeftToUs) break;
  }
  entry.take(field);
  const length = lengthOf(field);
  if (!outcome && !again && isAttached(field) && contentOf(field) !== before) restoreContent(field, before);
  return { mode: 'inserted', outcome: outcome ?? 'refused', length };
}

/**
 * A text in a row of boxes. Each box gets its part as if it were typed, or else the page gets all of it as if it were
 * pasted: some pages hand out a text that is pasted, and take no keys.
 */
async function insertIntoBoxes(
  number: number,
  code: CodeBoxes,
  text: string,
  isCode: boolean,
): Promise<InsertResponse> {
  const boxes = code.find();
  const entry = beginEntry(number, boxes[0] as Element, '');
  entry.spread(boxes.slice(1));
  const reveals = isCode ? boxes.map(concealField) : [];
  for (const write of [typeIntoBoxes, pasteIntoBoxes]) {
    await write(code, text, isCode);
    if (heldIn(code) === text) {
      entry.takeAll(code.find());
      return { mode: 'inserted', outcome: 'whole', length: text.length };
    }
    await emptyBoxes(code);
  }
  const { length } = heldIn(code);
  restoreField();
  for (const reveal of reveals) reveal();
  return { mode: 'inserted', outcome: 'refused', length };
}

async function emptyBoxes(code: CodeBoxes): Promise<void> {
  for (const box of code.find()) {
    if (!isAttached(box) || contentOf(box) === '') continue;
    restoreContent(box, '');
    await nextFrame();
  }
}

const heldIn = (code: CodeBoxes): string =>
  code
    .find()
    .map((box) => (isAttached(box) ? contentOf(box) : ''))
    .join('');

async function typeIntoBoxes(code: CodeBoxes, text: string, isCode: boolean): Promise<void> {
  const { size } = code;
  for (let at = 0; at * size < text.length; at++) {
    // The page may render itself anew for each part, and does something with the last one at once.
    if (at) await wholeFrame();
    if (heldIn(code) === text) return;
    const box = code.find()[at];
    if (!box || !isAttached(box)) return;
    if (isCode) concealField(box);
    focusOn(box);
    requireFocus(box);
    placeCursor(box, true);
    const part = text.slice(at * size, (at + 1) * size);
    for (const [index, character] of Array.from(part).entries()) {
      keyEvents(box, character, () => {
        if (!isAttached(box) || !hasCursor(box)) return;
        if (!index) placeCursor(box, true);
        edit(box, 'insertText', 'insertText', character);
      });
    }
    const written = text.slice(0, (at + 1) * size);
    if (heldIn(code).startsWith(written)) continue;
    await nextFrame();
    if (!heldIn(code).startsWith(written)) return;
  }
}

async function pasteIntoBoxes(code: CodeBoxes, text: string, isCode: boolean): Promise<void> {
  const [first] = code.find();
  if (!first || !isAttached(first)) return;
  if (isCode) code.find().forEach(concealField);
  focusOn(first);
  requireFocus(first);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  dispatch(first, new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true, clipboardData }));
  for (let frames = 0; frames < INSERTION_FRAMES && heldIn(code) !== text; frames++) await nextFrame();
}

/**
 * restore_field (docs/spec/scanner-protocol.md#restore_field): the fields that the last text went into have their former
 * content again, as far as the page lets them.
 */
export function restoreField(): RestoreFieldResponse {
  const boxes = entryOf()?.taken.filter(({ element }) => isAttached(element)) ?? [];
  for (const { element, former } of boxes) if (fieldContent(element) !== former) restoreContent(element, former);
  return { restored: boxes.length > 0 && boxes.every(({ element, former }) => fieldContent(element) === former) };
}

function restoreContent(element: Element, before: string): void {
  if (isTextField(element)) {
    setFieldValue(element, before);
    inputEvent(element);
    return;
  }
  editDocument(ownerOf(element), 'undo');
  if (before === '' && contentOf(element) !== '') {
    selectionOf(element)?.selectAllChildren(element);
    editDocument(ownerOf(element), 'delete');
  }
}

const lengthOf = (element: Element): number => (isAttached(element) ? contentOf(element).length : 0);

/** Refuse to go on unless the cursor of the element's own document is in it. */
function requireFocus(element: Element): void {
  if (isAttached(element) && hasCursor(element)) return;
  throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the page moved the focus away from the field: nothing was written');
}

function fireInsertionKey(element: Element, kind: 'keydown' | 'keyup'): void {
  const init = { bubbles: true, cancelable: true, composed: true, key: 'Unidentified', keyCode: 229, which: 229 };
  if (isAttached(element)) dispatch(element, new KeyboardEvent(kind, { ...init, view: windowOf(ownerOf(element)) }));
}
