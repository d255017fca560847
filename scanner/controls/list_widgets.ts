// The model of a list that a page builds itself: what belongs to the widget, which options it shows, and what it says to
// be chosen (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/, …/listbox/, …/menubar/, …/treeview/).
//
// What the author says counts: references between the parts, roles, states, the select behind the widget. Else the list
// is what has appeared since the choice began, at the widget, and belongs to no other one.

import {
  assignedNodesOf,
  attribute,
  checkedOf,
  closest,
  dataOf,
  firstChildOf,
  hasAttribute,
  inputTypeOf,
  isElement,
  isText,
  matches,
  nextSiblingOf,
  optionSelected,
  optionValue,
  optionsOf,
  rootOf,
  shadowOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Container } from '../dom/natives';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds, isAttached } from '../dom/tree';
import { allElements } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { seenBox } from '../geometry/visibility';
import type { Edges } from '../geometry/styles';
import { LIVE } from '../semantics/roles';
import { FORM_FIELDS, isDisabled, optionLabel, selectedTexts, valueOf } from '../semantics/values';
import { elementById } from '../semantics/names';
import { isTypingField } from '../semantics/text_controls';
import { selectBehind, widgetAround } from '../semantics/select_widgets';
import { nameOf } from '../semantics/labels';
import { chosenText } from '../targets/describe';
import { floatingAround } from '../page/layers';

export const OPTIONS = ['option', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'treeitem']
  .map((role) => `[role~=${role}]`)
  .join();
const LISTS = '[role~=listbox],[role~=menu],[role~=tree],[role~=list]';
const LIST_TAGS = new Set(['ul', 'ol', 'menu']);
const LIST_PARTS =
  '[role=combobox],[aria-haspopup]:not([aria-haspopup=false]),[aria-controls],[aria-owns],[aria-expanded],[popovertarget]';
const REFERENCES = ['aria-controls', 'aria-owns', 'popovertarget', 'commandfor'];
const MAX_OPTION_LENGTH = 200;
const MAX_GAP = 48; // CSS pixels between a field and its list
const BOX_LEVELS = 4;

/** The select or the field that an element stands for: the control of a label; what is shown for a hidden one. */
export function meantControl(element: Element): Element {
  const control = (tagOf(element) === 'label' && labelControlOf(element)) || element;
  if (control !== element && seenBox(control)) return control;
  if (control === element && tagOf(element) !== 'label' && seenBox(element)) return element;
  return widgetAround(control) || (control === element ? null : widgetAround(element)) || control;
}

/** All that matches in an element, also in shadow roots and in what is put into slots. */
function deepQuery(root: Container, css: string): Element[] {
  const found = new Set(queryAll(root, css));
  const inside = [...queryAll(root, '*')];
  for (const node of 'tagName' in root ? [root, ...inside] : inside) {
    const shadow = shadowOf(node);
    const parts: readonly Node[] = shadow
      ? [shadow]
      : tagOf(node) === 'slot'
        ? assignedNodesOf(node as HTMLSlotElement)
        : [];
    for (const part of parts) {
      if (part === shadow) for (const each of deepQuery(shadow, css)) found.add(each);
      else if (isElement(part))
        for (const each of [...(matches(part, css) ? [part] : []), ...deepQuery(part, css)]) found.add(each);
    }
  }
  return [...found];
}

class ListWidget {
  /** The element, the combo box around it, and what in it refers to a list. */
  readonly parts: readonly Element[];
  /** The hidden select that keeps the choice. */
  readonly select: Element | null;
  readonly isList: boolean;

  constructor(readonly element: Element) {
    this.isList = matches(element, LISTS);
    const inner = this.isList ? [] : deepQuery(element, LIST_PARTS).filter((each) => !closest(each, OPTIONS));
    const around = closest(element, '[role=combobox]');
    this.parts = [element, ...inner, ...(around && around !== element ? [around] : [])];
    const behind = this.parts.map(selectBehind).find((select) => select !== null);
    const [only, ...others] = [...queryAll(element, 'select')].filter((each) => !seenBox(each));
    this.select = behind ?? (only && !others.length ? only : null);
  }

