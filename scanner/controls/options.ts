// options (docs/spec/scanner-protocol.md#options): the options of a list that the page built itself, and which of them
// a text means. verify: whether they are chosen.

import { attribute, boxOf, closest, inputTypeOf, isMultiple, ownerOf, tagOf, windowOf } from '../dom/natives';
import type {
  ChosenExpectation,
  OptionMatch,
  OptionsRequest,
  OptionsResponse,
  PointData,
  VerifyResponse,
} from '../dom/protocol';
import { isPresent, wholeNumber } from '../dom/refusal';
import { collapse, fold } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { isStyledVisible } from '../geometry/styles';
import { seenBox } from '../geometry/visibility';
import { hitIn, isScrollable } from '../geometry/boxes';
import { pointInPage } from '../geometry/frames';
import {
  MAX_LISTED_OPTIONS,
  focusedElement,
  isDisabled,
  isReadOnly,
  selectedTexts,
  suggestionsOf,
  valueOf,
} from '../semantics/values';
import { shorten } from '../semantics/names';
import { isTypingField } from '../semantics/text_controls';
import { TYPING_INPUTS, interactivity } from '../semantics/interactive';
import { elementOf } from '../targets/candidates';
import { middleOf } from '../input/press_points';
import {
  Choice,
  OPTIONS,
  boxAround,
  isOptionDisabled,
  isSelectedOption,
  meantControl,
  textOfOption,
  textsOfOption,
  valuesOfOption,
} from './list_widgets';
import { viewSizeOf } from '../dom/windows';

const MAX_CHOICES = 20;

/** The latest choices, by the number of the element. */
const choices = new Map<number, Choice>();

export function optionsOfWidget(request: OptionsRequest): OptionsResponse {
  let id = wholeNumber(request.id, 'id');
  let element = elementOf(id);
  continueNumbers(request.next_id || 1);
  if (request.mark) {
    element = meantControl(element);
    id = numberOf(element);
  }
  const choice = choiceOf(id, element, request.mark === true);
  const wanted = isPresent(request.text) ? wantedText(request.text) : null;
  const options = choice.options((option) => wanted !== null && (tierOf(option, wanted) ?? Infinity) <= LAST_SURE_TIER);
  const match = wanted === null ? null : bestOption(options, wanted, choice);
  const offered = options.filter((option) => !isOptionDisabled(option));
  const [first, last] = [options[0], options.at(-1)];
  const typing = searchFieldOf(element, choice);
  const scroller = first ? scrollerAround(first) : null;
  const opener = openerBeside(element);
  return {
    id,
    native: tagOf(element) === 'select' || suggestionsOf(element) !== null,
    match,
    select_state: wanted === null ? null : choice.isKept(wanted, match ? elementOf(match.id) : null),
    shown: wanted !== null && choice.shows(match?.text ?? wanted, request.taken === true),
    texts: offered.slice(0, MAX_LISTED_OPTIONS).map((option) => shorten(textOfOption(option))),
    count: offered.length,
    last: last ? shorten(textOfOption(last)) : null,
    open: choice.isOpen,
    expanded: choice.widget.isExpanded,
    typing: typing && numberOf(typing),
    typed: typing && valueOf(typing),
    text_field: isPlainTextField(element, choice),
    opener: opener && numberOf(opener),
    scroller: scroller && numberOf(scroller),
    aside: request.pressed ? placeAside(element, options, choice) : null,
    in_dialog: closest(element, 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true]') !== null,
    next_id: nextNumber,
  };
}

function choiceOf(id: number, element: Element, begins: boolean): Choice {
  let choice = choices.get(id);
  if (!choice || begins) {
    choice = new Choice(element);
    choices.delete(id);
    choices.set(id, choice);
    const [oldest] = choices.keys();
    if (choices.size > MAX_CHOICES && oldest !== undefined) choices.delete(oldest);
  }
  return choice.follow(element);
}

// The fields and the buttons of the widget.

