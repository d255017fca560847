// What a document's structure says is worked out once and kept until something changed: a mutation in any tree of the
// page, a style sheet, the viewport, a form control's state, a finished transition. Geometry, values, focus and checks
// are always read live.

import {
  FRAGMENT_NODE,
  NativePromise,
  activeElementOf,
  addListener,
  attribute,
  boxOf,
  boxesOf,
  closedRoots,
  closest,
  dataOf,
  firstChildOf,
  frameDocument,
  hostOf,
  isConnected,
  isDocument,
  isElement,
  isHtml,
  isText,
  matches,
  nextSiblingOf,
  nodeTypeOf,
  openShadowOf,
  readyStateOf,
  rootOf,
  shadowOf,
  styleSheetsOf,
  tagOf,
  windowOf,
} from './natives';
import { getter } from './unbound';
import type { Root } from './natives';
import { contentMap, linearPart } from './frame_content';
import type { AffineMap, LinearPart } from './frame_content';
import { Refusal } from './refusal';
import { isOfPage, pageObserver } from './banner';
import { frameElementOf, walk } from './tree';
import { noteRemovals, noteSeen } from './numbers';
import type { Candidate, Facts } from './candidate';
import { scrollXOf, scrollYOf, viewSizeOf } from './windows';

// The last document's viewport, as thousands of elements in a row ask for the same one; forgotten at the start of each
// command.
let lastViewport: Viewport | null = null;

interface Viewport {
  owner: Document;
  width: number;
  height: number;
  x: number;
  y: number;
}

/** The size of a document's viewport, and where the page's origin is in it, negative when scrolled. */
export function viewportOf(owner: Document): Viewport {
  if (lastViewport?.owner === owner) return lastViewport;
  const view = windowOf(owner);
  const { width, height } = viewSizeOf(view || window);
  return (lastViewport = {
    owner,
    width,
    height,
    x: view ? -scrollXOf(view) : Infinity,
    y: view ? -scrollYOf(view) : Infinity,
  });
}

// The linear parts of frames' maps, as many elements are in one frame; forgotten with that viewport.
const linearParts = new Map<Element, LinearPart>();

/** `contentMap` of a frame or picture, whose place may have changed since, but not how it is transformed. */
export function contentMapOf(element: Element): AffineMap {
  let linear = linearParts.get(element);
  if (!linear) linearParts.set(element, (linear = linearPart(element)));
  return contentMap(element as HTMLElement, linear);
}

let briefly: Map<string, unknown> | null = null;

/**
 * What `compute` said since the last microtasks ran, or the last command began: a map of what is asked of many elements
 * in a row, and may change without a mutation, as an opacity does, or while one command acts.
 */
export function rememberBriefly<T>(key: string, compute: () => T): T {
  if (!briefly) {
    briefly = new Map();
    void NativePromise.resolve().then(() => (briefly = null));
  }
  if (!briefly.has(key)) briefly.set(key, compute());
  return briefly.get(key) as T;
}

export function checkRoots({ skip_roots: skips }: { skip_roots?: boolean }): void {
  if (!skips && hasUnsureHosts()) throw new Refusal('ROOTS_UNKNOWN', 'elements may have closed shadow roots');
}

export const OBSERVED = { childList: true, attributes: true, characterData: true, subtree: true };

// These change what style sheets match without a mutation.
const STYLE_EVENTS = ['change', 'input', 'focusin', 'mouseover', 'transitionend', 'animationend', 'load', 'toggle'];

export let scope: Document = document; // what `switch_frame` chose: the document that commands read

/** Make another document the one that commands read. */
export function setScope(owner: Document): void {
  scope = owner;
}

let cache: Cache | null = null;

const markStale = () => {
  stale = true;
};

let mutations = 0; // at `mutatedAt`, the older the less
const MUTATION_AGE = 500; // milliseconds

/** How often the page has changed lately but for its texts: a change of half a second ago counts for a third. */
export const recentMutations = (): number => mutations * Math.exp((mutatedAt - performance.now()) / MUTATION_AGE);

export let mutatedAt = -Infinity; // when the page last changed but for its texts, in milliseconds of `performance.now`

const onMutations = (records: MutationRecord[]): void => {
  stale = true;
  noteMutations(records);
};

let stale = true;
const observer = pageObserver(onMutations);
const listened = new WeakSet<Root>();

/** The cache that holds now, emptied when anything changed. */
export function currentCache(): Cache {
  return cache || (cache = newCache());
}

interface WatchedHost {
  element: Element;
  look: string;
}

/** What is around an element: the nearest one that may clip it, and the nearest that is fixed; null if there is none. */
export interface Surroundings {
  clipper: Element | null;
  fixed: Element | null;
  /** Whether a clipping path around it leaves nothing. */
  isCut: boolean;
}

