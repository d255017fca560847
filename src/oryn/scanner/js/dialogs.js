// Modal dialogs and cookie banners (docs/spec/scanner-protocol.md#patterns): by role, by class, and by what they are:
// fixed, covering, on top.

const DIALOG_SELECTOR = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';
const MODAL_CLASS = '[class*=modal i],[class*=popup i],[class*=overlay i],[class*=lightbox i],[class*=dialog i]';
const COOKIE_SELECTOR = ['cookie', 'consent', 'gdpr', 'ccpa', 'onetrust', 'didomi', 'privacy-banner']
  .map((word) => `[id*=${word} i],[class*=${word} i],[aria-label*=${word} i]`)
  .join(',');
const ACCEPT = /accept|agree|allow|got it|^ok(ay)?$|i understand|akzeptieren|zustimmen|accepter|aceptar|consent/i;
const REJECT =
  /reject|decline|refuse|deny|only (necessary|essential|what('s| is) (necessary|needed))|necessary only|without accepting|ablehnen|refuser|rechazar/i;
const COVERING_SHARE = 0.15;

/** The topmost open dialog element, or null: cached for the length of one command by its callers. */
function topDialog() {
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
  const found = overlayAround(fromPoint[DOCUMENT_NODE](scope, width / 2, height / 2));
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
function coveringDialog(blocker, covered) {
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
function buttonNames(dialog) {
  const names = new Set();
  const found = foundElements().filter(({ element, type }) => (type === 'button' || type === 'link') && holds(dialog, element));
  for (const button of new Set([...queryAll(dialog, BUTTON_SELECTOR), ...found.map(({ element }) => element)])) {
    const name = isVisible(button) && shorten(nameOf(button));
    if (name) names.add(name);
    if (names.size === BUTTON_NAMES) break;
  }
  return [...names];
}

function modalDialog(chosen) {
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

function dialogTitle(dialog) {
  const name = authoredRole(dialog) || tagOf(dialog) === 'dialog' ? collapse(accessibleName(dialog)) : '';
  if (name) return shorten(name);
  const heading = queryAll(dialog, 'h1,h2,h3,h4,h5,h6,[role=heading],[class*=title i]')[0];
  return heading ? shorten(collapse(textContentOf(heading))) : '';
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

function cookieBanner(chosen) {
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
