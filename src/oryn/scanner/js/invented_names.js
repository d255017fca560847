// Names for what shows nothing to read, an icon or a shape most often: what its author calls it, told apart from others
// that are called alike by what differs.

// Words of class names that say how a thing looks or is built, not what it is for.
const BUILDING_WORDS = wordSet(`
  a active align alt animated auto b background bar base basic block body border bottom box btn button cell center circle clearfix click
  clickable col color column component container content control current cursor custom default density disabled div dark
  element el fa fab far fas fill flex fixed float fluid focus font fw g glyphicon grid group header hidden hover hover href i icn
  ico icon icons image img inactive inline invisible inner input is item js large left lg li light link list lg main material md
  media medium mobile module nav new no none normal notranslate on outer pointer position primary pull root round row secondary section
  selected shadow size sm small social span sprite sr state static sub svg symbol tag target text theme tiny toggle
  transparent ui ul unstyled use variant visible widget width wrap wrapper xl xs z
`);
const MAX_WORDS = 3;

const MAX_ICON_PARTS = 5;
const ICON_NAMES = /^[\s\w]*[a-z][\s\w]*$/;
const ICONS = 'i,span,mat-icon,[class*=icon i]';

/** The name of an element that has no written one, or ''. */
function inventedName(element) {
  const base = inventedBase(element);
  return base && (distinctNames().get(element) || base);
}

function inventedBase(element) {
  if (takesLabel(element) || tagOf(element) === 'iframe' || tagOf(element) === 'frame') return '';
  const box = queryAll(element, 'input[type=checkbox],input[type=radio]');
  if (box.length === 1 && writtenName(box[0])) return writtenName(box[0]);
  const words = authoredWords(element);
  const group = namespaceOf(element) === SVG && groupAround(element);
  if (!group) return words;
  return group.isOwn || !words ? group.text : `${group.text} ${words}`;
}

/** Levels above a shape where the text of its drawing is looked for. */
const GROUP_LEVELS = 4;

/** The text of the SVG group that a shape belongs to, and whether the shape is right in it; or null. */
function groupAround(element) {
  let node = parentElementOf(element);
  for (let level = 0; node && level < GROUP_LEVELS; level++, node = parentElementOf(node)) {
    if (tagOf(node) !== 'g') break;
    const text = collapse(withoutGlyphs(textContentOf(node)));
    if (text) return text.length > MAX_LABEL_LENGTH ? null : { text, isOwn: level === 0 };
  }
  return null;
}

/**
 * The telling words of an element's own or its icon's id and classes, `icon-shopping-cart` → `shopping cart`; or ''.
 */
function authoredWords(element) {
  const icon = iconName(element);
  if (icon) return icon;
  for (const part of [element, ...queryAll(element, 'i,span,svg,use')].slice(0, MAX_ICON_PARTS)) {
    const words = partWords(part);
    if (words) return words;
  }
  return '';
}

/** The name of the first icon in an element that shows nothing but icons of a font, or ''. */
function iconName(element) {
  const text = textContentOf(element);
  if (text.length > MAX_LABEL_LENGTH || !ICON_NAMES.test(text)) return '';
  const icon = [element, ...queryAll(element, ICONS)].find((part) => isIconName(textContentOf(part), part));
  return icon ? collapse(textContentOf(icon)) : '';
}

function partWords(part) {
  const reference = attribute(part, 'href') || attribute(part, 'xlink:href') || '';
  for (const text of [attribute(part, 'class'), attribute(part, 'id'), tagOf(part) === 'use' ? reference : '']) {
    const words = distinctiveWords(text || '');
    if (words) return words;
  }
  return '';
}

/** What style libraries generate: names with digits, `css-oylsik` (Emotion), `sc-bdVaJa` (styled-components). */
const GENERATED_NAME = /\d|^(?:css|sc)-[a-z]+$/i;
/** Classes that set one property of a style, as of Tailwind and Quasar. */
const UTILITY_CLASS = /^(?:cursor|ease|gap|inset|items|justify|leading|non?|overflow|place|rounded|self|tracking|whitespace)-/;

function distinctiveWords(text) {
  const tokens = text.split(/\s+/).filter((token) => token.length <= 40 && !GENERATED_NAME.test(token) && !UTILITY_CLASS.test(token));
  const words = wordsOf(withoutFontPrefix(withoutNamespace(tokens)));
  return (words.length ? words : wordsOf(tokens)).slice(0, MAX_WORDS).join(' ');
}

/** Some libraries begin all of their class names alike, `MuiChip-root MuiChip-deleteIcon`, `mantine-focus-auto mantine-active`. */
function withoutNamespace(tokens) {
  const [, namespace] = /^([A-Z][a-z]{1,4})[A-Z]/.exec(tokens[0] || '') || /^([a-z]{4,}-)/.exec(tokens[0] || '') || [];
  if (!namespace || tokens.length < 2 || !tokens.every((token) => token.startsWith(namespace))) return tokens;
  return tokens.map((token) => token.slice(namespace.length));
}