/** What was worked out about the page as it is now. */
interface Cache {
  /** Every element in walk order, with its frame at the same place of `frames`. */
  all: readonly Element[] | null;
  frames: readonly (Element | null)[];
  trees: { root: Root; frame: Element | null }[];
  /** Of `all`, those that a script of the page's own world can walk to. */
  walkable: readonly Element[] | null;
  emptyFrames: Element[];
  mayHost: Element[];
  hasClosed: boolean;
  unsure: Element[];
  watchedHosts: readonly WatchedHost[];
  /** The candidates: all interactive elements. */
  found: readonly Candidate[] | null;
  facts: Facts;
  names: Map<Element, string>;
  writtenNames: Map<Element, string>;
  texts: Map<Element, string>;
  lowTexts: Map<Element, string>;
  clipped: Map<Element, boolean>;
  surroundings: Map<Element, Surroundings>;
  remembered: Map<string, unknown>;
  stamp: string;
}

const newCache = (): Cache => ({
  all: null,
  frames: [],
  trees: [],
  walkable: null,
  emptyFrames: [],
  mayHost: [],
  hasClosed: false,
  unsure: [],
  watchedHosts: [],
  found: null,
  facts: new Map(),
  names: new Map(),
  writtenNames: new Map(),
  texts: new Map(),
  lowTexts: new Map(),
  clipped: new Map(),
  surroundings: new Map(),
  remembered: new Map(),
  stamp: stampOf(scope),
});

/** What `compute` said since the cache was last emptied. */
export function remember<T>(key: string, compute: () => T): T {
  const { remembered } = currentCache();
  if (!remembered.has(key)) remembered.set(key, compute());
  return remembered.get(key) as T;
}

export function forgetCache() {
  if (cache) noteSeen(cache.facts);
  cache = null;
  briefly = null;
  stale = true;
}

/** Call at the start of each command: forgets the cache when the page is no longer what it was. */
export function refreshCache() {
  lastViewport = null;
  briefly = null;
  linearParts.clear();
  const records = observer.takeRecords().filter(isOfPage);
  noteMutations(records);
  if (records.length || stale || !cache || isOutdated(cache)) forgetCache();
}

function noteMutations(records: readonly MutationRecord[]): void {
  noteRemovals(records);
  if (records.every(isOfText)) return;
  mutations = 1 + recentMutations();
  mutatedAt = performance.now();
}

/** Whether only text changed, which moves nothing step by step as new styles, attributes and elements do. */
function isOfText({ type, addedNodes, removedNodes }: MutationRecord): boolean {
  if (type !== 'childList') return type === 'characterData';
  return [addedNodes, removedNodes].every((nodes) => Array.prototype.every.call(nodes, isText));
}

