// Which elements a person can act on: native controls, ARIA widgets, what takes the focus, and what only looks or
// listens like it.

import {
  FRAGMENT_NODE,
  attribute,
  boxOf,
  checkVisibility,
  childrenOf,
  closest,
  contains,
  firstChildOf,
  firstElementOf,
  formOf,
  frameDocument,
  hasAttribute,
  hostsOf,
  inputTypeOf,
  isElement,
  isHtml,
  isMultiple,
  matches,
  nextElementOf,
  nodeTypeOf,
  ownerOf,
  parentElementOf,
  rootOf,
  shadowOf,
  tagOf,
  textContentOf,
  windowOf,
} from '../dom/natives';
import type { ElementType, Modifier } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { groupBy } from '../dom/words';
import { queryAll } from '../dom/banner';
import { composedParent, elementAbove } from '../dom/tree';
import { labelControlOf, labelsOf } from '../dom/labels';
import { isOver, isTransparentControl, seenBox, visibleBox } from '../geometry/visibility';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { LIVE, WIDGET_ROLES, authoredRole, isDetailsSummary, roleOf } from './roles';
import {
  BUTTON_INPUTS,
  SEGMENTS,
  checkedState,
  isDateField,
  isDisabled,
  isEditable,
  isInvalid,
  isMixed,
  isReadOnly,
  isRequired,
  isRevealed,
  isSecret,
  takesLabel,
  toggleStates,
} from './values';
import { elementById } from './names';
import { hasWidget, isDrawnOption } from './select_widgets';
import { inventedBase, isRowOfHeads, nameOf, visibleLength, writtenName } from './labels';
import { viewSizeOf } from '../dom/windows';

const STRONG = 2;
const WEAK = 1;

/** A candidate with its place among the others. */
interface Placed extends Candidate {
  /** The nearest one around it. */
  inside: Placed | null;
  /** Those right inside. */
  holds: Placed[];
  /** Whether it only wraps, labels or dims others. */
  dropped: boolean;
}

/** All interactive elements in walk order, not classified yet. */
export function collect(elements: readonly Element[], frames: readonly (Element | null)[]): Candidate[] {
  const found: Placed[] = [];
  const items = new DelegatedItems();
  elements.forEach((element, index) => {
    const tag = tagOf(element);
    const strength = interactivity(element, tag) || (items.has(element) ? WEAK : 0);
    if (!strength || (strength === WEAK && isDivider(element))) return;
    const delegates = strength === WEAK && listens(element) && items.add(element);
    found.push({
      element,
      frame: frames[index] ?? null,
      tag,
      strong: strength === STRONG,
      delegates,
      type: 'generic',
      role: '',
      fixed: [],
      concealed: false,
      inside: null,
      holds: [],
      dropped: false,
    });
  });
  return withoutWrappers(found);
}

/** STRONG: by its element, role or focusability. WEAK: by looks or listeners alone. 0: not interactive. */
export function interactivity(element: Element, tag: string): number {
  switch (tag) {
    case 'body':
      return isEditable(element) ? STRONG : 0;
    case 'html':
    case 'head':
    case 'script':
    case 'style':
    case 'meta':
    case 'link':
      return 0;
    case 'button':
    case 'select':
    case 'textarea':
      return STRONG;
    case 'input':
      return inputTypeOf(element) === 'hidden' ? 0 : STRONG;
    case 'a':
    case 'area':
      if (hasAttribute(element, 'href') || (!isHtml(element) && hasAttribute(element, 'xlink:href'))) return STRONG;
      break;
    case 'summary':
      if (isDetailsSummary(element)) return STRONG;
      break;
    case 'iframe':
    case 'frame':
      return frameDocument(element) ? 0 : STRONG;
    case 'option':
      return isDrawnOption(element) ? STRONG : 0;
  }
  if (hasAttribute(element, 'role') && WIDGET_ROLES.has(authoredRole(element))) return STRONG;
  if (isEditable(element) || isDateField(element)) return STRONG;
  const tabIndex = attribute(element, 'tabindex');
  if (tabIndex !== null && parseInt(tabIndex, 10) >= 0) return WEAK;
  if (listens(element) || isDraggable(element) || isHoverOpener(element, tag) || isDrawing(element, tag)) return WEAK;
  return pointerBegins(element) ? WEAK : 0;
}

