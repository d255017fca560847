// What the text of a page says since an action began: `watch` before it, and `changed_texts` of a scan after it. Then
// what of the page changes without an action (feeds), and what an agent has not read yet.

import {
  addListener,
  attribute,
  childrenOf,
  closest,
  contains,
  isConnected,
  isElement,
  matches,
  readyStateOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Root } from '../dom/natives';
import type {
  ActivityResponse,
  ChangedTextsRequest,
  ChangedTextsResponse,
  FeedElementsRequest,
  FeedElementsResponse,
  ScanRequest,
  TextChange,
  UnreadChangesRequest,
  UnreadChangesResponse,
  WaitForRequest,
  WatchParameters,
  WatchResponse,
} from '../dom/protocol';
import { isPresent } from '../dom/refusal';
import { collapse } from '../dom/words';
import { isOfPage, pageObserver, queryAll } from '../dom/banner';
import { changedElement, elementAbove, holderOf } from '../dom/tree';
import { elementOfNumber, formerParents, numberOfElement } from '../dom/numbers';
import { OBSERVED, allElements, currentCache } from '../dom/snapshot';
import { innerControl } from '../dom/labels';
import { isStyledVisible } from '../geometry/styles';
import { forgetScrolls } from '../geometry/boxes';
import { LIVE } from '../semantics/roles';
import { fieldStates, focusedElement } from '../semantics/values';
import { nameOf } from '../semantics/labels';
import { GAUGES, LEVELS_OF_KIND, messageKind, newParts, textKind, textUnits, textWithoutClocks } from '../text/units';
import type { MessageKind } from '../text/units';
import {
  compareTexts,
  isTextChange,
  isTickOfClock,
  openingTexts,
  successorTexts,
  textRow,
  visibleTexts,
} from '../text/comparison';
import { isMostOf, take } from '../text/differences';
import { placesOf } from '../text/lists';
import type { Placed } from '../text/lists';
import type { TextRow } from '../text/comparison';
import { forgetDeparted } from '../targets/number_transfer';
import { elementNumbered } from '../targets/candidates';
import { editingRows, editingState } from './editing_state';
import type { EditingState } from './editing_state';
import { Flashes } from './flashes';
import { RaisedLayers } from './raised';
import { busyBefore, isBusy } from './busy';
import type { Busy } from './busy';
import { framesBetween, hasScheduled, scheduledByPage } from './scheduled';
import type { Scheduled } from './scheduled';

export let textWatch: TextWatch | null = null;
const currentWatch = (): TextWatch => (textWatch ||= new TextWatch());

/**
 * watch: later changes of the page's text are those since now. Answers whether the page has changed since it was last
 * scanned as a whole, and which of its texts have changed since they were last reported.
 */
export function watchTexts(request: WatchParameters): WatchResponse {
  forgetScrolls();
  forgetDeparted();
  return currentWatch().begin(request.acting !== false);
}

/**
 * changed_texts: the changes of text since `watch`; of a document that was not watched, the messages in it. What comes
 * in the next `acting` milliseconds is the action's too.
 */
export function changedTexts(request: ChangedTextsRequest): ChangedTextsResponse {
  const texts = currentWatch().report(request.acting || 0, request.former || null);
  return { texts, feeding: isFeeding(currentWatch()) };
}

/** Whether the document has changed since its text was watched or its changes were asked last. */
export function hasUnreportedChanges(): boolean {
  if (textWatch) textWatch.flush();
  return textWatch !== null && textWatch.changed;
}

/** A scan of the whole page, unless it was for numbers alone, knows all that has happened before it. */
export function noteScan(request: ScanRequest): void {
  if (request.fields && !request.fields.length) return;
  if (request.within || request.near || request.viewport_only || request.include_hidden) return;
  if (textWatch) textWatch.scanned();
  else textWatch = new TextWatch();
}

const MAX_TEXT_CHANGES = 60;

// What has changed so often by itself, and not long ago, changes without an action too.
const FEED_TIMES = 3;

const FEED_STEP = 100;
const FEED_AGE = 2000;
const OWN_FRAMES = 5; // that an action may have asked for before it is waited for
const AT_REST = 500; // milliseconds without a change

interface DatedReading extends Placed {
  readonly units: Map<Element, string>;
  readonly at: number;
}

/** How often something has changed, and when last. */
interface Changes {
  times: number;
  last: number;
}

