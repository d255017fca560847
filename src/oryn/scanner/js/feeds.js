// Which elements a page adds, removes and changes again and again by itself: a log, a chat, a ticker. A `TextWatch`
// knows the places; what came and went in them without an action has shapes, and only what has such a shape is of the
// feed. So a button that an action puts into a log for the first time is told apart from the log's rows.

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
function feedElements({ subject, came = [], went = [], changed = [] }) {
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