const HANDLERS = [
  'onclick',
  'onmousedown',
  'onmouseup',
  'onpointerdown',
  'onpointerup',
  'ontouchstart',
  'ondblclick',
  'onmouseenter',
  'onmouseover',
]
  .map((name) => `[${name}]`)
  .join();

/** Elements that the page's own world says listen for clicks; kept while the page lives, replaced by newer hints. */
export let listening = new WeakSet<Element>();

/** Take over which elements listen, as the page's own world says. */
export function setListening(elements: readonly Element[]): void {
  listening = new WeakSet(elements);
}

export const listeningClosed = new WeakSet<Element>(); // the same in closed shadow roots

const listens = (element: Element): boolean =>
  listening.has(element) || listeningClosed.has(element) || matches(element, HANDLERS);

/** Links and pictures can be dragged by themselves: what an author marks is meant to be. */
const isDraggable = (element: Element): boolean => attribute(element, 'draggable') === 'true';

const SMALLEST_DRAWING = 100;

/** A canvas may be anything, and listen where nobody sees it; one that is called a picture is none. */
function isDrawing(element: Element, tag: string): boolean {
  if (tag !== 'canvas' || authoredRole(element) === 'img') return false;
  const { width, height } = boxOf(element);
  return Math.min(width, height) >= SMALLEST_DRAWING && styleOf(element).pointerEvents !== 'none';
}

const MENU_ITEMS = 'a[href],button,[role=menuitem]';
const MAX_OPENER_CHILDREN = 10;

/**
 * Whether an item of a menu shows a part with links that are not rendered now: a style shows them while the mouse is
 * over the item, which is not to press. An item with a link or button of its own is that.
 */
function isHoverOpener(element: Element, tag: string): boolean {
  if (tag !== 'li') return false;
  if (openers.has(element)) return true;
  const first = firstElementOf(element);
  // Most items are but a link, or in a menu that is not shown itself.
  if (!first || (tagOf(first) === 'a' && !nextElementOf(first)) || !isStyledVisible(element)) return false;
  const children = childrenOf(element);
  if (children.length > MAX_OPENER_CHILDREN) return false;
  let opens = false;
  for (let child: Element | null = first; child; child = nextElementOf(child)) {
    if (isStyledVisible(child)) {
      if (matches(child, MENU_ITEMS) || queryAll(child, MENU_ITEMS).length) return false;
    } else opens ||= queryAll(child, MENU_ITEMS).length > 0;
  }
  if (opens) openers.add(element);
  return opens;
}

const openers = new WeakSet<Element>(); // they are that also while their parts are shown

/**
 * `cursor: pointer` is inherited: it counts where it begins. Elements that are not rendered are not asked, as that is
 * slow.
 */
function pointerBegins(element: Element): boolean {
  if (checkVisibility && !checkVisibility(element)) return false;
  if (styleOf(element).cursor !== 'pointer') return false;
  const parent = composedParent(element);
  return !parent || !isElement(parent) || styleOf(parent).cursor !== 'pointer';
}

const LISTS_OF_ITEMS = '[role=menu],[role=menubar],[role=listbox],[role=toolbar]';

/** What only divides or resizes others: a separator without a value, an edge with a resizing cursor, an empty item. */
function isDivider(element: Element): boolean {
  const role = authoredRole(element);
  if (role === 'separator') return !hasAttribute(element, 'aria-valuenow');
  if (tagOf(element) === 'hr') return true;
  if (textContentOf(element).trim()) return false;
  if (isResizer(element)) return true;
  // It keeps the role that was taken from it if it can have the focus, as all items of a menu can.
  const isItem = matches(element, '[role=none],[role=presentation]') && closest(element, LISTS_OF_ITEMS);
  return (Boolean(isItem) || styleOf(element).cursor.endsWith('-resize')) && !writtenName(element);
}

const RESIZER_CLASS = /(?:^|[\s_-])resiz(?:e|er|able)(?:$|[\s_-])/i;
const THICKEST_RESIZER = 12;

/** Whether an empty element is thin and named after resizing: many show the cursor for that only under the mouse. */
function isResizer(element: Element): boolean {
  if (!RESIZER_CLASS.test(attribute(element, 'class') || '')) return false;
  const { width, height } = boxOf(element);
  return Math.min(width, height) <= THICKEST_RESIZER;
}