  /** Whether it says that its list is open, or null if it says nothing. */
  get isExpanded(): boolean | null {
    const states = this.parts.map((part) => attribute(part, 'aria-expanded'));
    return states.includes('true') ? true : states.includes('false') ? false : null;
  }

  /** What it says to be its lists. */
  lists(): Element[] {
    const lists = this.isList ? [this.element] : deepQuery(this.element, LISTS);
    for (const part of this.parts) {
      for (const id of REFERENCES.flatMap((name) => (attribute(part, name) || '').split(/\s+/))) {
        const list = id && elementById(part, id);
        if (list && !holds(list, this.element)) lists.push(list);
      }
    }
    return [...new Set(lists)];
  }

  /** Whether an element is a part of the widget. */
  includes(element: Element): boolean {
    return this.parts.includes(element) || holds(this.element, element) || holds(boxAround(this.element), element);
  }

  /** What it shows as chosen, or holds. */
  shown(): string {
    if (this.select) return selectedTexts(this.select).join(', ');
    const { element } = this;
    const tag = tagOf(element);
    if (tag === 'input' || tag === 'textarea') return valueOf(element) || chosenText(element);
    const lists = this.lists();
    const fields = [...queryAll(element, FORM_FIELDS)].filter((each) => !lists.some((list) => holds(list, each)));
    return collapse([chosenText(element) || textBeside(element, lists), ...fields.map(valueOf)].join(' '));
  }
}

/** The box around a field that holds no other control. */
export function boxAround(element: Element): Element {
  let box = element;
  for (let node = elementAbove(element), level = 0; node && level < BOX_LEVELS; node = elementAbove(node), level++) {
    if (['body', 'form', 'fieldset', 'dialog', 'html'].includes(tagOf(node))) break;
    const others = [...queryAll(node, `${FORM_FIELDS},[role=combobox],[role=textbox]`)];
    if (others.some((each) => !holds(each, element) && !holds(element, each) && seenBox(each))) break;
    box = node;
  }
  return box;
}

/** The visible text of an element, but for its lists. */
function textBeside(element: Element, lists: readonly Element[]): string {
  const texts: string[] = [];
  const read = (node: Element): void => {
    for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) {
      if (isText(child)) {
        if (dataOf(child).trim() && isStyledVisible(node)) texts.push(dataOf(child));
      } else if (isElement(child) && !lists.includes(child)) read(child);
    }
  };
  read(element);
  return collapse(texts.join(' '));
}

/** The text of an option, without those of the options inside it; one in a shadow tree may show slotted text alone. */
export function textOfOption(option: Element): string {
  const inner = [...queryAll(option, OPTIONS)];
  const content = inner.length ? textBeside(option, inner) : textContentOf(option);
  return collapse(attribute(option, 'aria-label') || content || attribute(option, 'title') || '') || nameOf(option);
}

/** Everything that the page shows for an option, or calls it. */
export const textsOfOption = (option: Element): string[] => {
  const content = collapse(textContentOf(option));
  return [textOfOption(option), content, nameOf(option)].filter(Boolean);
};

export const valuesOfOption = (option: Element): string[] =>
  ['data-value', 'value'].map((name) => attribute(option, name) ?? '').filter(Boolean);

const isSeenOption = (element: Element): boolean =>
  seenBox(element) !== null && textContentOf(element).length <= MAX_OPTION_LENGTH;

const DISABLED_CLASS = /(?:^|[\s_-])disabled(?:\s|$)/i;

/** Whether an option can't be chosen, as attributes, or the class of a list without roles, say. */
export function isOptionDisabled(option: Element): boolean {
  if (isDisabled(option)) return true;
  for (let node: Element | null = option, level = 0; node && level < 3; node = elementAbove(node), level++) {
    if (hasAttribute(node, 'data-disabled') && attribute(node, 'data-disabled') !== 'false') return true;
    if (tagOf(node).includes('-') && hasAttribute(node, 'disabled')) return true;
    if (DISABLED_CLASS.test(attribute(node, 'class') || '')) return true;
    if (matches(node, `${OPTIONS},li`)) return false;
  }
  return false;
}

