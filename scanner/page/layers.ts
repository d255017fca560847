// Modal dialogs and cookie banners (docs/spec/scanner-protocol.md#patterns): by role, by class, and by what they are:
// fixed, covering, on top.

import {
  DOCUMENT_NODE,
  ELEMENT_NODE,
  attribute,
  bodyOf,
  boxOf,
  childrenOf,
  closest,
  contains,
  documentElementOf,
  elementFromPoint,
  hasAttribute,
  matches,
  nextElementOf,
  nodeTypeOf,
  ownerOf,
  parentElementOf,
  previousElementOf,
  tagOf,
  textContentOf,
  windowOf,
} from '../dom/natives';
import { isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds, isAttached } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { remember, scope } from '../dom/snapshot';
import { queryPage, selectorOf } from '../dom/selectors';
import { frameOffset, isStyledVisible, isVisible, placeInViewport, styleOf, visibleBox } from '../geometry/visibility';
import { hitIn } from '../geometry/boxes';
import { DIALOG_SELECTOR } from '../semantics/roles';
import { shorten } from '../semantics/names';
import { dialogTitle, inventedBase, nameOf, visibleLength, writtenName } from '../semantics/labels';
import { isCurtain } from '../semantics/interactive';
import { MAX_ICON_SIZE } from '../text/units';
import { foundElements } from '../targets/candidates';
import { choose, isOnTop } from '../targets/describe';

const MODAL_CLASS = '[class*=modal i],[class*=popup i],[class*=overlay i],[class*=lightbox i],[class*=dialog i]';

const COOKIE_SELECTOR = ['cookie', 'consent', 'gdpr', 'ccpa', 'onetrust', 'didomi', 'privacy-banner']
  .map((word) => `[id*=${word} i],[class*=${word} i],[aria-label*=${word} i]`)
  .join(',');

const ACCEPT = /accept|agree|allow|got it|^ok(ay)?$|i understand|akzeptieren|zustimmen|accepter|aceptar|consent/i;

