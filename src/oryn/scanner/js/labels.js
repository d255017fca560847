// A name for every element: the accessible one, else the nearest text that a person would read as its label.

const LABEL_REACH = 60;
const MAX_LABEL_LENGTH = 120;
const LABELLED_ROLES = new Set([
  'checkbox',
  'radio',
  'switch',
  'textbox',
  'combobox',
  'listbox',
  'slider',
  'spinbutton',
]);

/** The element's name, whole, from the snapshot's cache: '' when nothing names it. */
function nameOf(element) {
  const { names } = currentCache();
  let name = names.get(element);
  if (name === undefined) {
    name = writtenName(element) || inventedName(element);
    names.set(element, name);
  }
  return name;
}

/** The name that the page itself writes, '' when nothing in it can be read as one. */
function writtenName(element) {
  const { writtenNames } = currentCache();
  let name = writtenNames.get(element);
  if (name === undefined) {
    name = nameFromSelect(element) || accessibleName(element) || nameFromHost(element) || otherName(element);
    writtenNames.set(element, name);
  }
  return name;
}

const CONTROLS = 'input:not([type=hidden]),select,textarea,button';

/** The only control in the shadow tree of a custom element, which is what a person sees of it, or the element itself. */
function innerControl(element) {
  const shadow = element && tagOf(element).includes('-') ? shadowOf(element) : null;
  const controls = shadow ? queryAll(shadow, CONTROLS) : [];
  return controls.length === 1 ? controls[0] : element;
}

/** The name that the page has given the custom element whose only control this is. */
function nameFromHost(element) {
  const host = takesLabel(element) ? hostOf(rootOf(element)) : null;
  return host && innerControl(host) === element && authoredName(host) ? accessibleName(host) : '';
}

function otherName(element) {
  const tag = tagOf(element);
  if (takesLabel(element)) return nearbyLabel(element);
  if (tag === 'iframe' || tag === 'frame') return frameName(element);
  const frame = tag === 'body' ? frameElementOf(ownerOf(element)) : null;
  if (frame) return accessibleName(frame) || frameName(frame); // an editor that is a frame of its own
  if (DIALOG_ROLES.has(roleOf(element))) return dialogTitle(element) || plainContent(element);
  const content = NAME_FROM_CONTENT.has(roleOf(element)) ? '' : plainContent(element);
  return content || pictureName(element);
}

const DIALOG_ROLES = new Set(['dialog', 'alertdialog']);

const frameName = (frame) =>
  collapse(attribute(frame, 'title') || attribute(frame, 'name') || attribute(frame, 'src') || '');

/** Whether the text beside the element names it, which is so for fields. */
function takesLabel(element) {
  const tag = tagOf(element);
  const isField = tag === 'input' ? !(inputTypeOf(element) in BUTTON_INPUTS) : tag === 'select' || tag === 'textarea';
  return isField || LABELLED_ROLES.has(authoredRole(element));
}

/** What an element without a role shows: its content, as if it named itself. */
function plainContent(element) {
  if (isEditable(element)) return nearbyLabel(element);
  const gathering = new TextAccumulator(element);
  const title = namespaceOf(element) === SVG ? firstChild(element, 'title') : null;
  if (title) return collapse(withoutGlyphs(textContentOf(title)));
  addContent(element, gathering);
  return collapse(gathering.text);
}

/** The alternative of the only picture inside, or its title. */
function pictureName(element) {
  for (const inner of queryAll(element, 'img[alt],[title],[aria-label],svg title')) {
    const name = collapse(
      withoutGlyphs(
        attribute(inner, 'aria-label') ||
          attribute(inner, 'alt') ||
          attribute(inner, 'title') ||
          (tagOf(inner) === 'title' ? textContentOf(inner) : ''),
      ),
    );
    if (name) return name;
  }
  return '';
}

/**
 * Text beside a field: of a check box or radio button the nearest one, rather after it than before; of others what
 * comes before. What its own row says goes before the text of other rows.
 */
function nearbyLabel(element) {
  const checks = checkedState(element) !== null;
  const sides = checks ? [nextSiblingOf, previousSiblingOf] : [previousSiblingOf];
  const row = closest(element, DATA_ROWS);
  if (checks && row && isRowOfHeads(row, 2)) return 'Select all'; // what checks all rows
  const own = checks && !row ? textBeside(element, sides, parentOf(element)) || buttonBeside(element) : '';
  const text = own || (row && labelInRow(element, row, sides)) || columnHead(element) || textBeside(element, sides, null);
  return text.replace(/[\s:*]+$/, '');
}

