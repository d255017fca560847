// scan (docs/spec/scanner-protocol.md#scan): the interactive elements of the page; and find, which looks for some.

import type {
  ElementData,
  ElementField,
  ElementType,
  FilterParameters,
  FindRequest,
  FindResponse,
  ScanRequest,
  ScanResponse,
  TargetData,
} from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { elementAbove, holds, isFrame } from '../dom/tree';
import {
  attachedElement,
  clearNumbers,
  continueNumbers,
  elementOfNumber,
  elementReferenced,
  nextNumber,
  numberOf,
} from '../dom/numbers';
import { allElements, currentCache, walkableElements } from '../dom/snapshot';
import { queryPage, queryXPath } from '../dom/selectors';
import { isVisible, visibleBox } from '../geometry/visibility';
import { hitAt } from '../geometry/boxes';
import { focusedElement, isEditable } from '../semantics/values';
import { follow, forgetDeparted } from '../targets/number_transfer';
import { elementOf, factsOf, foundElements } from '../targets/candidates';
import { contextsOf } from '../targets/contexts';
import { isOfKind, kindMatches } from '../targets/kinds';
import { placeOf } from '../targets/places';
import { MAX_MATCHES, exactly, fitOf, roleMatches, textMatches, textOrSelectorMatches } from '../targets/match';
import { TIERS } from '../targets/text_fit';
import type { Entry } from '../targets/match';
import type { Wanted } from '../targets/text_fit';
import { RELATIONS, areaOf, isContainer, relationDistance } from '../targets/relations';
import { sourceMatches } from '../targets/text_sources';
import { choose, describe, labelBox, pageData, takeHintsOf } from '../targets/describe';
import type { Chosen } from '../targets/describe';
import { topDialog } from './layers';
import { overviewOf, tableData } from './overview';
import { detectPatterns } from './patterns';
import { noteScan } from './watch';

const DEFAULT_LIMIT = 200;

export function scan(request: ScanRequest): ScanResponse {
  const started = performance.now();
  takeHintsOf(request);
  const found = foundElements();
  if (!request.keep_ids) {
    clearNumbers(request.next_id);
    forgetDeparted();
  } else continueNumbers(request.next_id || 1);
  if (request.near || request.within || request.viewport_only || request.container || request.roles) numberInOrder();
  const chosen = choose(part(found, request), request);
  const limit = request.max_elements ?? DEFAULT_LIMIT;
  const overview = request.overview ? overviewOf(chosen) : null;
  if (overview) for (const { candidate } of chosen) numberOf(candidate.element); // in the page's order
  const tables = limit > 0 ? (overview?.tables ?? []) : [];
  const listed = listedOf(overview?.ordered ?? chosen, limit, new Set(tables.flatMap(({ left }) => left)));
  const fill = fieldsOf(request);
  const focused = focusedElement();
  const elements: ElementData[] = [];
  for (const each of listed) elements.push(describe(each, fill, focused));
  if (fill.context) tellApart(listed, elements);
  // What the limit leaves out has its number too: later it can be told from what is new.
  if (listed.length < chosen.length) for (const { candidate } of chosen) numberOf(candidate.element);
  const patterns = detectPatterns(chosen.filter(({ isHidden }) => !isHidden || request.include_hidden));
  noteScan(request);
  return {
    page: pageData(),
    elements,
    patterns,
    ...(overview?.raised && { raised: overview.ordered.slice(0, overview.raised).map(numberOfChosen) }),
    ...(tables.length && { tables: tables.map(tableData) }),
    stats: {
      total: chosen.length,
      returned: elements.length,
      scanned: walkableElements(allElements()).length,
      ms: performance.now() - started,
    },
    next_id: nextNumber,
  };
}

const numberOfChosen = ({ candidate }: Chosen): number => numberOf(candidate.element);

/** The first ones, those that an overview leaves out only if there is room for them. */
function listedOf(chosen: readonly Chosen[], limit: number, left: ReadonlySet<Element>): readonly Chosen[] {
  if (limit <= 0 || chosen.length <= limit) return chosen;
  const wanted = new Set(chosen.filter(({ candidate }) => !left.has(candidate.element)).slice(0, limit));
  for (const each of chosen) {
    if (wanted.size >= limit) break;
    wanted.add(each);
  }
  return chosen.filter((each) => wanted.has(each));
}

/** The candidates in a container, and of some kinds. */
function part(found: readonly Candidate[], { container, roles }: FilterParameters): readonly Candidate[] {
  let wanted = found;
  if (isPresent(container)) {
    const outer = attachedElement(container);
    const isInside = outer ? areaOf(outer, found) : () => false;
    wanted = wanted.filter(({ element }) => isInside(element));
  }
  return roles?.length ? wanted.filter((candidate) => roles.some((role) => isOfKind(candidate, role))) : wanted;
}

