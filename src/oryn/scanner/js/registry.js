// The element map (docs/spec/scanner-protocol.md#element-map): numbers given to elements, and how commands get their
// element back.

/** A command's failure: it becomes `{ok: false, code, error, data}`. */
class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

// Weak, so that a page that lives long and replaces its elements does not grow by those that were numbered once.
let elementOfNumber = new Map();
let numberOfElement = new WeakMap();
let nextNumber = 1;

function clearNumbers(from) {
  elementOfNumber = new Map();
  numberOfElement = new WeakMap();
  nextNumber = from || 1;
}

/** Numbers go on from here when the engine says so: frames of one page share one numbering. */
function continueNumbers(from) {
  if (from > nextNumber) nextNumber = from;
}

function numberOf(element) {
  let number = numberOfElement.get(element);
  if (number === undefined) {
    number = nextNumber++;
    numberOfElement.set(element, number);
    elementOfNumber.set(number, new WeakRef(element));
  }
  return number;
}

/** Another element takes over a number. */
function transferNumber(element, heir) {
  const number = numberOfElement.get(element);
  numberOfElement.delete(element);
  numberOfElement.set(heir, number);
  elementOfNumber.set(number, new WeakRef(heir));
}

// A frame that a command goes on in: its number is no element's, and the next such frame takes it over.
const EXPOSED_FRAME = -1;

/** The number of a frame element for the very next command of the backend's, outside of every numbering. */
function exposeFrame(frame) {
  elementOfNumber.set(EXPOSED_FRAME, new WeakRef(frame));
  return EXPOSED_FRAME;
}

// References (`@e5`) are a second numbering, of the nodes of the last tree alone.
let elementOfReference = new Map();
let nextReference = 1;

function startReferences(from) {
  elementOfReference = new Map();
  nextReference = from;
}

function referenceOf(element) {
  elementOfReference.set(nextReference, new WeakRef(element));
  return nextReference++;
}

function elementReferenced(reference) {
  if (!elementOfReference.has(reference)) throw new Refusal('ELEMENT_NOT_FOUND', `element @e${reference} not found`);
  const element = attachedReference(reference);
  if (!element) throw new Refusal('ELEMENT_STALE', `element @e${reference} is no longer on the page`);
  return element;
}

/** The element with a reference, or null for one that is gone or was never given. */
function attachedReference(reference) {
  const element = elementOfReference.get(reference)?.deref();
  return element && isAttached(element) ? element : null;
}

/** The element with a number, or null for one that is gone. Refuses a number that was never given. */
function elementNumbered(number) {
  if (!elementOfNumber.has(number)) throw new Refusal('ELEMENT_NOT_FOUND', `element ${number} not found`);
  const present = attachedElement(number);
  if (present || number === EXPOSED_FRAME) return present;
  refreshCache();
  foundElements(); // its like takes over its number
  return attachedElement(number);
}

function attachedElement(number) {
  const element = elementOfNumber.get(number).deref();
  return element && isAttached(element) ? element : null;
}

function elementOf(number) {
  const element = elementNumbered(number);
  if (!element) throw new Refusal('ELEMENT_STALE', `element ${number} is no longer on the page`);
  return element;
}

/** Whether an element is in a document that is shown, which a removed frame's is not. */
function isAttached(element) {
  for (let node = element; node; node = frameElementOf(ownerOf(node))) {
    if (!isConnected(node) || !windowOf(ownerOf(node))) return false;
    if (ownerOf(node) === document) return true;
  }
  return false;
}

/** The root of a document, which the page may have removed. */
function rootElement(owner) {
  const root = documentElementOf(owner);
  if (!root) throw new Refusal('ELEMENT_NOT_FOUND', 'the document has no elements');
  return root;
}

/** A parameter counts when it is there and not null. */
const isPresent = (value) => value !== undefined && value !== null;

/** The element that a request names by `id` or `selector`. */
function requestedElement(request) {
  if (isPresent(request.id)) return elementOf(wholeNumber(request.id, 'id'));
  if (request.selector) {
    const element = queryFirst(request.selector);
    if (!element) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.selector}`);
    return element;
  }
  throw new Refusal('INVALID_REQUEST', 'id or selector is required');
}

function wholeNumber(value, name) {
  if (!Number.isInteger(value)) throw new Refusal('INVALID_REQUEST', `${name} must be an integer`);
  return value;
}
