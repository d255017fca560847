// options (docs/spec/scanner-protocol.md#options): the options of a list that the page built itself, and which of them
// a text means.
//
// Where the list is said to belong to the element, or its parts to be options, that counts; else whatever has appeared
// since `mark`, as a list without any role does.

import { attribute, boxOf, closest, dataOf, inputTypeOf, isText, tagOf, textContentOf } from '../dom/natives';
import type {
  OptionMatch,
  OptionsRequest,
  OptionsResponse,
  SelectWidgetRequest,
  SelectWidgetResponse,
} from '../dom/protocol';
import { isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { allElements } from '../dom/snapshot';
import { isStyledVisible, seenBox } from '../geometry/visibility';
import { isScrollable } from '../geometry/boxes';
import { LIVE, authoredRole } from '../semantics/roles';
import { MAX_LISTED_OPTIONS, focusedElement, isDisabled, isReadOnly, suggestionsOf } from '../semantics/values';
import { elementById, shorten } from '../semantics/names';
import { isTypingField } from '../semantics/text_controls';
import { selectBehind, widgetAround } from '../semantics/select_widgets';
import { nameOf } from '../semantics/labels';
import { TYPING_INPUTS } from '../semantics/interactive';
import { elementOf } from '../targets/candidates';
import { controlOf } from './native_options';

let seenBefore = new WeakSet<Element>(); // what was visible at the last `mark`
let wasClosed = false; // whether the element said then that its list was closed

export function optionsOfWidget(request: OptionsRequest): OptionsResponse {
  const element = elementOf(wholeNumber(request.id, 'id'));
  continueNumbers(request.next_id || 1);
  if (request.mark) seenBefore = new WeakSet(allElements().filter(isStyledVisible));
  const options = widgetOptions(element, request.mark === true);
  const typing = searchFieldOf(element);
  const [first, last] = [options[0], options.at(-1)];
  const scroller = first ? scrollerAround(first) : null;
  return {
    native: nativeOf(element),
    match: isPresent(request.text) ? bestOption(options, request.text, element) : null,
    texts: options.slice(0, MAX_LISTED_OPTIONS).map(optionTextOf),
    count: options.length,
    last: last ? optionTextOf(last) : null,
    typing: typing && numberOf(typing),
    text_field: isPlainTextField(element),
    scroller: scroller && numberOf(scroller),
    in_dialog: closest(element, 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true]') !== null,
    next_id: nextNumber,
  };
}

function nativeOf(element: Element): number | null {
  const control = controlOf(element);
  return tagOf(control) === 'select' || suggestionsOf(control) ? numberOf(control) : null;
}

const OPTION_ROLES = new Set(['option', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'treeitem']);
const OPTION_SELECTOR = Array.from(OPTION_ROLES, (role) => `[role~=${role}]`).join();
const LISTS = new Set(['listbox', 'list', 'menu', 'tree']);
const MAX_OPTION_LENGTH = 200;

const isCollapsed = (element: Element): boolean => attribute(element, 'aria-expanded') === 'false';
const optionTextOf = (option: Element): string => shorten(wholeOptionText(option));

/** What an option says; one in a shadow tree may only show what the page has put into its slots. */
const wholeOptionText = (option: Element): string =>
  collapse(attribute(option, 'aria-label') || textContentOf(option) || attribute(option, 'title') || '') ||
  nameOf(option);

const isSeenOption = (element: Element): boolean =>
  seenBox(element) !== null && textContentOf(element).length <= MAX_OPTION_LENGTH;

/** The options that are visible now. */
function widgetOptions(element: Element, isMarking: boolean): Element[] {
  if (isMarking) wasClosed = [element, ...queryAll(element, '[aria-expanded]')].some(isCollapsed);
  const own = [element, ...popupsOf(element)].flatMap((each) => Array.from(queryAll(each, OPTION_SELECTOR)));
  // What a closed one shows is its value.
  const seen = own.filter((each) => isSeenOption(each) && !(wasClosed && seenBefore.has(each)));
  if (seen.length) return Array.from(new Set(seen));
  if (LISTS.has(authoredRole(element))) return Array.from(queryAll(element, '*')).filter(isPlainOption);
  if (isMarking) return [];
  const fresh = allElements().filter((each) => !seenBefore.has(each) && !holds(element, each));
  const roled = fresh.filter((each) => OPTION_ROLES.has(authoredRole(each)) && isSeenOption(each));
  // One that says that its list is closed has none: what else has appeared is about something else.
  return roled.length || isCollapsed(element) ? roled : fresh.filter(isPlainOption);
}

/** An entry of a list without roles: a whole text that appeared, and nothing that is written into, nor read aloud. */
function isPlainOption(element: Element): boolean {
  const tag = tagOf(element);
  if (tag === 'option' || tag === 'script' || tag === 'style' || isTypingField(element) || closest(element, LIVE))
    return false;
  if (!Array.from(element.childNodes).some((node) => isText(node) && dataOf(node).trim())) return false;
  return isSeenOption(element);
}

/** What the element, a part of it or what holds it says to be its list. */
function popupsOf(element: Element): Element[] {
  const owners = [element, ...Array.from(queryAll(element, '[aria-controls],[aria-owns]'))];
  const around = closest(element, '[role=combobox]');
  if (around && around !== element) owners.push(around);
  const popups: Element[] = [];
  for (const owner of owners) {
    for (const name of ['aria-controls', 'aria-owns']) {
      for (const id of (attribute(owner, name) || '').split(/\s+/).filter(Boolean)) {
        const popup = elementById(owner, id);
        if (popup) popups.push(popup);
      }
    }
  }
  return popups;
}

/** The field that filters the list: the element, the one in it, or a new one that has the focus. */
function searchFieldOf(element: Element): Element | null {
  const isField = (each: Element) =>
    (tagOf(each) === 'textarea' || (tagOf(each) === 'input' && TYPING_INPUTS.has(inputTypeOf(each)))) &&
    !isReadOnly(each) &&
    !isDisabled(each);
  if (isField(element)) return element;
  const inside = Array.from(queryAll(element, 'input,textarea')).find((each) => isField(each) && boxOf(each).width > 0);
  if (inside) return inside;
  const focused = focusedElement();
  if (!focused || !isField(focused)) return null;
  const isNew = !seenBefore.has(focused) || popupsOf(element).some((popup) => holds(popup, focused));
  return isNew ? focused : null;
}

const LIST_MARKS =
  '[role=combobox],[list],[aria-autocomplete],[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[aria-controls],[aria-owns]';

/**
 * Whether an element takes text and says nothing of a list. Nearly all lists that scripts hang below a field without
 * saying so turn the browser's own off.
 */
const isPlainTextField = (element: Element): boolean =>
  isTypingField(element) &&
  !closest(element, LIST_MARKS) &&
  (attribute(element, 'autocomplete') || '').toLowerCase() !== 'off' &&
  selectBehind(element) === null;

function scrollerAround(option: Element): Element | null {
  for (let node = elementAbove(option), level = 0; node && level < 5; node = elementAbove(node), level++) {
    if (tagOf(node) === 'body' || tagOf(node) === 'html') return null;
    if (isScrollable(node, false, false)) return node;
  }
  return null;
}

const TIER_NAMES = ['exact', 'case', 'prefix', 'contains'] as const satisfies OptionMatch['tier'][];

/** How a text fits an option, by its place in `TIER_NAMES`: the lower, the better. */
type Tier = 0 | 1 | 2 | 3;

interface Fit {
  option: Element;
  text: string;
  tier: Tier;
}

/** The option that a text fits best, and which others it fits as well. A `…` at the end stands for the rest. */
function bestOption(options: readonly Element[], written: string, element: Element): OptionMatch | null {
  const wanted = collapse(written.replace(/(…|\.\.\.)\s*$/, ''));
  let best: Fit | null = null;
  let others: string[] = [];
  for (const option of options) {
    const text = wholeOptionText(option);
    const tier = optionTier(option, text, wanted);
    if (tier === null) continue;
    if (!best || tier < best.tier || (tier === best.tier && tier > 1 && text.length < best.text.length)) {
      others = best && best.tier === tier ? [...others, best.text] : [];
      best = { option, text, tier };
    } else if (tier === best.tier && !holds(best.option, option)) others.push(text);
  }
  if (!best) return null;
  return {
    id: numberOf(best.option),
    text: shorten(best.text),
    tier: TIER_NAMES[best.tier],
    others: others.slice(0, 3).map(shorten),
    disabled: isDisabled(best.option),
    selected: isSelectedOption(best.option),
    chosen: isChosen(best.option, best.text, element),
  };
}

function optionTier(option: Element, text: string, wanted: string): Tier | null {
  if (text === wanted || attribute(option, 'data-value') === wanted || attribute(option, 'value') === wanted) return 0;
  const [low, lowWanted] = [text.toLowerCase(), wanted.toLowerCase()];
  if (low === lowWanted) return 1;
  if (low.startsWith(lowWanted)) return 2;
  return low.includes(lowWanted) ? 3 : null;
}

/** Whether the option is a chosen one of several, as far as it says so itself: some lists mark the active one like that. */
function isSelectedOption(option: Element): boolean {
  if (attribute(option, 'aria-selected') !== 'true') return false;
  const list = closest(option, '[role=listbox],[role=tree],[role=menu]');
  return list !== null && attribute(list, 'aria-multiselectable') === 'true';
}

/** Whether another press would take the option away again: it is checked, or stands in the field too. */
function isChosen(option: Element, text: string, element: Element): boolean {
  if (attribute(option, 'aria-checked') === 'true') return true;
  if (!isSelectedOption(option)) return false;
  const list = closest(option, '[role=listbox],[role=tree],[role=menu]');
  const beside = elementAbove(element) || element;
  const within = textContentOf(beside);
  return (list && holds(beside, list) ? within.replace(textContentOf(list), '') : within).includes(text);
}

// Widgets that choose from a list and are no native select. Many stand in the place of one that the page hides
// (Select2, Chosen, Tom Select), which keeps the label. What they show as chosen is the text in them, or beside an empty
// field.

/**
 * select_widget (docs/spec/scanner-protocol.md#select_widget): what the page shows in the place of a select that it
 * hides, or null.
 */
export function selectWidget(request: SelectWidgetRequest): SelectWidgetResponse {
  const select = elementOf(wholeNumber(request.id, 'id'));
  continueNumbers(request.next_id || 1);
  const widget = widgetAround(select);
  return { widget: widget && numberOf(widget), next_id: nextNumber };
}