// A list, table or tree often has one listener for all that it lists (event delegation): its rows are what a person
// clicks, and none of them looks or listens like it.

const ITEMS_OF_LISTS = 'li,tr,[role=option],[role=row],[role=treeitem],[role=listitem]';
const PARTS_OF_PAGES = 'main,nav,header,footer,h1,h2,[role=main],[role=navigation],[role=banner],[role=search]';
const FEWEST_REPEATED = 3;
const MAX_ITEMS_OF_LIST = 200;
const MAX_ITEMS_OF_PAGE = 1000;
const MAX_LISTS = 300;
const LEVELS_OF_LIST = 3;

/** Finds the items of one page's delegating containers, in walk order, and up to a limit. */
class DelegatedItems {
  private readonly items = new Set<Element>();
  private lists = 0;

  has(element: Element): boolean {
    return this.items.has(element);
  }

  /** Add the items of a container that listens. Returns whether it has any. */
  add(container: Element): boolean {
    if (this.items.size >= MAX_ITEMS_OF_PAGE || this.lists++ >= MAX_LISTS) return false;
    if (!firstChildOf(container) || queryAll(container, PARTS_OF_PAGES).length) return false;
    let count = 0;
    for (const item of itemsOf(container)) {
      if (count >= MAX_ITEMS_OF_LIST || this.items.size >= MAX_ITEMS_OF_PAGE) break;
      if (isRowOfHeads(item) || !visibleLength(item)) continue;
      this.items.add(item);
      count++;
    }
    return count > 0;
  }
}

/** What a container lists: by tag or role, else the children that repeat, of the container or its only child. */
function itemsOf(container: Element): Iterable<Element> {
  const items = queryAll(container, ITEMS_OF_LISTS);
  if (items.length) return items;
  let list = container;
  for (let level = 0; level < LEVELS_OF_LIST; level++) {
    const children = childrenOf(list);
    const only = children[0];
    if (children.length !== 1 || !only) return repeated(children);
    list = only;
  }
  return [];
}

/** Children of the same tag and class, if there are several and they are most of all. */
function repeated(children: HTMLCollection): Element[] {
  const all = Array.prototype.slice.call<HTMLCollection, [number, number], Element[]>(
    children,
    0,
    2 * MAX_ITEMS_OF_LIST,
  );
  const kinds = groupBy(all, (child) => `${tagOf(child)} ${attribute(child, 'class') || ''}`);
  for (const group of kinds.values()) {
    if (group.length >= FEWEST_REPEATED && 2 * group.length > all.length) return group;
  }
  return [];
}

// Which of the elements found only wrap, label or dim others: those that are weak, and add nothing to what they hold or
// to the control around them.

/** Drop what is weak and adds nothing to a whole control around it, or only wraps other found elements. */
function withoutWrappers(found: readonly Placed[]): Placed[] {
  const labels = labelsByReference(found);
  const open: Placed[] = []; // the candidates that contain the current one, outermost first
  for (const candidate of found) {
    let around = open.at(-1);
    for (; around && !isAround(around.element, candidate.element); around = open.at(-1)) open.pop();
    if (around) {
      candidate.inside = around;
      around.holds.push(candidate);
    }
    const whole = candidate.strong ? null : wholeAround(candidate);
    if (isPartOfControl(candidate, open) || (whole && !addsTo(whole, candidate))) candidate.dropped = true;
    open.push(candidate);
  }
  for (const candidate of found.slice().reverse()) {
    if (candidate.dropped) continue;
    const isWeak =
      !candidate.strong &&
      (isDrawingOfBox(candidate) ||
        labels.has(candidate.element) ||
        isCurtain(candidate.element) ||
        isMereWrapper(candidate));
    if (isWeak || isHostOfItself(candidate) || isAroundCombobox(candidate)) candidate.dropped = true;
  }
  return found.filter((candidate) => !candidate.dropped);
}

/** Whether one element holds another of its frame, shadow roots and what is slotted into them included. */
function isAround(outer: Element, inner: Element): boolean {
  if (contains(outer, inner)) return true;
  if (nodeTypeOf(rootOf(outer)) === FRAGMENT_NODE) {
    for (let node = composedParent(inner); node && node !== document; node = composedParent(node)) {
      if (node === outer) return true;
    }
    return false;
  }
  return hostsOf(inner).some((host) => contains(outer, host));
}

