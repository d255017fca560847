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

/** Dates, colours and ranges take their whole value; what the browser does not accept it drops. */
export function setWhole(element: HTMLInputElement, text: string): void {
  inputEvents(element, 'insertReplacementText', text, () => setInputValue(element, text));
  changeEvent(element);
  const isAccepted = valueOf(element) === text || inputTypeOf(element) === 'range' || inputTypeOf(element) === 'color';
  if (text && !isAccepted && valueOf(element) === '')
    throw new Refusal('INVALID_ELEMENT_TYPE', `not a value of a ${inputTypeOf(element)} field: ${text}`);
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
