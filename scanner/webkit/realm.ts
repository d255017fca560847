// The scanner's own realm in a document of WebKit, which has no isolated worlds: the realm of an empty frame, made before
// the page's scripts run and removed at once. Functions that were made in it go on working, and with them its own copies
// of all that JavaScript has (`Array`, `Promise`, …), which no script of the page can reach or replace.

import { parseJson, printJson, queryAllIn } from '../dom/natives';
import { getter, method } from '../dom/unbound';
import type { Pristine } from './pristine';
import { nodeText, plainJson } from './values';

/** The page's own objects that the scanner needs, by their global names. */
export type PageGlobals = Record<string, unknown>;

/** Runs the scanner with the page's globals; the functions that it defines (entries/scanner.ts), by name. */
export type LoadScanner = (page: PageGlobals, defined: object) => void;

/** The scripts of their own that run here too (entries/), as functions of the globals that they use. */
export interface PageScripts {
  listeners(page: PageGlobals, getEventListeners: unknown): (levels: number) => unknown;
  path_listeners(page: PageGlobals, getEventListeners: unknown): (paths: unknown, pressed: boolean) => unknown;
  frame(page: PageGlobals): (this: Element, operation: string, x: number, y: number) => unknown;
}

interface ScannerFunctions {
  __oryn_scanner(request: string, asks: boolean): string | Promise<string>;
  __oryn_element(number: number): Element | null;
  __oryn_unsure(): Element[];
  __oryn_closed(...roots: ShadowRoot[]): void;
  __oryn_listening(kinds: readonly string[][], elements: readonly Element[]): void;
  __oryn_unsaid(): Element[];
  __oryn_semantics(values: readonly Record<string, string>[], elements: readonly Element[]): void;
}

/** What the backend calls. Arguments and results are data, elements, and promises that the inspector can wait for. */
export interface Handle {
  answer(request: string): unknown;
  element(number: number): Element | null;
  unsure(): Element[];
  closed(...roots: ShadowRoot[]): void;
  /** Looks for elements that listen for clicks in closed shadow roots. */
  listening(getEventListeners: ConsoleListeners, ...roots: ShadowRoot[]): void;
  unsaid(): Element[];
  semantics(values: readonly Record<string, string>[], ...elements: Element[]): void;
  isClosed(): boolean;
  /** What `entries/listeners.ts` answers, as JSON; `getEventListeners` is the console's. */
  listeners(getEventListeners: unknown, levels: number): string;
  /** The same of `entries/path_listeners.ts`; `paths` is JSON. */
  pathListeners(getEventListeners: unknown, paths: string, pressed: boolean): string;
  /** `entries/frame.ts` about the frame that is `window[index]`, as JSON; null if there is none. */
  frame(index: number, operation: string, x: number, y: number): unknown;
  /** The place of a frame among those of its document: `window[index]`; -1 if the element with this number shows none. */
  frameIndex(number: number): number;
  /** A value of a script as JSON; null if it has none. */
  json(value: unknown): string | null;
  /** What a node is called. */
  nodeText(value: unknown): string | null;
  /** The functions of other parts of the backend, by their names. */
  [part: string]: unknown;
}

/** The answer in a document that can't be read. */
const SPOILT =
  '{"ok":false,"code":"SCRIPT_ERROR","error":"the page has replaced functions of JavaScript that it is read with"}';

/** `getEventListeners` of the console: listeners by kind of event. */
type ConsoleListeners = (element: Element) => Record<string, unknown>;
type Listeners = Record<string, ArrayLike<{ listener: unknown }>>;

/** Elements with listeners in closed shadow roots that are reported. */
const MAX_LISTENING = 500;

type AnyFunction = (...values: unknown[]) => unknown;

const { apply, defineProperty } = Reflect;
const now = method(Performance.prototype, 'now');
const entriesByType = method(Performance.prototype, 'getEntriesByType') as (
  performance: Performance,
  type: string,
) => PerformanceEntry[];
const observe = method(MutationObserver.prototype, 'observe');
const disconnect = method(MutationObserver.prototype, 'disconnect');
const takeRecords = method(MutationObserver.prototype, 'takeRecords');

/** A handle of a page's scanner, which is loaded when it is first needed. */
export function connect(
  page: PageGlobals,
  load: LoadScanner,
  scripts: PageScripts,
  pristine: Pristine | null = null,
): Handle {
  const own = adapted(page);
  let loaded: ScannerFunctions | null = null;
  const scanner = (): ScannerFunctions => {
    if (!loaded) {
      const defined = { oryn_input: handle['input'] } as unknown as ScannerFunctions;
      load(own, defined);
      loaded = defined;
    }
    return loaded;
  };
  const window = page['window'] as Window;
  const settled = awaitable(page['Promise'] as PromiseConstructor);
  const handle: Handle = {
    answer: (request) => {
      if (pristine && !pristine.begin()) return SPOILT;
      let answer: string | Promise<string> = '';
      try {
        answer = scanner().__oryn_scanner(request, true);
        return typeof answer === 'string' ? answer : settled(pristine ? answer.finally(pristine.end) : answer);
      } finally {
        if (typeof answer === 'string') pristine?.end();
      }
    },
    element: (number) => scanner().__oryn_element(number),
    unsure: () => scanner().__oryn_unsure(),
    closed: (...roots) => {
      scanner().__oryn_closed(...roots);
    },
    listening: (get, ...roots) => {
      const elements: Element[] = [];
      const kinds: string[][] = [];
      for (const root of roots) {
        for (const element of listed(queryAllIn(root, '*'))) {
          const names = namesIn(get(element));
          if (!names.length || elements.length >= MAX_LISTENING) continue;
          elements.push(element);
          kinds.push(names);
        }
      }
      scanner().__oryn_listening(kinds, elements);
    },
    unsaid: () => scanner().__oryn_unsaid(),
    semantics: (values, ...elements) => {
      scanner().__oryn_semantics(values, elements);
    },
    isClosed: () => window.closed,
    listeners: (get, levels) => printJson(scripts.listeners(own, othersOf(page, get))(levels)),
    pathListeners: (get, paths, pressed) =>
      printJson(scripts.path_listeners(own, othersOf(page, get))(parseJson(paths), pressed)),
    frame: (index, operation, x, y) => {
      const element = elementOfFrame(page['document'] as Document, window[index]);
      if (!element) return null;
      const answer = apply(scripts.frame(own), element, [operation, x, y]);
      return answer instanceof Promise ? settled(answer.then(printJson)) : printJson(answer);
    },
    json: plainJson,
    nodeText,
    frameIndex: (number) => {
      const element = scanner().__oryn_element(number);
      const shown = element && contentOf(element);
      for (let index = 0; shown && index < window.length; index++) if (window[index] === shown) return index;
      return -1;
    },
  };
  if (pristine) scanner(); // with the functions of the document as they are before the page's scripts
  return handle;
}

