// The bar that the extension shows on pages which it controls (extension/banner.js). It stands in the document, because
// there is no other place for it, and is no part of the page: whatever is asked about the page does not hear of it. It
// tells who it is in the extension's own world, by a symbol, for names there can be taken by elements with such an id.

const BANNER = Symbol.for('oryn.banner');

/** `{host, dodge(x, y)}`, where there is one. */
const banner = () => globalThis[BANNER] || null;
const isBanner = (node) => node !== null && globalThis[BANNER] !== undefined && globalThis[BANNER].host === node;

/** What a selector found below a root, without the banner. */
function withoutBanner(found, root, css) {
  const own = banner();
  if (!own || !found.length || !contains(root, own.host) || !matches(own.host, css)) return found;
  return Array.prototype.filter.call(found, (element) => element !== own.host);
}

/** Whether a mutation is one of the page. */
function isOfPage({ target, addedNodes, removedNodes }) {
  if (isBanner(target)) return false;
  return addedNodes.length + removedNodes.length !== 1 || !isBanner(addedNodes[0] || removedNodes[0]);
}

/** An observer of the page that calls back only for what the page did. */
function pageObserver(callback) {
  return new NativeObserver((records) => {
    const ofPage = records.filter(isOfPage);
    if (ofPage.length) callback(ofPage);
  });
}

/** The banner's button goes away from a point of this scanner's viewport, where it lies there: a real press is to come. */
function makeRoomAt(x, y) {
  if (banner()) banner().dodge(x, y);
}

/** The element at a point of a document: where that is the banner's button, it makes room and what is below it is hit. */
function pageElementAt(owner, x, y) {
  const hit = fromPoint[DOCUMENT_NODE](owner, x, y);
  if (!isBanner(hit)) return hit;
  makeRoomAt(x, y);
  const below = fromPoint[DOCUMENT_NODE](owner, x, y);
  return isBanner(below) ? null : below;
}

/** HTML of an element that may hold the banner, which is its last child or nearly so. */
function htmlWithoutBanner(element, html) {
  const own = banner();
  if (!own || element === own.host || !contains(element, own.host)) return html;
  const text = outerHtmlOf(own.host);
  const at = html.lastIndexOf(text);
  return at < 0 ? html : html.slice(0, at) + html.slice(at + text.length);
}
