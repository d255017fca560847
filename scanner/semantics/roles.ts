// Roles: the ARIA role that an author gave, or the one that HTML itself gives an element.

import {
  attribute,
  attributesOf,
  elementWithId,
  hasAttribute,
  inputTypeOf,
  isElement,
  isHtml,
  isMultiple,
  listOf,
  parentElementOf,
  previousSiblingOf,
  rootOf,
  tagOf,
} from '../dom/natives';
import { wordSet } from '../dom/words';

/** The element's role after ARIA and HTML-AAM, '' where it has none. */
export const roleOf = (element: Element): string => authoredRole(element) || nativeRole(element);

/** The role that the author wrote and that counts, or ''. */
export function authoredRole(element: Element): string {
  const written = attribute(element, 'role');
  if (!written) return '';
  for (const token of written.toLowerCase().split(/\s+/)) {
    if (token === 'none' || token === 'presentation') return keepsNativeRole(element) ? '' : 'none';
    if (WIDGET_ROLES.has(token)) return token;
    if (OTHER_ROLES.has(token) && !isMisplaced(element, token)) return SYNONYMS[token] ?? token;
  }
  return '';
}

// https://www.w3.org/TR/wai-aria-1.2/#image, https://www.w3.org/TR/core-aam-1.2/#role-map-directory
const SYNONYMS: Readonly<Record<string, string>> = { image: 'img', directory: 'list' };

/** Whether a role does not count: https://www.w3.org/TR/wai-aria-1.2/#document-handling_author-errors_roles */
function isMisplaced(element: Element, role: string): boolean {
  if (role === 'region' || role === 'form') return !isNamedByAuthor(element);
  const context = CONTEXTS[role];
  return context !== undefined && NATIVE_WIDGETS.has(tagOf(element)) && !isIn(element, context);
}

/** The parts of lists and tables, and what they must be in. What HTML itself lets act stays what it is outside of it. */
const CONTEXTS: Readonly<Record<string, string>> = {
  listitem: 'list directory',
  row: 'table grid treegrid rowgroup',
  rowgroup: 'table grid treegrid',
  cell: 'row',
  gridcell: 'row',
  columnheader: 'row',
  rowheader: 'row',
};
const NATIVE_WIDGETS = wordSet('a button input select textarea summary');

/** Whether the nearest element around that has a role has one of these, written or by itself. */
function isIn(element: Element, roles: string): boolean {
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) {
    const role = (attribute(node, 'role') || nativeRole(node)).toLowerCase().trim();
    if (role && !['generic', 'none', 'presentation'].includes(role)) return roles.split(' ').includes(role);
  }
  return false;
}

/** Whether an author gives the element a name, by one of the attributes that do for any element. */
const isNamedByAuthor = (element: Element): boolean =>
  Boolean(attribute(element, 'aria-label')?.trim() || attribute(element, 'title')?.trim()) ||
  (attribute(element, 'aria-labelledby') || '')
    .split(/\s+/)
    .some((id) => id !== '' && elementWithId(rootOf(element), id) !== null);

export const WIDGET_ROLES = wordSet(`
  button link textbox searchbox combobox listbox checkbox radio menuitem menuitemcheckbox menuitemradio tab switch
  slider spinbutton treeitem option
`);

// https://www.w3.org/TR/wai-aria-1.2/#role_definitions, https://www.w3.org/TR/dpub-aria-1.1/,
// https://www.w3.org/TR/graphics-aria-1.0/, and of ARIA 1.3 comments and suggestions
const OTHER_ROLES = wordSet(`
  alert alertdialog application article banner blockquote caption cell code columnheader comment complementary
  contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group
  heading img image insertion list listitem log main mark marquee math menu menubar meter navigation note paragraph
  progressbar radiogroup region row rowgroup rowheader scrollbar search separator status strong subscript suggestion
  superscript table tablist tabpanel term time timer toolbar tooltip tree treegrid
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref
  doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes
  doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index
  doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface
  doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc
  graphics-document graphics-object graphics-symbol
`);