/** Add their contexts to those that are called alike. */
function tellApart(chosen: readonly { candidate: Candidate }[], elements: readonly ElementData[]): void {
  const labelled = chosen.flatMap(({ candidate: { element } }, at) => {
    const data = elements[at];
    return data ? [{ element, label: [data.type, data.role, data.text].join('\n') }] : [];
  });
  const contexts = contextsOf(labelled);
  chosen.forEach(({ candidate: { element } }, at) => {
    const context = contexts.get(element);
    const data = elements[at];
    if (context && data) data.context = context;
  });
}

/** The first look at a document numbers all that can be seen in its order, whatever part of it is wanted. */
function numberInOrder(): void {
  if (elementOfNumber.size) return;
  for (const { candidate } of choose(foundElements(), {})) numberOf(candidate.element);
}

type Fill = Partial<Record<ElementField, boolean>>;

const ELEMENT_FIELDS: readonly ElementField[] = [
  'tag',
  'selector',
  'xpath',
  'rect',
  'attributes',
  'state',
  'options',
  'value',
  'frame',
  'context',
];

function fieldsOf(request: ScanRequest): Fill {
  const wanted = request.fields;
  const fill: Fill = {};
  for (const name of ELEMENT_FIELDS)
    fill[name] = isPresent(wanted) ? wanted.includes(name) : name !== 'rect' && name !== 'context';
  if (request.include_positions) fill.rect = true;
  return fill;
}

// find (docs/spec/scanner-protocol.md#find): everything that a target may mean, with the facts that the engine ranks
// by.

const FIND_FIELDS: Fill = { tag: true, state: true, value: true };
const FOLLOW_FIELDS: Fill = { ...FIND_FIELDS, selector: true };

export function find(request: Omit<FindRequest, 'cmd'>): FindResponse {
  if (!request.target || typeof request.target !== 'object') throw new Refusal('INVALID_REQUEST', 'target is required');
  continueNumbers(request.next_id || 1);
  const all = targetMatches(request.target, request.any === true, request.frames === true);
  const dialog = topDialog();
  const focused = focusedElement();
  const pattern = request.places ? wantedOf(request.target) : null;
  const boxes = new Map(all.map(({ element }) => [element, legibleBox(element)]));
  const fieldTypes = fieldTypesIn(all.filter(({ element }) => boxes.get(element)));
  const found = bestFirst(all).map(({ element, match }) => ({ candidate: factsOf(element), match }));
  const matches = found.map(({ candidate, match }) => {
    const { element } = candidate;
    const box = boxes.get(element) ?? null;
    const isDrawnByLabel = !box && labelBox(candidate) !== null;
    const fields = request.follow ? FOLLOW_FIELDS : FIND_FIELDS;
    const data = describe({ candidate, box, isHidden: !box && !isDrawnByLabel }, fields, focused);
    if (request.follow) follow(data.id, candidate);
    if (!box && data.state) data.state.visible = false;
    data.match = {
      ...match,
      interactive: !candidate.passive,
      drawn_by_label: isDrawnByLabel,
      in_dialog: !dialog || holds(dialog, element),
    };
    const types = fieldTypes.get(element);
    if (types) data.match.field_types = types;
    if (pattern instanceof RegExp) data.place = placeOf(element, pattern);
    return data;
  });
  tellApart(found, matches);
  const visible = all.filter(({ element }) => boxes.get(element)).length;
  return { matches, count: all.length, visible, next_id: nextNumber };
}

const FIELD_TYPES: ReadonlySet<ElementType> = new Set(['input', 'textarea', 'select', 'checkbox', 'radio']);

/** The types of the fields among some matches, by those that hold them. */
function fieldTypesIn(matches: readonly Entry[]): ReadonlyMap<Element, ElementType[]> {
  const types = new Map<Element, ElementType[]>();
  const matched = new Set(matches.map(({ element }) => element));
  if (matched.size < 2) return types;
  for (const field of matched) {
    const { type } = factsOf(field);
    if (!FIELD_TYPES.has(type) && !(type === 'generic' && isEditable(field))) continue;
    for (let node = elementAbove(field); node; node = elementAbove(node))
      if (matched.has(node)) types.set(node, [...(types.get(node) ?? []), type]);
  }
  return types;
}

const legibleBox = (element: Element) => (isVisible(element) ? visibleBox(element) : null);

/** At most 50, the best tiers when cut, in document order. */
function bestFirst(all: readonly Entry[]): readonly Entry[] {
  if (all.length <= MAX_MATCHES) return all;
  const chosen = new Set<Entry>();
  for (const tier of TIERS) {
    for (const entry of all) if (entry.match.tier === tier && chosen.size < MAX_MATCHES) chosen.add(entry);
  }
  return all.filter((entry) => chosen.has(entry));
}