/** Whether it is a part of a date field, draws a slider, or is the value of a combo box. */
function isPartOfControl({ element, strong, inside }: Placed, around: readonly Placed[]): boolean {
  if (inside === null) return false;
  if (!strong && isSliderFound(inside)) return true;
  if (roleOf(inside.element) === 'combobox' && isVisibleText(element)) return true;
  return around.some((outer) => isDateField(outer.element)) && (!strong || matches(element, SEGMENTS));
}

/** The text that a combo box shows as its value. */
const isVisibleText = (element: Element): boolean =>
  authoredRole(element) === 'textbox' &&
  attribute(element, 'aria-readonly') === 'true' &&
  !hasAttribute(element, 'tabindex');

const isSliderFound = (candidate: Candidate): boolean => candidate.strong && roleOf(candidate.element) === 'slider';

/** The nearest whole control around a candidate, or null. */
function wholeAround({ inside }: Placed): Placed | null {
  for (let outer = inside; outer; outer = outer.inside) if (isWhole(outer)) return outer;
  return null;
}

const isWhole = (candidate: Candidate): boolean => candidate.strong && WHOLE.has(roleOf(candidate.element));

// Inside one of these a mere pointer cursor or listener is the control's own.
const WHOLE = new Set([
  'link',
  'button',
  'option',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'treeitem',
]);

/** Whether a weak element does something of its own inside a whole control: it reacts, and is called otherwise. */
function addsTo(whole: Candidate, candidate: Candidate): boolean {
  if (!ownClick(candidate)) return false;
  const length = visibleLength(candidate.element);
  if (length > 0 && length === visibleLength(whole.element)) return false;
  const name = writtenName(candidate.element) || inventedBase(candidate.element);
  return name !== '' && name !== writtenName(whole.element);
}

/** Whether an element reacts by itself. */
const ownClick = (candidate: Candidate): boolean =>
  hasAttribute(candidate.element, 'tabindex') || listens(candidate.element);

const MAX_PARTS_OF_BOX = 8;
const CHECK_BOXES = 'input[type=checkbox],input[type=radio]';

/**
 * Whether a weak element without a name draws the box of the label that it is in, or the only one beside it, which lies
 * over it: a switch's track, a star.
 */
function isDrawingOfBox({ element, holds: held }: Placed): boolean {
  if (held.length || writtenName(element) || hasTabStop(element)) return false;
  const above = elementAbove(element);
  const label = above && closest(above, 'label');
  const control = label && labelControlOf(label);
  if (control && matches(control, CHECK_BOXES)) return true;
  const parent = parentElementOf(element);
  if (!parent || childrenOf(parent).length > MAX_PARTS_OF_BOX) return false;
  const boxes = queryAll(parent, CHECK_BOXES);
  const box = boxes.length === 1 ? boxes[0] : undefined;
  return box !== undefined && !contains(element, box) && isOver(element, boxOf(box));
}

/** The labels of fields that refer to them by `aria-labelledby`. */
function labelsByReference(found: readonly Candidate[]): Set<Element> {
  const labels = new Set<Element>();
  for (const { element, strong } of found) {
    const ids = strong && attribute(element, 'aria-labelledby');
    if (!ids || !takesLabel(element) || !isStyledVisible(element)) continue;
    for (const id of ids.trim().split(/\s+/)) {
      const label = elementById(element, id);
      if (label) labels.add(label);
    }
  }
  return labels;
}

/** Whether an element only covers or dims the page: fixed, empty, and large. */
export function isCurtain(element: Element): boolean {
  if (childrenOf(element).length || visibleLength(element) || hasTabStop(element)) return false;
  return styleOf(element).position === 'fixed' && isLarge(element) && !writtenName(element);
}

const LARGE_SHARE = 0.5;

/** Whether an element takes up more than half of its frame's viewport. */
export function isLarge(element: Element): boolean {
  const box = boxOf(element);
  const { width, height } = viewSizeOf(windowOf(ownerOf(element)) || window);
  return box.width * box.height > LARGE_SHARE * width * height;
}

const MAX_CONTAINER_TEXT_LENGTH = 300;

