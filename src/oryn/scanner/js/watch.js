// What the text of a page says since an action began: `watch` before it, and `changed_texts` of a scan after it.

const MAX_TEXT_CHANGES = 60;
// What has changed so often by itself, and not long ago, changes without an action too.
const FEED_TIMES = 3;
const FEED_STEP = 100;
const FEED_AGE = 2000;
const AT_REST = 500; // milliseconds without a change

let textWatch = null;
const currentWatch = () => (textWatch ||= new TextWatch());

/**
 * watch: later changes of the page's text are those since now. Answers whether the page has changed since it was last
 * scanned as a whole, and which of its texts have changed since they were last reported.
 */
function watchTexts(request) {
  forgetScrolls();
  forgetDeparted();
  return currentWatch().begin(request.acting !== false);
}

/**
 * changed_texts: the changes of text since `watch`; of a document that was not watched, the messages in it. What comes
 * in the next `acting` milliseconds is the action's too.
 */
function changedTexts(request) {
  const texts = currentWatch().report(request.acting || 0, request.former || null);
  return { texts, feeding: isFeeding(currentWatch()) };
}

/** Whether the document has changed since its text was watched or its changes were asked last. */
function hasUnreportedChanges() {
  if (textWatch) textWatch.flush();
  return textWatch !== null && textWatch.changed;
}

/** A scan of the whole page, unless it was for numbers alone, knows all that has happened before it. */
function noteScan(request) {
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
