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
function readUnreadChanges(request) {
  const isFresh = unreadWatch === null;
  unreadWatch ||= new UnreadWatch();
  return { fresh: isFresh, ...unreadWatch.take(request.elements || []) };
}

/** Whether there are such changes, and the page has been quiet for `quiet` milliseconds, or they are `collect` old. */
function hasUnreadChanges({ quiet = 0, collect = Infinity }) {
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
