// What lies over a page: modal dialogs, cookie banners and small popups (docs/spec/scanner-protocol.md#patterns), and what
// closes them.

import {
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
  ownerOf,
  parentElementOf,
  previousElementOf,
  tagOf,
  textContentOf,
  windowOf,
} from '../dom/natives';
import type {
  CookiePattern,
  LayerPattern,
  PointData,
  PopupKind,
  PopupOpenRequest,
  PopupOpenResponse,
  PopupsRequest,
  PopupsResponse,
} from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds, isAttached } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { remember, scope } from '../dom/snapshot';
import { queryPage, selectorOf } from '../dom/selectors';
import { pointInPage } from '../geometry/frames';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { isVisible, placeInViewport, visibleBox } from '../geometry/visibility';
import { hitIn } from '../geometry/boxes';
import { DIALOG_SELECTOR } from '../semantics/roles';
import { shorten } from '../semantics/names';
import { dialogTitle, inventedBase, nameOf, visibleLength, writtenName } from '../semantics/labels';
import { isCurtain } from '../semantics/interactive';
import { MAX_ICON_SIZE } from '../text/units';
import { foundElements } from '../targets/candidates';
import { choose, isOnTop } from '../targets/describe';
import type { Chosen } from '../targets/describe';
import { isOpenPopover } from '../dom/top_layer';
import { viewSizeOf } from '../dom/windows';

// Modal dialogs and cookie banners: by role, by class, and by what they are: fixed, covering, on top.

const MODAL_CLASS = '[class*=modal i],[class*=popup i],[class*=overlay i],[class*=lightbox i],[class*=dialog i]';

const COOKIE_SELECTOR = ['cookie', 'consent', 'gdpr', 'ccpa', 'onetrust', 'didomi', 'privacy-banner']
  .map((word) => `[id*=${word} i],[class*=${word} i],[aria-label*=${word} i]`)
  .join(',');

const ACCEPT = /accept|agree|allow|got it|^ok(ay)?$|i understand|akzeptieren|zustimmen|accepter|aceptar|consent/i;

