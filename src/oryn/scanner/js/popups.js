// popups and popup_open: the layers over a page that a person would close. Besides dialogs, covering layers and cookie
// banners (dialogs.js) these are small boxes with a button that closes them, which float: fixed, in the top layer, or
// absolute and above the rest.

const SMALL_SHARE = 0.5; // of the viewport
const FLOATING_ORDER = 10; // the z-index of an absolute box that floats; lower ones arrange parts of a page
const MENUS =
  '[role=menu],[role=menubar],[role=listbox],[role=tree],[role=tooltip],[role=tablist],[role=toolbar],[popover=hint]';
const NOT_POPUP = [
  'header,nav,main,footer,[role=banner],[role=navigation],[role=main],[role=contentinfo],[role=search]',
  MENUS,
].join();
const PAGE_PARTS = 'nav,main,[role=navigation],[role=main],[role=tablist]';
const STATUS = '[role=status],[role=alert],[role=log],[aria-live=polite],[aria-live=assertive],output';
const TOAST_CLASS = /(?:^|[-_\s])(?:toasts?|toaster|snackbars?)(?:$|[-_\s\d])/i;
const LAYER_LEVELS = 4;

let listedLayers = []; // of the last `popups`

/**
 * popups: the open layers of `kind` `popup` (all), `modal` (without cookie banners), `banner` (those alone), or, with
 * `text`, those that say it; the topmost first.
 */
function popups(request) {
  continueNumbers(request.next_id || 1);
  const boxed = choose(foundElements(), {});
  const layers = openLayers(boxed).filter((layer) => isOfKind(layer, request.kind || 'popup'));
  const named = isPresent(request.text) ? layers.filter((layer) => layerSays(layer, request.text, boxed)) : layers;
  listedLayers = named.map(({ element }) => ({ element: new WeakRef(element), mark: layerMark(element) }));
  const rows = named.map(({ element, isCookie }, index) => ({
    index,
    mark: listedLayers[index].mark,
    title: layerTitle(element),
    cookie: isCookie,
    close: layerClosers(element, isCookie, boxed).map((each) => ({ id: numberOf(each.element), name: shorten(nameOf(each.element)) })),
    buttons: buttonNames(element),
    outside: outsidePoint(element),
  }));
  return { layers: rows, next_id: nextNumber };
}

/** popup_open: whether a layer of the last `popups` is still there, or was rendered anew. */
function popupOpen({ index }) {
  const listed = listedLayers[wholeNumber(index, 'index')];
  const element = listed && listed.element.deref();
  if (element && isAttached(element) && isOpenLayer(element)) return { open: true };
  const layers = listed ? openLayers(choose(foundElements(), {})) : [];
  return { open: layers.some((layer) => layer.element !== element && layerMark(layer.element) === listed.mark) };
}

function isOpenLayer(element) {
  const box = isVisibleDialog(element) && visibleBox(element);
  return Boolean(box) && placeInViewport(element, box) !== 'outside';
}

const isOfKind = ({ isCookie }, kind) => kind === 'popup' || isCookie === (kind === 'banner');

/** A layer that says a text, or has a button of that name. */
function layerSays({ element }, text, boxed) {
  const wanted = collapse(text).toLowerCase();
  if (layerTitle(element).toLowerCase() === wanted) return true;
  if (collapse(textContentOf(element)).toLowerCase().includes(wanted)) return true;
  return closersIn(element, boxed).some((closer) => nameOf(closer.element).toLowerCase() === wanted);
}

/** What is the same about a layer that was rendered anew at its place. */
function layerMark(element) {
  const box = boxOf(element);
  return [layerTitle(element), Math.round(box.left), Math.round(box.top), ...buttonNames(element)].join('\n');
}

const layerTitle = (element) => dialogTitle(element) || shorten(collapse(attribute(element, 'aria-label') || textContentOf(element)));

/** A banner is first refused. */
function layerClosers(element, isCookie, boxed) {
  const closers = closersIn(element, boxed);
  if (!isCookie) return closers;
  const refusing = boxed.map(({ candidate }) => candidate).find(
    (candidate) => isPressed(candidate) && holds(element, candidate.element) && REJECT.test(nameOf(candidate.element)),
  );
  const others = closers.filter((each) => each !== refusing && !ACCEPT.test(nameOf(each.element)));
  return refusing ? [refusing, ...others] : others;
}

/** All open layers as `{element, isCookie}`, none inside another, those that nothing covers first. */
function openLayers(boxed) {
  const layers = [];
  const add = (element, isCookie) => {
    if (!element || layers.some((other) => holds(other.element, element) || holds(element, other.element))) return;
    layers.push({ element, isCookie });
  };
  for (const element of remember('cookies', cookieContainers)) if (isOpenLayer(element)) add(element, true);
  for (const element of [...visibleDialogs()].reverse()) if (!isCookieText(element)) add(element, false);
  for (const element of floatingPopups(boxed)) add(element, false);
  add(coveringLayer(), false);
  const isFree = ({ element }) => isOnTop(element, visibleBox(element) || boxOf(element));
  return [...layers.filter(isFree), ...layers.filter((layer) => !isFree(layer))];
}

