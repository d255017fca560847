// Reading the DOM through accessors captured from the prototypes.
//
// A form or a document answers `form.children` with an <input name="children"> when the page has one ("DOM clobbering",
// https://html.spec.whatwg.org/multipage/forms.html#dom-form-nameditem), in an isolated world too. The captured
// accessors read what the specification says. Where the world is shared with the page, capturing at document start also
// keeps them from later overrides.
//
// In a content script of Firefox `globalThis` is not the window, and no target of events: it has the window behind it.
// https://firefox-source-docs.mozilla.org/dom/scriptSecurity/xray_vision.html

import { getter, method, setter } from './unbound';

/** A root of a tree of nodes. */
export type Root = Document | ShadowRoot;
/** What elements are looked for in. */
export type Container = Root | Element;

export const parseJson = JSON.parse;
export const printJson = JSON.stringify;
export const NativeObserver = MutationObserver;
export const NativePromise = Promise;
export const nodeTypeOf = getter(Node.prototype, 'nodeType');
export const parentOf = getter(Node.prototype, 'parentNode');
export const parentElementOf = getter(Node.prototype, 'parentElement');
export const firstChildOf = getter(Node.prototype, 'firstChild');
export const nextSiblingOf = getter(Node.prototype, 'nextSibling');
export const previousSiblingOf = getter(Node.prototype, 'previousSibling');
export const nextElementOf = getter(Element.prototype, 'nextElementSibling');
export const firstElementOf = getter(Element.prototype, 'firstElementChild');
export const previousElementOf = getter(Element.prototype, 'previousElementSibling');
/** Only documents and doctypes have null. */
export const textContentOf = getter(Node.prototype, 'textContent') as (
  node: Element | CharacterData | ShadowRoot,
) => string;
export const ownerOf = getter(Node.prototype, 'ownerDocument') as (
  node: Element | CharacterData | ShadowRoot,
) => Document;
export const isConnected = getter(Node.prototype, 'isConnected');
export const rootOf = method(Node.prototype, 'getRootNode');
export const contains = method(Node.prototype, 'contains');
export const positionBeside = method(Node.prototype, 'compareDocumentPosition');
export const removeChild = method(Node.prototype, 'removeChild');
export const appendChild = method(Node.prototype, 'appendChild');
export const dataOf = getter(CharacterData.prototype, 'data');
export const localNameOf = getter(Element.prototype, 'localName');
export const namespaceOf = getter(Element.prototype, 'namespaceURI');

// An element of another namespace may have the local name of a control, and is none: `<svg><input>` by a script.
const HTML_ALONE = new Set(
  'input textarea select option optgroup button label form fieldset iframe frame object slot dialog details summary body'.split(
    ' ',
  ),
);

const FOREIGN = 'foreign-';

/** The local name of an element, by which only HTML's own are called like HTML's controls, frames and containers. */
export function tagOf(element: Element): string {
  const name = localNameOf(element);
  return HTML_ALONE.has(name) && namespaceOf(element) !== HTML ? FOREIGN + name : name;
}

export const attributesOf = getter(Element.prototype, 'attributes');
const ownAttribute = method(Element.prototype, 'getAttribute');

/** What is written in an attribute, or a custom element's own default for it; or null. */
export function attribute(element: Element, name: string): string | null {
  const written = ownAttribute(element, name);
  return written === null && haveDefaults ? (defaultSemantics.get(element)?.[name] ?? null) : written;
}

const ownsAttribute = method(Element.prototype, 'hasAttribute');

export const hasAttribute = (element: Element, name: string): boolean =>
  ownsAttribute(element, name) || (haveDefaults && attribute(element, name) !== null);

// What custom elements say to the browser alone, as the attributes that would say it to all; where a backend tells it.
// https://html.spec.whatwg.org/multipage/custom-elements.html#native-accessibility-semantics
const defaultSemantics = new WeakMap<Element, Readonly<Record<string, string>>>();
let haveDefaults = false;

/** Take over a custom element's defaults. Returns whether they are others than before. */
export function takeDefaults(element: Element, values: Readonly<Record<string, string>>): boolean {
  const before = defaultSemantics.get(element);
  if (printJson(before ?? {}) === printJson(values)) return false;
  defaultSemantics.set(element, values);
  return (haveDefaults = true);
}
export const setAttribute = method(Element.prototype, 'setAttribute');
export const openShadowOf = getter(Element.prototype, 'shadowRoot');
export const closedRoots = new WeakMap<Element, ShadowRoot>(); // host: its root, where the browser has said so (dom/snapshot.ts)
export const shadowOf = (element: Element): ShadowRoot | null =>
  openShadowOf(element) || closedRoots.get(element) || null;
