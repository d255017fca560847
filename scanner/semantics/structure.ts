// Roles of the accessibility tree beyond those of roles.js: what structures a page, and what depends on where an element
// stands. https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings

import {
  attribute,
  childrenOf,
  closest,
  hasAttribute,
  inputTypeOf,
  isHtml,
  parentElementOf,
  tagOf,
} from '../dom/natives';
import { wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { currentCache, remember } from '../dom/snapshot';
import { authoredRole, nativeRole } from './roles';
import { firstChild } from './names';

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

const STRUCTURE_ROLES = {
  aside: (element) => (isWithin(element, SECTIONS) && !authoredName(element) ? '' : 'complementary'),
  address: 'group',
  blockquote: 'blockquote',
  dd: 'definition',
  del: 'deletion',
  dt: 'term',
  footer: (element) => (isWithin(element, SECTIONS_AND_MAIN) ? '' : 'contentinfo'),
  frame: 'iframe',
  header: (element) => (isWithin(element, SECTIONS_AND_MAIN) ? '' : 'banner'),
  hr: 'separator',
  iframe: 'iframe',
  input: (element) => (inputTypeOf(element) === 'file' ? 'button' : nativeRole(element)),
  img: (element) => (attribute(element, 'alt') === '' && !hasAttribute(element, 'title') ? '' : 'img'),
  li: (element) => (isPlainList(parentElementOf(element)) ? '' : 'listitem'),
  meter: 'meter',
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

/** The role that the tree shows, '' for an element whose content stands for itself. */
export function treeRole(element, tag) {
  const role = authoredRole(element) || structureRole(element, tag);
  return MEANINGLESS.has(role) ? '' : role === 'image' ? 'img' : role;
}

function structureRole(element, tag) {
  // A drawing without a name is what is in it: https://www.w3.org/TR/svg-aam-1.0/#include_elements
  if (tag === 'svg' && !authoredName(element) && !firstChild(element, 'title')) return '';
  if (!isHtml(element) || !Object.prototype.hasOwnProperty.call(STRUCTURE_ROLES, tag)) return nativeRole(element);
  const role = STRUCTURE_ROLES[tag];
  return typeof role === 'function' ? role(element) : role;
}

/** https://html.spec.whatwg.org/multipage/dom.html#sectioning-content, and what has its roles */
const SECTIONS = 'article,aside,nav,section,[role=article],[role=complementary],[role=navigation],[role=region]';

/** A header inside one of these is not the page's. */
const SECTIONS_AND_MAIN = `${SECTIONS},main,[role=main]`;

const isWithin = (element, containers) => {
  const parent = parentElementOf(element);
  return parent !== null && closest(parent, containers) !== null;
};

/** Whether an author gives the element a name. */
export const authoredName = (element) =>
  hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') || hasAttribute(element, 'title');

const isPlainList = (parent) => parent !== null && authoredRole(parent) === 'none';

// --- tables ---

/** The table of a row or cell, or null when it only lays things out. */
function tableAround(element) {
  const table = closest(element, 'table,[role=table],[role=grid],[role=treegrid]');
  return table && !isLayoutTable(table) ? table : null;
}

function cellRole(element, role) {
  const table = tableAround(element);
  if (!table) return '';
  const around = authoredRole(table);
  return role === 'cell' && (around === 'grid' || around === 'treegrid') ? 'gridcell' : role;
}

/** https://html.spec.whatwg.org/multipage/tables.html#attr-th-scope, and where it is not given, the cell's place. */
function headerRole(cell) {
  const scope = (attribute(cell, 'scope') || '').toLowerCase();
  if (scope.startsWith('row')) return 'rowheader';
  if (scope.startsWith('col')) return 'columnheader';
  const row = parentElementOf(cell);
  return row && firstChild(row, 'td') ? 'rowheader' : 'columnheader';
}

const isLayoutTable = (table) =>
  remember('layout tables', () => new Map()).get(table) ?? rememberTable(table, lacksTableMarks(table));

function rememberTable(table, isLayout) {
  currentCache().remembered.get('layout tables').set(table, isLayout);
  return isLayout;
}

/** A table that its author marks in no way, and that has another inside, or a single row or column. */
function lacksTableMarks(table) {
  if (authoredRole(table)) return authoredRole(table) === 'none';
  if (tagOf(table) !== 'table') return false;
  if (queryAll(table, 'caption,th,thead,tfoot,col,td[headers],td[scope]').length || hasAttribute(table, 'summary'))
    return queryAll(table, 'table').length > 0 && !firstChild(table, 'thead') && !firstChild(table, 'caption');
  if (queryAll(table, 'table').length) return true;
  const rows = queryAll(table, 'tr');
  return rows.length < 2 || Array.prototype.every.call(rows, (row) => childrenOf(row).length < 2);
}