/**
 * The inspector waits for promises of the page's own kind alone, and calls `then`: these have JavaScript's own, and no
 * constructor that it would ask for another promise (https://tc39.es/ecma262/#sec-speciesconstructor).
 */
function awaitable(PagePromise: PromiseConstructor): (promise: Promise<string>) => Promise<string> {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it becomes a method of other promises
  const { then } = PagePromise.prototype;
  return (promise) => {
    const found = new PagePromise<string>((resolve, reject) => {
      void promise.then(resolve, reject);
    });
    defineProperty(found, 'then', { value: then });
    defineProperty(found, 'constructor', { value: undefined });
    return found;
  };
}

/** The globals as the scanner uses them: functions of the page's window with methods that the page can't replace. */
function adapted(page: PageGlobals): PageGlobals {
  const found: PageGlobals = { ...page };
  for (const name in page) {
    const value = page[name];
    if (typeof value === 'function' && !isConstructor(name)) {
      const own = value as AnyFunction;
      found[name] = (...values: unknown[]) => apply(own, page['window'], values);
    }
  }
  found['performance'] = ownPerformance(page['performance'] as Performance);
  if (page['MutationObserver'])
    found['MutationObserver'] = observerOf(page['MutationObserver'] as typeof MutationObserver);
  return found;
}

const FIRST_CAPITAL = /^[A-Z]/;
const isConstructor = (name: string): boolean => FIRST_CAPITAL.test(name);

const ownPerformance = (
  performance: Performance,
): Pick<Performance, 'now'> & { getEntriesByType(type: string): PerformanceEntry[] } => ({
  now: () => now(performance),
  getEntriesByType: (type) => listed(entriesByType(performance, type)),
});

/** `MutationObserver` of the page's realm: one of another calls nobody back. */
function observerOf(PageObserver: typeof MutationObserver): typeof MutationObserver {
  return class {
    private readonly observer: MutationObserver;
    constructor(callback: (records: MutationRecord[], observer: MutationObserver) => void) {
      this.observer = new PageObserver((records) => {
        callback(listed(records), this);
      });
    }
    observe(target: Node, options?: MutationObserverInit): void {
      observe(this.observer, target, options);
    }
    disconnect(): void {
      disconnect(this.observer);
    }
    takeRecords(): MutationRecord[] {
      return listed(takeRecords(this.observer));
    }
  };
}

/** A list of the page's realm as one of this realm, whose methods are JavaScript's own. */
function listed<T>(list: ArrayLike<T>): T[] {
  const found: T[] = [];
  for (let index = 0; index < list.length; index++) found[index] = list[index] as T;
  return found;
}

/** The global with which a page comes that tells Oryn's listeners in it from its own. */
export const OWN_LISTENER = 'isOwnListener';

/** `getEventListeners` without Oryn's own: functions of this realm, if it is not the page's, and those in the page. */
function othersOf(page: PageGlobals, get: unknown): (target: EventTarget) => Listeners {
  const all = get as (target: EventTarget) => Listeners;
  const isApart = page['Promise'] !== Promise;
  const isInPage = page[OWN_LISTENER] as (listener: unknown) => boolean;
  return (target) => {
    const listeners = all(target);
    const found: Listeners = {};
    for (const kind in listeners) {
      const others = listed(listeners[kind] ?? []).filter(
        ({ listener }) => !isInPage(listener) && !(isApart && isOfThisRealm(listener)),
      );
      if (others.length) found[kind] = others;
    }
    return found;
  };
}

const isOfThisRealm = (listener: unknown): boolean =>
  typeof listener === 'function' && Object.getPrototypeOf(listener) === Function.prototype;

const FRAMES = 'iframe, frame, object, embed';

const contentReaders = [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement, HTMLEmbedElement].flatMap(
  ({ prototype }) => ('contentWindow' in prototype ? [getter(prototype as HTMLIFrameElement, 'contentWindow')] : []),
);

/** The window that an element shows, or null. */
function contentOf(element: Element): Window | null {
  for (const read of contentReaders) {
    try {
      return read(element as HTMLIFrameElement);
    } catch {
      // An element of another kind.
    }
  }
  return null;
}

function elementOfFrame(document: Document, shown: Window | undefined): Element | null {
  for (const element of shown ? listed(queryAllIn(document, FRAMES)) : [])
    if (contentOf(element) === shown) return element;
  return null;
}

function namesIn(listeners: Record<string, unknown>): string[] {
  const found: string[] = [];
  for (const name in listeners) found.push(name);
  return found;
}