/** One choice: what the page showed when it began, and what its list has shown since. */
export class Choice {
  readonly widget: ListWidget;
  /** What was seen when it began. */
  private readonly seen: WeakSet<Element>;
  private readonly wasCollapsed: boolean;
  /** The list that was looked at last. */
  list: Element | null = null;
  /** Whether it is known to be the widget's list: by what the author says, or because it has the wanted option. */
  private isKnown = false;
  /** The texts of all options that were seen. */
  readonly texts = new Set<string>();
  /** The texts of boxes around texts without roles, of which the widget may show a part. */
  readonly rows = new Set<string>();
  /** The texts that the widget has shown as chosen. */
  readonly held = new Set<string>();

  constructor(element: Element) {
    this.widget = new ListWidget(element);
    this.wasCollapsed = this.widget.isExpanded === false;
    this.seen = new WeakSet();
    const options = this.wasCollapsed ? [] : this.authoredOptions();
    this.seen = new WeakSet(allElements().filter(isStyledVisible));
    this.list = options.length ? listAround(options) : this.widget.isList ? element : null;
    this.isKnown = this.list !== null;
  }

  /** Follow the widget if the page has drawn it anew. */
  follow(element: Element): Choice {
    if (element !== this.widget.element) Object.assign(this, { widget: new ListWidget(element) });
    return this;
  }

  /** Whether its list is open, as far as that is known. */
  get isOpen(): boolean {
    const { isExpanded } = this.widget;
    if (isExpanded !== null) return isExpanded;
    const { list } = this;
    if (!list || this.widget.isList || !isAttached(list) || !this.isFresh(list) || !seenBox(list)) return false;
    return this.isKnown || this.entriesOf(list).length > 1;
  }

  isFresh(element: Element): boolean {
    return !this.seen.has(element);
  }

  /** The options that are visible now. Of several boxes that may be the list, the one that has a fitting option is. */
  options(fits: (option: Element) => boolean): Element[] {
    const options = this.optionsNow(fits);
    for (const option of options) this.texts.add(textOfOption(option));
    return options;
  }

  private optionsNow(fits: (option: Element) => boolean): Element[] {
    const authored = this.authoredOptions();
    if (authored.length) {
      this.list = listAround(authored);
      this.isKnown = true;
      return authored;
    }
    const known = this.isKnown && this.list && isAttached(this.list) && seenBox(this.list) ? [this.list] : [];
    const named = this.widget.lists().filter((each) => this.isListLike(each) && isAttached(each) && seenBox(each));
    for (const [lists, isNamed] of [
      [known, true],
      [named, true],
      [this.freshLists(), false],
    ] as const) {
      const found = lists.map((list) => ({ list, entries: this.entriesOf(list) }));
      const fitting = found.find(({ entries }) => entries.some(fits));
      const likely =
        fitting || found.find(({ entries }) => entries.length > 1) || found.find(({ entries }) => entries.length);
      if (!likely) continue;
      this.list = likely.list;
      this.isKnown = isNamed || fitting !== undefined;
      return likely.entries;
    }
    this.isKnown = false;
    return [];
  }

  /** The options by their role, in the widget or in what it says to be its list; what a closed one shows is its value. */
  private authoredOptions(): Element[] {
    const own = [this.widget.element, ...this.widget.lists()].flatMap((each) => deepQuery(each, OPTIONS));
    return [...new Set(own.filter((each) => this.isOption(each)))];
  }

  private isOption(element: Element): boolean {
    return isSeenOption(element) && !(this.wasCollapsed && this.seen.has(element));
  }

  private isListLike(element: Element): boolean {
    return this.isFresh(element) || matches(element, LISTS) || LIST_TAGS.has(tagOf(element));
  }

  /** The options of a list by their role, else every whole text in it. */
  private entriesOf(list: Element): Element[] {
    const authored = deepQuery(list, OPTIONS).filter((each) => this.isOption(each));
    if (authored.length) return authored;
    const isNew = this.isFresh(list);
    return deepQuery(list, '*').filter(
      (each) => (isNew || this.widget.isList || this.isFresh(each)) && isEntry(each) && this.isOption(each),
    );
  }

