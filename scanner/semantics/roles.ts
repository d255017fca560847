// Roles: the ARIA role that an author gave, or the one that HTML itself gives an element.

import {
  attribute,
  hasAttribute,
  inputTypeOf,
  isElement,
  isHtml,
  isMultiple,
  parentElementOf,
  previousSiblingOf,
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
    if (WIDGET_ROLES.has(token) || OTHER_ROLES.has(token)) return token;
  }
  return '';
}

export const WIDGET_ROLES = wordSet(`
  button link textbox searchbox combobox listbox checkbox radio menuitem menuitemcheckbox menuitemradio tab switch
  slider spinbutton treeitem option
`);

const OTHER_ROLES = wordSet(`
  alert alertdialog application article banner blockquote caption cell code columnheader complementary contentinfo
  definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img
  image insertion list listitem log main marquee math menu menubar meter navigation none note paragraph presentation
  progressbar radiogroup region row rowgroup rowheader scrollbar search separator status strong subscript superscript
  table tablist tabpanel term time timer toolbar tooltip tree treegrid
`);

// https://www.w3.org/TR/wai-aria-1.2/#global_states, those that undo role=presentation
const GLOBAL_ATTRIBUTES = [
  'aria-label',
  'aria-labelledby',
  'aria-describedby',
  'aria-controls',
  'aria-live',
  'aria-owns',
];

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none */
const keepsNativeRole = (element: Element): boolean =>
  isFocusable(element) || GLOBAL_ATTRIBUTES.some((name) => hasAttribute(element, name));

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
      return hasAttribute(element, 'contenteditable');
  }
}

export function nativeRole(element: Element): string {
  const tag = tagOf(element);
  if (!isHtml(element) && tag !== 'svg') return tag === 'a' ? 'link' : '';
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
  input: (element) => INPUT_ROLES[inputTypeOf(element)] || (hasAttribute(element, 'list') ? 'combobox' : 'textbox'),
  li: 'listitem',
  main: 'main',
  menu: 'list',
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
