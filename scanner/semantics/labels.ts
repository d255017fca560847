// A name for every element: the accessible one, else the nearest text that a person would read as its label.

import {
  SVG,
  attribute,
  attributesOf,
  childrenOf,
  closest,
  contains,
  dataOf,
  hasAttribute,
  hostOf,
  inputTypeOf,
  isElement,
  isText,
  matches,
  namespaceOf,
  nextElementOf,
  nextSiblingOf,
  ownerOf,
  parentElementOf,
  parentOf,
  positionBeside,
  previousSiblingOf,
  rootOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { frameElementOf } from '../dom/tree';
import { currentCache, remember } from '../dom/snapshot';
import { MAX_LABEL_LENGTH, allLabels, innerControl, labelsOf } from '../dom/labels';
import { isNativeBox, seenBox } from '../geometry/visibility';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { NAME_FROM_CONTENT, authoredRole, roleOf } from './roles';
import { checkedState, isEditable, takesLabel } from './values';
import { TEXTLESS, TextAccumulator, accessibleName, addContent, firstChild, isRendered, shorten } from './names';
import { isIconName, withoutGlyphs } from './generated_text';
import { authoredName } from './structure';
import { nameFromSelect } from './select_widgets';

/** The element's name, whole, from the snapshot's cache: '' when nothing names it. */
export function nameOf(element: Element): string {
  const { names } = currentCache();
  let name = names.get(element);
  if (name === undefined) {
    name = writtenName(element) || inventedName(element);
    names.set(element, name);
  }
  return name;
}

/** The name that the page itself writes, '' when nothing in it can be read as one. */
export function writtenName(element: Element): string {
  const { writtenNames } = currentCache();
  let name = writtenNames.get(element);
  if (name === undefined) {
    name =
      nameFromSelect(element) ||
      cellContent(element) ||
      accessibleName(element) ||
      nameFromHost(element) ||
      otherName(element);
    writtenNames.set(element, name);
  }
  return name;
}

const CELLS = new Set(['cell', 'gridcell']);

/**
 * What a cell of a table says, if its author calls it something else: by its column, most often, which all cells in it
 * would be called by.
 */
function cellContent(element: Element): string {
  if (!CELLS.has(roleOf(element)) || !authoredName(element) || isEditable(element)) return '';
  const content = plainContent(element);
  return accessibleName(element).includes(content) ? '' : content;
}

/** The name that the page has given the custom element whose only control this is. */
function nameFromHost(element: Element): string {
  const host = takesLabel(element) ? hostOf(rootOf(element)) : null;
  return host && innerControl(host) === element && authoredName(host) ? accessibleName(host) : '';
}

function otherName(element: Element): string {
  const tag = tagOf(element);
  if (takesLabel(element)) return nameFromHiddenField(element) || nearbyLabel(element);
  if (tag !== 'body' && isEditable(element)) return nearbyLabel(element);
  if (tag === 'iframe' || tag === 'frame') return frameName(element);
  const frame = tag === 'body' ? frameElementOf(ownerOf(element)) : null;
  if (frame) return accessibleName(frame) || frameName(frame); // an editor that is a frame of its own
  if (DIALOG_ROLES.has(roleOf(element))) return dialogTitle(element) || plainContent(element);
  const content = NAME_FROM_CONTENT.has(roleOf(element)) ? '' : plainContent(element);
  return content || pictureName(element);
}

const DIALOG_ROLES = new Set(['dialog', 'alertdialog']);

const frameName = (frame: Element): string =>
  collapse(attribute(frame, 'title') || attribute(frame, 'name') || attribute(frame, 'src') || '');

/** What an element without a role shows: its content, as if it named itself. */
export function plainContent(element: Element): string {
  if (isEditable(element)) return nearbyLabel(element);
  const gathering = new TextAccumulator(element);
  const title = namespaceOf(element) === SVG ? firstChild(element, 'title') : null;
  if (title) return collapse(withoutGlyphs(textContentOf(title)));
  addContent(element, gathering);
  return collapse(gathering.text);
}

/** The alternative of the only picture inside, or its title. */
function pictureName(element: Element): string {
  for (const inner of queryAll(element, 'img[alt],[title],[aria-label],svg title')) {
    const name = collapse(
      withoutGlyphs(
        attribute(inner, 'aria-label') ||
          attribute(inner, 'alt') ||
          attribute(inner, 'title') ||
          (tagOf(inner) === 'title' && textContentOf(inner)) ||
          '',
      ),
    );
    if (name) return name;
  }
  return '';
}

/** What a dialog is called: by its author, or by its heading. */
export function dialogTitle(dialog: Element): string {
  const name = authoredRole(dialog) || tagOf(dialog) === 'dialog' ? collapse(accessibleName(dialog)) : '';
  if (name) return shorten(name);
  const heading = queryAll(dialog, 'h1,h2,h3,h4,h5,h6,[role=heading],[class*=title i]')[0];
  return heading ? shorten(collapse(textContentOf(heading))) : '';
}

/** How many characters an element has, white space and the pictures of icon fonts apart. */
export const visibleLength = (element: Element): number =>
  withoutGlyphs(textContentOf(element)).replace(/\s+/g, '').length;

const FIELD_WIDGETS = ['slider', 'spinbutton', 'combobox', 'listbox', 'textbox', 'switch', 'checkbox', 'radio']
  .map((role) => `[role=${role}]`)
  .join();
const WIDGET_LEVELS = 4;

/** The name of the labelled field that is not shown, as the widget beside it stands in its place; or ''. */
function nameFromHiddenField(element: Element): string {
  const hidden = remember('hidden labelled fields', hiddenLabelledFields);
  if (!hidden.length || !matches(element, FIELD_WIDGETS)) return '';
  for (let node = parentElementOf(element), level = 0; node && level < WIDGET_LEVELS; level++) {
    const around = node;
    if (['form', 'body', 'fieldset'].includes(tagOf(around))) return '';
    const fields = hidden.filter((field) => contains(around, field));
    if (fields[0]) {
      const role = authoredRole(element);
      const isOfOneKind = [...queryAll(around, FIELD_WIDGETS)].every((each) => authoredRole(each) === role);
      return fields.length === 1 && isOfOneKind ? accessibleName(fields[0]) : '';
    }
    node = parentElementOf(around);
  }
  return '';
}

/** Inputs that have labels and are not shown; a box or a file input is drawn by its label itself. */
const hiddenLabelledFields = (): Element[] =>
  [...remember('labels', allLabels).keys()].filter(
    (field) =>
      tagOf(field) === 'input' && !isRendered(field) && !['checkbox', 'radio', 'file'].includes(inputTypeOf(field)),
  );

/** From a node to the next one on one of its sides. */
type Side = (node: Node) => Node | null;

/**
 * Text beside a field: of a check box or radio button the nearest one, rather after it than before; of others what
 * comes before. What its own row says goes before the text of other rows.
 */
export function nearbyLabel(element: Element): string {
  const checks = checkedState(element) !== null;
  const place = checks && isNativeBox(element) && !isRendered(element) ? drawingLabel(element) : element;
  if (!place) return '';
  const sides: readonly Side[] = checks ? [nextSiblingOf, previousSiblingOf] : [previousSiblingOf];
  const row = closest(place, DATA_ROWS);
  if (checks && row && isRowOfHeads(row, 2)) return 'Select all'; // what checks all rows
  const own = checks && !row ? textBeside(place, sides, parentOf(place)) || buttonBeside(place) : '';
  const text = own || (row && labelInRow(place, row, sides)) || columnHead(place) || textBeside(place, sides, null);
  return text.replace(/[\s:*]+$/, '');
}

/** The label that is seen in the place of a box and holds nothing, so that what is beside it says what it is; or null. */
const drawingLabel = (box: Element): Element | null =>
  labelsOf(box).find((label) => !childrenOf(label).length && !visibleLength(label) && seenBox(label) !== null) ?? null;

const BOX_LEVELS = 2; // around a box: a label without text, or what draws the box
const BUTTONS = 'button,[role=button]';

/** What the button says that follows a box right away, as that box is about it: a list of tools to choose from. */
function buttonBeside(element: Element): string {
  let node = element;
  for (let level = 0; level < BOX_LEVELS && !nextElementOf(node); level++) {
    const above = parentElementOf(node);
    if (!above || visibleLength(above)) break;
    node = above;
  }
  const next = nextElementOf(node);
  if (!next || !matches(next, BUTTONS)) return '';
  const name = writtenName(next);
  return /\p{L}{2}/u.test(name) && name.length <= MAX_LABEL_LENGTH ? name : '';
}

const FOLLOWING = 4; // https://dom.spec.whatwg.org/#dom-node-document_position_following

/** In its cell, then in a row of a layout beside it, else what the row is about: in a table, cells beside it are data. */
function labelInRow(element: Element, row: Element, sides: readonly Side[]): string {
  const isData = tagOf(row) !== 'tr' || columnHead(element) !== '';
  if (!isData) return textBeside(element, sides.slice(0, 1), row) || rowName(row, element);
  const own = textBeside(element, sides, closest(element, `${ROW_CELLS},${COLUMN_HEADS}`) || element);
  if (own) return own;
  // What stands in the place of the row's first text is called by its column.
  const part = rowPart(row, element);
  const isFirst = part !== null && checkedState(element) === null && (positionBeside(element, part) & FOLLOWING) !== 0;
  return (isFirst && columnHead(element)) || rowName(row, element);
}

const LABEL_REACH = 60;

/**
 * Climb from the element up to `limit`, reading what lies on its sides, until text is found, or another field is in the
 * way on each side.
 */
function textBeside(element: Element, sides: readonly Side[], limit: Node | null): string {
  let budget = LABEL_REACH;
  let open = sides;
  for (
    let level: Element | null = element;
    level && level !== limit && open.length && budget > 0;
    level = parentElementOf(level)
  ) {
    if (['form', 'body', 'fieldset', 'table', 'dialog'].includes(tagOf(level))) return '';
    if (isLayerOfPage(level)) return '';
    const passable: Side[] = [];
    for (const sibling of open) {
      let isOpen = true;
      for (let node = sibling(level); node && isOpen && budget-- > 0; node = sibling(node)) {
        const text = labelText(node, element);
        if (text && isPositionOfSlider(text, element)) continue;
        if (text === null) isOpen = false;
        else if (text) return text.length > MAX_LABEL_LENGTH ? '' : text;
      }
      if (isOpen) passable.push(sibling);
    }
    open = passable;
  }
  return '';
}

/** Whether an element lies over the page, as a list of options does: the text before it is about something else. */
const isLayerOfPage = (element: Element): boolean =>
  matches(element, 'body > *') && OUT_OF_FLOW.has(styleOf(element).position);

const OUT_OF_FLOW = new Set(['absolute', 'fixed']);

const isPositionOfSlider = (text: string, element: Element): boolean =>
  !/\p{L}/u.test(text) && authoredRole(element) === 'slider';

/** What a node beside a field says, '' for nothing, null for another field, or for what is no label at all. */
function labelText(node: Node, element: Element): string | null {
  if (isText(node)) {
    const text = collapse(withoutGlyphs(dataOf(node)));
    return isSentence(text) ? null : /[^\s:*|,.()-]/.test(text) ? text : '';
  }
  if (!isElement(node)) return '';
  if (isFieldOrHoldsOne(node)) return isOtherThumb(node, element) ? '' : null;
  if (TEXTLESS.has(tagOf(node)) || !isShown(node)) return '';
  if (isList(node) || (checkedState(element) !== null && matches(node, HEADINGS))) return null;
  const text = plainContent(node);
  return isSentence(text) ? null : text;
}

/** Whether both are thumbs of one slider, or the first holds such. */
const isOtherThumb = (node: Element, element: Element): boolean =>
  authoredRole(element) === 'slider' &&
  [node, ...queryAll(node, FIELDS)].every((each) => !matches(each, FIELDS) || authoredRole(each) === 'slider');

/** Whether styles let an element be seen; one without a box of its own has its content seen. */
const isShown = (element: Element): boolean =>
  styleOf(element).display === 'contents' ? isRendered(element) : isStyledVisible(element);

const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
const LISTED = 'li,a[href],dt,[role=listitem],[role=menuitem],[role=tab],[role=link]';

/** Whether a node lists things, as a navigation does: none of them is what a field beside it is called. */
const isList = (node: Element): boolean => queryAll(node, LISTED).length > 1;

const WORDS_OF_SENTENCE = 4;

/** Whether a text tells something, and names nothing: it ends as a sentence does, or goes on after one. */
function isSentence(text: string): boolean {
  const [first = ''] = text.split(/[.!。！](?:\s+(?=\p{Lu})|\s*$)/u);
  return first.length < text.trim().length && first.split(/\s+/).length >= WORDS_OF_SENTENCE;
}

const DATA_ROWS = 'tr,[role=row]';
const ROW_CELLS = 'td,th,[role=cell],[role=gridcell]';
const ROW_HEADS = 'th,[role=rowheader]';
const COLUMN_HEADS = '[role=columnheader]';

/** Whether a row has nothing but heads of columns, and at least `fewest` of them. */
export function isRowOfHeads(row: Element, fewest = 1): boolean {
  if (!matches(row, DATA_ROWS)) return false;
  const cells = [...queryAll(row, `${ROW_CELLS},${COLUMN_HEADS}`)];
  return (
    cells.length >= fewest &&
    cells.every((cell) => matches(cell, 'th,[role=columnheader]') && !matches(cell, '[scope=row]'))
  );
}

/** What a row is about: its header, else the first of its parts that says something, other than that with `field`. */
function rowName(row: Element, field: Element): string {
  const part = rowPart(row, field);
  return part ? plainContent(part) : '';
}

/** The part of a row that says what the row is about, or null. */
function rowPart(row: Element, field: Element): Element | null {
  const parts = [...queryAll(row, ROW_HEADS), ...childrenOf(row)];
  for (const part of parts) {
    if (contains(part, field) || isFieldOrHoldsOne(part) || !isStyledVisible(part)) continue;
    const text = plainContent(part);
    if (text && text.length <= MAX_LABEL_LENGTH) return part;
  }
  return null;
}

const EDITABLE = '[contenteditable]:not([contenteditable=false i])';
const FIELDS = `input:not([type=hidden]),select,textarea,button,[role=button],${EDITABLE},${FIELD_WIDGETS}`;

/** Whether it is a field or a button, or one is seen in it. */
const isFieldOrHoldsOne = (element: Element): boolean =>
  matches(element, FIELDS) ? isRendered(element) : Array.prototype.some.call(queryAll(element, FIELDS), isRendered);

function columnHead(element: Element): string {
  return columnHeadInGrid(element) || columnHeadInTable(element);
}

/** The head over a cell of a grid that has as many heads as its rows have cells. */
function columnHeadInGrid(element: Element): string {
  const cell = closest(element, '[role=cell],[role=gridcell]');
  const row = cell && closest(cell, '[role=row]');
  const grid = row && closest(row, '[role=grid],[role=table],[role=treegrid]');
  if (!grid) return '';
  const cells = [...queryAll(row, '[role=cell],[role=gridcell],[role=rowheader]')];
  const heads = headsOf(grid);
  const head = heads.length === cells.length ? heads[cells.indexOf(cell)] : undefined;
  return head ? plainContent(head) : '';
}

/** The heads of a grid's columns; kept until the page changes, as many cells ask. */
function headsOf(grid: Element): readonly Element[] {
  const known = remember('column heads', () => new Map<Element, Element[]>());
  let heads = known.get(grid);
  if (!heads) {
    heads = [...queryAll(grid, COLUMN_HEADS)];
    known.set(grid, heads);
  }
  return heads;
}

function columnHeadInTable(element: Element): string {
  const cell = closest(element, 'td');
  const row = cell && parentElementOf(cell);
  const table = cell && closest(cell, 'table');
  if (!row || !table) return '';
  const index = Array.prototype.indexOf.call(childrenOf(row), cell);
  const head = queryAll(table, 'tr')[0];
  const title = head && head !== row ? childrenOf(head)[index] : undefined;
  return title && tagOf(title) === 'th' ? plainContent(title) : '';
}

// Names for what shows nothing to read, an icon or a shape most often: what its author calls it, told apart from others
// that are called alike by what differs.

/** The name of an element that has no written one, or ''. */
function inventedName(element: Element): string {
  const base = inventedBase(element);
  return base && (distinctNames().get(element) || base);
}

/** Such a name, as others may have it too. */
export function inventedBase(element: Element): string {
  if (isNativeBox(element) && !isRendered(element)) return wordsOfBox(element);
  if (takesLabel(element) || tagOf(element) === 'iframe' || tagOf(element) === 'frame') return '';
  const boxes = queryAll(element, 'input[type=checkbox],input[type=radio]');
  const name = boxes.length === 1 && boxes[0] ? writtenName(boxes[0]) : '';
  if (name) return name;
  const words = authoredWords(element);
  const group = namespaceOf(element) === SVG ? groupAround(element) : null;
  if (!group) return words;
  return group.isOwn || !words ? group.text : `${group.text} ${words}`;
}

/** What the authors call a box that only its label shows, by an icon. */
function wordsOfBox(box: Element): string {
  const label = labelsOf(box).find((each) => seenBox(each) !== null);
  return label ? authoredWords(box) || authoredWords(label) : '';
}

/** Levels above a shape where the text of its drawing is looked for. */
const GROUP_LEVELS = 4;

/** The text of the SVG group that a shape belongs to, and whether the shape is right in it; or null. */
function groupAround(element: Element): { text: string; isOwn: boolean } | null {
  let node = parentElementOf(element);
  for (let level = 0; node && level < GROUP_LEVELS; level++, node = parentElementOf(node)) {
    if (tagOf(node) !== 'g') break;
    const text = collapse(withoutGlyphs(textContentOf(node)));
    if (text) return text.length > MAX_LABEL_LENGTH ? null : { text, isOwn: level === 0 };
  }
  return null;
}

const MAX_ICON_PARTS = 5;

/**
 * The telling words of an element's own or its icon's id and classes, `icon-shopping-cart` → `shopping cart`; or ''.
 */
function authoredWords(element: Element): string {
  const icon = iconName(element);
  if (icon) return icon;
  for (const part of [element, ...queryAll(element, 'i,span,svg,use')].slice(0, MAX_ICON_PARTS)) {
    const words = partWords(part);
    if (words) return words;
  }
  return '';
}

const ICON_NAMES = /^[\s\w]*[a-z][\s\w]*$/;
const ICONS = 'i,span,mat-icon,[class*=icon i]';

/** The name of the first icon in an element that shows nothing but icons of a font, or ''. */
function iconName(element: Element): string {
  const text = textContentOf(element);
  if (text.length > MAX_LABEL_LENGTH || !ICON_NAMES.test(text)) return '';
  const icon = [element, ...queryAll(element, ICONS)].find((part) => isIconName(textContentOf(part), part));
  return icon ? collapse(textContentOf(icon)) : '';
}

function partWords(part: Element): string {
  const reference = attribute(part, 'href') || attribute(part, 'xlink:href') || '';
  for (const text of [attribute(part, 'class'), attribute(part, 'id'), tagOf(part) === 'use' ? reference : '']) {
    const words = distinctiveWords(text || '');
    if (words) return words;
  }
  return '';
}

const MAX_WORDS = 3;

/** What style libraries generate: names with digits, `css-oylsik` (Emotion), `sc-bdVaJa` (styled-components). */
const GENERATED_NAME = /\d|^(?:css|sc)-[a-z]+$/i;

// Classes that set one property of a style, as of Tailwind, Bootstrap and Quasar: with a prefix for a state or a width
// (`hover:underline`, `md:flex`), a value in brackets, or a property and what it is set to (`transition-all bg-primary`).
const STYLE_PROPERTIES = `
  accent animate appearance aspect backdrop basis bg blur border box break caret col columns content d decoration delay
  display divide duration fill flex float font fs fw grid grow h indent isolate line list m mb me ml mr ms mt mx my max
  min mix object opacity order origin outline p pb pe pl pr ps pt px py pointer position ring rotate row scale shadow
  shrink size skew snap space stroke table text touch transform transition translate underline w will z
`;
const STYLE_VALUES = `
  all around auto background base baseline between black block blue bold bounce center clip col color colors cols contain
  contents cover current dark dashed dotted ellipsis end evenly events extrabold fill first fit flex foreground full
  gradient gray green grey grid height hidden inherit inline inset last left lg light linear max md medium middle min
  muted none normal nowrap offset opacity orange pink primary pulse purple px red reverse right row rows screen scroll
  secondary semibold shadow sm solid span spin start stretch tertiary thin top transform transition transparent visible
  white width wrap x xl xs y yellow
`;
const alternatives = (words: string): string => words.trim().split(/\s+/).join('|');
const UTILITY_CLASS = new RegExp(
  '[:[/!@]|^(?:cursor|ease|gap|inset|items|justify|leading|non?|overflow|place|rounded|self|tracking|whitespace)-|' +
    `^-?(?:${alternatives(STYLE_PROPERTIES)})(?:-(?:${alternatives(STYLE_VALUES)}))+$`,
);

/** Words that are such classes too, beside others. */
const UTILITY_WORDS = wordSet(`
  absolute antialiased capitalize collapse filter isolate italic lowercase outline relative ring shadow shrink static
  sticky transition transform truncate underline uppercase
`);
const FEWEST_UTILITIES = 2;

function distinctiveWords(text: string): string {
  const written = text.split(/\s+/).filter((token) => token.length <= 40);
  const others = written.filter((token) => !UTILITY_CLASS.test(token));
  const isStyled = written.length - others.length >= FEWEST_UTILITIES;
  const tokens = others.filter((token) => !GENERATED_NAME.test(token) && !(isStyled && UTILITY_WORDS.has(token)));
  const words = wordsOf(withoutFontPrefix(withoutNamespace(tokens)));
  return (words.length ? words : wordsOf(tokens)).slice(0, MAX_WORDS).join(' ');
}

/** Some libraries begin all of their class names alike: `MuiChip-root MuiChip-deleteIcon`, `mantine-focus-auto`. */
function withoutNamespace(tokens: readonly string[]): readonly string[] {
  const [, namespace] = /^([A-Z][a-z]{1,4})[A-Z]/.exec(tokens[0] || '') || /^([a-z]{4,}-)/.exec(tokens[0] || '') || [];
  if (!namespace || tokens.length < 2 || !tokens.every((token) => token.startsWith(namespace))) return tokens;
  return tokens.map((token) => token.slice(namespace.length));
}

/** An icon font marks its icons twice, `mdi mdi-account`. */
function withoutFontPrefix(tokens: readonly string[]): readonly string[] {
  const prefix = tokens.find((token) => token && tokens.some((other) => other.startsWith(`${token}-`)));
  if (!prefix) return tokens;
  return tokens.filter((token) => token !== prefix).map((token) => token.replace(`${prefix}-`, ''));
}

// Words of class names that say how a thing looks or is built, not what it is for.
const BUILDING_WORDS = wordSet(`
  a active align alt animated auto b background bar base basic block body border bottom box btn button cell center
  circle clearfix click clickable col color column component container content control current cursor custom default
  density disabled div dark element el fa fab far fas fill flex fixed float fluid focus font fw g glyphicon grid group
  header hidden hover hover href i icn ico icon icons image img inactive inline invisible inner input is item js large
  left lg li light link list lg main material md media medium mobile module nav new no none normal notranslate on outer
  pointer position primary pull root round row secondary section selected shadow size sm small social span sprite sr
  state static sub svg symbol tag target text theme tiny toggle transparent ui ul unstyled use variant visible widget
  width wrap wrapper xl xs z
`);

function wordsOf(tokens: readonly string[]): string[] {
  const words = new Set<string>();
  for (const token of tokens) {
    for (const word of token
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}]+/u)) {
      if (word.length > 1 && !BUILDING_WORDS.has(word)) words.add(word);
    }
  }
  return [...words];
}