/** The field that filters the list: the element, the one in it or in the list, or a new one that has the focus. */
function searchFieldOf(element: Element, choice: Choice): Element | null {
  const isField = (each: Element) =>
    (tagOf(each) === 'textarea' || (tagOf(each) === 'input' && TYPING_INPUTS.has(inputTypeOf(each)))) &&
    attribute(each, 'aria-hidden') !== 'true' &&
    !isReadOnly(each) &&
    !isDisabled(each);
  if (isField(element)) return element;
  const inside = Array.from(queryAll(element, 'input,textarea')).find((each) => isField(each) && boxOf(each).width > 0);
  if (inside) return inside;
  const focused = focusedElement();
  if (focused && isField(focused)) {
    if (choice.isFresh(focused) || choice.widget.lists().some((list) => holds(list, focused))) return focused;
  }
  const [only, ...others] = choice.list
    ? [...queryAll(choice.list, 'input')].filter((each) => isField(each) && seenBox(each))
    : [];
  return only && !others.length ? only : null;
}

const LIST_MARKS =
  '[role=combobox],[list],[aria-autocomplete],[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[aria-controls],[aria-owns]';

/**
 * Whether an element takes text and says nothing of a list. Nearly all lists that scripts hang below a field without
 * saying so turn the browser's own off.
 */
const isPlainTextField = (element: Element, choice: Choice): boolean =>
  isTypingField(element) &&
  !closest(element, LIST_MARKS) &&
  (attribute(element, 'autocomplete') || '').toLowerCase() !== 'off' &&
  choice.widget.select === null;

const POPUP_BUTTONS = 'button[aria-haspopup],button[aria-controls],button[aria-expanded]';
const MAX_OPENER_TEXT = 2;
const OPENER_GAP = 12; // CSS pixels

/** What is pressed beside a field to open its list: a button that says so, or of a field that takes no text, a sign. */
function openerBeside(element: Element): Element | null {
  if (!isTypingField(element)) return null;
  const box = boxAround(element);
  const field = boxOf(element);
  return (
    [...queryAll(box, '*')].find((each) => {
      if (each === element || holds(each, element) || !interactivity(each, tagOf(each)) || isDisabled(each))
        return false;
      const at = seenBox(each);
      if (!at || at.bottom <= field.top || at.top >= field.bottom) return false;
      if (at.left > field.right + OPENER_GAP || at.right < field.left - OPENER_GAP) return false;
      const popup = queryAll(box, POPUP_BUTTONS);
      if (Array.from(popup).includes(each)) return true;
      return isReadOnly(element) && textOfOption(each).length <= MAX_OPENER_TEXT;
    }) || null
  );
}

function scrollerAround(option: Element): Element | null {
  for (let node = elementAbove(option), level = 0; node && level < 5; node = elementAbove(node), level++) {
    if (tagOf(node) === 'body' || tagOf(node) === 'html') return null;
    if (isScrollable(node, false, false)) return node;
  }
  return null;
}

const GRID = [0.5, 0.1, 0.9, 0.3, 0.7, 0.02, 0.98];

/**
 * Where the mouse can be released over no option, if the list that a press has opened lies under it: some lists take
 * that for a choice. Null if it does not.
 */
function placeAside(element: Element, options: readonly Element[], choice: Choice): PointData | null {
  const owner = ownerOf(element);
  const middle = middleOf(boxOf(element));
  const isOnOption = ({ x, y }: PointData): boolean => {
    const hit = hitIn(owner, x, y);
    return hit === null || options.some((option) => holds(option, hit)) || closest(hit, OPTIONS) !== null;
  };
  if (!options.length || !isOnOption(middle)) return null;
  const { width, height } = viewSizeOf(windowOf(owner) || window);
  const points = GRID.flatMap((down) => GRID.map((across) => ({ x: width * across, y: height * down })));
  const free = points.filter((point) => !isOnOption(point));
  const isInList = (point: PointData): boolean => {
    const hit = hitIn(owner, point.x, point.y);
    return choice.list !== null && hit !== null && holds(choice.list, hit) && !interactivity(hit, tagOf(hit));
  };
  const point = free.find(isInList) || free[0];
  return point ? pointInPage(element, point) : null;
}

