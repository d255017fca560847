// The functions that a world gets (docs/spec/scanner-protocol.md#injection); none of them can be replaced.

import { takeSemantics, unsaidElements } from '../dom/default_semantics';
import { elementOfNumber } from '../dom/numbers';
import { takeClosedRoots, unsureHosts } from '../dom/snapshot';
import { elementNumbered, takeClosedListeners } from '../targets/candidates';
import { answer } from '../commands/dispatch';

// For backends: the element that a number stands for, or null.
Object.defineProperty(globalThis, '__oryn_element', {
  value: (number: number): Element | null => (elementOfNumber.has(number) ? elementNumbered(number) : null),
  enumerable: false,
  configurable: false,
  writable: false,
});

// The elements to look for closed shadow roots of, and what takes the roots that were found.
Object.defineProperty(globalThis, '__oryn_unsure', {
  value: unsureHosts,
  enumerable: false,
  configurable: false,
  writable: false,
});

Object.defineProperty(globalThis, '__oryn_closed', {
  value: takeClosedRoots,
  enumerable: false,
  configurable: false,
  writable: false,
});

// Takes what elements in closed shadow roots listen for.
Object.defineProperty(globalThis, '__oryn_listening', {
  value: takeClosedListeners,
  enumerable: false,
  configurable: false,
  writable: false,
});

// The custom elements to ask the browser about, and what takes its answers.
Object.defineProperty(globalThis, '__oryn_unsaid', {
  value: unsaidElements,
  enumerable: false,
  configurable: false,
  writable: false,
});

Object.defineProperty(globalThis, '__oryn_semantics', {
  value: takeSemantics,
  enumerable: false,
  configurable: false,
  writable: false,
});

// Runs one request.
Object.defineProperty(globalThis, '__oryn_scanner', {
  value: answer,
  enumerable: false,
  configurable: false,
  writable: false,
});
