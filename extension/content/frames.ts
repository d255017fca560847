// Which element holds which frame.
//
// A random token, which the worker has given to both sides, goes between two windows. The listener is the first one of
// the document, so the page does not see it.

import { getter, method } from 'scanner/unbound';

export const TOKEN = 'oryn:';
const MAX_TOKENS = 20;

type Source = MessageEventSource | null;
type Frame = HTMLIFrameElement | HTMLFrameElement;
type Root = Document | ShadowRoot;
type FirefoxElement = Element & { readonly openOrClosedShadowRoot: ShadowRoot | null };

const arrived = new Map<string, Source>(); // token: the window that it came from
const waiting = new Map<string, (source: Source) => void>(); // token: what is to be done with that window
const holders = new Map<string, WeakRef<HTMLElement>>(); // the browser's id of a frame: its element

const openRootOf = getter(Element.prototype, 'shadowRoot');
const queryDocument = method(Document.prototype, 'querySelectorAll');
const queryFragment = method(DocumentFragment.prototype, 'querySelectorAll');
// https://developer.chrome.com/docs/extensions/reference/api/dom: it takes HTML elements alone. Firefox has an
// attribute: https://developer.mozilla.org/en-US/docs/Web/API/Element/openOrClosedShadowRoot
const shadowRootOf: (element: Element) => ShadowRoot | null =
  'openOrClosedShadowRoot' in Element.prototype
    ? (getter(Element.prototype as FirefoxElement, 'openOrClosedShadowRoot') as (element: Element) => ShadowRoot | null)
    : (element) => (element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : openRootOf(element));

const every = (root: Root, selector: string): NodeListOf<Element> =>
  root instanceof Document ? queryDocument(root, selector) : queryFragment(root, selector);

const isFrame = (element: Element | null): element is Frame =>
  element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;

export function listenForTokens(): void {
  addEventListener('message', received, true);
}

function received(event: MessageEvent<unknown>): void {
  const { data, source } = event;
  if (typeof data !== 'string' || !/^oryn:[0-9a-f]{32}$/.test(data)) return;
  event.stopImmediatePropagation();
  const token = data.slice(TOKEN.length);
  const then = waiting.get(token);
  if (then) {
    waiting.delete(token);
    then(source);
  } else keep(arrived, token, source);
}

/** Call `then` with the window that a token comes from. */
export function awaited(token: string, then: (source: Source) => void): void {
  const source = arrived.get(token);
  if (source === undefined) {
    keep(waiting, token, then);
    return;
  }
  arrived.delete(token);
  then(source);
}

/** Whoever is not asked for again must not stay for ever: a page can send as many tokens as it likes. */
function keep<T>(map: Map<string, T>, token: string, value: T): void {
  map.set(token, value);
  const [oldest] = map.keys();
  if (map.size > MAX_TOKENS && oldest !== undefined) map.delete(oldest);
}

/** Send a token into a frame; whether the element is one. */
export function post(element: Element | null, token: string): boolean {
  if (!isFrame(element) || !element.contentWindow) return false;
  element.contentWindow.postMessage(TOKEN + token, '*');
  return true;
}

/** Remember the element whose content a window is; whether there is one. */
export function holdFrame(frame: string, view: Source): boolean {
  const element = holderOf(view, document);
  if (element) holders.set(frame, new WeakRef(element));
  return element !== null;
}

function holderOf(view: Source, root: Root): HTMLElement | null {
  for (const element of every(root, 'iframe,frame'))
    if (isFrame(element) && element.contentWindow === view) return element;
  for (const element of every(root, '*')) {
    const shadow = shadowRootOf(element);
    const found = shadow && holderOf(view, shadow);
    if (found) return found;
  }
  return null;
}

/** The element that holds a frame, as long as it is in the document. */
export function frameElement(frame: string): HTMLElement | null {
  const element = holders.get(frame)?.deref();
  return element?.isConnected ? element : null;
}