const REJECT =
  /reject|decline|refuse|deny|only (necessary|essential|what('s| is) (necessary|needed))|necessary only|without accepting|ablehnen|refuser|rechazar/i;

const COVERING_SHARE = 0.15;

/** The topmost open dialog, or null. It looks at all of them, so that a command asks once. */
export function topDialog(): Element | null {
  const authored = visibleDialogs().filter((element) => !isCookieText(element));
  return authored.at(-1) ?? coveringLayer();
}

const visibleDialogs = (): Element[] => remember('dialogs', () => queryPage(DIALOG_SELECTOR)).filter(isVisibleDialog);

function isVisibleDialog(element: Element): boolean {
  return isVisible(element) && holdsSomething(element);
}

function holdsSomething(element: Element): boolean {
  return /\S/.test(textContentOf(element)) || queryAll(element, 'input,button,img,iframe').length > 0;
}

const isCookieText = (element: Element): boolean =>
  matches(element, COOKIE_SELECTOR) && /cookie|consent|privacy/i.test(textContentOf(element).slice(0, 2000));

/** The window of the layer over the middle of the viewport, or null. */
function coveringLayer(): Element | null {
  const { width, height } = viewSizeOf(windowOf(scope) || window);
  const found = overlayAround(elementFromPoint(scope, width / 2, height / 2));
  const layer = found && isCurtain(found) ? layerBeside(found) : found;
  if (!layer || !isVisibleDialog(layer) || queryAll(layer, 'main,[role=main]').length) return null;
  return dialogInside(layer);
}

/**
 * The layer to which an element belongs, if it is fixed or absolute, covers much of the viewport, and lies on other
 * content; or null.
 */
function overlayAround(element: Element | null): Element | null {
  if (!element) return null;
  const owner = ownerOf(element);
  const { width, height } = viewSizeOf(windowOf(owner) || window);
  for (let node: Element | null = element; node; node = elementAbove(node)) {
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
function isOverlay(element: Element, style: CSSStyleDeclaration, box: DOMRect, width: number, height: number): boolean {
  const zIndex = parseInt(style.zIndex, 10) || 0;
  const isModalClass = matches(element, MODAL_CLASS);
  if (style.position === 'absolute' && zIndex < 1 && !isModalClass) return false;
  const covers = box.left <= 1 && box.top <= 1 && box.right >= width - 1 && box.bottom >= height - 1;
  const isCentred = Math.abs((box.left + box.right) / 2 - width / 2) < width * 0.1;
  if (!covers && !isCentred) return false;
  return isModalClass || style.position === 'fixed' || zIndex > 0;
}

/** Of a full backdrop, the window that it holds when that is its only visible content. */
function dialogInside(layer: Element): Element {
  let node = layer;
  for (let depth = 0; depth < 5; depth++) {
    const visible = [...childrenOf(node)].filter((child) => isStyledVisible(child) && visibleBox(child));
    const only = visible.length === 1 ? visible[0] : undefined;
    if (!only || !queryAll(only, 'button,a[href],input,[role=button]').length) return node;
    node = only;
  }
  return node;
}

/** The dialog or banner to which an element that covers another belongs, or null. Its backdrop may stand beside it. */
export function coveringDialog(blocker: Element, covered: Element): Element | null {
  for (let node: Element | null = blocker; node && !holds(node, covered); node = elementAbove(node)) {
    if (matches(node, DIALOG_SELECTOR) || isCookieText(node)) return node;
  }
  const layer = overlayAround(blocker);
  if (!layer || holds(layer, covered)) return popupAround(blocker, covered);
  if (isVisibleDialog(layer)) return layer;
  const dialogs = visibleDialogs().filter((dialog) => !holds(dialog, covered));
  return dialogs.at(-1) ?? null;
}

const BUTTON_SELECTOR = 'button,[role=button],a[href],input[type=submit],input[type=button]';
const BUTTON_NAMES = 4;

/** The names of the first visible buttons of a dialog, links and those in shadow trees included, each name once. */
export function buttonNames(dialog: Element): string[] {
  const names = new Set<string>();
  const found = foundElements().filter(
    ({ element, type }) => (type === 'button' || type === 'link') && holds(dialog, element),
  );
  for (const button of new Set([...queryAll(dialog, BUTTON_SELECTOR), ...found.map(({ element }) => element)])) {
    const name = isVisible(button) && shorten(nameOf(button));
    if (name) names.add(name);
    if (names.size === BUTTON_NAMES) break;
  }
  return [...names];
}

const MAX_TITLE = 60;

/** The pattern `modal`: the topmost open dialog. */
export function modalDialog(chosen: readonly Chosen[]): LayerPattern | null {
  const dialog = topDialog();
  if (!dialog) return null;
  const [close] = closersIn(dialog, chosen);
  const title = layerTitle(dialog).slice(0, MAX_TITLE);
  return {
    container: selectorOf(dialog),
    ...(close && { close: numberOf(close.element) }),
    ...(title && { title }),
  };
}

/** Elements that are called after cookies and hold something to agree to. */
function cookieContainers(): Element[] {
  const containers = queryPage(COOKIE_SELECTOR).filter((element) => !['html', 'body'].includes(tagOf(element)));
  if (!containers.length) return []; // names of all elements are not needed then
  const agreeing = foundElements().filter(
    ({ element, type }) => type !== 'input' && ACCEPT.test(nameOf(element)) && !REJECT.test(nameOf(element)),
  );
  return containers.filter((element) => agreeing.some((candidate) => holds(element, candidate.element)));
}

/** The pattern `cookie_banner`. */
export function cookieBanner(chosen: readonly Chosen[]): CookiePattern | null {
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
// banners these are small boxes with a button that closes them, which float: fixed, in the top layer, or absolute and
// above the rest.

interface Layer {
  element: Element;
  isCookie: boolean;
}

let listedLayers: { element: WeakRef<Element>; mark: string }[] = []; // of the last `popups`

/** popups: the open layers of a kind, or, with `text`, those of them that say it; the topmost first. */
export function popups(request: PopupsRequest): PopupsResponse {
  continueNumbers(request.next_id || 1);
  const boxed = choose(foundElements(), {});
  const { kind, text } = request;
  const layers = openLayers(boxed).filter((layer) => isOfKind(layer, kind || 'popup'));
  const named = isPresent(text) ? layers.filter((layer) => layerSays(layer, text, boxed)) : layers;
  const marked = named.map((layer) => ({ ...layer, mark: layerMark(layer.element) }));
  listedLayers = marked.map(({ element, mark }) => ({ element: new WeakRef(element), mark }));
  const rows = marked.map(({ element, isCookie, mark }, index) => ({
    index,
    mark,
    title: layerTitle(element),
    cookie: isCookie,
    close: layerClosers(element, isCookie, boxed).map((each) => ({
      id: numberOf(each.element),
      name: shorten(nameOf(each.element)),
    })),
    buttons: buttonNames(element),
    outside: outsidePoint(element),
  }));
  return { layers: rows, next_id: nextNumber };
}

/** popup_open: whether a layer of the last `popups` is still there, or was rendered anew. */
export function popupOpen({ index }: PopupOpenRequest): PopupOpenResponse {
  const listed = listedLayers[wholeNumber(index, 'index')];
  if (!listed) return { open: false };
  const element = listed.element.deref();
  if (element && isAttached(element) && isOpenLayer(element)) return { open: true };
  const layers = openLayers(choose(foundElements(), {}));
  return { open: layers.some((layer) => layer.element !== element && layerMark(layer.element) === listed.mark) };
}

function isOpenLayer(element: Element): boolean {
  const box = isVisibleDialog(element) ? visibleBox(element) : null;
  return box !== null && placeInViewport(element, box) !== 'outside';
}

const isOfKind = ({ isCookie }: Layer, kind: PopupKind): boolean =>
  kind === 'popup' || isCookie === (kind === 'banner');

/** A layer that says a text, or has a button of that name. */
function layerSays({ element }: Layer, text: string, boxed: readonly Chosen[]): boolean {
  const wanted = collapse(text).toLowerCase();
  if (layerTitle(element).toLowerCase() === wanted) return true;
  if (collapse(textContentOf(element)).toLowerCase().includes(wanted)) return true;
  return closersIn(element, boxed).some((closer) => nameOf(closer.element).toLowerCase() === wanted);
}

/** What is the same about a layer that was rendered anew at its place. */
function layerMark(element: Element): string {
  const box = boxOf(element);
  return [layerTitle(element), Math.round(box.left), Math.round(box.top), ...buttonNames(element)].join('\n');
}

const layerTitle = (element: Element): string =>
  dialogTitle(element) || shorten(collapse(attribute(element, 'aria-label') || textContentOf(element)));

/** The candidates that close a layer, the plainest first. A cookie banner is refused rather than closed. */
function layerClosers(element: Element, isCookie: boolean, boxed: readonly Chosen[]): Candidate[] {
  const closers = closersIn(element, boxed);
  if (!isCookie) return closers;
  const refusing = boxed
    .map(({ candidate }) => candidate)
    .find(
      (candidate) =>
        isPressed(candidate) && holds(element, candidate.element) && REJECT.test(nameOf(candidate.element)),
    );
  const others = closers.filter((each) => each !== refusing && !ACCEPT.test(nameOf(each.element)));
  return refusing ? [refusing, ...others] : others;
}

/** All open layers, none inside another, those that nothing covers first. */
function openLayers(boxed: readonly Chosen[]): Layer[] {
  const layers: Layer[] = [];
  const add = (element: Element | null, isCookie: boolean): void => {
    if (!element || layers.some((other) => holds(other.element, element) || holds(element, other.element))) return;
    layers.push({ element, isCookie });
  };
  for (const element of remember('cookies', cookieContainers)) if (isOpenLayer(element)) add(element, true);
  for (const element of [...visibleDialogs()].reverse()) if (!isCookieText(element)) add(element, false);
  for (const element of floatingPopups(boxed)) add(element, false);
  add(coveringLayer(), false);
  const isFree = ({ element }: Layer): boolean => isOnTop(element, visibleBox(element) || boxOf(element));
  return [...layers.filter(isFree), ...layers.filter((layer) => !isFree(layer))];
}

/** What each element floats in, as far as known: a box, or null. */
type Floats = Map<Element, Element | null>;

/** The small boxes that float around buttons that close them, the last in the page's order first. */
function floatingPopups(boxed: readonly Chosen[]): Element[] {
  const around: Floats = new Map();
  const windows = new Map<Element, FloatingWindow>();
  const members = new Map<Element, Chosen[]>();
  for (const each of boxed) {
    const { element } = each.candidate;
    if (!each.box || !isPressed(each.candidate) || placeInViewport(element, each.box) === 'outside') continue;
    const popup = popupAbove(element, around, windows);
    if (!popup) continue;
    const inside = members.get(popup);
    if (inside) inside.push(each);
    else members.set(popup, [each]);
  }
  const closable = [...members].filter(([popup, inside]) => closersIn(popup, inside).length > 0);
  return closable.map(([popup]) => popup).reverse();
}

/** The popup that floats around a button, or null: the nearest floating box that holds more than the button. */
function popupAbove(button: Element, around: Floats, windows: Map<Element, FloatingWindow>): Element | null {
  for (
    let node = floatingAround(elementAbove(button), around);
    node;
    node = floatingAround(elementAbove(node), around)
  ) {
    const known = windows.get(node) ?? windowInside(node);
    windows.set(node, known);
    const { popup, length } = known;
    if (!popup || length > visibleLength(button) || queryAll(popup, 'img,iframe,video,input').length) return popup;
  }
  return null;
}

/** What there is to a floating box: the popup, itself or the only window in it, or null; and how much that says. */
interface FloatingWindow {
  popup: Element | null;
  length: number;
}

const MAX_BACKDROP_PARTS = 9;

function windowInside(node: Element): FloatingWindow {
  const mayHoldOne = !isSmall(node) && childrenOf(node).length <= MAX_BACKDROP_PARTS;
  const inside = mayHoldOne ? dialogInside(node) : node;
  const popup = isSmall(inside) && isPopup(inside) ? inside : null;
  return { popup, length: popup ? visibleLength(popup) : 0 };
}

const SMALL_SHARE = 0.5; // of the viewport

function isSmall(element: Element): boolean {
  const box = boxOf(element);
  const { width, height } = viewSizeOf(windowOf(ownerOf(element)) || window);
  return box.width * box.height < SMALL_SHARE * width * height;
}

/** The nearest box around an element that floats over its page, or null. `around` remembers it for each element. */
export function floatingAround(element: Element | null, around: Floats = new Map()): Element | null {
  if (!element) return null;
  const passed: Element[] = [];
  let found: Element | null = null;
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    const known = around.get(node);
    if (known !== undefined) {
      found = known;
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

const FLOATING_ORDER = 10; // the z-index of an absolute box that floats; lower ones arrange parts of a page

function floats(element: Element): boolean {
  if (isOpenPopover(element)) return true;
  const { position, zIndex } = styleOf(element);
  if (position === 'fixed') return true;
  if (position !== 'absolute') return false;
  const order = parseInt(zIndex, 10) || 0;
  return (order >= FLOATING_ORDER || (order > 0 && matches(element, MODAL_CLASS))) && !isOneOfMany(element);
}

/** Cards that are placed one by one are the page itself. */
function isOneOfMany(element: Element): boolean {
  return [nextElementOf(element), previousElementOf(element)].some(
    (other) =>
      other !== null &&
      tagOf(other) === tagOf(element) &&
      (attribute(other, 'class') || '') === (attribute(element, 'class') || '') &&
      styleOf(other).position === 'absolute' &&
      styleOf(other).zIndex === styleOf(element).zIndex,
  );
}

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

/** Whether a floating box is none of the page's parts or menus, and no message about its state. */
function isPopup(element: Element): boolean {
  if (matches(element, NOT_POPUP) || queryAll(element, PAGE_PARTS).length || isCookieText(element)) return false;
  let level = 0;
  for (let node: Element | null = element; node && level < LAYER_LEVELS; node = elementAbove(node), level++) {
    if (isToast(node)) return false;
  }
  for (let node = mainPart(element); node; node = mainPart(node)) {
    if (isToast(node) || matches(node, MENUS)) return false;
  }
  return isVisibleDialog(element);
}

/** The child that says most of what an element says, or null. */
function mainPart(element: Element): Element | null {
  const length: number = visibleLength(element);
  return [...childrenOf(element)].find((child) => length > 0 && visibleLength(child) > length / 2) ?? null;
}

const isToast = (element: Element): boolean =>
  matches(element, STATUS) || TOAST_CLASS.test(attribute(element, 'class') || '');

/** The popup to which an element that covers another belongs, or null. */
function popupAround(blocker: Element, covered: Element): Element | null {
  const first = floatingAround(blocker);
  if (!first || holds(first, covered)) return null;
  const boxed = choose(foundElements(), {});
  return floatingPopups(boxed).find((popup) => holds(popup, blocker) && !holds(popup, covered)) || null;
}

/** The pattern `popup`: the topmost small popup. */
export function popupPattern(chosen: readonly Chosen[]): LayerPattern | null {
  const [popup] = floatingPopups(chosen);
  if (!popup) return null;
  // Buttons of it outside the viewport count here: an OK beside them is a choice, and closes nothing.
  const [close] = closersIn(popup, chosen);
  if (!close) return null;
  const title = dialogTitle(popup);
  return {
    container: selectorOf(popup),
    close: numberOf(close.element),
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

/** How plainly a button closes the layer that holds it, from 0, which is best; or -1 if it does not. */
function closingRank(element: Element, layer: Element): number {
  const item = closest(element, ITEMS_INSIDE);
  if (item && item !== layer && contains(layer, item)) return -1;
  const name = nameOf(element);
  if (CLOSE_SIGN.test(name) || CLOSE_WORD.test(name)) return 0;
  if (name.length < 3 && CLOSE_CLASS.test(attribute(element, 'class') || '')) return 0;
  if (DECLINE_WORD.test(name)) return 1;
  if (CANCEL_WORD.test(name)) return 2;
  return isCornerIcon(element, layer) ? 3 : -1;
}

const CORNER_SHARE = 0.25; // of a layer's sides
const CORNER_PIXELS = 48;

/** Whether a button is an icon that nothing names, in an upper corner of its layer. */
function isCornerIcon(element: Element, layer: Element): boolean {
  if (unclosedName(element) !== '') return false;
  const [icon, box] = [boxOf(element), boxOf(layer)];
  if (!icon.width || icon.width > MAX_ICON_SIZE || icon.height > MAX_ICON_SIZE) return false;
  const across = Math.min(box.width * CORNER_SHARE, CORNER_PIXELS);
  const down = Math.min(box.height * CORNER_SHARE, CORNER_PIXELS);
  const isAtTop = Math.abs(icon.top - box.top) <= down;
  return isAtTop && (Math.abs(box.right - icon.right) <= across || Math.abs(icon.left - box.left) <= across);
}

/** What is written of a button, or what its author calls it unless that is a close. */
function unclosedName(element: Element): string {
  const written = writtenName(element);
  if (written) return written;
  const invented = inventedBase(element);
  return /\b(close|dismiss|cross|times|xmark)\b/i.test(invented) ? '' : invented;
}

const MAX_CLOSERS = 4;

/** The candidates that close a layer, the plainest first; `boxed` are what can be seen, as of `choose`. */
function closersIn(layer: Element, boxed: readonly Chosen[]): Candidate[] {
  const inside = boxed.filter(({ candidate }) => isPressed(candidate) && holds(layer, candidate.element));
  const ranked: { candidate: Candidate; rank: number }[] = [];
  for (const { candidate } of inside) {
    const rank = closingRank(candidate.element, layer);
    if (rank >= 0) ranked.push({ candidate, rank });
  }
  // An only button says that something was read; beside others it is a choice.
  const only = inside.length === 1 ? inside[0]?.candidate : undefined;
  if (only && !ranked.length && CONFIRM_WORD.test(nameOf(only.element))) return [only];
  ranked.sort((one, other) => one.rank - other.rank);
  return ranked.slice(0, MAX_CLOSERS).map(({ candidate }) => candidate);
}

const isPressed = ({ type, role }: Candidate): boolean =>
  (type === 'button' || type === 'link' || type === 'generic') && role !== 'dialog';
const EDGE = 6; // pixels beside the viewport's edge, or a layer's

/** A point of this scanner's viewport where a press reaches a layer's backdrop, or the bare page; null where there is none. */
function outsidePoint(layer: Element): PointData | null {
  const owner = ownerOf(layer);
  const { clientWidth: width, clientHeight: height } = documentElementOf(owner);
  const box = boxOf(layer);
  const [middle, centre] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  // prettier-ignore
  const points: [number, number][] = [
    [EDGE, EDGE], [width - EDGE, EDGE], [EDGE, height - EDGE], [width - EDGE, height - EDGE],
    [box.left - EDGE, centre], [box.right + EDGE, centre], [middle, box.top - EDGE], [middle, box.bottom + EDGE],
    [EDGE, height / 2], [width - EDGE, height / 2], [width / 2, EDGE], [width / 2, height - EDGE],
  ];
  for (const [x, y] of points) {
    const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    if (isInside || x < 0 || y < 0 || x >= width || y >= height) continue;
    const hit = hitIn(owner, x, y);
    if (hit && isBackdrop(hit, layer, width, height)) return pointInPage(layer, { x, y });
  }
  return null;
}

/** The layer for which an empty backdrop dims the page: what is with it in a layer around both, or floats beside it; or null. */
function layerBeside(curtain: Element): Element | null {
  const around = parentElementOf(curtain);
  if (!around) return null;
  const isInLayer = overlayAround(around) !== null;
  const others = [...childrenOf(around)].filter((each) => each !== curtain && (isInLayer || floats(each)));
  return others.reverse().find((each) => !isCurtain(each) && isVisibleDialog(each)) ?? null;
}

/** The `::backdrop` of the layer itself, what is around the layer, or an empty cover of the page beside it. */
function isBackdrop(hit: Element, layer: Element, width: number, height: number): boolean {
  if (hit === layer) return tagOf(layer) === 'dialog' || hasAttribute(layer, 'popover');
  if (holds(layer, hit)) return false;
  if (holds(hit, layer) || hit === bodyOf(ownerOf(layer)) || hit === documentElementOf(ownerOf(layer))) return true;
  const box = boxOf(hit);
  return (
    box.width * box.height > SMALL_SHARE * width * height &&
    !/\S/.test(textContentOf(hit)) &&
    styleOf(hit).position === 'fixed'
  );
}
