// type, clear, select (docs/spec/scanner-protocol.md#type): native setters, so that frameworks that
// shadow `value` notice.

import {
  appendChild,
  attribute,
  boxOf,
  dispatch,
  editDocument,
  inputTypeOf,
  isHtml,
  isMultiple,
  matches,
  nativeClick,
  optionSelected,
  optionValue,
  optionsOf,
  ownerOf,
  printJson,
  selectValueOf,
  setInputValue,
  setOptionSelected,
  setTextareaValue,
  tagOf,
} from '../dom/natives';
import type {
  ClearRequest,
  ClearResponse,
  DateSegmentsRequest,
  DateSegmentsResponse,
  SelectRequest,
  SelectResponse,
  TypeRequest,
  TypeResponse,
} from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { pause } from '../dom/timing';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { labelControlOf } from '../dom/labels';
import { isVisible } from '../geometry/visibility';
import { hitIn } from '../geometry/boxes';
import {
  MAX_LISTED_OPTIONS,
  dateFieldAt,
  dateFieldText,
  isDisabled,
  isReadOnly,
  optionLabel,
  segmentKinds,
  segmentsIn,
  selectedTexts,
  valueOf,
} from '../semantics/values';
import { isInEditing } from '../semantics/text_controls';
import { requestedElement } from '../targets/candidates';
import { middleOf } from '../input/locate';
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
  entry.kept = valueOf(copy);
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

/** The control of a label; any other element is its own. */
export const controlOf = (element: Element): Element =>
  (tagOf(element) === 'label' && labelControlOf(element)) || element;

/** The click that a script makes, also on an element that is not of HTML and has no `click`. */
export function clickAny(element: Element): void {
  if (isHtml(element)) nativeClick(element);
  else dispatch(element, new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
}

export function select(request: SelectRequest): SelectResponse {
  const element = controlOf(requestedElement(request));
  if (tagOf(element) !== 'select') throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} has no options`);
  if (isDisabled(element)) throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  const chosen = requestedOptions(element, request);
  const previous = selectedTexts(element);
  // A select that a widget of the page hides takes no focus from a user, and the widget may open when it gets it.
  const middle = middleOf(boxOf(element));
  if (hitIn(ownerOf(element), middle.x, middle.y) === element) focusOn(element);
  const wanted = new Set(chosen);
  let changed = false;
  for (const option of optionsOf(element)) {
    if (optionSelected(option) === wanted.has(option)) continue;
    changed = true;
    if (wanted.has(option) || isMultiple(element)) setOptionSelected(option, wanted.has(option));
  }
  if (changed) {
    dispatch(element, new Event('input', { bubbles: true, composed: true }));
    changeEvent(element);
  }
  const data: SelectResponse = {
    action: 'select',
    id: numberOf(element),
    value: selectValueOf(element),
    text: selectedTexts(element).join(', '),
    previous: previous.join(', '),
  };
  if (isMultiple(element)) data.texts = selectedTexts(element);
  return data;
}

type Options = readonly HTMLOptionElement[];

function requestedOptions(element: Element, request: SelectRequest): Options {
  const { value, text, index, values } = request;
  const criteria = [value, text, index, values].filter(isPresent);
  if (criteria.length !== 1) throw new Refusal('INVALID_REQUEST', 'one of value, text, index or values is required');
  const wanted: unknown = isPresent(values) ? values : criteria;
  if (!Array.isArray(wanted)) throw new Refusal('INVALID_REQUEST', 'values must be a list');
  if (wanted.length !== 1 && !isMultiple(element)) {
    throw new Refusal('INVALID_ELEMENT_TYPE', 'the select takes one option, not several');
  }
  const options = Array.from(optionsOf(element));
  const lookup = isPresent(index)
    ? optionAt
    : isPresent(text)
      ? optionWithText
      : isPresent(value)
        ? optionOfValue
        : optionCalled;
  const chosen = wanted.map((each: unknown) => {
    const option = lookup(options, each);
    if (option) return option;
    const listed = options.slice(0, MAX_LISTED_OPTIONS).map(optionLabel);
    throw new Refusal('OPTION_NOT_FOUND', `no option ${printJson(each)}`, { options: listed, count: options.length });
  });
  for (const option of chosen) {
    if (matches(option, ':disabled'))
      throw new Refusal('ELEMENT_DISABLED', `the option "${optionLabel(option)}" is disabled`);
  }
  return chosen;
}

type Lookup = (options: Options, wanted: unknown) => HTMLOptionElement | undefined;

const optionAt: Lookup = (options, index) => options[wholeNumber(index, 'index')];
const optionOfValue: Lookup = (options, wanted) => options.find((option) => optionValue(option) === String(wanted));
const optionCalled: Lookup = (options, wanted) => optionOfValue(options, wanted) || optionWithText(options, wanted);

const optionWithText: Lookup = (options, wanted) => {
  const flat = collapse(String(wanted));
  return (
    options.find((option) => optionLabel(option) === flat) ||
    options.find((option) => optionLabel(option).toLowerCase() === flat.toLowerCase())
  );
};

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
