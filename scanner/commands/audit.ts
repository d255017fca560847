// audit, audit_report, audit_elements (docs/spec/scanner-protocol.md#audit): what axe-core says of the documents of this
// scanner. Each document has axe in its own scanner's world, as the backend loads it there; the parts are joined in the
// top document, since some rules are about a page as a whole.

import type axe from 'axe-core';

import { NativePromise, frameDocument, nodeTypeOf, ELEMENT_NODE, shadowOf, windowOf } from '../dom/natives';
import type {
  AuditElementsRequest,
  AuditElementsResponse,
  AuditFinding,
  AuditOptions,
  AuditPart,
  AuditPlace,
  AuditReportRequest,
  AuditReportResponse,
  AuditRequest,
  AuditResponse,
} from '../dom/protocol';
import { queryAll } from '../dom/banner';
import { Refusal } from '../dom/refusal';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import type { Root } from '../dom/natives';

const MAX_HTML = 200;
const MEDIA_MILLISECONDS = 2000;

type Axe = typeof axe;
/** Of one frame: a selector, or those of the hosts around an element and its own. */
type Selector = string | string[];
type AuditedWindow = Window & { axe?: Axe; Element: typeof Element };

export async function audit({ context, options, next_id: next }: AuditRequest): Promise<AuditResponse> {
  continueNumbers(next || 1);
  const parts: AuditPart[] = [];
  await addParts(parts, window, context ?? undefined, optionsOf(options));
  return { parts, next_id: nextNumber };
}

/** A document's part, and then those of the frames in it, in the order that axe joins them in. */
async function addParts(
  parts: AuditPart[],
  view: AuditedWindow,
  context: unknown,
  options: axe.RunOptions,
): Promise<void> {
  const library = view.axe;
  if (!library) {
    parts.push({ result: null, frame: null, context: null });
    return;
  }
  const frames: { element: Element | null; context: unknown }[] = [];
  await withClosedRoots(view, async () => {
    const spec = (context ?? view.document) as axe.ElementContext;
    for (const { frameSelector, frameContext } of library.utils.getFrameContexts(spec, options))
      frames.push({ element: library.utils.shadowSelect(frameSelector), context: frameContext });
    parts.push({ result: await library.runPartial(spec, options), frame: null, context: null });
  });
  for (const frame of frames) {
    const content = frame.element && frameDocument(frame.element);
    const inner = content && windowOf(content);
    if (inner) await addParts(parts, inner, frame.context, options);
    else parts.push({ result: null, frame: frame.element && numberOf(frame.element), context: frame.context });
  }
}

/** What axe finds in all parts, those of frames of other origins included. */
export async function auditReport({ parts, options }: AuditReportRequest): Promise<AuditReportResponse> {
  const library = (window as unknown as AuditedWindow).axe;
  if (!library) throw new Refusal('INVALID_REQUEST', 'axe is not loaded');
  const report = await library.finishRun(parts as axe.PartialResults, optionsOf(options));
  return { violations: report.violations.map(finding), incomplete: report.incomplete.map(finding) };
}

export function auditElements({ paths, next_id: next }: AuditElementsRequest): AuditElementsResponse {
  continueNumbers(next || 1);
  return { places: paths.map((path) => placeOf(path as Selector[])), next_id: nextNumber };
}

function finding({ id, impact, help, helpUrl, tags, nodes }: axe.Result): AuditFinding {
  return {
    rule: id,
    impact: impact ?? 'minor',
    help,
    url: helpUrl,
    tags,
    nodes: nodes.map(({ target, html, failureSummary }) => ({
      path: target,
      html: html.slice(0, MAX_HTML),
      summary: failureSummary ?? '',
    })),
  };
}

/** Style sheets of other origins are not fetched again: an audit sends nothing. */
function optionsOf({ tags, without }: AuditOptions): axe.RunOptions {
  return {
    resultTypes: ['violations', 'incomplete'],
    preload: { assets: ['media'], timeout: MEDIA_MILLISECONDS },
    ...(tags?.length ? { runOnly: { type: 'tag', values: [...tags] } } : {}),
    rules: Object.fromEntries((without ?? []).map((rule) => [rule, { enabled: false }])),
  };
}

/** axe gets from a host to its root by `shadowRoot`, which has the closed ones too meanwhile, in this world alone. */
async function withClosedRoots(view: AuditedWindow, run: () => Promise<void>): Promise<void> {
  const { prototype } = view.Element;
  const own = Object.getOwnPropertyDescriptor(prototype, 'shadowRoot');
  if (!own) return run();
  Object.defineProperty(prototype, 'shadowRoot', { ...own, get: rootOfHost });
  try {
    await NativePromise.resolve(run());
  } finally {
    Object.defineProperty(prototype, 'shadowRoot', own);
  }
}

function rootOfHost(this: Element): ShadowRoot | null {
  return nodeTypeOf(this) === ELEMENT_NODE ? shadowOf(this) : null;
}

function placeOf(path: readonly Selector[]): AuditPlace {
  let root: Root | null = document;
  let found: Element | null = null;
  for (const [index, selector] of path.entries()) {
    if (found) root = frameDocument(found);
    if (found && !root) return { id: numberOf(found), rest: path.slice(index) };
    const steps: string[] = typeof selector === 'string' ? [selector] : selector;
    for (const [step, css] of steps.entries()) {
      if (step) root = found && shadowOf(found);
      found = root && firstOf(root, css);
    }
    if (!found) return { id: null, rest: [] };
  }
  return { id: found && numberOf(found), rest: [] };
}

function firstOf(root: Root, css: string): Element | null {
  try {
    return queryAll(root, css)[0] ?? null;
  } catch {
    return null; // a namespace that no selector can name
  }
}
