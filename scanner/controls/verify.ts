// verify (docs/spec/scanner-protocol.md#verify): whether what an act is for is true of its element.

import { closest, matches, ownerOf } from '../dom/natives';
import type {
  DroppedExpectation,
  Expectation,
  FilesExpectation,
  FocusedExpectation,
  HoveredExpectation,
  InViewExpectation,
  PressFate,
  PressedExpectation,
  VerifyRequest,
  VerifyResponse,
} from '../dom/protocol';
import { Refusal, isPresent } from '../dom/refusal';
import { HOVERED, holds } from '../dom/tree';
import { isVisible, visibleBox } from '../geometry/visibility';
import { hitIn } from '../geometry/boxes';
import { focusedElement, isDisabled } from '../semantics/values';
import { requestedElement } from '../targets/candidates';
import { visiblePart } from '../page/scrolling';
import { middleOf } from '../input/press_points';
import { pressable } from '../input/locate';
import { shortDescription } from '../input/reception';
import { isDropRefused, pressOutcome } from '../input/press_record';
import { verifyChosen } from './options';
import { verifyChecked } from './toggles';
import { fieldInPlaceOf, verifyValue } from './text_entry';

type Verifier<Kind extends Expectation['kind']> = (
  element: Element,
  expects: Extract<Expectation, { kind: Kind }>,
) => VerifyResponse;

const VERIFIERS: { readonly [Kind in Expectation['kind']]: Verifier<Kind> } = {
  checked: verifyChecked,
  chosen: verifyChosen,
  focused: verifyFocused,
  value: verifyValue,
  pressed: verifyPressed,
  hovered: verifyHovered,
  in_view: verifyInView,
  dropped: verifyDropped,
  files: verifyFiles,
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
    if (!(error instanceof Refusal) || error.code !== 'ELEMENT_STALE') throw error;
    const field = expects.kind === 'value' && isPresent(request.id) ? fieldInPlaceOf(request.id) : null;
    if (!field) return { holds: false, gone: true };
    element = field;
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

/** Only an element that has moved away is not hovered: what lies over it now has come because of the mouse. */
function verifyHovered(element: Element, _: HoveredExpectation): VerifyResponse {
  const shown = pressable(element);
  const box = isVisible(shown) ? visibleBox(shown) : null;
  if (matches(shown, HOVERED) || !box) return { holds: true };
  const { x, y } = middleOf(box);
  const hit = hitIn(ownerOf(shown), x, y);
  if (!hit || !holds(shown, hit)) return { holds: true };
  return { holds: false, now: 'it moved away', fate: 'moved', again: true };
}

function verifyInView(element: Element, _: InViewExpectation): VerifyResponse {
  const box = isVisible(element) ? visibleBox(element) : null;
  if (!box) return { holds: false, now: 'it is hidden' };
  return visiblePart(element, box) ? { holds: true } : { holds: false, now: 'it is out of sight' };
}

function verifyDropped(_: Element, __: DroppedExpectation): VerifyResponse {
  return isDropRefused() ? { holds: false, now: 'nothing took it there' } : { holds: true };
}

function verifyFiles(element: Element, { names }: FilesExpectation): VerifyResponse {
  const { files } = element as Partial<HTMLInputElement>;
  const held = Array.from(files ?? [], (file) => file.name);
  if (held.join('\n') === names.join('\n')) return { holds: true };
  return { holds: false, now: held.join(', ') };
}
