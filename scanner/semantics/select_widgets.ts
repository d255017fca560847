// Widgets that choose from a list and are no native select. Many stand in the place of one that the page hides
// (Select2, Chosen, Tom Select), which keeps the label.

import {
  attribute,
  closest,
  isElement,
  isMultiple,
  matches,
  nextElementOf,
  nextSiblingOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { drawnSelect, remember } from '../dom/snapshot';
import { allLabels } from '../dom/labels';
import { seenBox } from '../geometry/visibility';
import { selectedTexts } from './values';
import { accessibleName, elementById } from './names';
import { isTypingField } from './text_controls';

const SELECT_WIDGETS = '[role=combobox],[role=listbox],[aria-haspopup],[tabindex="0"]';
const WIDGET_LEVELS = 3;
const LABELLED = 'select,label';

/** What the page shows in the place of a select that it hides, or of the select of a label; or null. */
export function widgetAround(element: Element): Element | null {
  const id = attribute(element, 'for');
  const named = id && elementById(element, id);
  if (named && named !== element && seenBox(named)) return named;
  const box = tagOf(element) === 'select' && closest(element, '[role=combobox]');
  if (box && seenBox(box)) return box;
  let node: Element | null = element;
  for (let level = 0; node && level < WIDGET_LEVELS; level++, node = elementAbove(node)) {
    if (tagOf(node) === 'body' || tagOf(node) === 'form') return null;
    if (node !== element && isSelectWidget(node)) return node;
    for (let beside = nextSiblingOf(node), count = 0; beside && count < 6; beside = nextSiblingOf(beside), count++) {
      if (!isElement(beside) || queryAll(beside, LABELLED).length) continue; // it is of another
      const widget = [beside, ...Array.from(queryAll(beside, SELECT_WIDGETS))].find(isSelectWidget);
      if (widget) return widget;
    }
    const plain = node === element ? plainWidget(element) : null;
    if (plain) return plain;
  }
  return null;
}

/** What is right after a select, without any role, and shows the text of its option, or has a field for several. */
function plainWidget(select: Element): Element | null {
  const beside = tagOf(select) === 'select' ? nextElementOf(select) : null;
  if (!beside || !seenBox(beside)) return null;
  if (isMultiple(select)) return typingFieldIn(beside);
  const text = selectedTexts(select).join('');
  const control = Array.from(queryAll(beside, 'a,button,[tabindex]')).find(seenBox) || beside;
  return text && collapse(textContentOf(control)) === text ? control : null;
}

function typingFieldIn(widget: Element): Element | null {
  const fields = Array.from(queryAll(widget, 'input')).filter((each) => isTypingField(each) && seenBox(each));
  return (fields.length === 1 && fields[0]) || null;
}

/** Whether an option is in an open list that a page draws for its select: `appearance: base-select`. */
export const isDrawnOption = (option: Element): boolean => {
  const select = remember('drawn select', drawnSelect);
  return select !== null && holds(select, option) && seenBox(option) !== null;
};

const isSelectWidget = (element: Element): boolean =>
  tagOf(element) !== 'select' && matches(element, SELECT_WIDGETS) && seenBox(element) !== null;

/** The hidden select in whose place an element is shown, or null. */
export const selectBehind = (element: Element): Element | null =>
  remember('selects by widget', selectsByWidget).get(element) || null;

/** Whether the page shows something else in the place of a select. */
export const hasWidget = (select: Element): boolean =>
  Array.from(remember('selects by widget', selectsByWidget).values()).includes(select);

/** The hidden selects with labels, by what the page shows in their place: the widget, or the field in it. */
function selectsByWidget(): Map<Element, Element> {
  const selects = new Map<Element, Element>();
  for (const select of remember('labels', allLabels).keys()) {
    if (tagOf(select) !== 'select' || seenBox(select)) continue;
    const widget = widgetAround(select);
    if (widget === null) continue;
    selects.set(typingFieldIn(widget) || widget, select);
  }
  return selects;
}

/** The name of a widget by the label of the select behind it; '' if it has a name that is not its own content. */
export function nameFromSelect(element: Element): string {
  const select = selectBehind(element);
  if (!select || attribute(element, 'aria-label')) return '';
  const ids = (attribute(element, 'aria-labelledby') || '').split(/\s+/).filter(Boolean);
  const isOwn = ids.every((id) => {
    const named = elementById(element, id);
    return !named || holds(element, named);
  });
  return isOwn ? accessibleName(select) : '';
}