export const INVENTED_NAMES = 'invented names';

/** The names of found elements whose invented names would be equal, each with what differs. */
const distinctNames = (): Map<Element, string> =>
  remember(INVENTED_NAMES, () => {
    const named = new Map<string, Element[]>();
    for (const { element } of currentCache().found || []) {
      const base = writtenName(element) ? '' : inventedBase(element);
      if (!base) continue;
      const twins = named.get(base);
      if (twins) twins.push(element);
      else named.set(base, [element]);
    }
    const names = new Map<Element, string>();
    for (const [base, twins] of named) {
      if (twins.length > 1) nameTwins(base, twins, names);
    }
    return names;
  });

const MAX_DIFFERENCE = 40;

/** Give each twin what it alone has: by the first kind of difference that all of them have, else by that of most. */
function nameTwins(base: string, twins: readonly Element[], names: Map<Element, string>): void {
  let best: { texts: readonly string[]; count: number; isPlace: boolean } | null = null;
  const kinds = differences(twins);
  for (const kind of kinds) {
    const texts = twins.map((twin) => fittingText(kind(twin)));
    const count = new Set(texts.filter(Boolean)).size;
    if (count > 1 && (!best || count > best.count)) best = { texts, count, isPlace: kind === kinds.at(-1) };
    if (count === twins.length) break;
  }
  if (!best) return;
  const chosen = best.isPlace ? stablePlaces(base, twins, best.texts) : best.texts;
  twins.forEach((twin, index) => {
    const text = chosen[index];
    if (text && text !== base) names.set(twin, base.includes(text) ? base : `${base} ${text}`);
  });
}