/** What records of mutations say about one place. */
interface Exchange {
  added: Node[];
  removed: Node[];
}

/** What a message has said. */
interface Announced {
  kind: MessageKind;
  /** The live region, if it was in one: it says one thing after the other. */
  region: Element | null;
}

/** activity: what on the page may lead to something, and how many milliseconds ago it was seen. */
export function activity(): ActivityResponse {
  const watch = currentWatch();
  watch.flush();
  watch.noteScheduled();
  const now = performance.now();
  const age = (time: number): number | null => (Number.isFinite(time) ? Math.round(now - time) : null);
  return {
    loading: readyStateOf(document) !== 'complete',
    busy: isBusy(),
    changed: age(watch.changedAt),
    scheduled: watch.schedulesByItself ? null : age(watch.scheduledAt),
  };
}

export class TextWatch {
  latest: DatedReading | null = null; // the last comparison's
  base: DatedReading | null = null; // that which the action began with
  actingUntil = 0;
  began = 0; // when the last action began
  busy: Busy | null = null; // what was busy then
  focused: Element | null = null; // then
  scheduled: Scheduled | null = null; // until then
  scheduledAtReport: Scheduled | null = null; // until the last report
  timers = 0; // the page's, when it was asked last
  scheduledAt = -Infinity; // when the page was last seen to have put something off since it was asked before
  schedulesByItself = false; // whether the page has put something off between that report and this action
  stirred = -Infinity; // when the page changed last without an action
  /** Whether the page draws frame after frame without an action; null until that is known. */
  drawsByItself: boolean | null = null;
  framesAtRest: Scheduled | null = null; // the page's, when it was waited for last
  changedAt = -Infinity; // when it changed last
  mutated = false; // since the last scan
  changed = false; // since the last comparison
  readonly announced = new Map<string, Announced>(); // what messages have said
  readonly reported = new Set<string>(); // of what was announced
  readonly flashes = new Flashes();
  editing: EditingState | null = null; // when the action began
  readonly affected = new Map<Element, boolean>(); // by the action: what has another content (false), or is new (true)
  gaugeMoved = -Infinity;
  readonly feeds = new WeakMap<Element, Changes>();
  readonly shapes = new FeedShapes();
  readonly roots = new Set<Root>();
  readonly observer = pageObserver((records) => this.note(records));
  readonly onInvalid = (event: Event): void => this.announceInvalid(event);
  readonly onToggle = ({ target }: Event): void => {
    if (this.isActing && isElement(target as Node)) this.flashes.notice(target as Element);
  };
  fields: string; // at the last scan

  constructor() {
    this.watchTrees();
    this.fields = fieldStates();
    this.noteScheduled();
  }

