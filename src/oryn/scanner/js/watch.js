// What the text of a page says since an action began: `watch` before it, and `changed_texts` of a scan after it.

const MOST_TEXT_CHANGES = 60;
// What has changed so often by itself, and not long ago, changes without an action too.
const FEED_TIMES = 3;
const FEED_STEP = 100;
const FEED_AGE = 2000;

let textWatch = null;
const currentWatch = () => (textWatch ||= new TextWatch());

/**
 * watch: later changes of the page's text are those since now. Answers whether the page has changed since it was last
 * scanned as a whole, and which of its texts have changed since they were last told.
 */
function watchTexts(request) {
  forgetScrolls();
  forgetDeparted();
  return currentWatch().begin(request.acting !== false);
}

/** changed_texts: the changes of text since `watch`; of a document that was not watched, the messages in it. */
function changedTexts() {
  const texts = currentWatch().tell();
  return { texts, feeding: isFeeding(currentWatch()) };
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
    this.units = null; // of the last comparison
    this.places = null; // their elements' parents
    this.acting = false;
    this.began = 0; // when the last action began
    this.busy = null; // what was busy then
    this.mutated = false; // since the last scan
    this.changed = false; // since the last comparison
    this.announced = new Map();
    this.feeds = new WeakMap();
    this.shapes = new FeedShapes();
    this.roots = new Set();
    this.observer = pageObserver((records) => this.note(records));
    this.onInvalid = (event) => this.announceInvalid(event);
    this.watchTrees();
  }

  /** Trees may come at any time: shadow roots, frames. */
  watchTrees() {
    allElements();
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'invalid', this.onInvalid, { capture: true, passive: true });
    }
  }

  begin(acting) {
    this.flush();
    const { mutated } = this;
    const texts = this.units && this.changed ? this.compare() : [];
    if (!this.units) this.read();
    this.acting = acting;
    this.began = performance.now();
    this.busy = busyBefore();
    this.changed = false;
    this.announced.clear();
    this.watchTrees();
    return { mutated, texts, feeding: isFeeding(this) };
  }

  tell() {
    this.flush();
    const texts = this.units ? this.compare() : this.messages();
    this.acting = this.changed = false;
    this.watchTrees();
    return texts;
  }

  scanned() {
    this.flush();
    this.mutated = false;
    this.watchTrees();
  }

  read() {
    this.units = textUnits();
    this.places = new Map();
    for (const owner of this.units.keys()) this.places.set(owner, parentOf(owner));
    return this.units;
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
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (type === 'attributes') {
        if (!this.acting) blinking.add(target);
        continue;
      }
      const place = nodeTypeOf(target) === ELEMENT_NODE ? target : parentOf(target);
      if (!place) continue;
      if (this.acting) this.announce(place, addedNodes);
      if (!places.has(place)) places.set(place, { added: [], removed: [] });
      addSome(places.get(place).added, addedNodes);
      addSome(places.get(place).removed, removedNodes);
    }
    for (const element of blinking) this.shapes.blink(element);
    this.count(places, performance.now());
  }

  /** While there is an action, only what was a feed before it goes on as one. */
  count(places, now) {
    for (const [place, { added, removed }] of places) {
      const { times, last } = this.feeds.get(place) || { times: 0, last: -FEED_STEP };
      if (now - last < FEED_STEP) continue;
      if (!this.acting) {
        this.feeds.set(place, { times: times + 1, last: now });
        this.shapes.learn(place, added, removed);
      } else if (this.isFeedPlace(place)) this.feeds.set(place, { times, last: now });
    }
  }

  /** Keep what a message says: it may be gone when the page has become quiet. */
  announce(place, added) {
    if (nodeTypeOf(place) !== ELEMENT_NODE || !isConnected(place)) return;
    const live = closest(place, LIVE);
    if (live) this.keep(live);
    for (const node of added) {
      if (nodeTypeOf(node) !== ELEMENT_NODE) continue;
      for (const each of [node, ...queryAll(node, LIVE)]) if (messageKind(each) !== 'text') this.keep(each);
    }
  }

  /** What the browser says about a field that it does not send, in a bubble of its own. */
  announceInvalid({ target, isTrusted }) {
    const message = target.validationMessage;
    if (!isTrusted || typeof message !== 'string' || !message || !isStyledVisible(target)) return;
    const name = nameOf(target);
    this.announced.set(name ? `${name}: ${message}` : message, 'alert');
  }

  keep(element) {
    if (this.announced.size >= MOST_TEXT_CHANGES || !isStyledVisible(element)) return;
    const text = collapse(textContentOf(element));
    if (text) this.announced.set(text, messageKind(element));
  }

  /** Rows of what is new or other than before, and of what has gone. The units of now are those to compare with next. */
  compare() {
    const before = this.units;
    const places = this.places;
    const now = this.read();
    const left = countTexts(before);
    const differ = [];
    const moved = [];
    for (const [owner, text] of now) {
      if (before.get(owner) !== text) differ.push([owner, text]);
      else if (take(left, text) && places.get(owner) !== parentOf(owner)) moved.push([owner, text]);
    }
    const rows = [];
    for (const [owner, text] of differ) {
      if (take(left, text) || this.isFeed(owner)) continue;
      if (before.has(owner)) take(left, before.get(owner));
      rows.push(textRow(before.has(owner) ? 'changed' : 'new', textKind(owner), text));
    }
    for (const [owner, text] of moved) rows.push(textRow('changed', textKind(owner), text));
    rows.push(...this.vanishedMessages([...before.values(), ...now.values()]));
    for (const [owner, text] of before) {
      if (!now.has(owner) && take(left, text) && !this.isFeed(owner)) rows.push(textRow('gone', 'text', text));
    }
    return rows.filter(({ kind }) => kind !== 'clock').slice(0, MOST_TEXT_CHANGES);
  }

  /** The messages that have come and gone since the last comparison. */
  vanishedMessages(shown) {
    const rows = [];
    for (const [text, kind] of this.announced) {
      if (!shown.some((each) => each.includes(text) || isMostOf(each, text))) rows.push(textRow('new', kind, text));
    }
    this.announced.clear();
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

  /** What a new document says about what has led to it. */
  messages() {
    this.read();
    const rows = [];
    for (const [owner, text] of this.units) {
      const kind = textKind(owner);
      if (kind === 'alert' || kind === 'status') rows.push(textRow('new', kind, text));
    }
    return rows.slice(0, MOST_TEXT_CHANGES);
  }
}

const isMostOf = (part, text) => text.includes(part) && part.length > text.length / 2;
const textRow = (change, kind, text) => ({ change, kind, text: shorten(text) });

function countTexts(units) {
  const counts = new Map();
  for (const text of units.values()) counts.set(text, (counts.get(text) || 0) + 1);
  return counts;
}

/** Take one of these texts, where there is one left. */
function take(counts, text) {
  const count = counts.get(text) || 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}
