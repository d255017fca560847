// verify (docs/spec/scanner-protocol.md#verify): whether what an act is for is true of its element.

import { closest } from '../dom/natives';
import type {
  Expectation,
  FocusedExpectation,
  PressFate,
  PressedExpectation,
  VerifyRequest,
  VerifyResponse,
} from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { holds } from '../dom/tree';
import { focusedElement, isDisabled } from '../semantics/values';
import { requestedElement } from '../targets/candidates';
import { shortDescription } from '../input/locate';
import { pressOutcome } from '../input/press_record';
import { verifyChecked } from './toggles';

type Verifier<Kind extends Expectation['kind']> = (
  element: Element,
  expects: Extract<Expectation, { kind: Kind }>,
) => VerifyResponse;

const VERIFIERS: { readonly [Kind in Expectation['kind']]: Verifier<Kind> } = {
  checked: verifyChecked,
  focused: verifyFocused,
  pressed: verifyPressed,
};

/** An element that was replaced is followed; of one that has gone nothing is said. */
export function verify(request: VerifyRequest): VerifyResponse {
  const { expects } = request;
  if (!Object.prototype.hasOwnProperty.call(VERIFIERS, expects.kind))
    throw new Refusal('INVALID_REQUEST', `no such expectation: ${expects.kind}`);
  let element: Element;
  try {
    element = requestedElement(request);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'ELEMENT_STALE') return { holds: false, gone: true };
    throw error;
  }
  const verifier = VERIFIERS[expects.kind] as (element: Element, expects: Expectation) => VerifyResponse;
  const verdict = verifier(element, expects);
  if (verdict.holds || verdict.gone) return verdict;
  return { ...verdict, pending: isDisabled(element) || closest(element, '[aria-busy=true]') !== null };
}

function verifyFocused(element: Element, _: FocusedExpectation): VerifyResponse {
  const focused = focusedElement();
  if (focused && holds(element, focused)) return { holds: true };
  return { holds: false, now: focused ? shortDescription(focused) : '' };
}

function verifyPressed(element: Element, _: PressedExpectation): VerifyResponse {
  const outcome = pressOutcome(element);
  if (outcome === 'reached') return { holds: true };
  if (outcome === 'unknown') return { holds: false, gone: true };
  const { fate, by, again } = outcome;
  return { holds: false, now: FATES[fate](by ? shortDescription(by) : 'something'), fate, again };
}

const FATES: Readonly<Record<PressFate, (by: string) => string>> = {
  moved: () => 'it moved away while the mouse was down',
  covered: (by) => `${by} came over it while the mouse was down`,
  replaced: () => 'the page drew it anew while the mouse was down',
  missed: (by) => `${by} was pressed instead`,
};
