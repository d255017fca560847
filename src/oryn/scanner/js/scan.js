// scan: docs/spec/scanner-protocol.md#scan

const REPORTED_ATTRIBUTES = [
  'href',
  'type',
  'name',
  'id',
  'placeholder',
  'value',
  'title',
  'alt',
  'src',
  'autocomplete',
  'role',
  'aria-label',
  'aria-expanded',
  'aria-haspopup',
];
const DEFAULT_LIMIT = 200;

function scan(request) {
  const started = performance.now();
  takeHintsOf(request);
  const found = foundElements();
  if (!request.keep_ids) {
    clearNumbers(request.next_id);
    forgetDeparted();
  }
  else continueNumbers(request.next_id || 1);
  if (request.near || request.within || request.viewport_only) numberInOrder();
  const chosen = choose(found, request);
  const limit = request.max_elements ?? DEFAULT_LIMIT;
  const listed = limit > 0 && chosen.length > limit ? chosen.slice(0, limit) : chosen;
  const fill = fieldsOf(request);
  const focused = focusedElement();
  const elements = [];
  for (const each of listed) elements.push(describe(each, fill, focused));
  // What the limit leaves out has its number too: later it can be told from what is new.
  if (listed.length < chosen.length) for (const { candidate } of chosen) numberOf(candidate.element);
  const patterns = detectPatterns(chosen.filter(({ isHidden }) => !isHidden || request.include_hidden));
  noteScan(request);
  return {
    page: pageData(),
    elements,
    patterns,
    stats: {
      total: chosen.length,
      returned: elements.length,
      scanned: walkableElements(allElements()).length,
      ms: performance.now() - started,
    },
    next_id: nextNumber,
  };
}

/** The first look at a document numbers all that can be seen in its order, whatever part of it is wanted. */
function numberInOrder() {
  if (elementOfNumber.size) return;
  for (const { candidate } of choose(foundElements(), {})) numberOf(candidate.element);
}

/** The backend's hints of elements that only listen, where the request has them. */
function takeHintsOf(request) {
  if (request.listeners && Number.isInteger(request.listeners_of)) takeHints(request.listeners, request.listeners_of);
}

function pageData() {
  const view = windowOf(scope) || window;
  return {
    url: scope === document ? location.href : view.location.href,
    title: titleOf(scope),
    viewport: { width: view.innerWidth, height: view.innerHeight },
    scroll: scrollData(scrollerOf(scope) || documentElementOf(scope)),
    ready_state: readyStateOf(scope),
  };
}

const scrollData = (scroller) => ({
  x: scroller ? scroller.scrollLeft : 0,
  y: scroller ? scroller.scrollTop : 0,
  max_x: scroller ? Math.max(0, scroller.scrollWidth - scroller.clientWidth) : 0,
  max_y: scroller ? Math.max(0, scroller.scrollHeight - scroller.clientHeight) : 0,
});

/**
 * The candidates that the request's filters let through, as `{candidate, box, isHidden}`; `box` is null for one that is
 * hidden, or drawn by its label.
 */