  /** Trees may come at any time: shadow roots, frames. Returns whether any did. */
  watchTrees(): boolean {
    allElements();
    const count = this.roots.size;
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'invalid', this.onInvalid, { capture: true, passive: true });
      addListener(root, 'toggle', this.onToggle, { capture: true, passive: true });
    }
    return this.roots.size > count;
  }

  get isActing(): boolean {
    return performance.now() < this.actingUntil;
  }

  /** Whether there is an action, and the page was at rest before it. */
  get wasAtRest(): boolean {
    return this.isActing && this.began - this.stirred > AT_REST;
  }

  begin(acting: boolean): WatchResponse {
    this.flush();
    if (this.watchTrees()) this.mutated = this.changed = true;
    const mutated = this.mutated || this.fields !== fieldStates(); // a script sets fields without an event
    for (const text of this.reported) this.announced.delete(text);
    this.flashes.forgetReported();
    const texts = this.latest && this.changed ? this.compare(this.latest) : [];
    this.base = this.latest || this.read();
    this.began = performance.now();
    this.actingUntil = acting ? Infinity : 0;
    this.busy = busyBefore();
    this.focused = focusedElement();
    this.scheduled = this.noteScheduled();
    this.schedulesByItself = hasScheduled(this.scheduledAtReport, this.scheduled) === true;
    this.drawsByItself = null;
    this.changed = false;
    this.announced.clear();
    this.reported.clear();
    this.affected.clear();
    this.flashes.begin(this.base.units.values());
    this.editing = acting ? editingState() : null;
    const visible = acting && window === window.top ? visibleTexts(this.base.units) : null;
    return { mutated, texts, feeding: isFeeding(this), visible_texts: visible };
  }

  report(acting: number, former: readonly string[] | null): TextChange[] {
    this.flush();
    const texts = this.base ? this.compare(this.base) : this.messages(former);
    for (const text of this.announced.keys()) this.reported.add(text);
    this.flashes.markReported();
    this.actingUntil = performance.now() + acting;
    this.scheduledAtReport = this.noteScheduled();
    this.changed = false;
    this.watchTrees();
    return this.editing ? [...texts, ...editingRows(this.editing, editingState())] : texts;
  }

  /** `first`: what the page has put off when it is waited for after an action, `last`: when that is over. */
  noteFrames(first: Scheduled | null, last: Scheduled | null): void {
    this.drawsByItself ??= Boolean(this.framesAtRest && first && framesBetween(this.framesAtRest, first) > OWN_FRAMES);
    this.framesAtRest = last;
  }

  noteScheduled(): Scheduled | null {
    const now = scheduledByPage(false);
    if (now && now.timers > this.timers) this.scheduledAt = performance.now();
    this.timers = now ? now.timers : Infinity;
    return now;
  }

  scanned(): void {
    this.flush();
    this.mutated = false;
    this.watchTrees();
    this.fields = fieldStates();
  }

  read(): DatedReading {
    const units = textUnits();
    return (this.latest = { units, ...placesOf(units.keys()), at: performance.now() });
  }

  flush(): void {
    this.note(this.observer.takeRecords().filter(isOfPage));
  }

  note(records: readonly MutationRecord[]): void {
    if (!records.length) return;
    this.mutated = true;
    this.changed = true;
    this.changedAt = performance.now();
    const places = new Map<Element, Exchange>();
    const blinking = new Set<Element>();
    const { isActing } = this;
    if (isActing) this.flashes.note(records);
    if (!isActing) this.stirred = performance.now();
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (type === 'attributes' && isElement(target) && !matches(target, GAUGES)) {
        if (!isActing) blinking.add(target);
        continue;
      }
      const place = changedElement(target);
      if (!place) continue;
      if (isActing) {
        if (type === 'attributes') this.gaugeMoved = performance.now();
        if (addedNodes.length || !removedNodes.length) this.announce(place, addedNodes);
        this.noteAffected(place, addedNodes);
      }
      const exchange = places.get(place) ?? { added: [], removed: [] };
      places.set(place, exchange);
      addSome(exchange.added, addedNodes);
      addSome(exchange.removed, removedNodes);
    }
    for (const element of blinking) this.shapes.blink(element);
    this.count(places, isActing);
  }

  /** While there is an action, only what was a feed before it goes on as one. */
  count(places: ReadonlyMap<Element, Exchange>, isActing: boolean): void {
    const now = performance.now();
    for (const [place, { added, removed }] of places) {
      const { times, last } = this.feeds.get(place) || { times: 0, last: -FEED_STEP };
      if (now - last < FEED_STEP) continue;
      if (!isActing) {
        this.feeds.set(place, { times: times + 1, last: now });
        this.shapes.learn(place, added, removed);
      } else if (this.isFeedPlace(place)) this.feeds.set(place, { times, last: now });
    }
  }

  noteAffected(place: Element, added: Iterable<Node>): void {
    if (this.affected.size >= MAX_TEXT_CHANGES) return;
    if (!this.affected.has(place)) this.affected.set(place, false);
    for (const node of added) if (isElement(node)) this.affected.set(node, true);
  }

  /** Keep what a message says: it may be gone when the page has become quiet. */
  announce(place: Element, added: NodeList): void {
    if (!isConnected(place)) return;
    const live = closest(place, LIVE);
    if (live) {
      this.dropSuperseded(live);
      for (const part of newParts(live, place, added)) this.keep(part, messageKind(live), live);
    }
    for (const node of added) {
      if (!isElement(node)) continue;
      for (const each of [node, ...queryAll(node, LIVE)]) if (messageKind(each) !== 'text') this.keep(each);
    }
  }

  /** Drop what a live region said before and no longer says; one that is emptied has said its last for now. */
  dropSuperseded(live: Element): void {
    const present = collapse(textWithoutClocks(live));
    if (!present) return;
    for (const [text, { region }] of this.announced)
      if (region === live && !present.includes(text)) this.announced.delete(text);
  }

  /** What the browser says about a field that it does not send, in a bubble of its own. */
  announceInvalid({ target, isTrusted }: Event): void {
    if (!isTrusted || !isElement(target as Node)) return;
    const field = target as Element & { validationMessage?: unknown };
    const { validationMessage: message } = innerControl(field) as typeof field;
    if (typeof message !== 'string' || !message || !isStyledVisible(field)) return;
    const name = nameOf(field);
    this.announced.set(name ? `${name}: ${message}` : message, { kind: 'alert', region: null });
  }

  keep(element: Element, kind = messageKind(element), region: Element | null = null): void {
    if (this.announced.size >= MAX_TEXT_CHANGES || !isStyledVisible(element)) return;
    const text = collapse(textWithoutClocks(element));
    if (text) this.announced.set(text, { kind, region: this.announced.get(text)?.region ?? region });
  }

  /** Rows of what differs from an earlier reading, with the messages that have come and gone since. */
  compare(before: DatedReading): TextChange[] {
    const now = this.read();
    const isFeed = (owner: Element): boolean => this.isFeed(owner);
    const since = before === this.base ? this.began : before.at;
    const isTick = (owner: Element, was: string | undefined, is: string): boolean =>
      isTickOfClock(this, owner, was, is, since);
    const layers = new RaisedLayers();
    const rankOf = (owner: Element): number => layers.rankOf(owner);
    const { present, gone } = compareTexts(before, now, { isFeed, isTick, rankOf });
    const visible = [...before.units.values(), ...now.units.values()];
    const messages = this.vanishedMessages(visible);
    const flashes = this.flashes
      .rows(now.units, isFeed)
      .filter(({ text }) => messages.every((row) => row.text !== text));
    const rows = [...present, ...messages, ...flashes, ...gone];
    return rows.filter(isTextChange).slice(0, MAX_TEXT_CHANGES);
  }

  /** The messages that have come and gone since the action began. */
  vanishedMessages(visible: readonly string[]): TextRow[] {
    const rows: TextRow[] = [];
    const former = new Set(this.base?.units.values());
    for (const [text, { kind, region }] of this.announced) {
      if (visible.some((each) => each.includes(text) || isMostOf(each, text))) continue;
      const said = region && isConnected(region) ? collapse(textWithoutClocks(region)) : '';
      if (said && !former.has(said)) continue; // the region says something else now, which is told
      rows.push(textRow('new', kind, text));
    }
    return rows;
  }

  /** Whether a place has changed by itself, again and again, while nothing was done. */
  isFeed(owner: Element): boolean {
    let level = 0;
    for (let node: Element | null = owner; node && level < LEVELS_OF_KIND; node = formerAbove(node), level++) {
      if (tagOf(node) === 'body') return false;
      if (this.isFeedPlace(node)) return true;
    }
    return false;
  }

  isFeedPlace(node: Element): boolean {
    const feed = this.feeds.get(node);
    return feed !== undefined && feed.times >= FEED_TIMES && this.began - feed.last < FEED_AGE;
  }

  messages(former: readonly string[] | null): TextChange[] {
    const { units } = this.read();
    return (former ? successorTexts(units, former) : openingTexts(units)).slice(0, MAX_TEXT_CHANGES);
  }
}

