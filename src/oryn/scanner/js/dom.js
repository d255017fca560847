// Reading the DOM through accessors captured from the prototypes.
//
// A form or a document answers `form.children` with an <input name="children"> when the page has one ("DOM clobbering",
// https://html.spec.whatwg.org/multipage/forms.html#dom-form-nameditem), in an isolated world too. The captured
// accessors read what the specification says. Where the world is shared with the page, capturing at document start also
// keeps them from later overrides.
//
// In a content script of Firefox `globalThis` is not the window, and no target of events: it has the window behind it.
// https://firefox-source-docs.mozilla.org/dom/scriptSecurity/xray_vision.html

const call = Function.prototype.call;
const unbound = (method) => call.bind(method);
const getter = (prototype, property) => unbound(Object.getOwnPropertyDescriptor(prototype, property).get);
const setter = (prototype, property) => unbound(Object.getOwnPropertyDescriptor(prototype, property).set);

const parseJson = JSON.parse;
const printJson = JSON.stringify;
const NativeObserver = MutationObserver;
const NativePromise = Promise;

const nodeTypeOf = getter(Node.prototype, 'nodeType');
const parentOf = getter(Node.prototype, 'parentNode');
const parentElementOf = getter(Node.prototype, 'parentElement');
const firstChildOf = getter(Node.prototype, 'firstChild');
const nextSiblingOf = getter(Node.prototype, 'nextSibling');
const previousSiblingOf = getter(Node.prototype, 'previousSibling');
const nextElementOf = getter(Element.prototype, 'nextElementSibling');
const previousElementOf = getter(Element.prototype, 'previousElementSibling');
const textContentOf = getter(Node.prototype, 'textContent');
const ownerOf = getter(Node.prototype, 'ownerDocument');
const isConnected = getter(Node.prototype, 'isConnected');
const rootOf = unbound(Node.prototype.getRootNode);
const contains = unbound(Node.prototype.contains);
const positionBeside = unbound(Node.prototype.compareDocumentPosition);
const removeChild = unbound(Node.prototype.removeChild);
const appendChild = unbound(Node.prototype.appendChild);
const dataOf = getter(CharacterData.prototype, 'data');

const localNameOf = getter(Element.prototype, 'localName');
const namespaceOf = getter(Element.prototype, 'namespaceURI');
// An element of another namespace may have the local name of a control, and is none: `<svg><input>` by a script.
const HTML_ALONE = new Set(
  'input textarea select option optgroup button label form fieldset iframe frame object slot dialog details summary body'.split(' '),
);
const FOREIGN = 'foreign-';
/** The local name of an element, by which only HTML's own are called like HTML's controls, frames and containers. */
function tagOf(element) {
  const name = localNameOf(element);
  return HTML_ALONE.has(name) && namespaceOf(element) !== HTML ? FOREIGN + name : name;
}
const attributesOf = getter(Element.prototype, 'attributes');
const attribute = unbound(Element.prototype.getAttribute);
const hasAttribute = unbound(Element.prototype.hasAttribute);
const setAttribute = unbound(Element.prototype.setAttribute);
const openShadowOf = getter(Element.prototype, 'shadowRoot');
const closedRoots = new WeakMap(); // host: its root, where the browser has said so (closed_roots.js)
const shadowOf = (element) => openShadowOf(element) || closedRoots.get(element) || null;
const shadowHostOf = getter(ShadowRoot.prototype, 'host');
const slotOf = getter(Element.prototype, 'assignedSlot');
const slotOfText = getter(Text.prototype, 'assignedSlot');
const boxOf = unbound(Element.prototype.getBoundingClientRect);
const boxesOf = unbound(Element.prototype.getClientRects);
const matches = unbound(Element.prototype.matches);
const closest = unbound(Element.prototype.closest);
const outerHtmlOf = getter(Element.prototype, 'outerHTML');
const innerHtmlOf = getter(Element.prototype, 'innerHTML');
const scrollIntoView = unbound(Element.prototype.scrollIntoView);
const checkVisibility = Element.prototype.checkVisibility ? unbound(Element.prototype.checkVisibility) : null;
const animationsOf = Element.prototype.getAnimations ? unbound(Element.prototype.getAnimations) : () => [];
const assignedNodesOf = unbound(HTMLSlotElement.prototype.assignedNodes);

const documentElementOf = getter(Document.prototype, 'documentElement');
const bodyOf = getter(Document.prototype, 'body');
const titleOf = getter(Document.prototype, 'title');
const readyStateOf = getter(Document.prototype, 'readyState');
const designModeOf = getter(Document.prototype, 'designMode');
const windowOf = getter(Document.prototype, 'defaultView');
const styleSheetsOf = getter(Document.prototype, 'styleSheets');
const scrollerOf = getter(Document.prototype, 'scrollingElement');
const createElement = unbound(Document.prototype.createElement);
const evaluateXPath = unbound(Document.prototype.evaluate);
const editDocument = unbound(Document.prototype.execCommand);
const frameContentOf = {
  iframe: getter(HTMLIFrameElement.prototype, 'contentDocument'),
  frame: getter(HTMLFrameElement.prototype, 'contentDocument'),
  object: getter(HTMLObjectElement.prototype, 'contentDocument'),
};

