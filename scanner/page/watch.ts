// Which elements a page adds, removes and changes again and again by itself: a log, a chat, a ticker. A `TextWatch`
// knows the places; what came and went in them without an action has shapes, and only what has such a shape is of the
// feed. So a button that an action puts into a log for the first time is told apart from the log's rows.

import {
  ELEMENT_NODE,
  addListener,
  attribute,
  childrenOf,
  closest,
  contains,
  isConnected,
  matches,
  nodeTypeOf,
  parentOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse } from '../dom/words';
import { isOfPage, pageObserver, queryAll } from '../dom/banner';
import { changedElement, elementAbove, holderOf } from '../dom/tree';
import { elementOfNumber, formerParents, numberOfElement } from '../dom/numbers';
import { OBSERVED, allElements, currentCache } from '../dom/snapshot';
import { innerControl } from '../dom/labels';
import { isStyledVisible } from '../geometry/visibility';
import { forgetScrolls } from '../geometry/boxes';
import { LIVE } from '../semantics/roles';
import { fieldStates } from '../semantics/values';
import { nameOf } from '../semantics/labels';
import { GAUGES, LEVELS_OF_KIND, messageKind, newParts, textKind, textUnits, textWithoutClocks } from '../text/units';
import {
  compareTexts,
  isMostOf,
  isTickOfClock,
  openingTexts,
  successorTexts,
  take,
  textRow,
  visibleTexts,
} from '../text/comparison';
import { forgetDeparted } from '../targets/number_transfer';
import { elementNumbered } from '../targets/candidates';
import { busyBefore } from './busy';

const FEED_LEVELS = 10; // between an element and the place that changes
const MAX_LEARNED = 40; // elements of one change
const MAX_NAMES = 30; // of one shape
const MAX_NODES = 500; // of one change
const NOVEL_TIMES = 2; // so many other names make any name one of the feed's
const MAX_ACTIVE = 100;

const FEED_CONTROLS =
  'a,button,input,select,textarea,summary,iframe,label,[role],[tabindex],[onclick],[contenteditable]';

/**
 * feed_elements: those of the numbered elements that a feed has added (`came`), removed (`went`) or changed (`changed`).
 * What is in the same item as `subject`, the element that was acted on, is none.
 */
export function feedElements({ subject, came = [], went = [], changed = [] }) {
  const { shapes } = currentWatch();
  const isNow = (place) => currentWatch().isFeedPlace(place);
  const about = elementOfNumber.has(subject) ? elementOfNumber.get(subject).deref() : undefined;
  const item = about ? itemOf(about, isNow) : null;
  const isOf = (kind) => (number) => {
    const element = elementOfNumber.has(number) ? elementOfNumber.get(number).deref() : undefined;
    if (element === undefined) return kind === 'went' && shapes.numbers.has(number);
    if (item !== null && itemOf(element, isNow) === item) return false;
    return kind === 'changed' ? shapes.changesItself(element, isNow) : shapes.isOfFeed(element, kind, isNow);
  };
  return { elements: [...came.filter(isOf('came')), ...went.filter(isOf('went')), ...changed.filter(isOf('changed'))] };
}

/** Whether anything that has numbers may change by itself. */
function isFeeding(watch) {
  const isNow = (place) => watch.isFeedPlace(place);
  watch.shapes.remember(isNow);
  return watch.shapes.isActive(isNow);
}

/** Add nodes of a list, but not without limit. */
function addSome(nodes, list) {
  for (let index = 0; index < list.length && nodes.length < MAX_NODES; index++) nodes.push(list[index]);
}

/** The element around another one, also of one that has been removed. */
function formerAbove(element) {
  const above = elementAbove(element);
  if (above || !formerParents.has(element)) return above;
  return holderOf(formerParents.get(element));
}

class FeedShapes {
  constructor() {
    this.places = new WeakMap(); // of a place: the shapes of what came and of what went
    this.blinks = new WeakMap(); // how often attributes have changed
    this.numbers = new Set(); // of elements that were seen in feeds: later they may be gone without a trace
    this.active = new Set();
    this.blinking = false;
  }

