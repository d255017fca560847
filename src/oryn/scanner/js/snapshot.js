// What a document's structure says is worked out once and kept until something changed: a mutation in any tree of the
// page, a style sheet, the viewport, a form control's state, a finished transition. Geometry, values, focus and checks
// are always read live.

const OBSERVED = { childList: true, attributes: true, characterData: true, subtree: true };
// These change what style sheets match without a mutation.
const STYLE_EVENTS = ['change', 'input', 'focusin', 'mouseover', 'transitionend', 'animationend', 'load', 'toggle'];

let scope = document; // what `switch_frame` chose: the document that commands read

/** Make another document the one that commands read. */
function setScope(owner) {
  scope = owner;
}

let cache = null;
const markStale = () => {
  stale = true;
};
let mutatedAt = -Infinity; // when the page last changed but for its texts, in milliseconds of `performance.now`
const onMutations = (records) => {
  stale = true;
  noteMutations(records);
};
let stale = true;
const observer = pageObserver(onMutations);
const listened = new WeakSet();

/** The cache that holds now, emptied when anything changed. */
function currentCache() {
  return cache || (cache = newCache());
}

const newCache = () => ({
  all: null, // every element in walk order, with its frame at the same place of `frames`
  frames: null,
  trees: [],
  walkable: null, // of `all`, by a script of the page's own world
  unsure: [],
  found: null, // the candidates: all interactive elements
  facts: new Map(),
  names: new Map(),
  writtenNames: new Map(),
  texts: new Map(),
  lowTexts: new Map(),
  clipped: new Map(),
  clippers: new Map(),
  remembered: new Map(),
  stamp: stampOf(scope),
});

/** What `compute` said since the cache was last emptied. */
function remember(key, compute) {
  const { remembered } = currentCache();
  if (!remembered.has(key)) remembered.set(key, compute());
  return remembered.get(key);
}

function forgetCache() {
  if (cache) noteSeen(cache.facts);
  cache = null;
  stale = true;
}

/** Call at the start of each command: forgets the cache when the page is no longer what it was. */
function refreshCache() {
  lastViewport = { owner: null };
  const records = observer.takeRecords().filter(isOfPage);
  noteMutations(records);
  if (records.length || stale || !cache || isOutdated()) forgetCache();
}

function noteMutations(records) {
  noteRemovals(records);
  if (!records.every(isOfText)) mutatedAt = performance.now();
}

/** Whether only text changed, which moves nothing step by step as new styles, attributes and elements do. */
function isOfText({ type, addedNodes, removedNodes }) {
  if (type !== 'childList') return type === 'characterData';
  return [addedNodes, removedNodes].every((nodes) => Array.prototype.every.call(nodes, isTextNode));
}

const isTextNode = (node) => nodeTypeOf(node) === TEXT_NODE;

function isOutdated() {
  if (cache.stamp !== stampOf(scope)) return true;
  if (!cache.all) return false;
  for (const tree of cache.trees) {
    if (tree.frame && frameDocument(tree.frame) !== tree.root) return true;
  }
  for (const element of cache.emptyFrames) if (frameDocument(element)) return true;
  for (const element of cache.mayHost) if (shadowOf(element)) return true;
  return mayHaveRoots(cache.watchedHosts);
}

/** What may change without a mutation: sheets that arrived, the viewport, how far the document has loaded. */
function stampOf(owner) {
  const view = windowOf(owner) || window;
  const adopted = owner.adoptedStyleSheets ? owner.adoptedStyleSheets.length : 0;
  const { innerWidth, innerHeight, location } = view;
  return [styleSheetsOf(owner).length, adopted, innerWidth, innerHeight, readyStateOf(owner), location.href].join(' ');
}

/** Every element of the page in walk order, from the cache. */
function allElements() {
  const current = currentCache();
  if (current.all) return current.all;
  noteRemovals(observer.takeRecords());
  observer.disconnect();
  stale = false;
  current.trees = [];
  current.emptyFrames = [];
  current.mayHost = [];
  current.hasClosed = false;
  const all = [];
  const frames = [];
  walk(
    scope,
    (element, position, frame) => {
      all.push(element);
      frames.push(frame);
      const tag = tagOf(element);
      if (tag === 'iframe' || tag === 'frame' || tag === 'object') {
        if (!frameDocument(element)) current.emptyFrames.push(element);
      } else if (MAY_HOST.test(tag) && !openShadowOf(element)) {
        if (closedRoots.has(element) || askBrowser(element)) current.hasClosed = true;
        else current.mayHost.push(element);
      }
    },
    (root, frame) => {
      current.trees.push({ root, frame: nodeTypeOf(root) === DOCUMENT_NODE ? frame : null });
      observe(root);
    },
  );
  current.all = all;
  current.frames = frames;
  const { unsure, watched } = sortHosts(current.mayHost);
  current.unsure = unsure;
  current.watchedHosts = watched;
  return all;
}

function observe(root) {
  observer.observe(root, OBSERVED);
  if (listened.has(root)) return;
  listened.add(root);
  for (const kind of STYLE_EVENTS) addListener(root, kind, markStale, { capture: true, passive: true });
}

/** All interactive elements in walk order, classified. */
function foundElements() {
  const all = allElements();
  const current = currentCache();
  if (!current.found) {
    current.found = collect(all, current.frames);
    for (const candidate of current.found) {
      classifyCandidate(candidate);
      current.facts.set(candidate.element, candidate);
    }
    transferNumbers(current.found);
  }
  return current.found;
}

/** The facts about any element, interactive or not, as scan and find answer them. */
function factsOf(element) {
  foundElements();
  const { facts } = currentCache();
  let candidate = facts.get(element);
  if (!candidate) {
    const owner = ownerOf(element);
    candidate = {
      element,
      frame: owner === scope ? null : frameElementOf(owner),
      tag: tagOf(element),
      strong: false,
      passive: true,
    };
    classifyCandidate(candidate);
    facts.set(element, candidate);
  }
  return candidate;
}

let hinted = 0; // how many positions the last hints had

/** Take over which elements in closed shadow roots have listeners, and for what. */
function takeClosedListeners(kinds, elements) {
  let isNew = false;
  elements.forEach((element, at) => {
    if (listeningClosed.has(element) || !kinds[at].some((kind) => CLICK_EVENTS.includes(kind))) return;
    isNew = true;
    listeningClosed.add(element);
  });
  if (isNew) forgetFound();
}

function forgetFound() {
  const current = currentCache();
  noteSeen(current.facts);
  current.found = null;
  current.facts = new Map();
  current.names = new Map();
  current.remembered.delete(INVENTED_NAMES);
}

/** Take over the backend's hints; returns whether they fit the page as it is. */
function takeHints(positions, count) {
  let all = walkableElements(allElements());
  if (all.length !== count) {
    forgetCache();
    all = walkableElements(allElements());
    if (all.length !== count) return false;
  }
  let isNew = false;
  for (const position of positions) if (all[position] && !listening.has(all[position])) isNew = true;
  const unchanged = !isNew && positions.length === hinted;
  if (unchanged) return true;
  hinted = positions.length;
  setListening(positions.map((position) => all[position]).filter(Boolean));
  forgetFound();
  return true;
}

/** A test of frame elements (or null for none), each looked at once: one that can't be seen hides what it holds. */
function visibleFrames() {
  const seen = new Map();
  return (frame) => {
    if (!frame) return true;
    if (!seen.has(frame)) seen.set(frame, isVisible(frame));
    return seen.get(frame);
  };
}