/**
 * The matches of a target tree, in walk order. Relations are resolved from the right, where plain text counts too.
 */
function targetMatches(target: TargetData, any: boolean, frames = false): Entry[] {
  const own = frames ? frameMatches(target) : ownMatches(target, any || isPlainContainer(target));
  const relation = target.relation;
  if (!relation) return own;
  const { kind } = relation;
  if (!Object.prototype.hasOwnProperty.call(RELATIONS, kind))
    throw new Refusal('INVALID_REQUEST', `no such relation: ${kind}`);
  const others = relationEnds(targetMatches(relation.to, true));
  // A text, a heading or a label stands for what it names; a row, a list or a form that is named as one is itself.
  const container = kind === 'contains' ? target : relation.to;
  const isNamedAsPart =
    isPresent(container.kind) || ['css', 'xpath', 'id', 'reference'].some((key) => key in container);
  const isClosed = (element: Element): boolean => isNamedAsPart && isContainer(element);
  const related: Entry[] = [];
  for (const { element, match } of own) {
    const distance = relationDistance(kind, element, others, isClosed);
    if (distance !== null) related.push({ element, match: { ...match, distance } });
  }
  return related;
}

const isPlainContainer = (target: TargetData): boolean => target.relation?.kind === 'contains';

/** The right side of a relation: what can be seen when anything can, and of that the best fitting tier. */
function relationEnds(entries: readonly Entry[]): Element[] {
  const seen = entries.filter(({ element }) => isVisible(element));
  const pool = seen.length ? seen : entries;
  const best = TIERS.find((tier) => pool.some(({ match }) => match.tier === tier));
  return pool.filter(({ match }) => match.tier === best).map(({ element }) => element);
}

function ownMatches(target: TargetData, any: boolean): Entry[] {
  const wanted = wantedOf(target);
  if (typeof target.kind === 'string') return kindMatches(target.kind.toLowerCase(), wanted);
  if (isPresent(target.source)) return sourceMatches(target.source, wanted);
  if (typeof wanted !== 'string') return textMatches(wanted, any);
  if (typeof target.text === 'string') return textOrSelectorMatches(collapse(target.text), any);
  if (typeof target.role === 'string') return roleEntries(target.role.toLowerCase());
  if (target.id !== undefined) return [exactly(elementOf(wholeNumber(target.id, 'id')), 'id')];
  if (target.reference !== undefined)
    return [exactly(elementReferenced(wholeNumber(target.reference, 'reference')), 'id')];
  if (typeof target.css === 'string') return queryPage(target.css).map((element) => exactly(element, 'selector'));
  if (typeof target.xpath === 'string') return queryXPath(target.xpath).map((element) => exactly(element, 'selector'));
  if (Array.isArray(target.point)) return pointMatches(target.point);
  throw new Refusal(
    'INVALID_REQUEST',
    'target must have text, pattern, kind, role, id, reference, css, xpath or point',
  );
}

function wantedOf({ text, pattern, flags }: TargetData): Wanted {
  if (!isPresent(pattern)) return collapse(text ?? '');
  try {
    return new RegExp(pattern, flags ?? '');
  } catch (error) {
    throw new Refusal('SELECTOR_INVALID', error instanceof Error ? error.message : 'not a regular expression');
  }
}

/** Frames alone, by what their authors call them; those of the same origin are no elements of a scan. */
function frameMatches(target: TargetData): Entry[] {
  if (typeof target.text !== 'string' || typeof target.kind === 'string')
    return ownMatches(target, false).filter(({ element }) => isFrame(element));
  const wanted = collapse(target.text);
  const entries: Entry[] = [];
  for (const element of allElements().filter(isFrame)) {
    const match = fitOf(element, wanted);
    if (match) entries.push({ element, match });
  }
  return entries.length ? entries : ownMatches(target, false).filter(({ element }) => isFrame(element));
}

const roleEntries = (role: string): Entry[] =>
  foundElements()
    .filter((candidate) => roleMatches(candidate, role))
    .map(({ element }) => exactly(element, 'role'));

/** The interactive element at a point of this viewport, or whatever is there. */
function pointMatches([x = NaN, y = NaN]: readonly number[]): Entry[] {
  const hit = hitAt(x, y);
  if (!hit) return [];
  foundElements();
  const { facts } = currentCache();
  for (let node: Element | null = hit; node; node = elementAbove(node)) {
    const candidate = facts.get(node);
    if (candidate && !candidate.passive) return [exactly(node, 'point')];
  }
  return [exactly(hit, 'point')];
}