const shadowHostOf = getter(ShadowRoot.prototype, 'host');
export const slotOf = getter(Element.prototype, 'assignedSlot');
export const slotOfText = getter(Text.prototype, 'assignedSlot');
export { boxOf, boxOfRange, boxesOf, boxesOfRange } from './boxes';
export const matches = method(Element.prototype, 'matches');
export const closest = method(Element.prototype, 'closest');
export const outerHtmlOf = getter(Element.prototype, 'outerHTML');
export const innerHtmlOf = getter(Element.prototype, 'innerHTML');
export const scrollIntoView = method(Element.prototype, 'scrollIntoView');
export const checkVisibility =
  'checkVisibility' in Element.prototype ? method(Element.prototype, 'checkVisibility') : null;
export const animationsOf: (element: Element, options?: GetAnimationsOptions) => readonly Animation[] =
  'getAnimations' in Element.prototype ? method(Element.prototype, 'getAnimations') : () => [];
export const assignedNodesOf = method(HTMLSlotElement.prototype, 'assignedNodes');
export const documentElementOf = getter(Document.prototype, 'documentElement');
export const bodyOf = getter(Document.prototype, 'body');
export const titleOf = getter(Document.prototype, 'title');
export const readyStateOf = getter(Document.prototype, 'readyState');
export const designModeOf = getter(Document.prototype, 'designMode');
export const windowOf = getter(Document.prototype, 'defaultView');
export const styleSheetsOf = getter(Document.prototype, 'styleSheets');
export const scrollerOf = getter(Document.prototype, 'scrollingElement');
export const createElement = method(Document.prototype, 'createElement');
export const evaluateXPath = method(Document.prototype, 'evaluate');
export const editDocument = method(Document.prototype, 'execCommand');

const frameContentOf = {
  iframe: getter(HTMLIFrameElement.prototype, 'contentDocument'),
  frame: getter(HTMLFrameElement.prototype, 'contentDocument'),
  object: getter(HTMLObjectElement.prototype, 'contentDocument'),
};

const addNative = method(EventTarget.prototype, 'addEventListener');
const listeners = new WeakSet();
const remember = method(WeakSet.prototype, 'add');
const hasListener = method(WeakSet.prototype, 'has');

export const addListener: typeof addNative = (target, kind, listener, options) => {
  if (listener) remember(listeners, listener);
  addNative(target, kind, listener, options);
};

/** Whether this is a listener of Oryn's: where a page's scripts and Oryn's share a world, it is none of the page's. */
export const isOwnListener = (listener: unknown): boolean => hasListener(listeners, listener as WeakKey);

export const removeListener = method(EventTarget.prototype, 'removeEventListener');
export const dispatch = method(EventTarget.prototype, 'dispatchEvent');

/** A property of HTML's own controls: a selector such as `label` also finds elements of other namespaces. */
function controlGetter<T extends Element, K extends keyof T, O>(prototype: T, property: K, otherwise: O) {
  const read = getter(prototype, property) as (element: Element) => T[K];
  return (element: Element): T[K] | O => {
    try {
      return read(element);
    } catch {
      return otherwise;
    }
  };
}

const NO_OPTIONS: readonly HTMLOptionElement[] = [];
export const inputValueOf = controlGetter(HTMLInputElement.prototype, 'value', '');
export const inputFilesOf = controlGetter(HTMLInputElement.prototype, 'files', null);
export const inputTypeOf = controlGetter(HTMLInputElement.prototype, 'type', '');
export const listOf = controlGetter(HTMLInputElement.prototype, 'list', null);
export const checkedOf = controlGetter(HTMLInputElement.prototype, 'checked', false);
export const textareaValueOf = controlGetter(HTMLTextAreaElement.prototype, 'value', '');
export const selectValueOf = controlGetter(HTMLSelectElement.prototype, 'value', '');
export const optionsOf = controlGetter(HTMLSelectElement.prototype, 'options', NO_OPTIONS);
export const selectedIndexOf = controlGetter(HTMLSelectElement.prototype, 'selectedIndex', -1);
export const isMultiple = controlGetter(HTMLSelectElement.prototype, 'multiple', false);
export const optionSelected = controlGetter(HTMLOptionElement.prototype, 'selected', false);
export const optionText = controlGetter(HTMLOptionElement.prototype, 'text', '');
export const optionValue = controlGetter(HTMLOptionElement.prototype, 'value', '');
export const nativeLabelControlOf = controlGetter(HTMLLabelElement.prototype, 'control', null);
export const setInputValue = setter(HTMLInputElement.prototype, 'value');
export const setTextareaValue = setter(HTMLTextAreaElement.prototype, 'value');
export const setOptionSelected = setter(HTMLOptionElement.prototype, 'selected');
export const nativeClick = method(HTMLElement.prototype, 'click');
export const nativeFocus = method(HTMLElement.prototype, 'focus');
const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';
export const ELEMENT_NODE = 1;
export const TEXT_NODE = 3;
export const DOCUMENT_NODE = 9;
export const FRAGMENT_NODE = 11;