  /** Note what one change of a place, without an action, has added and removed. */
  learn(place, added, removed) {
    if (!this.places.has(place)) this.places.set(place, { came: new Map(), went: new Map() });
    if (this.active.size < MAX_ACTIVE) this.active.add(place);
    const { came, went } = this.places.get(place);
    const rows = new Set([...repeatedMarks(added), ...repeatedMarks(removed)]);
    const [news, olds] = [shapesOf(place, added, rows), shapesOf(place, removed, rows)];
    const isRendering = added.length > 0 && removed.length > 0 && added.length >= childrenOf(shadowOf(place) || place).length;
    noteShapes(came, isRendering ? withoutLikes(news, olds) : news);
    noteShapes(went, isRendering ? withoutLikes(olds, news) : olds);
  }

  blink(element) {
    const times = (this.blinks.get(element) || 0) + 1;
    this.blinks.set(element, times);
    this.blinking ||= times >= FEED_TIMES;
  }

  /** Whether an element came (`came`) or went (`went`) as others did in the feed around it; `isNow` tests a place. */
  isOfFeed(element, kind, isNow) {
    let level = 0;
    for (let node = formerAbove(element); node && level < FEED_LEVELS; node = formerAbove(node), level++) {
      if (tagOf(node) === 'body') return false;
      const shapes = isNow(node) && this.places.get(node);
      if (shapes && hasShape(shapes[kind], shapeOf(node, element))) return true;
    }
    return false;
  }

  /** Whether an element's own content or attributes change by themselves. */
  changesItself(element, isNow) {
    if ((this.blinks.get(element) || 0) >= FEED_TIMES) return true;
    for (const place of this.active) if (isNow(place) && contains(element, place)) return true;
    return false;
  }

  isActive(isNow) {
    for (const place of this.active) if (isNow(place)) return true;
    return this.blinking;
  }