function isOutdated(cache: Cache): boolean {
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
function stampOf(owner: Document): string {
  const view = windowOf(owner) || window;
  const adopted = owner.adoptedStyleSheets ? owner.adoptedStyleSheets.length : 0;
  const { width, height } = viewSizeOf(view);
  const isOpen = drawnSelect(owner) !== null;
  const parts = [styleSheetsOf(owner).length, adopted, width, height, readyStateOf(owner), isOpen, view.location.href];
  return parts.join(' ');
}

/** The select whose list the page draws and that is open, which has the focus then, or null. */
export function drawnSelect(owner: Document = scope): Element | null {
  const active = activeElementOf(owner);
  const select = active && closest(active, 'select');
  try {
    return select && matches(select, ':open') ? select : null;
  } catch {
    return null; // an engine that does not know it
  }
}

/** Every element of the page in walk order, from the cache. */
export function allElements(): readonly Element[] {
  const current = currentCache();
  if (current.all) return current.all;
  noteRemovals(observer.takeRecords());
  observer.disconnect();
  stale = false;
  current.trees = [];
  current.emptyFrames = [];
  current.mayHost = [];
  current.hasClosed = false;
  const all: Element[] = [];
  const frames: (Element | null)[] = [];
  walk(
    scope,
    (element, _position, frame) => {
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
      current.trees.push({ root, frame: isDocument(root) ? frame : null });
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

function observe(root: Root): void {
  observer.observe(root, OBSERVED);
  if (listened.has(root)) return;
  listened.add(root);
  for (const kind of STYLE_EVENTS) addListener(root, kind, markStale, { capture: true, passive: true });
}

// Closed shadow roots (https://dom.spec.whatwg.org/#dom-shadowroot-mode): no script gets from a host to its root, not
// even the scanner's. Only the browser says what there is. An extension may ask it about any element at once
// (https://developer.chrome.com/docs/extensions/reference/api/dom). Elsewhere the backend asks it, which takes about
// 0.1 ms an element: so it is asked about elements that may well have a root, some of each kind, and again when they
// look different than before. What it finds is handed over by `__oryn_closed`.

// https://dom.spec.whatwg.org/#valid-shadow-host-name
const MAY_HOST = /-|^(?:article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;

const rootByBrowser = browserRoots();

type FirefoxElement = Element & { openOrClosedShadowRoot: ShadowRoot | null };

interface ExtensionApi {
  dom?: { openOrClosedShadowRoot?(element: Element): ShadowRoot | null };
}

/** Firefox has an attribute for it, in the worlds of extensions only.
 *  https://developer.mozilla.org/en-US/docs/Web/API/Element/openOrClosedShadowRoot */
function browserRoots(): ((element: Element) => ShadowRoot | null) | null {
  if ('openOrClosedShadowRoot' in Element.prototype)
    return getter(Element.prototype as FirefoxElement, 'openOrClosedShadowRoot') as (
      element: Element,
    ) => ShadowRoot | null;
  const dom = (globalThis as { chrome?: ExtensionApi }).chrome?.dom;
  return typeof dom?.openOrClosedShadowRoot === 'function' ? dom.openOrClosedShadowRoot.bind(dom) : null;
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
export function setAsksBackend(asks: boolean): void {
  asksBackend = asks && !rootByBrowser;
}

let asking: Element[] = []; // the elements that it is about to be asked about
const pendingLook = new WeakMap<Element, string>(); // element: how it looked then
const answeredLook = new WeakMap<Element, string | undefined>(); // the same of those that it was asked about
const rootless = new WeakSet<Element>();
const asksOfKind = new Map<string, number>();
const closedKinds = new Set<string>();
const isDefined = (element: Element): boolean => matches(element, ':defined');

/**
 * Learn from the browser itself whether an element has a closed root: that takes 1 µs, too long for all elements in every
 * walk. One that has content of its own and no name of a custom element seldom gets a root later.
 */
function askBrowser(element: Element): boolean {
  if (!rootByBrowser || rootless.has(element) || !isHtml(element)) return false;
  const root = rootByBrowser(element);
  if (root) closedRoots.set(element, root);
  else if (firstChildOf(element) && !tagOf(element).includes('-')) rootless.add(element);
  return Boolean(root);
}

/** Of the elements that may have a root and have no open one: those to ask about, and those that may get one. */
function sortHosts(elements: readonly Element[]): { unsure: Element[]; watched: WatchedHost[] } {
  const unsure: Element[] = [];
  const watched: Element[] = [];
  if (!rootByBrowser && !asksBackend) return { unsure, watched: [] };
  const asks = new Map<string, number>();
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
  return {
    unsure,
    watched: watched.map((element) => ({ element, look: lookOf(element, tagOf(element).includes('-')) })),
  };
}

function kindOf(element: Element, tag: string, isCustom: boolean): { name: string; limit: number } {
  if (isCustom) return { name: tag, limit: ASKS.custom };
  const classes = attribute(element, 'class');
  return { name: `${tag} ${classes || ''}`, limit: classes ? ASKS.classed : ASKS.plain };
}

/** Whether an element may show nothing of its own children. */
function mayBeBare(element: Element): boolean {
  let left = MAX_CHILDREN;
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (!left--) return false;
    if (isText(node) ? SOME_TEXT.test(dataOf(node)) : isElement(node) && boxesOf(node).length) return false;
  }
  return true;
}

/** A new root changes an element's size, or which of its children are drawn, or comes when its class is defined. */
function lookOf(element: Element, isCustom: boolean): string {
  const isBare = mayBeBare(element);
  if (!isBare && !isCustom) return 'full';
  const { width, height } = boxOf(element);
  return `${isBare} ${width} ${height} ${!isCustom || isDefined(element)}`;
}

/** Whether one of these elements may have got a root since. */
function mayHaveRoots(watched: readonly WatchedHost[]): boolean {
  for (const { element, look } of watched) {
    if (!isConnected(element) || lookOf(element, tagOf(element).includes('-')) === look) continue;
    rootless.delete(element);
    if (!rootByBrowser || askBrowser(element)) return true;
  }
  return false;
}

/** Whether the backend has to look for closed roots before the page can be read whole. */
function hasUnsureHosts(): boolean {
  if (!asksBackend) return false;
  allElements();
  return currentCache().unsure.length > 0;
}

/** The elements that the backend is to ask about now: it has done so when it hands over what it has found. */
export function unsureHosts(): Element[] {
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
export function takeClosedRoots(...roots: ShadowRoot[]): void {
  recordAnswered();
  for (const root of roots) {
    const host = hostOf(root);
    if (!host) continue;
    closedRoots.set(host, root);
    const tag = tagOf(host);
    closedKinds.add(kindOf(host, tag, tag.includes('-')).name);
  }
  if (roots.length) forgetCache();
}

/** The elements that a script of the page's own world can walk to as well, in the same order. */
export function walkableElements(all: readonly Element[]): readonly Element[] {
  const current = currentCache();
  if (!current.hasClosed) return all;
  if (!current.walkable) {
    const reached = new Map<Node, boolean>();
    current.walkable = all.filter((element) => isWalkable(rootOf(element), reached));
  }
  return current.walkable;
}

function isWalkable(root: Node, reached: Map<Node, boolean>): boolean {
  const known = reached.get(root);
  if (known !== undefined) return known;
  let isOpen = true;
  if (nodeTypeOf(root) === FRAGMENT_NODE) {
    const host = hostOf(root);
    isOpen = !!host && openShadowOf(host) === root && isWalkable(rootOf(host), reached);
  } else if (root !== scope) {
    const frame = frameElementOf(root as Document);
    isOpen = !frame || isWalkable(rootOf(frame), reached);
  }
  reached.set(root, isOpen);
  return isOpen;
}