const MAX_NODES = 500; // of one change

/** Add nodes of a list, but not without limit. */
function addSome(nodes: Node[], list: ArrayLike<Node>): void {
  for (let index = 0; index < list.length && nodes.length < MAX_NODES; index++) {
    const node = list[index];
    if (node) nodes.push(node);
  }
}

/** The element around another one, also of one that has been removed. */
function formerAbove(element: Element): Element | null {
  const above = elementAbove(element);
  if (above) return above;
  const parent = formerParents.get(element);
  return parent ? holderOf(parent) : null;
}

// Which elements a page adds, removes and changes again and again by itself: a log, a chat, a ticker. A `TextWatch`
// knows the places; what came and went in them without an action has shapes, and only what has such a shape is of the
// feed. So a button that an action puts into a log for the first time is told apart from the log's rows.

const FEED_LEVELS = 10; // between an element and the place that changes
const MAX_LEARNED = 40; // elements of one change
const MAX_NAMES = 30; // of one shape
const NOVEL_TIMES = 2; // so many other names make any name one of the feed's
const MAX_ACTIVE = 100;

const FEED_CONTROLS =
  'a,button,input,select,textarea,summary,iframe,label,[role],[tabindex],[onclick],[contenteditable]';

type Way = 'came' | 'went';
type PlaceTest = (place: Element) => boolean;

