import { ownerOf, tagOf } from '../dom/natives';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { CLICK_EVENTS, frameElementOf } from '../dom/tree';
import { EXPOSED_FRAME, attachedElement, elementOfNumber, noteSeen } from '../dom/numbers';
import { allElements, currentCache, forgetCache, refreshCache, scope, walkableElements } from '../dom/snapshot';
import { queryFirst } from '../dom/selectors';
import { INVENTED_NAMES } from '../semantics/labels';
import { classifyCandidate, collect, listening, listeningClosed, setListening } from '../semantics/interactive';
import { transferNumbers } from './number_transfer';

/** All interactive elements in walk order, classified. */
export function foundElements() {
  const all = allElements();
  const current = currentCache();
  if (!current.found) {
    current.found = collect(all, current.frames);
    for (const candidate of current.found) {
      classifyCandidate(candidate);
      current.facts.set(candidate.element, candidate);
    }
    transferNumbers(current.found);
  }
  return current.found;
}

/** The facts about any element, interactive or not, as scan and find answer them. */
export function factsOf(element) {
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
    };
    classifyCandidate(candidate);
    facts.set(element, candidate);
  }
  return candidate;
}

let hinted = 0; // how many positions the last hints had

/** Take over which elements in closed shadow roots have listeners, and for what. */
export function takeClosedListeners(kinds, elements) {
  let isNew = false;
  elements.forEach((element, at) => {
    if (listeningClosed.has(element) || !kinds[at].some((kind) => CLICK_EVENTS.includes(kind))) return;
    isNew = true;
    listeningClosed.add(element);
  });
  if (isNew) forgetFound();
}

function forgetFound() {
  const current = currentCache();
  noteSeen(current.facts);
  current.found = null;
  current.facts = new Map();
  current.names = new Map();
  current.remembered.delete(INVENTED_NAMES);
}

/** Take over the backend's hints; returns whether they fit the page as it is. */
export function takeHints(positions, count) {
  let all = walkableElements(allElements());
  if (all.length !== count) {
    forgetCache();
    all = walkableElements(allElements());
    if (all.length !== count) return false;
  }
  let isNew = false;
  for (const position of positions) if (all[position] && !listening.has(all[position])) isNew = true;
  const unchanged = !isNew && positions.length === hinted;
  if (unchanged) return true;
  hinted = positions.length;
  setListening(positions.map((position) => all[position]).filter(Boolean));
  forgetFound();
  return true;
}

/** The element with a number, or null for one that is gone. Refuses a number that was never given. */
export function elementNumbered(number) {
  if (!elementOfNumber.has(number)) throw new Refusal('ELEMENT_NOT_FOUND', `element ${number} not found`);
  const present = attachedElement(number);
  if (present || number === EXPOSED_FRAME) return present;
  refreshCache();
  foundElements(); // its like takes over its number
  return attachedElement(number);
}

export function elementOf(number) {
  const element = elementNumbered(number);
  if (!element) throw new Refusal('ELEMENT_STALE', `element ${number} is no longer on the page`);
  return element;
}

/** The element that a request names by `id` or `selector`. */
export function requestedElement(request) {
  if (isPresent(request.id)) return elementOf(wholeNumber(request.id, 'id'));
  if (request.selector) {
    const element = queryFirst(request.selector);
    if (!element) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.selector}`);
    return element;
  }
  throw new Refusal('INVALID_REQUEST', 'id or selector is required');
}