/** The small boxes that float around buttons that close them, the last in the page's order first. */
function floatingPopups(boxed) {
  const around = new Map();
  const windows = new Map();
  const members = new Map();
  for (const each of boxed) {
    const { element } = each.candidate;
    if (!each.box || !isPressed(each.candidate) || placeInViewport(element, each.box) === 'outside') continue;
    const popup = popupAbove(element, around, windows);
    if (!popup) continue;
    if (!members.has(popup)) members.set(popup, []);
    members.get(popup).push(each);
  }
  return [...members.keys()].filter((popup) => closersIn(popup, members.get(popup)).length > 0).reverse();
}

/** The popup that floats around a button, or null: the nearest floating box that holds more than the button. */
function popupAbove(button, around, windows) {
  for (let node = floatingAround(elementAbove(button), around); node; node = floatingAround(elementAbove(node), around)) {
    if (!windows.has(node)) windows.set(node, windowInside(node));
    const { popup, length } = windows.get(node);
    if (!popup || length > visibleLength(button) || queryAll(popup, 'img,iframe,video,input').length) return popup;
  }
  return null;
}

const MAX_BACKDROP_PARTS = 9; // of a backdrop

/** What there is to a floating box: `popup`, itself or the window that it alone holds, or null; and how much that says. */
function windowInside(node) {
  const mayHoldOne = !isSmall(node) && childrenOf(node).length <= MAX_BACKDROP_PARTS;
  const inside = mayHoldOne ? dialogInside(node) : node;
  const popup = isSmall(inside) && isPopup(inside) ? inside : null;
  return { popup, length: popup ? visibleLength(popup) : 0 };
}

function isSmall(element) {
  const box = boxOf(element);
  const { innerWidth: width, innerHeight: height } = windowOf(ownerOf(element)) || window;
  return box.width * box.height < SMALL_SHARE * width * height;
}

/** The nearest box around an element that floats over its page, or null. `around` remembers it for each element. */
function floatingAround(element, around = new Map()) {
  const passed = [];
  let found = null;
  for (let node = element; node && nodeTypeOf(node) === ELEMENT_NODE; node = elementAbove(node)) {
    if (around.has(node)) {
      found = around.get(node);
      break;
    }
    if (tagOf(node) === 'body' || tagOf(node) === 'html' || ownerOf(node) !== ownerOf(element)) break;
    passed.push(node);
    if (!floats(node)) continue;
    found = node;
    break;
  }
  for (const node of passed) around.set(node, found);
  return found;
}

function floats(element) {
  if (hasAttribute(element, 'popover') && matches(element, ':popover-open')) return true;
  const { position, zIndex } = styleOf(element);
  if (position === 'fixed') return true;
  if (position !== 'absolute') return false;
  const order = parseInt(zIndex, 10) || 0;
  return (order >= FLOATING_ORDER || (order > 0 && matches(element, MODAL_CLASS))) && !isOneOfMany(element);
}

/** Cards that are placed one by one are the page itself. */
function isOneOfMany(element) {
  return [nextElementOf(element), previousElementOf(element)].some(
    (other) =>
      other !== null &&
      tagOf(other) === tagOf(element) &&
      (attribute(other, 'class') || '') === (attribute(element, 'class') || '') &&
      styleOf(other).position === 'absolute' &&
      styleOf(other).zIndex === styleOf(element).zIndex,
  );
}

/** Not a part of the page, a menu, or a message about its state. */
function isPopup(element) {
  if (matches(element, NOT_POPUP) || queryAll(element, PAGE_PARTS).length || isCookieText(element)) return false;
  let level = 0;
  for (let node = element; node && level < LAYER_LEVELS; node = elementAbove(node), level++) {
    if (isToast(node)) return false;
  }
  for (let node = mainPart(element); node; node = mainPart(node)) {
    if (isToast(node) || matches(node, MENUS)) return false;
  }
  return isVisibleDialog(element);
}

/** The child that says most of what an element says, or null. */
function mainPart(element) {
  const length = visibleLength(element);
  return Array.prototype.find.call(childrenOf(element), (child) => length > 0 && visibleLength(child) > length / 2) || null;
}

const isToast = (element) => matches(element, STATUS) || TOAST_CLASS.test(attribute(element, 'class') || '');

/** The popup to which an element that covers another belongs, or null. */
function popupAround(blocker, covered) {
  const first = floatingAround(blocker);
  if (!first || holds(first, covered)) return null;
  const boxed = choose(foundElements(), {});
  return floatingPopups(boxed).find((popup) => holds(popup, blocker) && !holds(popup, covered)) || null;
}

/** The `popup` pattern: the topmost small popup, where there is one. */
function popupPattern(chosen) {
  const popup = floatingPopups(chosen)[0];
  if (!popup) return null;
  const title = dialogTitle(popup);
  return {
    container: selectorOf(popup),
    close: numberOf(closersIn(popup, chosen)[0].element),
    ...(title && { title }),
  };
}
