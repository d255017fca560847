// verify (docs/spec/scanner-protocol.md#verify): whether what an act is for is true of its element.

import type { ValueExpectation as Expectation, VerifyRequest, VerifyResponse } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { requestedElement } from '../targets/candidates';
import { verifyValue } from './text_entry';

type Verifier<Kind extends Expectation['kind']> = (
  element: Element,
  expects: Extract<Expectation, { kind: Kind }>,
) => VerifyResponse;

const VERIFIERS: { readonly [Kind in Expectation['kind']]: Verifier<Kind> } = {
  value: verifyValue,
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
  return (VERIFIERS[expects.kind] as (element: Element, expects: Expectation) => VerifyResponse)(element, expects);
}