const addListener = unbound(EventTarget.prototype.addEventListener);
const removeListener = unbound(EventTarget.prototype.removeEventListener);
const dispatch = unbound(EventTarget.prototype.dispatchEvent);

/** A property of HTML's own controls: a selector such as `label` also finds elements of other namespaces. */
function controlGetter(prototype, property, otherwise) {
  const read = getter(prototype, property);
  return (element) => {
    try {
      return read(element);
    } catch (error) {
      return otherwise;
    }
  };
}

const inputValueOf = controlGetter(HTMLInputElement.prototype, 'value', '');
const inputFilesOf = controlGetter(HTMLInputElement.prototype, 'files', null);
const inputTypeOf = controlGetter(HTMLInputElement.prototype, 'type', '');
const checkedOf = controlGetter(HTMLInputElement.prototype, 'checked', false);
const textareaValueOf = controlGetter(HTMLTextAreaElement.prototype, 'value', '');
const selectValueOf = controlGetter(HTMLSelectElement.prototype, 'value', '');
const optionsOf = controlGetter(HTMLSelectElement.prototype, 'options', []);
const selectedIndexOf = controlGetter(HTMLSelectElement.prototype, 'selectedIndex', -1);
const isMultiple = controlGetter(HTMLSelectElement.prototype, 'multiple', false);
const optionSelected = controlGetter(HTMLOptionElement.prototype, 'selected', false);
const optionText = controlGetter(HTMLOptionElement.prototype, 'text', '');
const optionValue = controlGetter(HTMLOptionElement.prototype, 'value', '');
const nativeLabelControlOf = controlGetter(HTMLLabelElement.prototype, 'control', null);
/** The control of a label, or, if that is a custom element with one control in its shadow tree, this one. */
const labelControlOf = (label) => innerControl(nativeLabelControlOf(label));
const setInputValue = setter(HTMLInputElement.prototype, 'value');
const setTextareaValue = setter(HTMLTextAreaElement.prototype, 'value');
const setOptionSelected = setter(HTMLOptionElement.prototype, 'selected');
const nativeClick = unbound(HTMLElement.prototype.click);
const nativeFocus = unbound(HTMLElement.prototype.focus);

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const DOCUMENT_NODE = 9;
const FRAGMENT_NODE = 11;

const queryAllBy = {
  [ELEMENT_NODE]: unbound(Element.prototype.querySelectorAll),
  [DOCUMENT_NODE]: unbound(Document.prototype.querySelectorAll),
  [FRAGMENT_NODE]: unbound(DocumentFragment.prototype.querySelectorAll),
};
const byIdIn = {
  [DOCUMENT_NODE]: unbound(Document.prototype.getElementById),
  [FRAGMENT_NODE]: unbound(DocumentFragment.prototype.getElementById),
};
const activeOf = {
  [DOCUMENT_NODE]: getter(Document.prototype, 'activeElement'),
  [FRAGMENT_NODE]: getter(ShadowRoot.prototype, 'activeElement'),
};
const fromPoint = {
  [DOCUMENT_NODE]: unbound(Document.prototype.elementFromPoint),
  [FRAGMENT_NODE]: unbound(ShadowRoot.prototype.elementFromPoint),
};

const formBy = {
  input: getter(HTMLInputElement.prototype, 'form'),
  button: getter(HTMLButtonElement.prototype, 'form'),
  select: getter(HTMLSelectElement.prototype, 'form'),
  textarea: getter(HTMLTextAreaElement.prototype, 'form'),
};

const childrenBy = {
  [ELEMENT_NODE]: getter(Element.prototype, 'children'),
  [DOCUMENT_NODE]: getter(Document.prototype, 'children'),
  [FRAGMENT_NODE]: getter(DocumentFragment.prototype, 'children'),
};
/** The elements right in an element, a document or a shadow root. */
const childrenOf = (node) => childrenBy[nodeTypeOf(node)](node);

/** All elements below a document, shadow root or element that match, as a static list; throws on a bad selector. */
const queryAll = (root, css) => withoutBanner(queryAllBy[nodeTypeOf(root)](root, css), root, css);

const isHtml = (element) => namespaceOf(element) === HTML;
const formOf = (element) =>
  formBy[tagOf(element)] && isHtml(element) ? formBy[tagOf(element)](element) : closest(element, 'form');

/** The host of a shadow root, null for any other node: the `host` of a link is a part of its address. */
function hostOf(node) {
  if (nodeTypeOf(node) !== FRAGMENT_NODE) return null;
  try {
    return shadowHostOf(node);
  } catch (error) {
    return null; // a fragment that is no shadow root
  }
}

/** The hosts of the shadow trees that an element is in, the nearest first. */
function hostsOf(element) {
  const hosts = [];
  for (let host = hostOf(rootOf(element)); host; host = hostOf(rootOf(host))) hosts.push(host);
  return hosts;
}

/** The document inside a frame element when it may be read (same origin), else null. */
function frameDocument(element) {
  const tag = tagOf(element);
  if (tag !== 'iframe' && tag !== 'frame' && tag !== 'object') return null;
  if (!isHtml(element)) return null;
  try {
    return frameContentOf[tag](element);
  } catch (error) {
    return null;
  }
}