/**
 * feed_elements: those of the numbered elements that a feed has added (`came`), removed (`went`) or changed
 * (`changed`). What is in the same item as `subject`, the element that was acted on, is not one of them.
 */
export function feedElements(request: FeedElementsRequest): FeedElementsResponse {
  const { subject, came = [], went = [], changed = [] } = request;
  const { shapes } = currentWatch();
  const isNow = (place: Element): boolean => currentWatch().isFeedPlace(place);
  const about = isPresent(subject) ? elementOfNumber.get(subject)?.deref() : undefined;
  const item = about ? itemOf(about, isNow) : null;
  const isOf = (kind: Way | 'changed') => (number: number) => {
    const element = elementOfNumber.get(number)?.deref();
    if (element === undefined) return kind === 'went' && shapes.numbers.has(number);
    if (item !== null && itemOf(element, isNow) === item) return false;
    return kind === 'changed' ? shapes.changesItself(element, isNow) : shapes.isOfFeed(element, kind, isNow);
  };
  return { elements: [...came.filter(isOf('came')), ...went.filter(isOf('went')), ...changed.filter(isOf('changed'))] };
}

/** Whether anything that has numbers may change by itself. */
function isFeeding(watch: TextWatch): boolean {
  const isNow = (place: Element): boolean => watch.isFeedPlace(place);
  watch.shapes.remember(isNow);
  return watch.shapes.isActive(isNow);
}

/** The child of the innermost feed around an element that holds it, or null. */
function itemOf(element: Element, isNow: PlaceTest): Element | null {
  let item = element;
  let level = 0;
  for (let node = formerAbove(element); node && level < FEED_LEVELS; node = formerAbove(node), level++) {
    if (isNow(node)) return item;
    item = node;
  }
  return null;
}

/** The way from a place down to an element, and what the element is called, without numbers. */
interface Shape {
  path: string;
  name: string;
}

/** One that tells apart what comes in a change and goes in the same one. */
interface KeyedShape extends Shape {
  key: string;
}

/** The names that each path had, and how many came after the first change. */
type SeenShapes = Map<string, { names: Set<string>; novel: number }>;

class FeedShapes {
  private readonly places = new WeakMap<Element, Record<Way, SeenShapes>>(); // of what came and of what went in a place
  private readonly blinks = new WeakMap<Element, number>(); // how often attributes have changed
  readonly numbers = new Set<number>(); // of elements that were seen in feeds: later they may be gone without a trace
  private readonly active = new Set<Element>();
  private blinking = false;

  /** Note what one change of a place, without an action, has added and removed. */
  learn(place: Element, added: readonly Node[], removed: readonly Node[]): void {
    const seen: Record<Way, SeenShapes> = this.places.get(place) ?? { came: new Map(), went: new Map() };
    this.places.set(place, seen);
    if (this.active.size < MAX_ACTIVE) this.active.add(place);
    const rows = new Set([...repeatedMarks(added), ...repeatedMarks(removed)]);
    const news = shapesOf(place, added, rows);
    const olds = shapesOf(place, removed, rows);
    const isRendering =
      added.length > 0 && removed.length > 0 && added.length >= childrenOf(shadowOf(place) || place).length;
    noteShapes(seen.came, isRendering ? withoutLikes(news, olds) : news);
    noteShapes(seen.went, isRendering ? withoutLikes(olds, news) : olds);
  }

  blink(element: Element): void {
    const times = (this.blinks.get(element) || 0) + 1;
    this.blinks.set(element, times);
    this.blinking ||= times >= FEED_TIMES;
  }

  /** Whether an element came (`came`) or went (`went`) as others did in the feed around it; `isNow` tests a place. */
  isOfFeed(element: Element, way: Way, isNow: PlaceTest): boolean {
    let level = 0;
    for (let node = formerAbove(element); node && level < FEED_LEVELS; node = formerAbove(node), level++) {
      if (tagOf(node) === 'body') return false;
      const shapes = isNow(node) && this.places.get(node);
      if (shapes && hasShape(shapes[way], shapeOf(node, element))) return true;
    }
    return false;
  }

  /** Whether an element's own content or attributes change by themselves. */
  changesItself(element: Element, isNow: PlaceTest): boolean {
    if ((this.blinks.get(element) || 0) >= FEED_TIMES) return true;
    for (const place of this.active) if (isNow(place) && contains(element, place)) return true;
    return false;
  }

