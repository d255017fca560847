// The element map (docs/spec/scanner-protocol.md#element-map): numbers given to elements, and how commands get their
// element back.

import { Refusal } from './refusal';
import { isAttached } from './tree';
import type { Facts } from './candidate';

let lastSeen: Facts | null = null; // the facts of the last snapshot
export const formerParents = new WeakMap<Node, Node>(); // of a removed node: an element, a shadow root or a document

/** Call for the mutations of the page: a removed subtree no longer tells where it was. */
export function noteRemovals(records: readonly MutationRecord[]): void {
  if (!elementOfNumber.size) return;
  for (const { target, removedNodes } of records) {
    for (let index = 0; index < removedNodes.length; index++) {
      const node = removedNodes[index];
      if (node) formerParents.set(node, target);
    }
  }
}

/** Call before the facts of a snapshot are dropped. */
export function noteSeen(facts: Facts): void {
  if (facts.size && elementOfNumber.size) lastSeen = facts;
}

/** The facts of the last snapshot, once. */
export function takeLastSeen(): Facts | null {
  const facts = lastSeen;
  lastSeen = null;
  return facts;
}

// Weak, so that a page that lives long and replaces its elements does not grow by those that were numbered once.
export let elementOfNumber = new Map<number, WeakRef<Element>>();
export let numberOfElement = new WeakMap<Element, number>();
export let nextNumber = 1;

export function clearNumbers(from: number | undefined): void {
  elementOfNumber = new Map();
  numberOfElement = new WeakMap();
  nextNumber = from || 1;
}

/** Numbers go on from here when the engine says so: frames of one page share one numbering. */
export function continueNumbers(from: number): void {
  if (from > nextNumber) nextNumber = from;
}

export function numberOf(element: Element): number {
  let number = numberOfElement.get(element);
  if (number === undefined) {
    number = nextNumber++;
    numberOfElement.set(element, number);
    elementOfNumber.set(number, new WeakRef(element));
  }
  return number;
}

/** Another element takes over a number. */
export function transferNumber(element: Element, heir: Element): void {
  const number = numberOfElement.get(element);
  if (number === undefined) return;
  numberOfElement.delete(element);
  numberOfElement.set(heir, number);
  elementOfNumber.set(number, new WeakRef(heir));
}

// A frame that a command goes on in: its number is no element's, and the next such frame takes it over.
export const EXPOSED_FRAME = -1;

/** The number of a frame element for the very next command of the backend's, outside of every numbering. */
export function exposeFrame(frame: Element): number {
  elementOfNumber.set(EXPOSED_FRAME, new WeakRef(frame));
  return EXPOSED_FRAME;
}

// References (`@e5`) are a second numbering, of the nodes of the last tree alone.
let elementOfReference = new Map<number, WeakRef<Element>>();
export let nextReference = 1;

export function startReferences(from: number): void {
  elementOfReference = new Map();
  nextReference = from;
}

export function referenceOf(element: Element): number {
  elementOfReference.set(nextReference, new WeakRef(element));
  return nextReference++;
}

export function elementReferenced(reference: number): Element {
  if (!elementOfReference.has(reference)) throw new Refusal('ELEMENT_NOT_FOUND', `element @e${reference} not found`);
  const element = attachedReference(reference);
  if (!element) throw new Refusal('ELEMENT_STALE', `element @e${reference} is no longer on the page`);
  return element;
}

/** The element with a reference, or null for one that is gone or was never given. */
export function attachedReference(reference: number): Element | null {
  const element = elementOfReference.get(reference)?.deref();
  return element && isAttached(element) ? element : null;
}

export function attachedElement(number: number): Element | null {
  const element = elementOfNumber.get(number)?.deref();
  return element && isAttached(element) ? element : null;
}