const placedTwins = new WeakMap<Element, { base: string; text: string }>();

/** The places of twins, each as it was first told: one that comes before others must not rename them. */
function stablePlaces(base: string, twins: readonly Element[], texts: readonly string[]): string[] {
  const former = twins.map((twin) => {
    const placed = placedTwins.get(twin);
    return placed?.base === base ? placed.text : '';
  });
  const taken = new Set(former.filter(Boolean));
  return twins.map((twin, index) => {
    let text = former[index] || texts[index] || '';
    for (let next = twins.length; !former[index] && text && taken.has(text); next++) text = String(next);
    taken.add(text);
    if (text) placedTwins.set(twin, { base, text });
    return text;
  });
}

function fittingText(text: string | null | undefined): string {
  const flat = collapse(withoutGlyphs(text || ''));
  return flat.length > MAX_DIFFERENCE ? '' : flat;
}

/** What an element has that others may not have: a text, or nothing. */
type Difference = (element: Element) => string | null | undefined;

/** What twins may differ in, the most readable first. */
function differences(twins: readonly Element[]): Difference[] {
  return [
    textContentOf,
    iconWords,
    (element: Element) => readableId(attribute(element, 'id')),
    ...dataAttributes(twins).map((name) => (element: Element) => attribute(element, name)),
    rowText,
    rowPlaces(twins),
  ];
}

