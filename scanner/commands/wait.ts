// wait_for (docs/spec/scanner-protocol.md#wait_for): checked at once, then after each sign of a change, at most once a
// frame.

import { attribute, matches, tagOf } from '../dom/natives';
import type { WaitCondition, WaitForRequest, WaitForResponse } from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { nextFrame, roundMs } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { checkRoots, refreshCache } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { isVisible } from '../geometry/visibility';
import { isDisabled, takesLabel } from '../semantics/values';
import { visibleLength } from '../semantics/labels';
import { isLarge } from '../semantics/interactive';
import { GAUGES, PICTURES, textUnits } from '../text/units';
import { elementNumbered, foundElements } from '../targets/candidates';
import { textMatches } from '../targets/match';
import { isSplashBusy } from '../page/busy';
import { hasUnreadChanges, hasUnreportedChanges } from '../page/watch';
import { ChangeWaiter, TICK } from '../page/settle';
import { requireText } from './read';
import { runScript } from './script';

const WAIT_TIMEOUT = 30000;

/** What a condition answers with `met`: nothing, or what it has found. */
type Found = boolean | Pick<WaitForResponse, 'previous_url' | 'url' | 'result'>;

export async function waitFor(request: WaitForRequest): Promise<WaitForResponse> {
  const { condition } = request;
  const started = performance.now() - (request.waited || 0);
  const deadline = started + (request.timeout ?? WAIT_TIMEOUT);
  const waited = () => roundMs(performance.now() - started);
  if (condition === 'change') return waitForChange(request.since_report === true, deadline, waited);
  if (condition === 'unread_changes') return waitForUnread(request, deadline, waited);
  const check = checkOf(request);
  const signs = new ChangeWaiter();
  try {
    for (;;) {
      const result = await check();
      if (result) return { met: true, waited: waited(), ...(typeof result === 'object' ? result : {}) };
      if (performance.now() >= deadline)
        throw new Refusal('TIMEOUT', `${condition} did not come within ${Math.round(deadline - started)} ms`, {
          waited: waited(),
        });
      checkRoots(request);
      await signs.next(Math.min(deadline, performance.now() + TICK));
      await nextFrame();
      refreshCache();
      signs.watchTrees();
    }
  } finally {
    signs.end();
  }
}

async function waitForChange(sinceReport: boolean, deadline: number, waited: () => number): Promise<WaitForResponse> {
  const signs = new ChangeWaiter();
  try {
    if (sinceReport && hasUnreportedChanges()) return { met: true, waited: waited() };
    if (!(await signs.next(deadline))) throw new Refusal('TIMEOUT', 'nothing changed', { waited: waited() });
    return { met: true, waited: waited() };
  } finally {
    signs.end();
  }
}

/** Changes may also become due by themselves: when a page has been quiet for long enough, or a feed has stopped. */
async function waitForUnread(
  request: WaitForRequest,
  deadline: number,
  waited: () => number,
): Promise<WaitForResponse> {
  const signs = new ChangeWaiter();
  try {
    while (!hasUnreadChanges(request)) {
      if (performance.now() >= deadline) throw new Refusal('TIMEOUT', 'nothing has changed', { waited: waited() });
      if (!(await signs.next(Math.min(deadline, performance.now() + TICK)))) continue;
      await nextFrame();
      refreshCache();
      signs.watchTrees();
    }
    return { met: true, waited: waited() };
  } finally {
    signs.end();
  }
}

function checkOf(request: WaitForRequest): () => Found | Promise<Found> {
  const { condition } = request;
  if (condition === 'navigation') {
    const previous = location.href;
    return () => location.href !== previous && { previous_url: previous, url: location.href };
  }
  if (condition === 'custom') return () => customResult(requireText(request.expression, 'expression'));
  if (condition === 'content') return hasContent;
  const isMet = Object.prototype.hasOwnProperty.call(CONDITIONS, condition) ? CONDITIONS[condition] : undefined;
  if (!isMet) throw new Refusal('INVALID_REQUEST', `no such condition: ${condition}`);
  const named = isPresent(request.id) || request.selector || request.text;
  if (!named) throw new Refusal('INVALID_REQUEST', 'id, selector or text is required');
  if (condition === 'count') wholeNumber(request.count, 'count');
  return () => isMet(request);
}

/** The conditions of the elements that a request speaks of. */
const CONDITIONS: Partial<Record<WaitCondition, (request: WaitForRequest) => boolean>> = {
  visible: (request) => waitedElements(request).some(isVisible),
  hidden: (request) => !waitedElements(request).some(isVisible),
  exists: (request) => waitedElements(request).length > 0,
  gone: (request) => waitedElements(request).length === 0,
  enabled: (request) => waitedElements(request).some((element) => !isDisabled(element)),
  disabled: (request) => waitedElements(request).some(isDisabled),
  count: (request) => waitedElements(request).length >= Number(request.count),
};

/** The elements that the request speaks of, as they are now; one that is gone is none. */
function waitedElements(request: WaitForRequest): Element[] {
  if (isPresent(request.id)) {
    const element = elementNumbered(wholeNumber(request.id, 'id'));
    return element ? [element] : [];
  }
  if (request.selector) return queryPage(request.selector);
  return textMatches(collapse(request.text || ''), true).map(({ element }) => element);
}

async function customResult(expression: string): Promise<Found> {
  const result = await runScript(`return (${expression})`, []);
  return result ? { result } : false;
}

const PLAIN_CONTROLS = 'a[href],button,input,select,textarea';

/** Whether a page that scripts build shows something to act on, or to read while nothing says that more is to come. */
function hasContent(): boolean {
  const isSomething = (element: Element) => isVisible(element) && !isOfFrame(element);
  if (!queryPage('script').length || queryPage(PLAIN_CONTROLS).some(isSomething)) return true;
  if (foundElements().some(({ element, passive }) => !passive && isSomething(element))) return true;
  return !isSplashBusy() && [...textUnits().keys()].some((owner) => !matches(owner, `${PICTURES},${GAUGES}`));
}

const DRAWINGS = 'button,canvas,iframe,img,svg,video';

/** Whether an element is of a page's bare frame: a link within the page, as to its content, or a large empty box. */
function isOfFrame(element: Element): boolean {
  if (tagOf(element) === 'a') return (attribute(element, 'href') || '').startsWith('#');
  return (
    !takesLabel(element) &&
    !visibleLength(element) &&
    isLarge(element) &&
    !queryAll(element, DRAWINGS).length &&
    !matches(element, DRAWINGS)
  );
}
