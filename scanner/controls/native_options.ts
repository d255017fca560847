// select (docs/spec/scanner-protocol.md#select): a choice from the options of HTML's own, of a `select` element or of the
// `datalist` of a field. A text is first what the page shows for an option, and only then its `value` attribute.

import {
  boxOf,
  dispatch,
  isMultiple,
  matches,
  optionSelected,
  optionValue,
  optionsOf,
  ownerOf,
  printJson,
  selectValueOf,
  setInputValue,
  setOptionSelected,
  tagOf,
} from '../dom/natives';
import type { SelectRequest, SelectResponse } from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse, fold } from '../dom/words';
import { numberOf } from '../dom/numbers';
import { labelControlOf } from '../dom/labels';
import { hitIn } from '../geometry/boxes';
import {
  MAX_LISTED_OPTIONS,
  isDisabled,
  isOptionHidden,
  isReadOnly,
  optionLabel,
  selectedTexts,
  suggestionLabel,
  suggestionsOf,
  valueOf,
} from '../semantics/values';
import { requestedElement } from '../targets/candidates';
import { middleOf } from '../input/press_points';
import { changeEvent, focusOn, inputEvents } from '../input/events';
import { isInput } from './prepare';

export function select(request: SelectRequest): SelectResponse {
  const requested = requestedElement(request);
  const element = (tagOf(requested) === 'label' && labelControlOf(requested)) || requested;
  const suggestions = suggestionsOf(element);
  if (tagOf(element) !== 'select' && !suggestions)
    throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} has no options`);
  if (isDisabled(element)) throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  return suggestions && isInput(element)
    ? takeSuggestion(element, suggestions, request)
    : chooseOptions(element, request);
}

function chooseOptions(element: Element, request: SelectRequest): SelectResponse {
  const chosen = requestedOptions(Array.from(optionsOf(element)), request, isMultiple(element));
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
    chosen: chosen.map(optionLabel),
  };
  if (isMultiple(element)) data.texts = selectedTexts(element);
  return data;
}

/** Write the value of an option as the browser does whose list of suggestions is not a part of the page. */
function takeSuggestion(
  field: HTMLInputElement,
  suggestions: readonly HTMLOptionElement[],
  request: SelectRequest,
): SelectResponse {
  if (isReadOnly(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is read-only');
  const [option] = requestedOptions(suggestions, request, false);
  const text = option ? optionValue(option) : '';
  const previous = valueOf(field);
  focusOn(field);
  if (previous !== text) {
    inputEvents(field, 'insertReplacementText', text, () => setInputValue(field, text));
    changeEvent(field);
  }
  return {
    action: 'select',
    id: numberOf(field),
    value: valueOf(field),
    text: valueOf(field),
    previous,
    chosen: [text],
  };
}

type Options = readonly HTMLOptionElement[];

function requestedOptions(all: Options, request: SelectRequest, isSeveral: boolean): Options {
  const { value, text, index, values } = request;
  const criteria = [value, text, index, values].filter(isPresent);
  if (criteria.length !== 1) throw new Refusal('INVALID_REQUEST', 'one of value, text, index or values is required');
  const wanted: unknown = isPresent(values) ? values : criteria;
  if (!Array.isArray(wanted)) throw new Refusal('INVALID_REQUEST', 'values must be a list');
  if (wanted.length !== 1 && !isSeveral) {
    throw new Refusal('INVALID_ELEMENT_TYPE', 'the select takes one option, not several');
  }
  const lookup = isPresent(index)
    ? optionAt
    : isPresent(text)
      ? optionWithText
      : isPresent(value)
        ? optionOfValue
        : optionCalled;
  const options = isPresent(index) ? all : all.filter((option) => !isOptionHidden(option));
  const chosen = wanted.map((each: unknown) => {
    const option = lookup(options, each);
    if (option) return option;
    const offered = options.filter((other) => !matches(other, ':disabled'));
    const listed = offered.slice(0, MAX_LISTED_OPTIONS).map(suggestionLabel);
    throw new Refusal('OPTION_NOT_FOUND', `no option ${printJson(each)}`, { options: listed, count: offered.length });
  });
  for (const option of chosen) {
    if (matches(option, ':disabled'))
      throw new Refusal('ELEMENT_DISABLED', `the option "${suggestionLabel(option)}" is disabled`);
  }
  return chosen;
}

type Lookup = (options: Options, wanted: unknown) => HTMLOptionElement | undefined;

const optionAt: Lookup = (options, index) => options[wholeNumber(index, 'index')];
const optionOfValue: Lookup = (options, wanted) => options.find((option) => optionValue(option) === String(wanted));
const optionCalled: Lookup = (options, wanted) => optionWithText(options, wanted) || optionOfValue(options, wanted);

/** Of equal texts, one that can be chosen is meant. */
const optionWithText: Lookup = (options, wanted) => {
  const flat = collapse(String(wanted));
  const folded = fold(flat);
  const exact = options.filter((option) => suggestionLabel(option) === flat);
  const equal = exact.length ? exact : options.filter((option) => fold(suggestionLabel(option)) === folded);
  return equal.find((option) => !matches(option, ':disabled')) || equal[0];
};
