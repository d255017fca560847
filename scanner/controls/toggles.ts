// check, uncheck, toggle (docs/spec/scanner-protocol.md#toggle): what is on or off, or mixed: boxes, radio buttons,
// switches, toggle buttons, options and tree items that are ticked.

import { attribute, inputTypeOf, matches, shadowOf, tagOf } from '../dom/natives';
import type {
  CheckRequest,
  CheckResponse,
  CheckedExpectation,
  ToggleRequest,
  ToggleResponse,
  ToggleState,
  UncheckRequest,
  VerifyResponse,
} from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { queryAll } from '../dom/banner';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { elementAbove } from '../dom/tree';
import { labelControlOf } from '../dom/labels';
import { isVisible } from '../geometry/visibility';
import { authoredRole } from '../semantics/roles';
import { checkedState, isDisabled, isMixed } from '../semantics/values';
import { requestedElement } from '../targets/candidates';
import { pressable } from '../input/locate';
import { click } from '../input/act';
import { clickAny } from './fields';
import { isInput } from './prepare';
import { isMatched } from '../dom/top_layer';

const STATES: Readonly<Record<string, ToggleState>> = { true: 'checked', false: 'unchecked', mixed: 'mixed' };
const SELECTABLE = new Set(['option', 'treeitem', 'row']);

/**
 * The state of an element, or null for one that has none. What says `aria-checked` counts before `aria-pressed`, and
 * `aria-selected` only of what is chosen from a list (https://www.w3.org/TR/wai-aria-1.2/#aria-checked).
 */
function toggleState(element: Element): ToggleState | null {
  if (isNativeToggle(element)) return isMixed(element) ? 'mixed' : checkedState(element) ? 'checked' : 'unchecked';
  const names = ['aria-checked', 'aria-pressed', ...(SELECTABLE.has(authoredRole(element)) ? ['aria-selected'] : [])];
  for (const name of names) {
    const state = STATES[attribute(element, name) ?? ''];
    if (state) return state;
  }
  const checked = checkedState(element);
  if (checked !== null) return checked ? 'checked' : 'unchecked';
  return customState(element);
}

const isNativeToggle = (element: Element): boolean =>
  isInput(element) && /^(checkbox|radio)$/.test(inputTypeOf(element));

/** What a custom element shows of its state to style rules alone (https://html.spec.whatwg.org/#selector-custom). */
function customState(element: Element): ToggleState | null {
  if (!tagOf(element).includes('-')) return null;
  if (isMatched(element, ':state(indeterminate)')) return 'mixed';
  return isMatched(element, ':state(checked)') ? 'checked' : null;
}

const TOGGLES =
  'input[type=checkbox],input[type=radio],[role=checkbox],[role=switch],[role=radio],[role=menuitemcheckbox],' +
  '[role=menuitemradio],[aria-checked]';

/** What has the state that an element stands for: itself, its label's control, the only one inside, the one around. */
function toggleOf(element: Element): Element {
  const labelled = tagOf(element) === 'label' ? labelControlOf(element) : null;
  if (labelled && toggleState(labelled)) return labelled;
  const inner = onlyToggleIn(element);
  const own = toggleState(element);
  // A press on a tree item or a row chooses it; a press on its box ticks it.
  if (inner && (own === null || SELECTABLE.has(authoredRole(element)))) return inner;
  if (own !== null) return element;
  for (let node = elementAbove(element); node; node = elementAbove(node)) {
    if (tagOf(node) === 'label') return labelControlOf(node) ?? element;
    if (matches(node, TOGGLES)) return node;
  }
  return element;
}

function onlyToggleIn(element: Element): Element | null {
  const shadow = shadowOf(element);
  const [first, ...others] = [element, ...(shadow ? [shadow] : [])].flatMap((root) => [...queryAll(root, TOGGLES)]);
  // A row inside of a row, or a native box under the drawn one that has the role.
  return first && others.every((other) => isSameToggle(first, other)) ? first : null;
}

/** Whether one box is drawn for the other: both have the same box around them, and only one is a control of the page. */
const isSameToggle = (one: Element, other: Element): boolean =>
  isNativeToggle(one) !== isNativeToggle(other) && elementAbove(one) === elementAbove(other);

function requestedToggle(request: CheckRequest | UncheckRequest | ToggleRequest): [Element, ToggleState] {
  const element = toggleOf(requestedElement(request));
  const state = toggleState(element);
  if (state === null) throw new Refusal('INVALID_ELEMENT_TYPE', `it can't be checked: ${tagOf(element)}`);
  return [element, state];
}

const isRadio = (element: Element): boolean =>
  /^(menuitem)?radio$/.test(authoredRole(element)) || (isInput(element) && inputTypeOf(element) === 'radio');

export function toggle(request: ToggleRequest): ToggleResponse {
  const [element, state] = requestedToggle(request);
  continueNumbers(request.next_id || 1);
  return { id: numberOf(element), state, radio: isRadio(element), next_id: nextNumber };
}

export const check = (request: CheckRequest): Promise<CheckResponse> => setCheckedState(request, true);
export const uncheck = (request: UncheckRequest): Promise<CheckResponse> => setCheckedState(request, false);

async function setCheckedState(request: CheckRequest | UncheckRequest, wanted: boolean): Promise<CheckResponse> {
  const [element, before] = requestedToggle(request);
  if (isDisabled(element)) throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  if (isRadio(element) && !wanted && before === 'checked')
    throw new Refusal('INVALID_ELEMENT_TYPE', "a radio button can't be unchecked, choose another one");
  if (before !== stateFor(wanted)) {
    const place = pressable(element);
    if (isVisible(place)) await click({ cmd: 'click', id: numberOf(place) });
    else clickAny(element);
  }
  const after = toggleState(element);
  return {
    action: wanted ? 'check' : 'uncheck',
    id: numberOf(element),
    checked: after === null ? null : after !== 'unchecked',
    changed: before !== after,
  };
}

const stateFor = (checked: boolean): ToggleState => (checked ? 'checked' : 'unchecked');

/** Whether an element has the state; one that is neither in its state nor shown any more is gone. */
export function verifyChecked(named: Element, { checked }: CheckedExpectation): VerifyResponse {
  const element = toggleOf(named);
  const now = toggleState(element);
  if (now === stateFor(checked)) return { holds: true };
  if (now === null || !isVisible(pressable(element))) return { holds: false, gone: true };
  return { holds: false, now };
}
