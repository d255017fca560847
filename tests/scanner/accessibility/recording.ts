// The scanner with both views of a page and the elements of their rows: a tree gives only useful targets a reference, and
// most of its nodes have none.

import { foundElements, elementNumbered } from '../../../scanner/targets/candidates';
import { refreshCache } from '../../../scanner/dom/snapshot';
import { scan } from '../../../scanner/page/scan';
import { treeRows } from '../../../scanner/page/tree';

const elements: (Element | null)[] = [];
const positionOf = (element: Element | null): number => elements.push(element) - 1;

Object.assign(globalThis, {
  /** `{tree, scan}` as JSON: rows with the `position` of their element in `elementsOfBoth`. */
  readBoth(): string {
    refreshCache();
    foundElements();
    const tree = treeRows().map(({ row, element }) => (element ? { ...row, position: positionOf(element) } : row));
    const { elements: found } = scan({ cmd: 'scan', max_elements: 0, fields: [], include_hidden: true });
    return JSON.stringify({
      tree,
      scan: found.map((row) => ({ ...row, position: positionOf(elementNumbered(row.id)) })),
    });
  },
  elementsOfBoth: (): (Element | null)[] => elements,
});
