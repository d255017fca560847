// Roles of the accessibility tree beyond those of roles.ts: what structures a page, and what depends on where an element
// stands. https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings

import {
  SVG,
  attribute,
  childrenOf,
  closest,
  hasAttribute,
  inputTypeOf,
  isHtml,
  namespaceOf,
  parentElementOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { remember } from '../dom/snapshot';
import { authoredRole, keepsNativeRole, nativeRole, roleIn } from './roles';
import type { RoleTable } from './roles';
import { firstChild } from './names';

/** The role that the tree shows, '' for an element whose content stands for itself. */
export function treeRole(element: Element, tag: string): string {
  const role = authoredRole(element) || structureRole(element, tag);
  return MEANINGLESS.has(role) ? '' : role;
}

/** Roles that say nothing: their content stands in their parent's place. */
const MEANINGLESS = wordSet(`
  generic none presentation code emphasis strong mark subscript superscript time caption rowgroup insertion
`);

/** These say something only by a name, by what they hold, or as something to act on. */
export const EMPTY_WITHOUT_CONTENT = wordSet(`
  article banner blockquote complementary contentinfo definition deletion figure form group list listitem main
  navigation note paragraph region row search table term text
`);

export const EMPTY_WITHOUT_NAME = wordSet('figure group img region');

function structureRole(element: Element, tag: string): string {
  // A drawing without a name is what is in it: https://www.w3.org/TR/svg-aam-1.0/#include_elements
  const isNamed = authoredName(element) || firstChild(element, 'title') !== null;
  if (tag === 'svg' && !isNamed) return '';
  if (tag === 'g' && namespaceOf(element) === SVG && isNamed) return 'group';
  const role = isHtml(element) ? roleIn(STRUCTURE_ROLES, element, tag) : undefined;
  return role ?? nativeRole(element);
}

const STRUCTURE_ROLES: RoleTable = {
  aside: (element) => (isWithin(element, SECTIONS) && !authoredName(element) ? '' : 'complementary'),
  address: 'group',
  blockquote: 'blockquote',
  dd: 'definition',
  details: 'group',
  del: 'deletion',
  dt: 'term',
  footer: (element) => (isWithin(element, SECTIONS_AND_MAIN) ? '' : 'contentinfo'),
  frame: 'iframe',
  header: (element) => (isWithin(element, SECTIONS_AND_MAIN) ? '' : 'banner'),
  hr: 'separator',
  iframe: 'iframe',
  input: (element) => (inputTypeOf(element) === 'file' ? 'button' : nativeRole(element)),
  img: (element) => (attribute(element, 'alt') === '' && !keepsNativeRole(element) ? '' : 'img'),
  li: (element) => (isOtherList(parentElementOf(element)) ? '' : 'listitem'),
  optgroup: 'group',
  output: 'status',
  p: 'paragraph',
  s: 'deletion',
  table: (element) => (isLayoutTable(element) ? '' : 'table'),
  td: (element) => cellRole(element, 'cell'),
  th: (element) => cellRole(element, headerRole(element)),
  tr: (element) => (tableAround(element) ? 'row' : ''),
  video: 'video',
  audio: 'audio',
};

/** https://html.spec.whatwg.org/multipage/dom.html#sectioning-content, and what has its roles */
const SECTIONS = 'article,aside,nav,section,[role=article],[role=complementary],[role=navigation],[role=region]';

/** A header inside one of these is not the page's. */
const SECTIONS_AND_MAIN = `${SECTIONS},main,[role=main]`;

const isWithin = (element: Element, containers: string): boolean => {
  const parent = parentElementOf(element);
  return parent !== null && closest(parent, containers) !== null;
};

/** Whether an author gives the element a name. */
export const authoredName = (element: Element): boolean =>
  hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') || hasAttribute(element, 'title');

/** Whether an author calls a list something else: a menu, or nothing. */
const isOtherList = (parent: Element | null): boolean =>
  parent !== null && !['', 'list'].includes(authoredRole(parent));

// --- tables ---

/** The table of a row or cell, or null when it only lays things out. */
function tableAround(element: Element): Element | null {
  const table = closest(element, 'table,[role=table],[role=grid],[role=treegrid]');
  return table && !isLayoutTable(table) ? table : null;
}

function cellRole(element: Element, role: string): string {
  const table = tableAround(element);
  if (!table) return '';
  const around = authoredRole(table);
  return role === 'cell' && (around === 'grid' || around === 'treegrid') ? 'gridcell' : role;
}

/** https://html.spec.whatwg.org/multipage/tables.html#attr-th-scope, and where it is not given, the cell's place. */
function headerRole(cell: Element): string {
  const scope = (attribute(cell, 'scope') || '').toLowerCase();
  if (scope.startsWith('row')) return 'rowheader';
  if (scope.startsWith('col')) return 'columnheader';
  const row = parentElementOf(cell);
  const isOfData = row !== null && Array.prototype.some.call(childrenOf(row), isDataCell);
  return isOfData ? 'rowheader' : 'columnheader';
}

/** Whether it is a cell of data, and not an empty corner. */
const isDataCell = (cell: Element): boolean =>
  tagOf(cell) === 'td' && (childrenOf(cell).length > 0 || textContentOf(cell).trim() !== '');

/** Whether a table only lays things out; kept until the page changes, as each of its cells asks. */
function isLayoutTable(table: Element): boolean {
  const known = remember('layout tables', () => new Map<Element, boolean>());
  let isLayout = known.get(table);
  if (isLayout === undefined) {
    isLayout = lacksTableMarks(table);
    known.set(table, isLayout);
  }
  return isLayout;
}

/** A table that its author marks in no way, and that has another inside, or a single row or column. */
function lacksTableMarks(table: Element): boolean {
  if (authoredRole(table)) return authoredRole(table) === 'none';
  if (tagOf(table) !== 'table') return false;
  if (queryAll(table, 'caption,th,thead,tfoot,col,td[headers],td[scope]').length || hasAttribute(table, 'summary'))
    return queryAll(table, 'table').length > 0 && !firstChild(table, 'thead') && !firstChild(table, 'caption');
  if (queryAll(table, 'table').length) return true;
  const rows = queryAll(table, 'tr');
  return rows.length < 2 || Array.prototype.every.call(rows, (row: Element) => childrenOf(row).length < 2);
}