export const isElement = (node: Node): node is Element => nodeTypeOf(node) === ELEMENT_NODE;
export const isText = (node: Node): node is Text => nodeTypeOf(node) === TEXT_NODE;
export const isDocument = (node: Node): node is Document => nodeTypeOf(node) === DOCUMENT_NODE;

/** A function of a document or a shadow root, by the kind of the node. */
const ofRoot =
  <A extends unknown[], R>(
    ofDocument: (root: Document, ...values: A) => R,
    ofShadow: (root: ShadowRoot, ...values: A) => R,
  ) =>
  (root: Root, ...values: A): R =>
    isDocument(root) ? ofDocument(root, ...values) : ofShadow(root, ...values);

const queryAllBy = {
  [ELEMENT_NODE]: method(Element.prototype, 'querySelectorAll') as Query<Element>,
  [DOCUMENT_NODE]: method(Document.prototype, 'querySelectorAll') as Query<Document>,
  [FRAGMENT_NODE]: method(DocumentFragment.prototype, 'querySelectorAll') as Query<DocumentFragment>,
};
type Query<T> = (container: T, css: string) => NodeListOf<Element>;

/** All elements below a node that match. Throws on a bad selector. */
export const queryAllIn = (container: Container, css: string): NodeListOf<Element> =>
  (queryAllBy[nodeTypeOf(container) as keyof typeof queryAllBy] as Query<Container>)(container, css);

const byIdInDocument = method(Document.prototype, 'getElementById');
const byIdInFragment = method(DocumentFragment.prototype, 'getElementById');

/** The element with an id in the tree of a root, which may be an element that is in no document. */
export function elementWithId(root: Node, id: string): Element | null {
  if (isDocument(root)) return byIdInDocument(root, id);
  return nodeTypeOf(root) === FRAGMENT_NODE ? byIdInFragment(root as ShadowRoot, id) : null;
}

export const activeElementOf = ofRoot(
  getter(Document.prototype, 'activeElement'),
  getter(ShadowRoot.prototype, 'activeElement'),
);

export const elementFromPoint = ofRoot(
  method(Document.prototype, 'elementFromPoint'),
  method(ShadowRoot.prototype, 'elementFromPoint'),
);

const formBy: Record<string, ((element: Element) => HTMLFormElement | null) | undefined> = {
  input: getter(HTMLInputElement.prototype, 'form') as (element: Element) => HTMLFormElement | null,
  button: getter(HTMLButtonElement.prototype, 'form') as (element: Element) => HTMLFormElement | null,
  select: getter(HTMLSelectElement.prototype, 'form') as (element: Element) => HTMLFormElement | null,
  textarea: getter(HTMLTextAreaElement.prototype, 'form') as (element: Element) => HTMLFormElement | null,
};

const childrenBy = {
  [ELEMENT_NODE]: getter(Element.prototype, 'children'),
  [DOCUMENT_NODE]: getter(Document.prototype, 'children'),
  [FRAGMENT_NODE]: getter(DocumentFragment.prototype, 'children'),
};

/** The elements right in an element, a document or a shadow root. */
export const childrenOf = (node: Container): HTMLCollection =>
  (childrenBy[nodeTypeOf(node) as keyof typeof childrenBy] as (node: Container) => HTMLCollection)(node);

export const isHtml = (element: Element): element is HTMLElement => namespaceOf(element) === HTML;

/** The next form around what is called a form in another namespace. */
const outerForm = (form: Element): Element | null => {
  const parent = parentElementOf(form);
  return parent && closest(parent, 'form');
};

/** The form of a control; for other elements, the form around them. */
export function formOf(element: Element): HTMLFormElement | null {
  const read = isHtml(element) ? formBy[tagOf(element)] : undefined;
  if (read) return read(element);
  for (let form = closest(element, 'form'); form; form = outerForm(form))
    if (isHtml(form)) return form as HTMLFormElement;
  return null;
}

/** The host of a shadow root, null for any other node: the `host` of a link is a part of its address. */
export function hostOf(node: Node): Element | null {
  if (nodeTypeOf(node) !== FRAGMENT_NODE) return null;
  try {
    return shadowHostOf(node as ShadowRoot);
  } catch {
    return null; // a fragment that is no shadow root
  }
}

/** The hosts of the shadow trees that an element is in, the nearest first. */
export function hostsOf(element: Element): Element[] {
  const hosts = [];
  for (let host = hostOf(rootOf(element)); host; host = hostOf(rootOf(host))) hosts.push(host);
  return hosts;
}

/** The document inside a frame element when it may be read (same origin), else null. */
export function frameDocument(element: Element): Document | null {
  const tag = tagOf(element);
  if (tag !== 'iframe' && tag !== 'frame' && tag !== 'object') return null;
  if (!isHtml(element)) return null;
  try {
    return (frameContentOf[tag] as (element: Element) => Document | null)(element);
  } catch {
    return null;
  }
}