/** Whether a weak element does nothing of its own: a press on it is for what it holds, or for its control. */
function isMereWrapper(candidate: Placed): boolean {
  const { element, tag } = candidate;
  const held = heldBy(candidate);
  if (candidate.delegates && held.length) return true;
  const control = tag === 'label' ? labelControlOf(element) : null;
  if (control) {
    // A check box or a file input that the label draws is listed itself.
    if (checkedState(control) !== null || isFileInput(control) || hasWidget(control)) return true;
    return isStyledVisible(control) && visibleBox(control) !== null;
  }
  if (held.some(isDrawnCombobox)) return true;
  const isGroup = held.length > 1 && (tag === 'fieldset' || GROUP_ROLES.has(authoredRole(element)));
  const isMessage = () => queryAll(element, LIVE).length > 0 || (held.length > 0 && matches(element, LIVE));
  if (!hasClickOfItsOwn(element) && (isGroup || held.some(isPartOfWidget) || isMessage())) return true;
  const length = visibleLength(element);
  if (!held.length) return length > MAX_CONTAINER_TEXT_LENGTH && !ownClick(candidate);
  let covered = 0;
  for (const { element: inner } of held) {
    const drawn = checkedState(inner) === null ? [] : labelsOf(inner);
    covered += Math.max(visibleLength(inner), ...drawn.map(visibleLength));
  }
  if (covered >= length) return true;
  return (length > MAX_CONTAINER_TEXT_LENGTH || held.length > 3) && isLarge(element);
}

const isFileInput = (control: Element): boolean => tagOf(control) === 'input' && inputTypeOf(control) === 'file';

/** Fields, and the items of a tree, a list or a row of tabs: a press on the box around them is for them. */
const isPartOfWidget = ({ element, strong }: Candidate): boolean =>
  strong && (takesLabel(element) || ITEM_ROLES.has(roleOf(element))) && seenBox(element) !== null;

/** What is drawn in the place of a combo box's own field is pressed for that. */
const isDrawnCombobox = ({ element }: Candidate): boolean =>
  tagOf(element) === 'input' &&
  attribute(element, 'role') === 'combobox' &&
  (isReadOnly(element) || isTransparentControl(element));

const GROUP_ROLES = new Set(['radiogroup', 'group', 'tablist', 'toolbar', 'tree', 'menu', 'menubar', 'listbox']);
const ITEM_ROLES = new Set(['option', 'tab', 'treeitem', 'menuitem', 'menuitemcheckbox', 'menuitemradio']);
const ROWS_OF_LISTS = 'tr,li,[role=row],[role=listitem],[role=option],[role=treeitem]';
const hasTabStop = (element: Element): boolean => parseInt(attribute(element, 'tabindex') ?? '', 10) >= 0;

/** Whether a box is plainly something to press, whatever it holds. */
function hasClickOfItsOwn(element: Element): boolean {
  if (hasTabStop(element) || matches(element, ROWS_OF_LISTS)) return true;
  return styleOf(element).cursor === 'pointer';
}

/** Whether it is a custom element whose shadow tree is one control of the same name: a person sees that one alone. */
function isHostOfItself(candidate: Placed): boolean {
  if (!shadowOf(candidate.element)) return false;
  const [held, other] = heldBy(candidate);
  if (!held?.strong || other || rootOf(held.element) === rootOf(candidate.element)) return false;
  const name = writtenName(candidate.element);
  return !name || name === writtenName(held.element);
}

const COMBOBOX_FIELDS = new Set(['combobox', 'searchbox']);

/** Whether it is a combo box without a name around a field that says that it is the combo box, or its search. */
function isAroundCombobox(candidate: Placed): boolean {
  if (authoredRole(candidate.element) !== 'combobox' || writtenName(candidate.element)) return false;
  const isField = ({ element }: Candidate) => tagOf(element) === 'input' && COMBOBOX_FIELDS.has(authoredRole(element));
  return heldBy(candidate).filter(isField).length === 1;
}

/** The kept candidates right inside, looking through dropped ones. */
function heldBy(candidate: Placed): Placed[] {
  const held: Placed[] = [];
  const pending = [...candidate.holds];
  for (let inner = pending.pop(); inner; inner = pending.pop()) {
    if (inner.dropped) pending.push(...inner.holds);
    else held.push(inner);
  }
  return held;
}