  /** The boxes that have appeared and may be the widget's list, the likely ones first. */
  private freshLists(): Element[] {
    // One that says that its list is closed has none: what else has appeared is about something else.
    const isCollapsed = this.widget.isExpanded === false;
    const fresh = allElements().filter((each) => this.isFresh(each) && isStyledVisible(each));
    const isNew = new Set(fresh);
    const boxes = new Set<Element>();
    for (const each of fresh) {
      const above = elementAbove(each);
      if (!above || isNew.has(above)) continue;
      // Entries that are put into a box which was there before.
      const isBox = !isEntry(each) && !matches(each, OPTIONS);
      if (isBox) boxes.add(each);
      else if (!['body', 'html', 'form'].includes(tagOf(above))) boxes.add(above);
    }
    const rated = [...boxes]
      .filter((box) => !closest(box, `${LIVE},[role=tooltip]`) && !this.isOfAnother(box))
      .map((box) => ({ box, rating: this.ratingOf(box, isCollapsed) }))
      .filter(({ box, rating }) => rating > 0 && this.entriesOf(box).length > 0);
    return rated.sort((one, other) => other.rating - one.rating).map(({ box }) => box);
  }

  /** Whether something else on the page says that a list is its own. */
  private isOfAnother(box: Element): boolean {
    const lists = [...deepQuery(box, LISTS)];
    for (let node: Element | null = box; node; node = elementAbove(node)) lists.push(node);
    return lists.some((list) => {
      const id = attribute(list, 'id');
      if (!id || list === this.widget.element) return false;
      const name = CSS.escape(id);
      const owners = [...queryAll(rootOf(list) as Container, `[aria-controls~="${name}"],[aria-owns~="${name}"]`)];
      return owners.length > 0 && !owners.some((owner) => this.widget.includes(owner));
    });
  }

  /** How likely a new box is the list; 0: it is none. */
  private ratingOf(box: Element, isCollapsed: boolean): number {
    const { element } = this.widget;
    const owned = this.widget.lists();
    if (owned.some((list) => holds(box, list) || holds(list, box))) return 5;
    const hasOptions = deepQuery(box, OPTIONS).some(isSeenOption);
    const isInside = holds(element, box) || holds(boxAround(element), box);
    if (hasOptions) return isInside || isAt(box, element) ? 4 : 3;
    if (isCollapsed || asksForMore(box)) return 0;
    if (isInside || isAt(box, element)) return 2;
    return floatingAround(box) || /absolute|fixed/.test(styleOf(box).position) ? 1 : 0;
  }

  /**
   * Whether a text is chosen: true, false, or null if the page does not say. `option` is the option in the open list, if
   * that is shown.
   */
  isChosen(text: string, option: Element | null): boolean | null {
    const state = this.stateOf(text, option);
    if (state) this.held.add(text);
    return state;
  }

  /** Whether the select behind the widget keeps a choice; null without one that knows it. */
  isKept(text: string, option: Element | null): boolean | null {
    const { select } = this.widget;
    if (!select) return null;
    const [wanted, values] = option ? [textsOfOption(option), valuesOfOption(option)] : [[text], []];
    const options = [...optionsOf(select)];
    const kept =
      options.find((each) => wanted.includes(optionLabel(each))) ||
      options.find((each) => values.includes(optionValue(each)));
    return kept ? optionSelected(kept) : null;
  }

  /** Whether the widget shows a text as chosen. `taken`: it has just been chosen. */
  shows(text: string, taken: boolean): boolean {
    const isShown = isIn(text, this.widget.shown(), this.texts);
    if (isShown && taken) this.held.add(text);
    return isShown;
  }

  private stateOf(text: string, option: Element | null): boolean | null {
    const wanted = [text, ...(option ? textsOfOption(option) : [])];
    const kept = this.isKept(text, option);
    if (kept !== null) return kept;
    const checked = option && checkOf(option);
    if (checked !== null) return checked;
    const shown = this.widget.shown();
    if (wanted.some((each) => isIn(each, shown, this.texts))) return true;
    if (this.rows.has(text) && isIn(shown, text, new Set())) return true;
    if (option && this.keepsValueOf(option)) return true;
    // It shows another option, or no longer what it showed.
    if (shown && this.texts.has(shown)) return false;
    return this.held.has(text) ? false : null;
  }

