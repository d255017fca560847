// Where a text stands that a pattern finds: its row or item, the heading before it, and the text around it.

import { closest, parentElementOf } from '../dom/natives';
import type { PlaceData } from '../dom/protocol';
import { collapse } from '../dom/words';
import { renderedText } from '../text/text';
import { headingBefore } from './contexts';

const ROWS = 'tr,li,dd,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],article';
const MAX_HEAD = 40;
const SHORT = 24;
const BEFORE = 40;
const MAX_AROUND = 120;

export function placeOf(element: Element, pattern: RegExp): PlaceData {
  const row = closest(element, ROWS);
  const own = collapse(renderedText(element));
  const section = headingBefore(element);
  const isPart = own.length < SHORT;
  const context = row ?? (isPart ? parentElementOf(element) : null) ?? element;
  const around = isPart || !pattern.test(own) ? collapse(renderedText(context)) : own;
  const head =
    row && row !== element
      ? collapse(
          renderedText(row)
            .trim()
            .split(/[\n\t]/, 1)[0] ?? '',
        )
      : '';
  return {
    row: head === own ? '' : cut(head, MAX_HEAD),
    section: section === own ? '' : cut(section, MAX_HEAD),
    around: excerpt(around, pattern),
  };
}

function excerpt(text: string, pattern: RegExp): string {
  if (text.length <= MAX_AROUND) return text;
  const at = pattern.exec(text)?.index ?? 0;
  const from = Math.max(0, at - BEFORE);
  const part = text.slice(from, from + MAX_AROUND);
  return `${from ? '…' : ''}${part.trim()}${from + MAX_AROUND < text.length ? '…' : ''}`;
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).trim()}…` : text;