function choose(found, request) {
  const frameSeen = visibleFrames();
  const container = request.within ? queryFirst(request.within) : null;
  if (request.within && !container) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.within}`);
  const listsFolded = (request.folded ?? true) && !request.near && !request.viewport_only;
  const isNear = request.near ? vicinityOf(request.near, found) : null;
  const chosen = [];
  for (const candidate of found) {
    const { element } = candidate;
    if (container && !holds(container, element)) continue;
    let box = frameSeen(candidate.frame) ? seenBox(element) : null;
    if (box && candidate.concealed && !isOnTop(element, box)) box = null;
    const drawn = box || labelBox(candidate);
    if (!drawn && !request.include_hidden && !(listsFolded && isInFoldedPanel(candidate, frameSeen))) continue;
    if (request.viewport_only && (!drawn || placeInViewport(element, drawn) === 'outside')) continue;
    if (isNear && !(drawn && isNear(element, drawn))) continue;
    chosen.push({ candidate, box, isHidden: !drawn });
  }
  return chosen;
}

const isInFoldedPanel = ({ element, frame, concealed }, frameSeen) =>
  !concealed && frameSeen(frame) && renderedBox(element) !== null;

/**
 * What `aria-hidden` or `inert` takes away counts only while a person demonstrably sees it: closed menus that wait
 * outside the viewport carry it, and so does, by mistake, many an open dialog.
 */
function isOnTop(element, box) {
  if (placeInViewport(element, box) === 'outside') return seenOnTop.has(element);
  const hit = hitIn(ownerOf(element), (box.left + box.right) / 2, (box.top + box.bottom) / 2);
  if (hit !== null && holds(element, hit)) return Boolean(seenOnTop.add(element));
  if (hit !== null && seenOnTop.has(element) && isInLayerOver(element, hit)) return true;
  seenOnTop.delete(element);
  return false;
}

/** Whether `hit` is in a layer of the page that does not hold the element. */
function isInLayerOver(element, hit) {
  for (let node = hit; node && !holds(node, element); node = elementAbove(node)) {
    if (styleOf(node).position === 'fixed' || matches(node, DIALOG_SELECTOR)) return true;
  }
  return false;
}

const seenOnTop = new WeakSet(); // so that none is gone that is only scrolled away, or behind a dialog or a message

/** Whether one element holds another across shadow roots and frames. */
function holds(container, element) {
  for (let node = element; node; node = elementAbove(node)) if (node === container) return true;
  return false;
}

/** The box of the label that draws a check box or radio button: it is there for a person although its own box is not. */
function labelBox({ type, element }) {
  const label = type === 'checkbox' || type === 'radio' ? visibleLabel(element) : null;
  return label && seenBox(label);
}

const visibleLabel = (element) => labelsOf(element).find((label) => seenBox(label) !== null) || null;

function fieldsOf(request) {
  const wanted = request.fields;
  const all = !isPresent(wanted);
  const fill = {};
  for (const name of ELEMENT_FIELDS) fill[name] = all ? name !== 'rect' : wanted.includes(name);
  if (request.include_positions) fill.rect = true;
  return fill;
}

const ELEMENT_FIELDS = ['tag', 'selector', 'xpath', 'rect', 'attributes', 'state', 'options', 'value', 'frame'];

/** One element as a record (docs/spec/scanner-protocol.md#elements). */
function describe({ candidate, box, isHidden }, fill, focused) {
  const { element, tag } = candidate;
  if (candidate.text === undefined) noteName(candidate);
  const data = {
    id: numberOf(element),
    type: candidate.type,
    role: candidate.role,
    text: candidate.text,
    modifiers: modifiersOf(candidate, focused, isHidden),
  };
  if (fill.tag) data.tag = tag;
  if (fill.selector) data.selector = selectorOf(element);
  if (fill.xpath) data.xpath = xpathOf(element);
  if (fill.rect) data.rect = rectData(element, box || boxOf(element));
  if (fill.attributes) data.attributes = attributesData(element);
  if (fill.state) data.state = stateOf(element);
  if (fill.options && tag === 'select') data.options = optionsData(element);
  if (fill.value) {
    const value = (hasValue(candidate) && displayedValue(element)) || chosenText(element);
    if (value) data.value = value;
  }
  if (fill.frame && candidate.frame) data.frame = selectorOf(candidate.frame);
  return data;
}

const hasValue = ({ type }) => type !== 'button' && type !== 'link';

function attributesData(element) {
  const data = {};
  for (const name of REPORTED_ATTRIBUTES) {
    if (name === 'value' && isSecret(element)) continue;
    const value = attribute(element, name);
    if (value !== null) data[name] = value;
  }
  return data;
}

/** A box of an element's own frame as one of this scanner's viewport. */
function inPage(element, box) {
  if (ownerOf(element) === document) return box;
  const { x, y } = frameOffset(element);
  return {
    left: box.left + x,
    top: box.top + y,
    right: box.right + x,
    bottom: box.bottom + y,
    width: box.width,
    height: box.height,
  };
}

function rectData(element, box) {
  const { left, top, width, height } = inPage(element, box);
  return { x: left, y: top, width, height };
}
