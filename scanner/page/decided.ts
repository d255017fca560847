// What a press on a button is about: the fields of its form, or what stands in its dialog.

import { closest, formOf } from '../dom/natives';
import type { DecidedElementsRequest, DecidedElementsResponse } from '../dom/protocol';
import { attachedElement } from '../dom/numbers';
import { holds } from '../dom/tree';
import { DIALOG_SELECTOR } from '../semantics/roles';

/** decided_elements: those of `elements` that are in the form of the element `subject`, or without one in its dialog. */
export function decidedElements({ subject, elements }: DecidedElementsRequest): DecidedElementsResponse {
  const button = attachedElement(subject);
  const form = button && formOf(button);
  const around = button && (form ?? closest(button, DIALOG_SELECTOR));
  const isInside = (element: Element | null): boolean =>
    element !== null && around !== null && (holds(around, element) || (form !== null && formOf(element) === form));
  return { elements: elements.filter((number) => isInside(attachedElement(number))) };
}