  /** Whether a hidden field at the widget holds the value of an option. */
  private keepsValueOf(option: Element): boolean {
    const values = valuesOfOption(option);
    const fields = [...queryAll(boxAround(this.widget.element), 'input[type=hidden]')];
    return fields.some((field) => values.includes(valueOf(field)));
  }

  /**
   * Whether a press on an option takes it away, before anything has shown what a press does: some lists call the active
   * option selected, so that it has to be shown as chosen too.
   */
  isChosenAlready(text: string, option: Element): boolean {
    const { select } = this.widget;
    if (select || checkOf(option) !== null) return this.stateOf(text, option) === true;
    return isSelectedOption(option) && isIn(text, this.widget.shown(), this.texts);
  }
}

/** The state of an option that has a box, or says that it is checked; null for any other. */
function checkOf(option: Element): boolean | null {
  const said = attribute(option, 'aria-checked');
  if (said === 'true' || said === 'false') return said === 'true';
  const [box, ...others] = queryAll(option, 'input[type=checkbox],input[type=radio]');
  return box && !others.length && inputTypeOf(box) ? checkedOf(box) : null;
}

/** Whether the option is one of several that says that it is selected. */
export function isSelectedOption(option: Element): boolean {
  if (attribute(option, 'aria-selected') !== 'true') return false;
  const list = closest(option, LISTS);
  return list !== null && attribute(list, 'aria-multiselectable') === 'true';
}

/** Whether a text stands in what a widget shows, as a whole and not as a part of another option's. */
function isIn(text: string, shown: string, texts: ReadonlySet<string>): boolean {
  if (!text || !shown) return false;
  if (text === shown) return true;
  if (texts.has(shown)) return false;
  let rest = ` ${shown} `;
  const longer = [...texts].filter((each) => each.length > text.length && each.includes(text));
  for (const each of longer) rest = rest.split(each).join('\n');
  for (let at = rest.indexOf(text); at >= 0; at = rest.indexOf(text, at + 1)) {
    if (!isWord(rest.charAt(at - 1)) && !isWord(rest.charAt(at + text.length))) return true;
  }
  return false;
}

const isWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** The innermost element around all options. */
function listAround(options: readonly Element[]): Element | null {
  const [first, last] = [options[0], options.at(-1)];
  if (!first || !last) return null;
  const list = closest(first, LISTS);
  if (list && holds(list, last)) return list;
  let node = elementAbove(first);
  while (node && !holds(node, last)) node = elementAbove(node);
  return node;
}

const NO_ENTRIES = new Set(['option', 'script', 'style', 'input', 'textarea', 'legend', 'h1', 'h2', 'h3', 'title']);

/** An entry of a list without roles: a whole text, and nothing that is written into, nor read aloud. */
function isEntry(element: Element): boolean {
  if (NO_ENTRIES.has(tagOf(element)) || isTypingField(element) || closest(element, LIVE)) return false;
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child) && dataOf(child).trim()) return isSeenOption(element);
  }
  return false;
}

/** Whether a new box is a part of a form rather than a list: it has fields, but none that filters it. */
function asksForMore(box: Element): boolean {
  const fields = [...queryAll(box, FORM_FIELDS)].filter((each) => seenBox(each));
  return fields.filter((each) => isTypingField(each) || tagOf(each) === 'select').length > 1;
}

/** Whether a box lies right at an element, above, below, beside or over it. */
function isAt(box: Element, element: Element): boolean {
  const field = seenBox(element);
  const list: Edges | null = seenBox(box);
  if (!field || !list) return false;
  const gap = (start: number, end: number, from: number, to: number) => Math.max(start - to, from - end, 0);
  const across = gap(list.left, list.right, field.left, field.right);
  const down = gap(list.top, list.bottom, field.top, field.bottom);
  return (across === 0 && down <= MAX_GAP) || (down === 0 && across <= MAX_GAP);
}