  isActive(isNow: PlaceTest): boolean {
    for (const place of this.active) if (isNow(place)) return true;
    return this.blinking;
  }

  /** Remember the numbers of what is in feeds now, and drop places that are no longer such. */
  remember(isNow: PlaceTest): void {
    for (const place of this.active) {
      if (!isConnected(place)) this.active.delete(place);
      if (!isConnected(place) || !isNow(place)) continue;
      for (const element of queryAll(place, FEED_CONTROLS)) {
        const number = numberOfElement.get(element);
        if (number !== undefined && this.isOfFeed(element, 'came', isNow)) this.numbers.add(number);
      }
    }
  }
}

/** The shapes of added or removed nodes and of the controls in them. Those of `rows` are told apart by all they say. */
function shapesOf(place: Element, nodes: readonly Node[], rows: ReadonlySet<string>): KeyedShape[] {
  const shapes: KeyedShape[] = [];
  for (const root of nodes) {
    if (!isElement(root)) continue;
    const row = rows.has(markOf(root)) ? textContentOf(root) : '';
    for (const element of [root, ...queryAll(root, FEED_CONTROLS)]) {
      if (shapes.length >= MAX_LEARNED) return shapes;
      const shape = shapeOf(place, element, root);
      shapes.push({ ...shape, key: [shape.path, shape.name, row].join('\n') });
    }
  }
  return shapes;
}

/** The marks of nodes that are like one before them: of the rows of a list. */
function repeatedMarks(nodes: readonly Node[]): string[] {
  const marks = nodes.map(markOf);
  return marks.filter((mark, index) => mark && marks.indexOf(mark) < index);
}

function shapeOf(place: Element, element: Element, root: Element | null = null): Shape {
  const marks: string[] = [];
  let node: Element | null = element;
  while (node && node !== place) {
    marks.push(markOf(node));
    node = node === root ? null : formerAbove(node);
  }
  const name = attribute(element, 'aria-label') || textContentOf(element).slice(0, 200);
  return { path: marks.join('<'), name: withoutDigits(collapse(name)) };
}

const markOf = (node: Node): string =>
  isElement(node) ? withoutDigits(`${tagOf(node)}.${attribute(node, 'class') || ''}`) : '';

const withoutDigits = (text: string): string => text.replace(/\d+/g, '#');

function noteShapes(seen: SeenShapes, shapes: readonly Shape[]): void {
  const isFirst = seen.size === 0;
  for (const { path, name } of shapes) {
    const shape = seen.get(path) ?? { names: new Set(), novel: 0 };
    seen.set(path, shape);
    if (shape.names.has(name)) continue;
    if (!isFirst) shape.novel++;
    if (shape.names.size < MAX_NAMES) shape.names.add(name);
  }
}

function hasShape(seen: SeenShapes, { path, name }: Shape): boolean {
  const shape = seen.get(path);
  return shape !== undefined && (shape.novel > NOVEL_TIMES || shape.names.has(name));
}

/** The shapes of one side of a rendering that the other side does not have as well. */
function withoutLikes(shapes: readonly KeyedShape[], others: readonly KeyedShape[]): KeyedShape[] {
  const left = new Map<string, number>();
  for (const { key } of others) left.set(key, (left.get(key) || 0) + 1);
  return shapes.filter(({ key }) => !take(left, key));
}

// What an agent has not seen yet of a page: the changes since it last read them, without what the page changes again
// and again by itself.

const FEED_GAP = 3000; // milliseconds between changes of one place that are in succession
const SUCCESSION = 4; // how many of them make a feed
const ACTION_AGE = 30000; // an action that was never reported ends by itself
const MAX_TOUCHED = 500;

let unreadWatch: UnreadWatch | null = null;

/**
 * unread_changes: what has changed since the last command of that name in this document. `fresh`: there was none, so
 * all is new; `touched`: the document has changed outside of feeds; `texts`: rows as of `changed_texts`; `feeds`: which
 * of `elements` are in places that change by themselves; `feeding`: whether there is any such place.
 */
export function readUnreadChanges(request: UnreadChangesRequest): UnreadChangesResponse {
  const isFresh = unreadWatch === null;
  unreadWatch ||= new UnreadWatch();
  return { fresh: isFresh, ...unreadWatch.take(request.elements || []) };
}

