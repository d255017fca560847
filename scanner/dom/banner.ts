// The bar that the extension shows on pages which it controls (extension/banner.ts). It stands in the document, because
// there is no other place for it, and is no part of the page: whatever is asked about the page does not hear of it. It
// tells who it is in the extension's own world, by a symbol, for names there can be taken by elements with such an id.

import { NativeObserver, contains, elementFromPoint, matches, outerHtmlOf, queryAllIn } from './natives';
import type { Container } from './natives';
import { bannerHandle } from './banner_handle';

/** All elements below a document, shadow root or element that match, as a static list; throws on a bad selector. */
export const queryAll = (root: Container, css: string): ArrayLike<Element> & Iterable<Element> =>
  withoutBanner(queryAllIn(root, css), root, css);

export const isBanner = (node: Node | null | undefined): boolean => {
  const own = bannerHandle();
  return own !== undefined && own.host === node;
};

/** What a selector found below a root, without the banner. */
function withoutBanner(
  found: NodeListOf<Element>,
  root: Container,
  css: string,
): ArrayLike<Element> & Iterable<Element> {
  const own = bannerHandle();
  if (!own || !found.length || !contains(root, own.host) || !matches(own.host, css)) return found;
  return Array.prototype.filter.call<NodeListOf<Element>, [(element: Element) => boolean], Element[]>(
    found,
    (element) => element !== own.host,
  );
}

/** Whether a mutation is one of the page. */
export function isOfPage({ target, addedNodes, removedNodes }: MutationRecord): boolean {
  if (isBanner(target)) return false;
  return addedNodes.length + removedNodes.length !== 1 || !isBanner(addedNodes[0] || removedNodes[0]);
}

/** An observer of the page that calls back only for what the page did. */
export function pageObserver(callback: (records: MutationRecord[]) => void): MutationObserver {
  return new NativeObserver((records) => {
    const ofPage = records.filter(isOfPage);
    if (ofPage.length) callback(ofPage);
  });
}

/** The banner's button goes away from a point of this scanner's viewport, where it lies there: a real press is to come. */
export function makeRoomAt(x: number, y: number): void {
  bannerHandle()?.dodge(x, y);
}

/** The element at a point of a document: where that is the banner's button, it makes room and what is below it is hit. */
export function pageElementAt(owner: Document, x: number, y: number): Element | null {
  const hit = elementFromPoint(owner, x, y);
  if (!isBanner(hit)) return hit;
  makeRoomAt(x, y);
  const below = elementFromPoint(owner, x, y);
  return isBanner(below) ? null : below;
}

/** HTML of an element that may hold the banner, which is its last child or nearly so. */
export function htmlWithoutBanner(element: Element, html: string): string {
  const own = bannerHandle();
  if (!own || element === own.host || !contains(element, own.host)) return html;
  const text = outerHtmlOf(own.host);
  const at = html.lastIndexOf(text);
  return at < 0 ? html : html.slice(0, at) + html.slice(at + text.length);
}
