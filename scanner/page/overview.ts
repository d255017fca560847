// What an overview of a page begins with, and which rows of its tables it leaves out
// (docs/spec/scanner-protocol.md#overviews).

import { attribute, closest, matches, parentElementOf } from '../dom/natives';
import type { TableData } from '../dom/protocol';
import { queryAll } from '../dom/banner';
import { holds } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { isStyledVisible } from '../geometry/styles';
import { focusedElement } from '../semantics/values';
import { isRowOfHeads } from '../semantics/labels';
import type { Chosen } from '../targets/describe';
import { textsIn } from '../targets/contexts';
import { RaisedLayers } from './raised';

/** The chosen elements, those on top first. */
export interface Overview {
  readonly ordered: readonly Chosen[];
  /** How many of them are on top. */
  readonly raised: number;
  readonly tables: readonly FoldedTable[];
}

interface FoldedTable {
  readonly first: Element;
  /** The last one that is listed. */
  readonly last: Element;
  readonly rows: number;
  readonly columns: readonly string[];
  /** What is in the rows that are left out. */
  readonly left: readonly Element[];
}

const ROWS = 'tr,[role=row]';
const TABLES = 'table,[role=table],[role=grid],[role=treegrid]';
const HEADS = 'th:not([scope=row]),[role=columnheader]';
const MAX_UNFOLDED_ROWS = 9;
const LISTED_ROWS = 3;
const MAX_COLUMNS = 20;
const MAX_COLUMN_NAME = 30;
const DIALOG_RANK = 2;

/** Put those of a document that are on top first, and find what its long tables have beyond their first rows. */
export function overviewOf(chosen: readonly Chosen[]): Overview {
  const layers = new RaisedLayers();
  const ranked = chosen.map((each) => ({ each, rank: rankOf(layers, each) }));
  const raised = ranked.filter(({ rank }) => rank > 0);
  const ordered = ranked.sort((one, other) => other.rank - one.rank).map(({ each }) => each);
  const isWholePage = raised.length === chosen.length;
  return { ordered, raised: isWholePage ? 0 : raised.length, tables: foldedTables(ordered) };
}

/** 0 in the page itself and in what only floats over it, such as a bar that stays when the page is scrolled. */
function rankOf(layers: RaisedLayers, { candidate, isHidden }: Chosen): number {
  const rank = isHidden ? 0 : layers.rankOf(candidate.element);
  return rank < DIALOG_RANK ? 0 : rank;
}

function foldedTables(chosen: readonly Chosen[]): FoldedTable[] {
  const tables = new Map<Element, Map<Element, Element[]>>();
  for (const { candidate } of chosen) {
    const row = closest(candidate.element, ROWS);
    const table = row && closest(row, TABLES);
    if (!row || !table || closest(candidate.element, TABLES) !== table) continue;
    const rows = tables.get(table) ?? new Map<Element, Element[]>();
    rows.set(row, [...(rows.get(row) ?? []), candidate.element]);
    tables.set(table, rows);
  }
  return [...tables].flatMap(([table, rows]) => foldedTable(table, rows) ?? []);
}

function foldedTable(table: Element, rows: ReadonlyMap<Element, readonly Element[]>): FoldedTable | null {
  if (rows.size <= MAX_UNFOLDED_ROWS) return null;
  const ofData = [...rows].filter(([row]) => !isRowOfHeads(row) && !closest(row, 'thead,tfoot'));
  if (ofData.length <= MAX_UNFOLDED_ROWS) return null;
  const columns = columnsOf(table);
  if (!columns.length) return null;
  const focused = focusedElement();
  const isListed = (row: Element, place: number) => place < LISTED_ROWS || (focused !== null && holds(row, focused));
  const listed = ofData.filter(([row], place) => isListed(row, place)).flatMap(([, elements]) => elements);
  const left = ofData.filter(([row], place) => !isListed(row, place)).flatMap(([, elements]) => elements);
  const [first] = listed;
  const last = listed.at(-1);
  return first && last ? { first, last, rows: countRows(table), columns, left } : null;
}

/** What the heads of a table's columns say; none for a table without heads, which may only lay things out. */
function columnsOf(table: Element): string[] {
  const columns: string[] = [];
  for (const head of queryAll(table, HEADS)) {
    const row = closest(head, ROWS);
    if (columns.length === MAX_COLUMNS) break;
    if (closest(head, TABLES) !== table || (row && !isRowOfHeads(row) && !closest(row, 'thead'))) continue;
    const text = textsIn(head, table).join(' ');
    const name = text.length > MAX_COLUMN_NAME ? `${text.slice(0, MAX_COLUMN_NAME - 1)}…` : text;
    if (name && !columns.includes(name)) columns.push(name); // some pages have the heads twice, one set over the other
  }
  return columns;
}

/** How many rows of data a table has, also those that it does not draw, if it says so. */
function countRows(table: Element): number {
  let heads = 0;
  let rows = 0;
  for (const row of queryAll(table, ROWS)) {
    const above = parentElementOf(row);
    if (above && closest(above, TABLES) !== table) continue;
    if (isRowOfHeads(row)) heads++;
    else if (!matches(row, 'tfoot *') && isStyledVisible(row)) rows++;
  }
  return Math.max(rows, (parseInt(attribute(table, 'aria-rowcount') ?? '', 10) || 0) - heads);
}

/** A table as the response has it. */
export const tableData = ({ first, last, rows, columns, left }: FoldedTable): TableData => ({
  first: numberOf(first),
  last: numberOf(last),
  rows,
  columns,
  elements: left.map(numberOf),
});