  /** Remember the numbers of what is in feeds now, and drop places that are no longer such. */
  remember(isNow) {
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
function shapesOf(place, nodes, rows) {
  const shapes = [];
  for (const root of nodes) {
    if (nodeTypeOf(root) !== ELEMENT_NODE) continue;
    const row = rows.has(markOf(root)) ? textContentOf(root) : '';
    for (const element of [root, ...queryAll(root, FEED_CONTROLS)]) {
      if (shapes.length >= MAX_LEARNED) return shapes;
      const shape = shapeOf(place, element, root);
      shapes.push({ ...shape, key: [shape.path, shape.name, row].join('\n') });
    }
  }
  return shapes;
}

function repeatedMarks(nodes) {
  const marks = nodes.map(markOf);
  return marks.filter((mark, index) => mark && marks.indexOf(mark) < index);
}

/** The way from a place down to an element, and what the element is called, without numbers. */
function shapeOf(place, element, root = null) {
  const marks = [];
  for (let node = element; node && node !== place; node = node === root ? null : formerAbove(node)) marks.push(markOf(node));
  const name = attribute(element, 'aria-label') || textContentOf(element).slice(0, 200);
  return { path: marks.join('<'), name: withoutDigits(collapse(name)) };
}

const markOf = (node) => (nodeTypeOf(node) === ELEMENT_NODE ? withoutDigits(`${tagOf(node)}.${attribute(node, 'class') || ''}`) : '');
const withoutDigits = (text) => text.replace(/\d+/g, '#');

function noteShapes(seen, shapes) {
  const isFirst = seen.size === 0;
  for (const { path, name } of shapes) {
    if (!seen.has(path)) seen.set(path, { names: new Set(), novel: 0 });
    const shape = seen.get(path);
    if (shape.names.has(name)) continue;
    if (!isFirst) shape.novel++;
    if (shape.names.size < MAX_NAMES) shape.names.add(name);
  }
}

function hasShape(seen, { path, name }) {
  const shape = seen.get(path);
  return Boolean(shape) && (shape.novel > NOVEL_TIMES || shape.names.has(name));
}

/** The shapes of one side of a rendering that the other side does not have as well. */
function withoutLikes(shapes, others) {
  const left = new Map();
  for (const { key } of others) left.set(key, (left.get(key) || 0) + 1);
  return shapes.filter(({ key }) => !take(left, key));
}

/** The child of the innermost feed around an element that holds it, or null. */
function itemOf(element, isNow) {
  let item = element;
  let level = 0;
  for (let node = formerAbove(element); node && level < FEED_LEVELS; node = formerAbove(node), level++) {
    if (isNow(node)) return item;
    item = node;
  }
  return null;
}

// What the text of a page says since an action began: `watch` before it, and `changed_texts` of a scan after it.

const MAX_TEXT_CHANGES = 60;

// What has changed so often by itself, and not long ago, changes without an action too.
const FEED_TIMES = 3;

const FEED_STEP = 100;
const FEED_AGE = 2000;
const AT_REST = 500; // milliseconds without a change
export let textWatch = null;
const currentWatch = () => (textWatch ||= new TextWatch());

/**
 * watch: later changes of the page's text are those since now. Answers whether the page has changed since it was last
 * scanned as a whole, and which of its texts have changed since they were last reported.
 */
export function watchTexts(request) {
  forgetScrolls();
  forgetDeparted();
  return currentWatch().begin(request.acting !== false);
}

/**
 * changed_texts: the changes of text since `watch`; of a document that was not watched, the messages in it. What comes
 * in the next `acting` milliseconds is the action's too.
 */
export function changedTexts(request) {
  const texts = currentWatch().report(request.acting || 0, request.former || null);
  return { texts, feeding: isFeeding(currentWatch()) };
}

/** Whether the document has changed since its text was watched or its changes were asked last. */
export function hasUnreportedChanges() {
  if (textWatch) textWatch.flush();
  return textWatch !== null && textWatch.changed;
}

/** A scan of the whole page, unless it was for numbers alone, knows all that has happened before it. */
export function noteScan(request) {
  if (request.fields && !request.fields.length) return;
  if (request.within || request.near || request.viewport_only || request.include_hidden) return;
  if (textWatch) textWatch.scanned();
  else textWatch = new TextWatch();
}

class TextWatch {
  constructor() {
    this.latest = null; // the texts of the last comparison: `units`, and the parents of their elements, `places`
    this.base = null; // those that the action began with
    this.actingUntil = 0;
    this.began = 0; // when the last action began
    this.busy = null; // what was busy then
    this.stirred = -Infinity; // when the page changed last without an action
    this.mutated = false; // since the last scan
    this.changed = false; // since the last comparison
    this.announced = new Map();
    this.reported = new Set(); // of what was announced
    this.affected = new Map(); // by the action: what has another content (false), or is new (true)
    this.gaugeMoved = -Infinity;
    this.feeds = new WeakMap();
    this.shapes = new FeedShapes();
    this.roots = new Set();
    this.observer = pageObserver((records) => this.note(records));
    this.onInvalid = (event) => this.announceInvalid(event);
    this.watchTrees();
    this.fields = fieldStates(); // at the last scan
  }

  /** Trees may come at any time: shadow roots, frames. Returns whether any did. */
  watchTrees() {
    allElements();
    const count = this.roots.size;
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'invalid', this.onInvalid, { capture: true, passive: true });
    }
    return this.roots.size > count;
  }

  get isActing() {
    return performance.now() < this.actingUntil;
  }

  /** Whether there is an action, and the page was at rest before it. */
  get wasAtRest() {
    return this.isActing && this.began - this.stirred > AT_REST;
  }

  begin(acting) {
    this.flush();
    if (this.watchTrees()) this.mutated = this.changed = true;
    const mutated = this.mutated || this.fields !== fieldStates(); // a script sets fields without an event
    for (const text of this.reported) this.announced.delete(text);
    const texts = this.latest && this.changed ? this.compare(this.latest) : [];
    this.base = this.latest || this.read();
    this.began = performance.now();
    this.actingUntil = acting ? Infinity : 0;
    this.busy = busyBefore();
    this.changed = false;
    this.announced.clear();
    this.reported.clear();
    this.affected.clear();
    const visible = acting && window === window.top ? visibleTexts(this.base.units) : null;
    return { mutated, texts, feeding: isFeeding(this), visible_texts: visible };
  }