// Types, roles and modifiers of interactive elements (docs/spec/scanner-protocol.md#elements).

/** Fill a candidate's `type`, `role` and the modifiers that only attributes decide (`fixed`). */
export function classifyCandidate(candidate: Candidate): void {
  const { element, tag } = candidate;
  const authored = authoredRole(element);
  candidate.type = elementType(tag, element, authored);
  candidate.role = elementRole(candidate, authored);
  const fixed: Modifier[] = [];
  if (isRequired(element)) fixed.push('required');
  if (isDisabled(element)) fixed.push('disabled');
  if (isReadOnly(element)) fixed.push('readonly');
  if (candidate.role === 'password' && isRevealed(element)) fixed.push('revealed');
  if (candidate.type === 'button' && isPrimary(element, candidate.role)) {
    fixed.push('primary');
    if (candidate.role === 'generic') candidate.role = 'primary';
  }
  if (isActiveByClass(candidate)) fixed.push('active');
  candidate.fixed = fixed;
  candidate.concealed = closest(element, '[aria-hidden=true],[inert]') !== null;
}

const TYPE_OF_ROLE: Readonly<Record<string, ElementType>> = {
  button: 'button',
  link: 'link',
  checkbox: 'checkbox',
  menuitemcheckbox: 'checkbox',
  switch: 'checkbox',
  radio: 'radio',
  menuitemradio: 'radio',
};

function elementType(tag: string, element: Element, authored: string): ElementType {
  const ofRole = TYPE_OF_ROLE[authored];
  if (ofRole) return ofRole;
  switch (tag) {
    case 'input': {
      const type = inputTypeOf(element);
      if (type === 'checkbox' || type === 'radio') return type;
      return type in BUTTON_INPUTS ? 'button' : 'input';
    }
    case 'select':
    case 'textarea':
    case 'button':
      return tag;
    case 'summary':
      return isDetailsSummary(element) ? 'button' : 'generic';
    case 'a':
    case 'area':
      return hasAttribute(element, 'href') || hasAttribute(element, 'xlink:href') ? 'link' : 'generic';
    default:
      return 'generic';
  }
}

const PLAIN_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'menuitem', '', 'none', 'generic']);

export const SLIDER_CLASS = /slider[\w-]*(handle|thumb)/i;

function elementRole(candidate: Candidate, authored: string): string {
  const { element, tag, type } = candidate;
  if (tag === 'input' && type === 'input') return inputRole(element);
  if (tag === 'textarea') return 'generic';
  if (tag === 'option') return 'option';
  if (tag === 'select') return isMultiple(element) ? 'multiple' : 'generic';
  if (type === 'button' && isSubmit(element, tag)) return 'submit';
  if (tag === 'iframe' || tag === 'frame') return 'frame';
  if (tag === 'canvas' && PLAIN_ROLES.has(authored)) return 'canvas';
  if (!PLAIN_ROLES.has(authored)) return authored;
  if (type === 'generic' && isEditable(element)) return 'textbox';
  if (type === 'generic' && authored) return authored;
  if (type === 'generic' && SLIDER_CLASS.test(attribute(element, 'class') || '')) return 'slider';
  return 'generic';
}

export const TYPING_INPUTS = new Set(['text', 'search', 'email', 'tel', 'url', 'password']);

// docs/spec/scanner-protocol.md#roles: signals in autocomplete
// (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill), then in words.
const AUTOCOMPLETE_ROLES: readonly (readonly [RegExp, string])[] = [
  [/\bemail\b/, 'email'],
  [/\btel\b|\btel-/, 'tel'],
  [/\burl\b/, 'url'],
  [/\busername\b/, 'username'],
];

const WORD_ROLES: readonly (readonly [RegExp, string])[] = [
  [/e-?mail/i, 'email'],
  [/user\s?name|user id|\blogin\b/i, 'username'],
  [/\bsearch\b/i, 'search'],
  [/\b(tele)?phone\b|\bmobile\b/i, 'tel'],
  [/\bwebsite\b|\burl\b/i, 'url'],
];

