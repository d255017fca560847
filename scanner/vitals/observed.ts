// What the library of web vitals has seen of a document: it has an entry of its own (entries/vitals.ts), in the scanner's
// world, which some browsers lack.

import type { MetricType } from 'web-vitals';
import type { MetricWithAttribution } from 'web-vitals/attribution';

export interface ObservedVitals {
  /** The latest report of each metric. */
  readonly metrics: ReadonlyMap<MetricType['name'], MetricWithAttribution>;
  /** How many timers and idle callbacks, and how many animation frames, the library has asked for. */
  readonly requests: { readonly timers: number; readonly frames: number };
  /** Whether the document had a body already: what was not buffered has been missed. */
  readonly isLate: boolean;
}

/** Null if the library was not loaded. */
export const observedVitals = (): ObservedVitals | null =>
  (globalThis as { __oryn_vitals?: ObservedVitals }).__oryn_vitals ?? null;
