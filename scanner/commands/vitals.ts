// vitals (docs/spec/scanner-protocol.md#vitals): what web-vitals has measured of the top document, and on which elements.

import type { MetricWithAttribution } from 'web-vitals/attribution';

import { ELEMENT_NODE, NativePromise, nodeTypeOf, outerHtmlOf, parentOf } from '../dom/natives';
import type { VitalData, VitalName, VitalsRequest, VitalsResponse } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { requestIdle, wholeFrame } from '../dom/timing';
import { observedVitals } from '../vitals/observed';

const MAX_HTML = 120;
const IDLE_MILLISECONDS = 1000;

/** The type of performance entries that a metric is made of. */
const ENTRY_TYPES: Record<VitalName, string> = {
  LCP: 'largest-contentful-paint',
  CLS: 'layout-shift',
  INP: 'event',
  FCP: 'paint',
  TTFB: 'navigation',
};

export async function vitals({ next_id: next }: VitalsRequest): Promise<VitalsResponse> {
  const observed = observedVitals();
  if (!observed) throw new Refusal('INVALID_REQUEST', 'web-vitals is not loaded');
  continueNumbers(next || 1);
  await untilReported();
  const supported = PerformanceObserver.supportedEntryTypes;
  return {
    metrics: [...observed.metrics.values()].map(vital),
    unsupported: Object.entries(ENTRY_TYPES).flatMap(([name, type]) =>
      supported.includes(type) ? [] : [name as VitalName],
    ),
    late: observed.isLate,
    hidden: wasHidden(),
    next_id: nextNumber,
  };
}

/** Entries arrive after the frame that they are about, and the library takes them when the page is idle. */
async function untilReported(): Promise<void> {
  if (document.visibilityState === 'hidden') return;
  await wholeFrame();
  await new NativePromise<void>((resolve) => requestIdle(() => resolve(), IDLE_MILLISECONDS));
}

/** Whether the page was in the background when it was loaded. */
const wasHidden = (): boolean =>
  performance.getEntriesByType('visibility-state').some(({ name, startTime }) => name === 'hidden' && startTime === 0);

function vital(metric: MetricWithAttribution): VitalData {
  const element = elementOf(metric);
  return {
    name: metric.name,
    value: metric.value,
    rating: metric.rating,
    id: element && numberOf(element),
    element: element ? outerHtmlOf(element).slice(0, MAX_HTML) : selectorOf(metric),
    interaction: metric.name === 'INP' ? (metric.attribution.interactionType ?? null) : null,
    parts: partsOf(metric),
  };
}

/** The element of a metric; null if it has left the page, or is in a shadow root. */
function elementOf(metric: MetricWithAttribution): Element | null {
  switch (metric.name) {
    case 'LCP':
      return metric.attribution.lcpEntry?.element ?? null;
    case 'CLS':
      return elementAt(metric.attribution.largestShiftSource?.node);
    case 'INP':
      return elementAt(metric.entries.find(({ target }) => target)?.target);
    default:
      return null;
  }
}

function elementAt(node: Node | null | undefined): Element | null {
  if (!node) return null;
  return nodeTypeOf(node) === ELEMENT_NODE ? (node as Element) : elementAt(parentOf(node));
}

/** The selector that the library wrote down when the element was there. */
function selectorOf(metric: MetricWithAttribution): string | null {
  switch (metric.name) {
    case 'LCP':
      return metric.attribution.target || null;
    case 'CLS':
      return metric.attribution.largestShiftTarget || null;
    case 'INP':
      return metric.attribution.interactionTarget || null;
    default:
      return null;
  }
}

/** What the time of a metric consists of, in milliseconds. */
function partsOf(metric: MetricWithAttribution): VitalData['parts'] {
  switch (metric.name) {
    case 'LCP': {
      const { timeToFirstByte, resourceLoadDelay, resourceLoadDuration, elementRenderDelay } = metric.attribution;
      return {
        'first byte': timeToFirstByte,
        'load delay': resourceLoadDelay,
        load: resourceLoadDuration,
        'render delay': elementRenderDelay,
      };
    }
    case 'INP': {
      const { inputDelay, processingDuration, presentationDelay } = metric.attribution;
      return { 'input delay': inputDelay, processing: processingDuration, presentation: presentationDelay };
    }
    case 'FCP': {
      const { timeToFirstByte, firstByteToFCP } = metric.attribution;
      return { 'first byte': timeToFirstByte, rendering: firstByteToFCP };
    }
    case 'TTFB': {
      const { waitingDuration, cacheDuration, dnsDuration, connectionDuration, requestDuration } = metric.attribution;
      return {
        waiting: waitingDuration,
        cache: cacheDuration,
        dns: dnsDuration,
        connection: connectionDuration,
        request: requestDuration,
      };
    }
    case 'CLS':
      return {};
  }
}
