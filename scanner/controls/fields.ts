// type, clear (docs/spec/scanner-protocol.md#type): native setters, so that frameworks that
// shadow `value` notice.

import {
  appendChild,
  attribute,
  dispatch,
  editDocument,
  inputTypeOf,
  isHtml,
  nativeClick,
  ownerOf,
  setInputValue,
  setTextareaValue,
} from '../dom/natives';
import type {
  ClearRequest,
  ClearResponse,
  DateSegmentsRequest,
  DateSegmentsResponse,
  TypeRequest,
  TypeResponse,
} from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { pause } from '../dom/timing';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { isVisible } from '../geometry/visibility';
import {
  dateFieldAt,
  dateFieldText,
  isDisabled,
  isReadOnly,
  segmentKinds,
  segmentsIn,
  valueOf,
} from '../semantics/values';
import { isInEditing } from '../semantics/text_controls';
import { requestedElement } from '../targets/candidates';
import { changeEvent, focusOn, inputEvents, keyEvents } from '../input/events';
import { beginEntry } from './text_entry';
import { isInput, isTextField, placeCursor, takesKeys, takesWhole, typingPlace } from './prepare';

export async function type(request: TypeRequest): Promise<TypeResponse> {
  const { text, delay } = request;
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const element = typingPlace(requestedElement(request));
  if (!isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  focusOn(element);
  const replaces = request.clear !== false;
  if (takesWhole(element)) setWhole(element, text);
  else {
    placeCursor(element, replaces);
    if (replaces && valueOf(element) !== '') eraseContent(element);
    for (const character of text) {
      keyEvents(element, character, () => insertCharacter(element, character));
      if (delay && delay > 0) await pause(delay);
    }
    if (!isInEditing(element)) changeEvent(element);
  }
  return { action: 'type', id: numberOf(element), text, value: valueOf(element) };
}

/** Dates, colours and ranges take their whole value. Refuses one that the browser would drop, and changes nothing then. */
export function setWhole(element: HTMLInputElement, text: string): void {
  const entry = beginEntry(numberOf(element), element, '');
  const type = inputTypeOf(element);
  const value = type === 'color' ? hexColor(text) : text;
  const copy = element.cloneNode() as HTMLInputElement;
  setInputValue(copy, value);
  if (text && type !== 'range' && (value === '' || valueOf(copy) === ''))
    throw new Refusal('INVALID_ELEMENT_TYPE', `not a value of a ${type} field: ${text}`);
  entry.intended = valueOf(copy);
  inputEvents(element, 'insertReplacementText', value, () => setInputValue(element, value));
  changeEvent(element);
}

/** A colour as its field takes it (https://www.w3.org/TR/css-color-4/#color-type); '' if the text is none. */
function hexColor(text: string): string {
  const hex = text.trim().toLowerCase();
  if (/^#[\da-f]{6}$/.test(hex)) return hex;
  const named = CSS.supports('color', hex) ? hex : CSS.supports('color', `#${hex}`) ? `#${hex}` : '';
  const context = named && new OffscreenCanvas(1, 1).getContext('2d');
  if (!context || /^(?:currentcolor|inherit|initial|unset|revert)/.test(named)) return '';
  context.fillStyle = named;
  const serialized = context.fillStyle;
  return /^#[\da-f]{6}$/.test(serialized) ? serialized : '';
}

function insertCharacter(element: Element, character: string): void {
  if (!isTextField(element)) return insertInto(element, character);
  if (character === '\n' && isInput(element)) return;
  const limit = parseInt(attribute(element, 'maxlength') ?? '', 10);
  const value = valueOf(element);
  if (limit >= 0 && value.length >= limit) return;
  inputEvents(element, 'insertText', character, () => setFieldValue(element, value + character));
}

export const setFieldValue = (element: HTMLInputElement | HTMLTextAreaElement, value: string): void =>
  isInput(element) ? setInputValue(element, value) : setTextareaValue(element, value);

/** https://w3c.github.io/editing/docs/execCommand/#the-inserttext-command fires the input events itself. */
function insertInto(element: Element, text: string): void {
  const owner = ownerOf(element);
  if (editDocument(owner, 'insertText', false, text)) return;
  inputEvents(element, 'insertText', text, () => appendChild(element, owner.createTextNode(text)));
}

function eraseContent(element: Element): void {
  if (isTextField(element)) inputEvents(element, 'deleteContentBackward', null, () => setFieldValue(element, ''));
  else if (!editDocument(ownerOf(element), 'delete')) {
    inputEvents(element, 'deleteContentBackward', null, () => {
      element.textContent = '';
    });
  }
}

export function clear(request: ClearRequest): ClearResponse {
  const element = typingPlace(requestedElement(request));
  focusOn(element);
  if (valueOf(element) !== '') {
    if (takesKeys(element)) placeCursor(element, true);
    eraseContent(element);
    changeEvent(element);
  }
  return { action: 'clear', id: numberOf(element), value: valueOf(element) };
}

/** The click that a script makes, also on an element that is not of HTML and has no `click`. */
export function clickAny(element: Element): void {
  if (isHtml(element)) nativeClick(element);
  else dispatch(element, new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
}

/** date_segments (docs/spec/scanner-protocol.md#date_segments) */
export function dateSegments(request: DateSegmentsRequest): DateSegmentsResponse {
  const field = dateFieldAt(requestedElement(request));
  continueNumbers(request.next_id || 1);
  const segments = field ? segmentsIn(field) : [];
  const kinds = segmentKinds(segments);
  const rows = segments.map((each, at) => ({
    id: numberOf(each),
    kind: kinds[at] ?? '',
    disabled: isDisabled(each) || isReadOnly(each),
  }));
  return { segments: rows, text: field ? dateFieldText(field) : '', next_id: nextNumber };
}