function iconWords(element: Element): string | undefined {
  const words = authoredWords(element);
  const parts = [element, ...queryAll(element, 'i,span,svg,use')].slice(0, MAX_ICON_PARTS);
  return parts.map(partWords).find((text) => text && text !== words);
}

/** An id that a person wrote: others have many digits, and are new with each load. */
const readableId = (id: string | null): string | null =>
  id && /\p{L}/u.test(id) && !/\d{3}/.test(id) && !/[^\w.-]/.test(id) ? id : null;

function dataAttributes(twins: readonly Element[]): string[] {
  const [first] = twins;
  const names = first ? Array.from(attributesOf(first), ({ name }) => name) : [];
  return names.filter((name) => name.startsWith('data-') && twins.every((twin) => hasAttribute(twin, name)));
}

/** What the row of an element says: its list item, table row, or whatever holds it and has text. */
function rowText(element: Element): string | null {
  const head = closest(element, 'th,[role=columnheader]');
  const headRow = head && closest(head, DATA_ROWS);
  if (headRow && isRowOfHeads(headRow, 2)) return plainContent(head);
  const row = closest(element, `${DATA_ROWS},li,[role=listitem],[role=option],[role=treeitem]`);
  return row && (rowName(row, element) || plainContent(row));
}

/**
 * Places in their row, `3`, and in which row if there are several, `2.3`. If each row has only one of the twins, they do
 * the same thing, each for its row, as the buttons below posts do: a number would add nothing, and look like a count.
 */
function rowPlaces(twins: readonly Element[]): Difference {
  const rows = new Map<Element | null, Element[]>();
  for (const twin of twins) {
    const row = rowAround(twin);
    const others = rows.get(row);
    if (others) others.push(twin);
    else rows.set(row, [twin]);
  }
  if (rows.size === twins.length) return () => undefined;
  const places = new Map<Element, string>();
  [...rows.values()].forEach((row, at) =>
    row.forEach((twin, index) => places.set(twin, rows.size === 1 ? `${index + 1}` : `${at + 1}.${index + 1}`)),
  );
  return (element) => places.get(element);
}

/** Levels above an element that may hold nothing else and be only its wrappers. */
const WRAPPER_LEVELS = 4;

/** The nearest ancestor that holds more than the element. */
function rowAround(element: Element): Element | null {
  let row: Element | null = parentElementOf(element);
  for (let level = 0; level < WRAPPER_LEVELS && row; level++) {
    const children = childrenOf(row);
    const only = children[0];
    if (children.length > 1 || !only || textContentOf(row).trim() !== textContentOf(only).trim()) break;
    row = parentElementOf(row);
  }
  return row;
}
