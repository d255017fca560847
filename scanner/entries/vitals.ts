// Observes the web vitals of a top document by web-vitals (https://github.com/GoogleChrome/web-vitals), from the document's
// start on, in the isolated world of the scanner: the page's scripts notice nothing. `commands/vitals.ts` reads the result.

import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals/attribution';
import type { MetricWithAttribution } from 'web-vitals/attribution';

import type { ObservedVitals } from '../vitals/observed';
import { requests } from '../vitals/requests';

const metrics = new Map<MetricWithAttribution['name'], MetricWithAttribution>();

function report(metric: MetricWithAttribution): void {
  metrics.set(metric.name, metric);
}

const observed: ObservedVitals = { metrics, requests, isLate: (document as { body: Element | null }).body !== null };
for (const observe of [onCLS, onFCP, onINP, onLCP, onTTFB]) observe(report, { reportAllChanges: true });

export default observed;