/** What the button says that follows a box right away, as that box is about it: a list of tools to choose from. */
function buttonBeside(element) {
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

const BOX_LEVELS = 2; // around a box: a label without text, or what draws the box
const BUTTONS = 'button,[role=button]';

/** In its cell, then in a row of a layout beside it, else what the row is about: in a table, cells beside it are data. */
function labelInRow(element, row, sides) {
  const isData = tagOf(row) !== 'tr' || columnHead(element) !== '';
  if (!isData) return textBeside(element, sides.slice(0, 1), row) || rowName(row, element);
  const own = textBeside(element, sides, closest(element, `${ROW_CELLS},${COLUMN_HEADS}`) || element);
  if (own) return own;
  // What stands in the place of the row's first text is called by its column.
  const part = rowPart(row, element);
  const isFirst = part !== null && checkedState(element) === null && (positionBeside(element, part) & FOLLOWING) !== 0;
  return (isFirst && columnHead(element)) || rowName(row, element);
}

const FOLLOWING = 4; // https://dom.spec.whatwg.org/#dom-node-document_position_following

/**
 * Climb from the element up to `limit`, reading what lies on its sides, until text is found, or another field is in the
 * way on each side.
 */
function textBeside(element, sides, limit) {
  let budget = LABEL_REACH;
  let open = sides;
  for (let level = element; level && level !== limit && open.length && budget > 0; level = parentElementOf(level)) {
    if (['form', 'body', 'fieldset', 'table', 'dialog'].includes(tagOf(level)))
      return '';
    if (isLayerOfPage(level)) return '';
    const passable = [];
    for (const sibling of open) {
      let isOpen = true;
      for (let node = sibling(level); node && isOpen && budget-- > 0; node = sibling(node)) {
        const text = labelText(node);
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

/** Whether an element lies over the page, such as a list of options: what is written before it is about something else. */
const isLayerOfPage = (element) => matches(element, 'body > *') && OUT_OF_FLOW.has(styleOf(element).position);
const OUT_OF_FLOW = new Set(['absolute', 'fixed']);

const isPositionOfSlider = (text, element) => !/\p{L}/u.test(text) && authoredRole(element) === 'slider';

/** What a node beside a field says, '' for nothing, null for another field. */
function labelText(node) {
  if (nodeTypeOf(node) === TEXT_NODE) {
    const text = collapse(withoutGlyphs(dataOf(node)));
    return /[^\s:*|,.()-]/.test(text) ? text : '';
  }
  if (nodeTypeOf(node) !== ELEMENT_NODE) return '';
  if (isFieldOrHoldsOne(node)) return null;
  return TEXTLESS.has(tagOf(node)) || !isStyledVisible(node) ? '' : plainContent(node);
}

/** Whether a row has nothing but heads of columns; `fewest` of them. */
function isRowOfHeads(row, fewest = 1) {
  if (!matches(row, DATA_ROWS)) return false;
  const cells = [...queryAll(row, `${ROW_CELLS},${COLUMN_HEADS}`)];
  return cells.length >= fewest && cells.every((cell) => matches(cell, 'th,[role=columnheader]') && !matches(cell, '[scope=row]'));
}

const DATA_ROWS = 'tr,[role=row]';
const ROW_CELLS = 'td,th,[role=cell],[role=gridcell]';
const ROW_HEADS = 'th,[role=rowheader]';
const COLUMN_HEADS = '[role=columnheader]';

/** What a row is about: its header, else the first of its parts that says something, other than one with `field`. */
function rowName(row, field) {
  const part = rowPart(row, field);
  return part ? plainContent(part) : '';
}

function rowPart(row, field) {
  const parts = [...queryAll(row, ROW_HEADS), ...childrenOf(row)];
  for (const part of parts) {
    if ((field && contains(part, field)) || isFieldOrHoldsOne(part) || !isStyledVisible(part)) continue;
    const text = plainContent(part);
    if (text && text.length <= MAX_LABEL_LENGTH) return part;
  }
  return null;
}

function isFieldOrHoldsOne(element) {
  const fields = 'input:not([type=hidden]),select,textarea,button,[role=button]';
  return matches(element, fields) || queryAll(element, fields).length > 0;
}

function columnHead(element) {
  return columnHeadInGrid(element) || columnHeadInTable(element);
}

/** The head over a cell of a grid that has as many heads as its rows have cells. */
function columnHeadInGrid(element) {
  const cell = closest(element, '[role=cell],[role=gridcell]');
  const row = cell && closest(cell, '[role=row]');
  const grid = row && closest(row, '[role=grid],[role=table],[role=treegrid]');
  if (!grid) return '';
  const cells = [...queryAll(row, '[role=cell],[role=gridcell],[role=rowheader]')];
  const heads = remember(grid, () => [...queryAll(grid, COLUMN_HEADS)]); // many cells ask
  return heads.length === cells.length ? plainContent(heads[cells.indexOf(cell)]) : '';
}

function columnHeadInTable(element) {
  const cell = closest(element, 'td');
  const row = cell && parentElementOf(cell);
  const table = cell && closest(cell, 'table');
  if (!row || !table) return '';
  const index = Array.prototype.indexOf.call(childrenOf(row), cell);
  const head = queryAll(table, 'tr')[0];
  const title = head && head !== row && childrenOf(head)[index];
  return title && tagOf(title) === 'th' ? plainContent(title) : '';
}
