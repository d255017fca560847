// extract (docs/spec/scanner-protocol.md#extract): links, images, tables, metadata, or whatever a selector finds.
// `selector` limits the others to a container.

import {
  attribute,
  attributesOf,
  childrenOf,
  closest,
  documentElementOf,
  localNameOf,
  tagOf,
  titleOf,
  windowOf,
} from '../dom/natives';
import type { ExtractRequest, ExtractResponse, ExtractionType } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { holds } from '../dom/tree';
import { scope } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { firstChild } from '../semantics/names';
import { nameOf } from '../semantics/labels';
import { renderedText } from '../text/text';
import { requireText } from './read';

type Extraction = (selector: string | null, within: string | null) => unknown;

const EXTRACTIONS: Record<ExtractionType, Extraction> = {
  links: extractLinks,
  images: extractImages,
  tables: extractTables,
  meta: extractMeta,
  css: extractCss,
};

export function extract(request: ExtractRequest): ExtractResponse {
  const { type } = request;
  requireText(type, 'type');
  const extraction = Object.prototype.hasOwnProperty.call(EXTRACTIONS, type) ? EXTRACTIONS[type] : undefined;
  if (!extraction) throw new Refusal('INVALID_REQUEST', `no such extraction: ${type}`);
  return { type, data: extraction(request.selector || null, request.within || null) };
}

/** Elements that match inside the container, or on the whole page. */
function inContainer(css: string, container: string | null): Element[] {
  if (!container) return queryPage(css);
  const roots = queryPage(container);
  if (!roots.length) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${container}`);
  return queryPage(css).filter((element) => roots.some((root) => holds(root, element)));
}

export const absolute = (element: Element, url: string): string => {
  try {
    return new URL(url, element.baseURI).href;
  } catch {
    return url;
  }
};

function extractLinks(container: string | null) {
  return inContainer('a[href],area[href]', container).map((element) => ({
    href: absolute(element, attribute(element, 'href') || ''),
    text: collapse(renderedText(element)) || nameOf(element),
  }));
}

function extractImages(container: string | null) {
  return inContainer('img', container).map((element) => ({
    src: absolute(element, attribute(element, 'src') || attribute(element, 'data-src') || ''),
    alt: attribute(element, 'alt') || '',
  }));
}

/** Each table as rows of cell texts; a cell that spans columns is followed by empty ones. */
function extractTables(container: string | null) {
  return inContainer('table', container).map((table) => {
    const caption = firstChild(table, 'caption');
    const rows: string[][] = [];
    for (const row of queryAll(table, 'tr')) {
      if (closest(row, 'table') !== table) continue;
      const cells: string[] = [];
      for (const cell of childrenOf(row)) {
        if (tagOf(cell) !== 'td' && tagOf(cell) !== 'th') continue;
        cells.push(collapse(renderedText(cell)));
        for (let span = parseInt(attribute(cell, 'colspan') || '', 10); span > 1 && span < 1000; span--) cells.push('');
      }
      if (cells.length) rows.push(cells);
    }
    return { caption: caption ? collapse(renderedText(caption)) : '', rows };
  });
}

function extractMeta() {
  const data: Record<string, string | null> = { title: titleOf(scope), url: (windowOf(scope) || window).location.href };
  const root = documentElementOf(scope);
  const language = root && attribute(root, 'lang');
  if (language) data.lang = language;
  for (const element of queryAll(scope, 'meta[content]')) {
    const name =
      attribute(element, 'name') ||
      attribute(element, 'property') ||
      attribute(element, 'itemprop') ||
      attribute(element, 'http-equiv');
    if (name && data[name.toLowerCase()] === undefined) data[name.toLowerCase()] = attribute(element, 'content');
  }
  const canonical = queryAll(scope, 'link[rel=canonical][href]')[0];
  if (canonical) data.canonical = absolute(canonical, attribute(canonical, 'href') || '');
  return data;
}

function extractCss(selector: string | null, within: string | null) {
  return inContainer(requireText(selector, 'selector'), within).map((element) => {
    const attributes: Record<string, string> = {};
    for (const { name, value } of attributesOf(element)) attributes[name] = value;
    return { tag: localNameOf(element), text: renderedText(element), attributes };
  });
}