  report(acting, former) {
    this.flush();
    const texts = this.base ? this.compare(this.base) : this.messages(former);
    for (const text of this.announced.keys()) this.reported.add(text);
    this.actingUntil = performance.now() + acting;
    this.changed = false;
    this.watchTrees();
    return texts;
  }

  scanned() {
    this.flush();
    this.mutated = false;
    this.watchTrees();
    this.fields = fieldStates();
  }

  read() {
    const units = textUnits();
    const places = new Map();
    for (const owner of units.keys()) places.set(owner, parentOf(owner));
    return (this.latest = { units, places, at: performance.now() });
  }

  flush() {
    this.note(this.observer.takeRecords().filter(isOfPage));
  }

  note(records) {
    if (!records.length) return;
    this.mutated = true;
    this.changed = true;
    const places = new Map();
    const blinking = new Set();
    const { isActing } = this;
    if (!isActing) this.stirred = performance.now();
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (type === 'attributes' && !matches(target, GAUGES)) {
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
      if (!places.has(place)) places.set(place, { added: [], removed: [] });
      addSome(places.get(place).added, addedNodes);
      addSome(places.get(place).removed, removedNodes);
    }
    for (const element of blinking) this.shapes.blink(element);
    this.count(places, isActing);
  }

  /** While there is an action, only what was a feed before it goes on as one. */
  count(places, isActing) {
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

  noteAffected(place, added) {
    if (this.affected.size >= MAX_TEXT_CHANGES) return;
    if (!this.affected.has(place)) this.affected.set(place, false);
    for (const node of added) if (nodeTypeOf(node) === ELEMENT_NODE) this.affected.set(node, true);
  }

  /** Keep what a message says: it may be gone when the page has become quiet. */
  announce(place, added) {
    if (!isConnected(place)) return;
    const live = closest(place, LIVE);
    if (live) for (const part of newParts(live, place, added)) this.keep(part, messageKind(live));
    for (const node of added) {
      if (nodeTypeOf(node) !== ELEMENT_NODE) continue;
      for (const each of [node, ...queryAll(node, LIVE)]) if (messageKind(each) !== 'text') this.keep(each);
    }
  }

  /** What the browser says about a field that it does not send, in a bubble of its own. */
  announceInvalid({ target, isTrusted }) {
    const message = innerControl(target).validationMessage;
    if (!isTrusted || typeof message !== 'string' || !message || !isStyledVisible(target)) return;
    const name = nameOf(target);
    this.announced.set(name ? `${name}: ${message}` : message, 'alert');
  }

  keep(element, kind = messageKind(element)) {
    if (this.announced.size >= MAX_TEXT_CHANGES || !isStyledVisible(element)) return;
    const text = collapse(textWithoutClocks(element));
    if (text) this.announced.set(text, kind);
  }

  /** Rows of what differs from an earlier reading, with the messages that have come and gone since. */
  compare(before) {
    const now = this.read();
    const isFeed = (owner) => this.isFeed(owner);
    const since = before === this.base ? this.began : before.at;
    const isTick = (owner, was, is) => isTickOfClock(this, owner, was, is, since);
    const { present, gone } = compareTexts(before, now, { isFeed, isTick });
    const visible = [...before.units.values(), ...now.units.values()];
    const rows = [...present, ...this.vanishedMessages(visible), ...gone];
    return rows.filter(({ kind }) => kind !== 'clock').slice(0, MAX_TEXT_CHANGES);
  }

  /** The messages that have come and gone since the action began. */
  vanishedMessages(visible) {
    const rows = [];
    for (const [text, kind] of this.announced) {
      if (visible.some((each) => each.includes(text) || isMostOf(each, text))) continue;
      rows.push(textRow('new', kind, text));
    }
    return rows;
  }

  /** Whether a place has changed by itself, again and again, while nothing was done. */
  isFeed(owner) {
    let level = 0;
    for (let node = owner; node && level < LEVELS_OF_KIND; node = formerAbove(node), level++) {
      if (tagOf(node) === 'body') return false;
      if (this.isFeedPlace(node)) return true;
    }
    return false;
  }

  isFeedPlace(node) {
    const feed = this.feeds.get(node);
    return feed !== undefined && feed.times >= FEED_TIMES && this.began - feed.last < FEED_AGE;
  }

  messages(former) {
    const { units } = this.read();
    return (former ? successorTexts(units, former) : openingTexts(units)).slice(0, MAX_TEXT_CHANGES);
  }
}

// What an agent has not seen yet of a page: the changes since it last read them, without what the page changes again and
// again by itself.

const FEED_GAP = 3000; // milliseconds between changes of one place that are in succession
const SUCCESSION = 4; // how many of them make a feed
const ACTION_AGE = 30000; // an action that was never reported ends by itself
const MAX_TOUCHED = 500;
let unreadWatch = null;

/**
 * unread_changes: what has changed since the last command of that name in this document. `fresh`: there was none, so all
 * is new; `touched`: the document has changed outside of feeds; `texts`: rows as of `changed_texts`; `feeds`: which of
 * `elements` are in places that change by themselves; `feeding`: whether there is any such place.
 */
export function readUnreadChanges(request) {
  const isFresh = unreadWatch === null;
  unreadWatch ||= new UnreadWatch();
  return { fresh: isFresh, ...unreadWatch.take(request.elements || []) };
}

/** Whether there are such changes, and the page has been quiet for `quiet` milliseconds, or they are `collect` old. */
export function hasUnreadChanges({ quiet = 0, collect = Infinity }) {
  if (unreadWatch !== null) return unreadWatch.isDue(quiet, collect);
  return document.readyState === 'complete' || performance.now() >= collect;
}

const isInSuccession = (change) =>
  change !== undefined && change.times >= SUCCESSION && performance.now() - change.last < FEED_GAP;

/**
 * Differs from a `TextWatch` in what a feed is: a place that has changed four times in succession while nothing was
 * done. What it says counts again once it has stopped. Attributes alone are counted apart: a text in a box that blinks
 * is none of it.
 */
class UnreadWatch extends TextWatch {
  constructor() {
    super();
    this.blinks = new WeakMap();
    this.touched = new Set(); // places that have changed and were not read since
    this.overflow = false;
    this.since = null; // when there was first something to read
    this.last = 0; // when there was last something
    this.href = location.href;
    this.read();
  }