function inputRole(element: Element): string {
  if (isSecret(element)) return 'password';
  const type = inputTypeOf(element);
  if (type !== 'text' && type !== 'search' && TYPING_INPUTS.has(type)) return type;
  const autocomplete = (attribute(element, 'autocomplete') || '').toLowerCase();
  for (const [pattern, role] of AUTOCOMPLETE_ROLES) if (pattern.test(autocomplete)) return role;
  if (type === 'search' || roleOf(element) === 'searchbox') return 'search';
  if (type !== 'text') return type;
  const words = labelWords(element);
  for (const [pattern, role] of WORD_ROLES) if (pattern.test(words)) return role;
  return closest(element, '[role=search],search') ? 'search' : 'text';
}

/** What is written on and around an input: its name, its placeholder, its own name and id. */
function labelWords(element: Element): string {
  const parts = [nameOf(element), attribute(element, 'placeholder')];
  const own = attribute(element, 'name') || '';
  const id = attribute(element, 'id') || '';
  parts.push(
    /^(q|query|s|search)$/i.test(own) ? 'search' : own.replace(/[_.\-[\]]+/g, ' '),
    id.replace(/[_.-]+/g, ' '),
  );
  return parts
    .filter(Boolean)
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** Whether a press on an element of HTML's own sends a form. */
export function isSubmit(element: Element, tag: string): boolean {
  if (tag === 'input') return inputTypeOf(element) === 'submit' || inputTypeOf(element) === 'image';
  if (tag !== 'button') return false;
  const type = (attribute(element, 'type') || 'submit').toLowerCase();
  return type !== 'button' && type !== 'reset' && formOf(element) !== null;
}

const PRIMARY_CLASS = /(^|[\s_-])(primary|cta)($|[\s_-])/i;

/**
 * A form's default button (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#default-button), or
 * a class that says so.
 */
function isPrimary(element: Element, role: string): boolean {
  if (PRIMARY_CLASS.test(attribute(element, 'class') || '')) return true;
  if (role !== 'submit') return false;
  const form = formOf(element);
  return (
    form !== null &&
    queryAll(form, 'button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]')[0] === element
  );
}

// Frameworks that write no ARIA mark a pressed button or a chosen row by a class: `active`, `bk-active`,
// `row--selected`, or one of these with the hash of a style module after it.
const STATE_WORDS = new Set(['active', 'pressed', 'selected', 'toggled', 'checked']);

const NEGATIONS = new Set(['not', 'non', 'un', 'in']);
const MODULE_HASH = /__(?=[\w-]*[A-Z\d])[\w-]{4,8}$/;

/** Whether only a class says that a button or a row is pressed or chosen. */
function isActiveByClass({ element, tag, type }: Candidate): boolean {
  if (type !== 'button' && type !== 'generic') return false;
  const classes = attribute(element, 'class');
  if (!classes || tag === 'iframe' || STATE_ATTRIBUTES.some((name) => hasAttribute(element, name))) return false;
  return classes.split(/\s+/).some(isStateClass);
}

const CHECKED = 'aria-checked';
const STATE_ATTRIBUTES = ['aria-pressed', 'aria-selected', CHECKED];

function isStateClass(name: string): boolean {
  if (/[:[]/.test(name)) return false; // a style that holds in a state, as in `active:bg-blue`
  const words = name.replace(MODULE_HASH, '').toLowerCase().split(/[-_]+/);
  return STATE_WORDS.has(words.pop() ?? '') && !words.some((word) => NEGATIONS.has(word));
}

/** The modifiers now, those that change without a mutation included. */
export function modifiersOf(candidate: Candidate, focused: Element | null, hidden: boolean): readonly Modifier[] {
  const { element, tag, type, fixed } = candidate;
  const isCheckable = type === 'checkbox' || type === 'radio' || (type === 'generic' && hasAttribute(element, CHECKED));
  const checked = isCheckable ? checkedState(element) : null;
  candidate.toggles ??= toggleStates(element, tag);
  const states = isInvalid(element, tag) ? [...candidate.toggles, 'invalid' as const] : candidate.toggles;
  if (checked === null && focused !== element && !hidden && !states.length) return fixed;
  const modifiers = fixed.slice();
  if (hidden) modifiers.push('hidden');
  if (checked !== null) modifiers.push(isMixed(element) ? 'mixed' : checked ? 'checked' : 'unchecked');
  modifiers.push(...states);
  if (focused === element) modifiers.push('focused');
  return modifiers;
}