/** Whether there are such changes, and the page has been quiet for `quiet` milliseconds, or they are `collect` old. */
export function hasUnreadChanges({ quiet = 0, collect = Infinity }: WaitForRequest): boolean {
  if (unreadWatch !== null) return unreadWatch.isDue(quiet, collect);
  return document.readyState === 'complete' || performance.now() >= collect;
}

const isInSuccession = (changes: Changes | undefined): boolean =>
  changes !== undefined && changes.times >= SUCCESSION && performance.now() - changes.last < FEED_GAP;

/**
 * Differs from a `TextWatch` in what a feed is: a place that has changed four times in succession while nothing was
 * done. What it says counts again once it has stopped. Attributes alone are counted apart: a text in a box that blinks
 * does not blink itself.
 */
class UnreadWatch extends TextWatch {
  readonly blinks = new WeakMap<Element, Changes>();
  readonly touched = new Set<Element>(); // places that have changed and were not read since
  overflow = false;
  since: number | null = null; // when there was first something to read
  last = 0; // when there was last something
  href = location.href;

  constructor() {
    super();
    this.read();
  }

  override note(records: readonly MutationRecord[]): void {
    const now = performance.now();
    const isActing = textWatch !== null && textWatch.isActing && now - textWatch.began < ACTION_AGE;
    for (const { type, target, addedNodes } of records) {
      const place = changedElement(target);
      if (!place) continue;
      if (!isActing) this.countChange(type === 'attributes' ? this.blinks : this.feeds, place, now);
      this.touch(place);
      if (this.isFeed(place)) continue;
      this.last = now;
      if (type !== 'attributes') this.announce(place, addedNodes);
    }
  }

  countChange(changes: WeakMap<Element, Changes>, place: Element, now: number): void {
    const { times, last } = changes.get(place) || { times: 0, last: -FEED_GAP };
    if (now - last < FEED_STEP) return;
    changes.set(place, { times: now - last < FEED_GAP ? times + 1 : 1, last: now });
  }

  touch(place: Element): void {
    if (this.touched.size < MAX_TOUCHED) this.touched.add(place);
    else this.overflow ||= !this.touched.has(place);
  }

  override isFeed(owner: Element): boolean {
    return isInSuccession(this.blinks.get(owner)) || super.isFeed(owner);
  }

  override isFeedPlace(node: Element): boolean {
    return isInSuccession(this.feeds.get(node));
  }

  /** The places that count now. A feed counts when it has stopped. */
  due(): Element[] {
    this.flush();
    for (const place of this.touched) if (!isConnected(place)) this.touched.delete(place);
    return [...this.touched].filter((place) => !this.isFeed(place));
  }

  isDue(quiet: number, collect: number): boolean {
    this.watchTrees();
    if (location.href !== this.href) return true;
    if (!this.due().length && !this.overflow) {
      this.since = null;
      return false;
    }
    const now = performance.now();
    this.since ??= now;
    return now - this.last >= quiet || now - this.since >= collect;
  }

  take(numbers: readonly number[]): Omit<UnreadChangesResponse, 'fresh'> {
    this.watchTrees();
    const due = this.due();
    const isTouched = due.length > 0 || this.overflow || location.href !== this.href;
    const texts = isTouched || this.announced.size ? this.compareOutsideFeeds() : [];
    for (const place of due) this.touched.delete(place);
    this.overflow = false;
    this.since = null;
    this.href = location.href;
    const feeds = numbers.filter((number) => this.isFeedNumber(number));
    return { touched: isTouched, texts, feeds, feeding: this.touched.size > 0 };
  }

  /** What a feed says is compared when it has stopped, with what it said before. */
  compareOutsideFeeds(): TextChange[] {
    if (!this.latest) return [];
    const before = this.latest.units;
    const rows = this.compare(this.latest);
    this.announced.clear();
    const { units } = this.latest;
    for (const owner of [...units.keys()]) {
      if (!this.isFeed(owner)) continue;
      const text = before.get(owner);
      if (text !== undefined) units.set(owner, text);
      else units.delete(owner);
    }
    return rows;
  }

  isFeedNumber(number: number): boolean {
    const element = elementOfNumber.has(number) ? elementNumbered(number) : null;
    return element !== null && (this.isFeed(element) || textKind(element) === 'clock');
  }
}