// https://www.w3.org/TR/wai-aria-1.2/#global_states, those that undo role=presentation
const GLOBAL_ATTRIBUTES = wordSet(`
  aria-atomic aria-braillelabel aria-brailleroledescription aria-busy aria-controls aria-current aria-describedby
  aria-description aria-details aria-dropeffect aria-flowto aria-grabbed aria-keyshortcuts aria-label aria-labelledby
  aria-live aria-owns aria-relevant aria-roledescription
`);

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none */
export const keepsNativeRole = (element: Element): boolean =>
  isFocusable(element) ||
  Array.from(attributesOf(element)).some(({ name, value }) => GLOBAL_ATTRIBUTES.has(name) && value.trim() !== '');

export function isFocusable(element: Element): boolean {
  if (hasAttribute(element, 'tabindex')) return true;
  switch (tagOf(element)) {
    case 'a':
    case 'area':
      return hasAttribute(element, 'href');
    case 'button':
    case 'select':
    case 'textarea':
      return !hasAttribute(element, 'disabled');
    case 'input':
      return inputTypeOf(element) !== 'hidden' && !hasAttribute(element, 'disabled');
    case 'iframe':
    case 'summary':
      return true;
    default:
      return (attribute(element, 'contenteditable') ?? 'false').toLowerCase() !== 'false';
  }
}

export function nativeRole(element: Element): string {
  const tag = tagOf(element);
  if (!isHtml(element) && tag !== 'svg') return tag === 'a' ? 'link' : tag === 'math' ? 'math' : '';
  return roleIn(NATIVE_ROLES, element, tag) ?? '';
}

/** The role that a table has for an element, undefined where it has none. */
export function roleIn(table: RoleTable, element: Element, tag: string): string | undefined {
  const entry = Object.prototype.hasOwnProperty.call(table, tag) ? table[tag] : undefined;
  return typeof entry === 'function' ? entry(element) : entry;
}

/** The roles of elements by their tags: a function where attributes or the context decide. */
export type RoleTable = Readonly<Record<string, string | ((element: Element) => string)>>;

// https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings
const NATIVE_ROLES: RoleTable = {
  a: (element) => (hasAttribute(element, 'href') ? 'link' : 'generic'),
  area: (element) => (hasAttribute(element, 'href') ? 'link' : 'generic'),
  article: 'article',
  aside: 'complementary',
  button: 'button',
  datalist: 'listbox',
  dialog: 'dialog',
  fieldset: 'group',
  figure: 'figure',
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  img: 'img',
  input: (element) => {
    const type = inputTypeOf(element);
    return LISTED_INPUTS.has(type) && listOf(element) ? 'combobox' : (INPUT_ROLES[type] ?? 'textbox');
  },
  li: 'listitem',
  main: 'main',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  option: 'option',
  progress: 'progressbar',
  search: 'search',
  section: 'region',
  select: (element) => (isMultiple(element) || Number(attribute(element, 'size')) > 1 ? 'listbox' : 'combobox'),
  summary: (element) => (isDetailsSummary(element) ? 'button' : 'generic'),
  svg: 'img',
  table: 'table',
  td: 'cell',
  textarea: 'textbox',
  th: 'columnheader',
  tr: 'row',
  ul: 'list',
};

const LISTED_INPUTS = new Set(['text', 'search', 'tel', 'url', 'email']); // with `list`, combo boxes

// https://www.w3.org/TR/html-aam-1.0/#el-input-button and after
const INPUT_ROLES: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
};

/** https://html.spec.whatwg.org/multipage/interactive-elements.html#summary-for-its-parent-details */
export function isDetailsSummary(element: Element): boolean {
  const parent = parentElementOf(element);
  if (!parent || tagOf(parent) !== 'details') return false;
  for (let node = previousSiblingOf(element); node; node = previousSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'summary') return false;
  }
  return true;
}

// https://www.w3.org/TR/wai-aria-1.2/#role_definitions (names from content: #namefromcontent)
export const NAME_FROM_CONTENT = wordSet(`
  button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row
  rowheader switch tab tooltip treeitem
`);

export const DIALOG_SELECTOR = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';

export const LIVE =
  '[role=alert],[role=alertdialog],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output';