  note(records) {
    if (!this.touched) return; // the constructor of the base
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

  countChange(changes, place, now) {
    const { times, last } = changes.get(place) || { times: 0, last: -FEED_GAP };
    if (now - last < FEED_STEP) return;
    changes.set(place, { times: now - last < FEED_GAP ? times + 1 : 1, last: now });
  }

  touch(place) {
    if (this.touched.size < MAX_TOUCHED) this.touched.add(place);
    else this.overflow ||= !this.touched.has(place);
  }

  isFeed(owner) {
    return isInSuccession(this.blinks.get(owner)) || super.isFeed(owner);
  }

  isFeedPlace(node) {
    return isInSuccession(this.feeds.get(node));
  }

  /** The places that count now. A feed counts when it has stopped. */
  due() {
    this.flush();
    for (const place of this.touched) if (!isConnected(place)) this.touched.delete(place);
    return [...this.touched].filter((place) => !this.isFeed(place));
  }

  isDue(quiet, collect) {
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

  take(numbers) {
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
  compareOutsideFeeds() {
    const before = this.latest.units;
    const rows = this.compare(this.latest);
    this.announced.clear();
    const { units } = this.latest;
    for (const owner of [...units.keys()]) {
      if (!this.isFeed(owner)) continue;
      if (before.has(owner)) units.set(owner, before.get(owner));
      else units.delete(owner);
    }
    return rows;
  }

  isFeedNumber(number) {
    const element = elementOfNumber.has(number) ? elementNumbered(number) : null;
    return element !== null && (this.isFeed(element) || textKind(element) === 'clock');
  }
}
