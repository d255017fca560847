// Closed shadow roots (https://dom.spec.whatwg.org/#dom-shadowroot-mode): no script gets from a host to its root, not
// even the scanner's. Only the browser says what there is. An extension may ask it about any element at once
// (https://developer.chrome.com/docs/extensions/reference/api/dom). Elsewhere the backend asks it, which takes about
// 0.1 ms an element: so it is asked about elements that may well have a root, some of each kind, and again when they
// look different than before. What it finds is handed over by `__oryn_closed`.

// https://dom.spec.whatwg.org/#valid-shadow-host-name
const MAY_HOST = /-|^(?:article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;

const browserApi = globalThis.chrome;
const rootByBrowser = browserRoots();

/** Firefox has an attribute for it, in the worlds of extensions only.
 *  https://developer.mozilla.org/en-US/docs/Web/API/Element/openOrClosedShadowRoot */
function browserRoots() {
  if ('openOrClosedShadowRoot' in Element.prototype) return getter(Element.prototype, 'openOrClosedShadowRoot');
  const dom = browserApi && browserApi.dom;
  return dom && typeof dom.openOrClosedShadowRoot === 'function' ? dom.openOrClosedShadowRoot.bind(dom) : null;
}

const MAX_HOSTS_PER_REQUEST = 400;
// How often the backend is asked about elements of one kind which none has had a root of: a custom element, what has the
// same class, what has none.
const ASKS = { custom: 12, classed: 8, plain: 60 };
// A page of few elements can be asked about all of them; the content of a host may be shown in slots of its root.
const FEW_HOSTS = 40;
const MAX_WATCHED = 500;
const MAX_CHILDREN = 8;
const SOME_TEXT = /\S/;

let asksBackend = false; // whether the backend answers what it is asked

/** `asks`: whether the backend looks for closed shadow roots when it is told ROOTS_UNKNOWN. */
function setAsksBackend(asks) {
  asksBackend = asks && !rootByBrowser;
}

let asking = []; // the elements that it is about to be asked about
const pendingLook = new WeakMap(); // element: how it looked then
const answeredLook = new WeakMap(); // the same of those that it was asked about
const rootless = new WeakSet();
const asksOfKind = new Map();
const closedKinds = new Set();
const isDefined = (element) => matches(element, ':defined');

/**
 * Learn from the browser itself whether an element has a closed root: that takes 1 µs, too long for all elements in every
 * walk. One that has content of its own and no name of a custom element seldom gets a root later.
 */
function askBrowser(element) {
  if (!rootByBrowser || rootless.has(element) || !isHtml(element)) return false;
  const root = rootByBrowser(element);
  if (root) closedRoots.set(element, root);
  else if (firstChildOf(element) && !tagOf(element).includes('-')) rootless.add(element);
  return Boolean(root);
}

/** Of the elements that may have a root and have no open one: those to ask about, and those that may get one. */
function sortHosts(elements) {
  const unsure = [];
  const watched = [];
  if (!rootByBrowser && !asksBackend) return { unsure, watched };
  const asks = new Map();
  const isFew = elements.length <= FEW_HOSTS;
  for (const element of elements) {
    const tag = tagOf(element);
    const isCustom = tag.includes('-');
    if (!isCustom && !isFew && firstChildOf(element) && !mayBeBare(element)) continue;
    const kind = kindOf(element, tag, isCustom);
    const times = (asksOfKind.get(kind.name) || 0) + (asks.get(kind.name) || 0);
    if (times >= kind.limit && !closedKinds.has(kind.name)) continue;
    if (watched.length < MAX_WATCHED) watched.push(element);
    if (rootByBrowser || answeredLook.get(element) === lookOf(element, isCustom)) continue;
    asks.set(kind.name, (asks.get(kind.name) || 0) + 1);
    unsure.push(element);
  }
  return { unsure, watched: watched.map((element) => ({ element, look: lookOf(element, tagOf(element).includes('-')) })) };
}

function kindOf(element, tag, isCustom) {
  if (isCustom) return { name: tag, limit: ASKS.custom };
  const classes = attribute(element, 'class');
  return { name: `${tag} ${classes || ''}`, limit: classes ? ASKS.classed : ASKS.plain };
}

/** Whether an element may show nothing of its own children. */
function mayBeBare(element) {
  let left = MAX_CHILDREN;
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (!left--) return false;
    const type = nodeTypeOf(node);
    if (type === TEXT_NODE ? SOME_TEXT.test(dataOf(node)) : type === ELEMENT_NODE && boxesOf(node).length) return false;
  }
  return true;
}

/** A new root changes an element's size, or which of its children are drawn, or comes when its class is defined. */
function lookOf(element, isCustom) {
  const isBare = mayBeBare(element);
  if (!isBare && !isCustom) return 'full';
  const { width, height } = boxOf(element);
  return `${isBare} ${width} ${height} ${!isCustom || isDefined(element)}`;
}

/** Whether one of these elements may have got a root since. */
function mayHaveRoots(watched) {
  for (const { element, look } of watched) {
    if (!isConnected(element) || lookOf(element, tagOf(element).includes('-')) === look) continue;
    rootless.delete(element);
    if (!rootByBrowser || askBrowser(element)) return true;
  }
  return false;
}

/** Whether the backend has to look for closed roots before the page can be read whole. */
function hasUnsureHosts() {
  if (!asksBackend) return false;
  allElements();
  return currentCache().unsure.length > 0;
}

/** The elements that the backend is to ask about now: it has done so when it hands over what it has found. */
function unsureHosts() {
  asking = cache ? cache.unsure.slice(0, MAX_HOSTS_PER_REQUEST) : [];
  for (const element of asking) pendingLook.set(element, lookOf(element, tagOf(element).includes('-')));
  return asking;
}

function recordAnswered() {
  for (const element of asking) {
    const tag = tagOf(element);
    const { name } = kindOf(element, tag, tag.includes('-'));
    asksOfKind.set(name, (asksOfKind.get(name) || 0) + 1);
    answeredLook.set(element, pendingLook.get(element));
  }
  if (cache) cache.unsure = cache.unsure.filter((element) => !asking.includes(element));
  asking = [];
}

/** Take over the closed roots, maybe none, of the elements that the backend was to ask about. */
function takeClosedRoots(...roots) {
  recordAnswered();
  for (const root of roots) {
    const host = hostOf(root);
    closedRoots.set(host, root);
    const tag = tagOf(host);
    closedKinds.add(kindOf(host, tag, tag.includes('-')).name);
  }
  if (roots.length) forgetCache();
}

/** The elements that a script of the page's own world can walk to as well, in the same order. */
function walkableElements(all) {
  const current = currentCache();
  if (!current.hasClosed) return all;
  if (!current.walkable) {
    const reached = new Map();
    current.walkable = all.filter((element) => isWalkable(rootOf(element), reached));
  }
  return current.walkable;
}

function isWalkable(root, reached) {
  if (reached.has(root)) return reached.get(root);
  let isOpen = true;
  if (nodeTypeOf(root) === FRAGMENT_NODE) {
    const host = hostOf(root);
    isOpen = openShadowOf(host) === root && isWalkable(rootOf(host), reached);
  } else if (root !== scope) {
    const frame = frameElementOf(root);
    isOpen = !frame || isWalkable(rootOf(frame), reached);
  }
  reached.set(root, isOpen);
  return isOpen;
}