/** An icon font marks its icons twice, `mdi mdi-account`. */
function withoutFontPrefix(tokens) {
  const prefix = tokens.find((token) => token && tokens.some((other) => other.startsWith(`${token}-`)));
  if (!prefix) return tokens;
  return tokens.filter((token) => token !== prefix).map((token) => token.replace(`${prefix}-`, ''));
}

function wordsOf(tokens) {
  const words = new Set();
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

const INVENTED_NAMES = 'invented names';

/** The names of found elements whose invented names would be equal, each with what differs. */
const distinctNames = () =>
  remember(INVENTED_NAMES, () => {
    const named = new Map();
    for (const { element } of currentCache().found || []) {
      const base = writtenName(element) ? '' : inventedBase(element);
      if (!base) continue;
      if (!named.has(base)) named.set(base, []);
      named.get(base).push(element);
    }
    const names = new Map();
    for (const [base, twins] of named) {
      if (twins.length > 1) nameTwins(base, twins, names);
    }
    return names;
  });

const MAX_DIFFERENCE = 40;

/** Give each twin what it alone has: by the first kind of difference that all of them have, else by that of most. */
function nameTwins(base, twins, names) {
  let best = null;
  const kinds = differences(twins);
  for (const kind of kinds) {
    const texts = twins.map((twin) => fittingText(kind(twin)));
    const count = new Set(texts.filter(Boolean)).size;
    if (count > 1 && (!best || count > best.count)) best = { texts, count, isPlace: kind === kinds[kinds.length - 1] };
    if (count === twins.length) break;
  }
  if (!best) return;
  if (best.isPlace) best.texts = stablePlaces(base, twins, best.texts);
  twins.forEach((twin, index) => {
    const text = best.texts[index];
    if (text && text !== base) names.set(twin, base.includes(text) ? base : `${base} ${text}`);
  });
}

const placedTwins = new WeakMap();

/** The places of twins, each as it was first told: one that comes before others must not rename them. */
function stablePlaces(base, twins, texts) {
  const former = twins.map((twin) => (placedTwins.get(twin)?.base === base ? placedTwins.get(twin).text : null));
  const taken = new Set(former.filter(Boolean));
  return twins.map((twin, index) => {
    let text = former[index] || texts[index];
    for (let next = twins.length; !former[index] && text && taken.has(text); next++) text = String(next);
    taken.add(text);
    if (text) placedTwins.set(twin, { base, text });
    return text;
  });
}

function fittingText(text) {
  const flat = collapse(withoutGlyphs(text || ''));
  return flat.length > MAX_DIFFERENCE ? '' : flat;
}

/** What twins may differ in, the most readable first: functions from an element to a text or null. */
function differences(twins) {
  return [
    textContentOf,
    iconWords,
    (element) => readableId(attribute(element, 'id')),
    ...dataAttributes(twins).map((name) => (element) => attribute(element, name)),
    rowText,
    rowPlaces(twins),
  ];
}

function iconWords(element) {
  const words = authoredWords(element);
  const parts = [element, ...queryAll(element, 'i,span,svg,use')].slice(0, MAX_ICON_PARTS);
  return parts.map(partWords).find((text) => text && text !== words);
}

/** An id that a person wrote: others have many digits, and are new with each load. */
const readableId = (id) => (id && /\p{L}/u.test(id) && !/\d{3}/.test(id) && !/[^\w.-]/.test(id) ? id : null);

function dataAttributes(twins) {
  const names = Array.prototype.map.call(attributesOf(twins[0]), ({ name }) => name);
  return names.filter((name) => name.startsWith('data-') && twins.every((twin) => hasAttribute(twin, name)));
}

/** What the row of an element says: its list item, table row, or whatever holds it and has text. */
function rowText(element) {
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
function rowPlaces(twins) {
  const rows = new Map();
  for (const twin of twins) {
    const row = rowAround(twin);
    if (!rows.has(row)) rows.set(row, []);
    rows.get(row).push(twin);
  }
  if (rows.size === twins.length) return () => undefined;
  const places = new Map();
  [...rows.values()].forEach((row, at) =>
    row.forEach((twin, index) => places.set(twin, rows.size === 1 ? `${index + 1}` : `${at + 1}.${index + 1}`)),
  );
  return (element) => places.get(element);
}

/** Levels above an element that may hold nothing else and be only its wrappers. */
const WRAPPER_LEVELS = 4;

/** The nearest ancestor that holds more than the element. */
function rowAround(element) {
  let row = parentElementOf(element);
  for (let level = 0; level < WRAPPER_LEVELS && row; level++) {
    const children = childrenOf(row);
    if (children.length > 1 || textContentOf(row).trim() !== textContentOf(children[0]).trim()) break;
    row = parentElementOf(row);
  }
  return row;
}
