// The candidates, and the elements that requests name.

import { ownerOf, tagOf } from '../dom/natives';
import type { ElementParameters } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { CLICK_EVENTS, frameElementOf } from '../dom/tree';
import { EXPOSED_FRAME, attachedElement, elementOfNumber, noteSeen } from '../dom/numbers';
import { allElements, currentCache, forgetCache, refreshCache, scope, walkableElements } from '../dom/snapshot';
import { queryFirst } from '../dom/selectors';
import { INVENTED_NAMES } from '../semantics/labels';
import { classifyCandidate, collect, listening, listeningClosed, setListening } from '../semantics/interactive';
import { transferNumbers } from './number_transfer';

/** All interactive elements in walk order, classified. */
export function foundElements(): readonly Candidate[] {
  const all = allElements();
  const current = currentCache();
  if (!current.found) {
    current.found = collect(all, current.frames);
    for (const candidate of current.found) {
      classifyCandidate(candidate);
      current.facts.set(candidate.element, candidate);
    }
    transferNumbers(current.found, passiveElements);
  }
  return current.found;
}

/** The elements with these tags that are not interactive, in walk order. */
function passiveElements(tags: ReadonlySet<string>): Candidate[] {
  const { facts } = currentCache();
  return walkableElements(allElements())
    .filter((element) => tags.has(tagOf(element)) && !facts.has(element))
    .map(factsOf);
}

/** The facts about any element, interactive or not, as scan and find answer them. */
export function factsOf(element: Element): Candidate {
  foundElements();
  const { facts } = currentCache();
  let candidate = facts.get(element);
  if (!candidate) {
    const owner = ownerOf(element);
    candidate = {
      element,
      frame: owner === scope ? null : frameElementOf(owner),
      tag: tagOf(element),
      strong: false,
      passive: true,
      type: 'generic',
      role: '',
      fixed: [],
      concealed: false,
    };
    classifyCandidate(candidate);
    facts.set(element, candidate);
  }
  return candidate;
}

/** Take over which elements in closed shadow roots have listeners, and for what. */
export function takeClosedListeners(kinds: readonly (readonly string[])[], elements: readonly Element[]): void {
  let isNew = false;
  elements.forEach((element, at) => {
    if (listeningClosed.has(element) || !kinds[at]?.some((kind) => CLICK_EVENTS.includes(kind))) return;
    isNew = true;
    listeningClosed.add(element);
  });
  if (isNew) forgetFound();
}

function forgetFound(): void {
  const current = currentCache();
  noteSeen(current.facts);
  current.found = null;
  current.facts = new Map();
  current.names = new Map();
  current.remembered.delete(INVENTED_NAMES);
}

let hinted = 0; // how many positions the last hints had

/** Take over the backend's hints; returns whether they fit the page as it is. */
export function takeHints(positions: readonly number[], count: number): boolean {
  let all = walkableElements(allElements());
  if (all.length !== count) {
    forgetCache();
    all = walkableElements(allElements());
    if (all.length !== count) return false;
  }
  const elements = positions.map((position) => all[position]).filter((element) => element !== undefined);
  const isNew = elements.some((element) => !listening.has(element));
  if (!isNew && positions.length === hinted) return true;
  hinted = positions.length;
  setListening(elements);
  forgetFound();
  return true;
}

/** The element with a number, or null for one that is gone. Refuses a number that was never given. */
export function elementNumbered(number: number): Element | null {
  if (!elementOfNumber.has(number)) throw new Refusal('ELEMENT_NOT_FOUND', `element ${number} not found`);
  const present = attachedElement(number);
  if (present || number === EXPOSED_FRAME) return present;
  refreshCache();
  foundElements(); // its like takes over its number
  return attachedElement(number);
}

/** The element with a number. Refuses one that is gone. */
export function elementOf(number: number): Element {
  const element = elementNumbered(number);
  if (!element) throw new Refusal('ELEMENT_STALE', `element ${number} is no longer on the page`);
  return element;
}

/** The element that a request names by `id` or `selector`. */
export function requestedElement(request: ElementParameters): Element {
  if (isPresent(request.id)) return elementOf(wholeNumber(request.id, 'id'));
  if (request.selector) {
    const element = queryFirst(request.selector);
    if (!element) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.selector}`);
    return element;
  }
  throw new Refusal('INVALID_REQUEST', 'id or selector is required');
}