const REJECT =
  /reject|decline|refuse|deny|only (necessary|essential|what('s| is) (necessary|needed))|necessary only|without accepting|ablehnen|refuser|rechazar/i;

const COVERING_SHARE = 0.15;

/** The topmost open dialog element, or null: cached for the length of one command by its callers. */
export function topDialog() {
  const authored = visibleDialogs().filter((element) => !isCookieText(element));
  if (authored.length) return authored[authored.length - 1];
  return coveringLayer();
}

const visibleDialogs = () => remember('dialogs', () => queryPage(DIALOG_SELECTOR)).filter(isVisibleDialog);

function isVisibleDialog(element) {
  return isVisible(element) && holdsSomething(element);
}

function holdsSomething(element) {
  return textContentOf(element).trim() !== '' || queryAll(element, 'input,button,img,iframe').length > 0;
}

const isCookieText = (element) =>
  matches(element, COOKIE_SELECTOR) && /cookie|consent|privacy/i.test(textContentOf(element).slice(0, 2000));

/** The window of the layer over the middle of the viewport, or null. */
function coveringLayer() {
  const { innerWidth: width, innerHeight: height } = windowOf(scope) || window;
  const found = overlayAround(elementFromPoint(scope, width / 2, height / 2));
  const layer = found && isCurtain(found) ? layerBeside(found) : found;
  if (!layer || !isVisibleDialog(layer) || queryAll(layer, 'main,[role=main]').length) return null;
  return dialogInside(layer);
}

/**
 * The layer to which an element belongs, if it is fixed or absolute, covers much of the viewport, and lies on other
 * content; or null.
 */
function overlayAround(element) {
  const owner = element && ownerOf(element);
  const { innerWidth: width, innerHeight: height } = (owner && windowOf(owner)) || window;
  for (let node = element; node && nodeTypeOf(node) === ELEMENT_NODE; node = elementAbove(node)) {
    if (ownerOf(node) !== owner || tagOf(node) === 'body' || tagOf(node) === 'html') return null;
    const style = styleOf(node);
    if (style.position !== 'fixed' && style.position !== 'absolute') continue;
    const box = boxOf(node);
    const share = (box.width * box.height) / (width * height);
    if (share >= COVERING_SHARE && isOverlay(node, style, box, width, height)) return node;
  }
  return null;
}

/** Above the page, not a part of it: a stacking order of its own, and either a backdrop or centred like a window. */
function isOverlay(element, style, box, width, height) {
  const zIndex = parseInt(style.zIndex, 10) || 0;
  const isModalClass = matches(element, MODAL_CLASS);
  if (style.position === 'absolute' && zIndex < 1 && !isModalClass) return false;
  const covers = box.left <= 1 && box.top <= 1 && box.right >= width - 1 && box.bottom >= height - 1;
  const isCentred = Math.abs((box.left + box.right) / 2 - width / 2) < width * 0.1;
  if (!covers && !isCentred) return false;
  return isModalClass || style.position === 'fixed' || zIndex > 0;
}

/** Of a full backdrop, the window that it holds when that is its only visible content. */
function dialogInside(layer) {
  let node = layer;
  for (let depth = 0; depth < 5; depth++) {
    const visible = Array.prototype.filter.call(childrenOf(node), (child) => isStyledVisible(child) && visibleBox(child));
    if (visible.length !== 1 || !queryAll(visible[0], 'button,a[href],input,[role=button]').length) return node;
    node = visible[0];
  }
  return node;
}

/** The dialog or banner to which an element that covers another belongs, or null. Its backdrop may stand beside it. */
export function coveringDialog(blocker, covered) {
  for (let node = blocker; node && !holds(node, covered); node = elementAbove(node)) {
    if (matches(node, DIALOG_SELECTOR) || isCookieText(node)) return node;
  }
  const layer = overlayAround(blocker);
  if (!layer || holds(layer, covered)) return popupAround(blocker, covered);
  if (isVisibleDialog(layer)) return layer;
  const dialogs = visibleDialogs().filter((dialog) => !holds(dialog, covered));
  return dialogs.length ? dialogs[dialogs.length - 1] : null;
}

const BUTTON_SELECTOR = 'button,[role=button],a[href],input[type=submit],input[type=button]';
const BUTTON_NAMES = 4;

/** The names of the first visible buttons of a dialog, links and those in shadow trees included, each name once. */
export function buttonNames(dialog) {
  const names = new Set();
  const found = foundElements().filter(({ element, type }) => (type === 'button' || type === 'link') && holds(dialog, element));
  for (const button of new Set([...queryAll(dialog, BUTTON_SELECTOR), ...found.map(({ element }) => element)])) {
    const name = isVisible(button) && shorten(nameOf(button));
    if (name) names.add(name);
    if (names.size === BUTTON_NAMES) break;
  }
  return [...names];
}

export function modalDialog(chosen) {
  const dialog = topDialog();
  if (!dialog) return null;
  const [close] = closersIn(dialog, chosen);
  const title = dialogTitle(dialog);
  return {
    container: selectorOf(dialog),
    ...(close && { close: numberOf(close.element) }),
    ...(title && { title }),
  };
}

/** Elements that are called after cookies and hold something to agree to. */
function cookieContainers() {
  const containers = queryPage(COOKIE_SELECTOR).filter((element) => !['html', 'body'].includes(tagOf(element)));
  if (!containers.length) return []; // names of all elements are not needed then
  const agreeing = foundElements().filter(
    ({ element, type }) => type !== 'input' && ACCEPT.test(nameOf(element)) && !REJECT.test(nameOf(element)),
  );
  return containers.filter((element) => agreeing.some((candidate) => holds(element, candidate.element)));
}

export function cookieBanner(chosen) {
  for (const element of remember('cookies', cookieContainers)) {
    if (!isVisible(element)) continue;
    const inside = chosen.map(({ candidate }) => candidate).filter((candidate) => holds(element, candidate.element));
    const accept = inside.find(
      (candidate) =>
        candidate.type !== 'input' && ACCEPT.test(nameOf(candidate.element)) && !REJECT.test(nameOf(candidate.element)),
    );
    if (!accept) continue;
    const reject = inside.find((candidate) => candidate !== accept && REJECT.test(nameOf(candidate.element)));
    return {
      container: selectorOf(element),
      accept: numberOf(accept.element),
      ...(reject && { reject: numberOf(reject.element) }),
    };
  }
  return null;
}

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
export function popups(request) {
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
export function popupOpen({ index }) {
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
export function floatingAround(element, around = new Map()) {
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
export function popupPattern(chosen) {
  const popup = floatingPopups(chosen)[0];
  if (!popup) return null;
  const title = dialogTitle(popup);
  return {
    container: selectorOf(popup),
    close: numberOf(closersIn(popup, chosen)[0].element),
    ...(title && { title }),
  };
}

// What closes a layer, as a person would: a sign, a word, a refusal, an icon in the corner, none of which accepts, buys
// or signs up; or a press beside it, where that reaches what is behind.

const CLOSE_WORD = new RegExp(
  '^\\W*(?:(?:close|dismiss|hide)(?: (?:this|the))?(?: (?:dialog|pop-?up|modal|window|overlay|message|notice|banner|offer|' +
    'ad|advert|advertisement|announcement|tour|tip|newsletter|promotion|panel|box))?|x|schlie(?:ß|ss)en|fermer|cerrar|' +
    'chiudi|fechar|sluiten|luk|lukk|stäng|zamknij)\\W*$',
  'i',
);

const DECLINE_WORD = new RegExp(
  '^\\W*(?:no,? ?(?:thanks?|thank you)\\b.*|no,? i\\b.*|no|not (?:now|today|interested)|(?:maybe |ask me |remind me )?later|' +
    'maybe next time|skip|nein,? danke|nicht jetzt|später|non,? merci|plus tard|no,? gracias|ahora no|no,? grazie)\\W*$',
  'i',
);

const CANCEL_WORD = /^\W*(cancel|abbrechen|annuler|cancelar)\W*$/i;
const CONFIRM_WORD = /^\W*(got it|ok(ay)?)\W*$/i;
const CLOSE_SIGN = /^[×✕✖⨯╳✗✘❌⨉🗙]\uFE0F?$/u;
const CLOSE_CLASS = /(^|[\s_-])(close|dismiss)($|[\s_-])/i;

// Cards and rows have buttons of their own: what removes an article from a basket closes no basket.
const ITEMS_INSIDE = 'li,tr,[role=row],[role=listitem],[role=option],[role=tab],[role=treeitem]';

const CORNER_SHARE = 0.25; // of a layer's sides
const CORNER_PIXELS = 48;
const MAX_CLOSERS = 4;

/** How plainly a button closes the layer that holds it, from 0, which is best; or -1 if it does not. */
function closingRank(element, layer) {
  const item = closest(element, ITEMS_INSIDE);
  if (item && item !== layer && contains(layer, item)) return -1;
  const name = nameOf(element);
  if (CLOSE_SIGN.test(name) || CLOSE_WORD.test(name)) return 0;
  if (name.length < 3 && CLOSE_CLASS.test(attribute(element, 'class') || '')) return 0;
  if (DECLINE_WORD.test(name)) return 1;
  if (CANCEL_WORD.test(name)) return 2;
  return isCornerIcon(element, layer) ? 3 : -1;
}

/** Whether a button is an icon that nothing names, in an upper corner of its layer. */
function isCornerIcon(element, layer) {
  if (unclosedName(element) !== '') return false;
  const [icon, box] = [boxOf(element), boxOf(layer)];
  if (!icon.width || icon.width > MAX_ICON_SIZE || icon.height > MAX_ICON_SIZE) return false;
  const [across, down] = [box.width * CORNER_SHARE, box.height * CORNER_SHARE].map((part) => Math.min(part, CORNER_PIXELS));
  const isAtTop = Math.abs(icon.top - box.top) <= down;
  return isAtTop && (Math.abs(box.right - icon.right) <= across || Math.abs(icon.left - box.left) <= across);
}

/** What is written of a button, or what its author calls it unless that is a close. */
function unclosedName(element) {
  const written = writtenName(element);
  if (written) return written;
  const invented = inventedBase(element);
  return /\b(close|dismiss|cross|times|xmark)\b/i.test(invented) ? '' : invented;
}

/** The candidates that close a layer, the plainest first; `boxed` are what can be seen, as of `choose`. */
function closersIn(layer, boxed) {
  const inside = boxed.filter(({ candidate }) => isPressed(candidate) && holds(layer, candidate.element));
  const ranked = [];
  for (const { candidate } of inside) {
    const rank = closingRank(candidate.element, layer);
    if (rank >= 0) ranked.push({ candidate, rank });
  }
  // An only button says that something was read; beside others it is a choice.
  if (!ranked.length && inside.length === 1 && CONFIRM_WORD.test(nameOf(inside[0].candidate.element))) return [inside[0].candidate];
  ranked.sort((one, other) => one.rank - other.rank);
  return ranked.slice(0, MAX_CLOSERS).map(({ candidate }) => candidate);
}

const isPressed = ({ type, role }) => (type === 'button' || type === 'link' || type === 'generic') && role !== 'dialog';
const EDGE = 6; // pixels beside the viewport's edge, or a layer's

/** A point of this scanner's viewport where a press reaches a layer's backdrop, or the bare page; null where there is none. */
function outsidePoint(layer) {
  const owner = ownerOf(layer);
  const root = documentElementOf(owner);
  const [width, height] = [root.clientWidth, root.clientHeight];
  const box = boxOf(layer);
  const [middle, centre] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const points = [
    [EDGE, EDGE], [width - EDGE, EDGE], [EDGE, height - EDGE], [width - EDGE, height - EDGE],
    [box.left - EDGE, centre], [box.right + EDGE, centre], [middle, box.top - EDGE], [middle, box.bottom + EDGE],
    [EDGE, height / 2], [width - EDGE, height / 2], [width / 2, EDGE], [width / 2, height - EDGE],
  ]; // prettier-ignore
  const origin = frameOffset(layer);
  for (const [x, y] of points) {
    const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    if (isInside || x < 0 || y < 0 || x >= width || y >= height) continue;
    const hit = hitIn(owner, x, y);
    if (hit && isBackdrop(hit, layer, width, height)) return { x: x + origin.x, y: y + origin.y };
  }
  return null;
}

/** The layer for which an empty backdrop dims the page: what is with it in a layer around both, or floats beside it; or null. */
function layerBeside(curtain) {
  const around = parentElementOf(curtain);
  if (!around) return null;
  const isInLayer = overlayAround(around) !== null;
  const others = Array.prototype.filter.call(childrenOf(around), (each) => each !== curtain && (isInLayer || floats(each)));
  return others.reverse().find((each) => !isCurtain(each) && isVisibleDialog(each)) || null;
}

/** The `::backdrop` of the layer itself, what is around the layer, or an empty cover of the page beside it. */
function isBackdrop(hit, layer, width, height) {
  if (hit === layer) return tagOf(layer) === 'dialog' || hasAttribute(layer, 'popover');
  if (holds(layer, hit)) return false;
  if (holds(hit, layer) || hit === bodyOf(ownerOf(layer)) || hit === documentElementOf(ownerOf(layer))) return true;
  const box = boxOf(hit);
  return box.width * box.height > SMALL_SHARE * width * height && !/\S/.test(textContentOf(hit)) && styleOf(hit).position === 'fixed';
}