// Which option a text means.

/** How a text fits an option, by its place in `TIERS`: the lower, the better. */
type Tier = 0 | 1 | 2 | 3 | 4;

const TIERS = ['exact', 'case', 'exact', 'prefix', 'contains'] as const satisfies OptionMatch['tier'][];
const LAST_SURE_TIER = 2; // the value of its attribute, which the page does not show

interface Fit {
  option: Element;
  text: string;
  tier: Tier;
}

/** A `…` at the end stands for the rest. */
const wantedText = (written: string): string => collapse(written.replace(/(…|\.\.\.)\s*$/, ''));

/** The option that a text fits best, and which others it fits as well. */
function bestOption(options: readonly Element[], wanted: string, choice: Choice): OptionMatch | null {
  let best: Fit | null = null;
  let others: string[] = [];
  for (const option of [...options, ...rowsOf(options, wanted, choice)]) {
    const tier = tierOf(option, wanted);
    if (tier === null) continue;
    const text = textOfOption(option);
    const isShorter = best !== null && tier === best.tier && tier > LAST_SURE_TIER && text.length < best.text.length;
    const isEnabled = best !== null && tier === best.tier && isOptionDisabled(best.option) && !isOptionDisabled(option);
    if (!best || tier < best.tier || isShorter || isEnabled) {
      others = best && best.tier === tier ? [...others, best.text] : [];
      best = { option, text, tier };
    } else if (tier === best.tier && !holds(best.option, option)) others.push(text);
  }
  if (!best) return null;
  return {
    id: numberOf(best.option),
    text: shorten(best.text),
    tier: TIERS[best.tier],
    others: others.slice(0, 3).map(shorten),
    disabled: isOptionDisabled(best.option),
    selected: isSelectedOption(best.option),
    chosen: choice.isChosenAlready(best.text, best.option),
  };
}

/** The boxes around texts without roles that show the wanted one together: `sqlite` and `Shop`. */
function rowsOf(options: readonly Element[], wanted: string, choice: Choice): Element[] {
  const rows = new Set<Element>();
  for (const option of options) {
    if (closest(option, OPTIONS) || !wanted.includes(textOfOption(option))) continue;
    for (let node = elementAbove(option); node && node !== choice.list; node = elementAbove(node)) {
      if (tierOf(node, wanted) !== 0) continue;
      rows.add(node);
      choice.rows.add(textOfOption(node));
    }
  }
  return [...rows];
}

function tierOf(option: Element, wanted: string): Tier | null {
  const texts = textsOfOption(option);
  if (texts.includes(wanted)) return 0;
  const folded = fold(wanted);
  const foldedTexts = texts.map(fold);
  if (foldedTexts.includes(folded)) return 1;
  if (valuesOfOption(option).includes(wanted)) return 2;
  if (foldedTexts.some((text) => text.startsWith(folded))) return 3;
  return foldedTexts.some((text) => text.includes(folded)) ? 4 : null;
}

/** Whether the texts are chosen. If the page does not say that, nothing is claimed. */
export function verifyChosen(element: Element, { texts }: ChosenExpectation): VerifyResponse {
  if (tagOf(element) === 'select') {
    const chosen = selectedTexts(element);
    const isSame = texts.every((text) => chosen.includes(text)) && (isMultiple(element) || texts.length === 1);
    return isSame ? { holds: true } : { holds: false, now: chosen.join(', ') };
  }
  if (suggestionsOf(element)) {
    return texts.includes(valueOf(element)) ? { holds: true } : { holds: false, now: valueOf(element) };
  }
  const choice = choices.get(numberOf(element))?.follow(element);
  if (!choice || !isStyledVisible(element)) return { holds: true };
  const options = choice.options(() => false);
  const isTaken = (text: string) =>
    choice.isChosen(text, options.find((option) => textsOfOption(option).includes(text)) || null);
  return texts.some((text) => isTaken(text) === false) ? { holds: false, now: choice.widget.shown() } : { holds: true };
}
