import {
  ELEMENT_NODE,
  attribute,
  matches,
  nextElementOf,
  nextSiblingOf,
  nodeTypeOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { remember } from '../dom/snapshot';
import { allLabels } from '../dom/labels';
import { seenBox } from '../geometry/visibility';
import { selectedTexts } from './values';
import { accessibleName, elementById } from './names';
import { isTypingField } from './text_controls';

const SELECT_WIDGETS = '[role=combobox],[role=listbox],[aria-haspopup],[tabindex="0"]';
const WIDGET_LEVELS = 3;
const LABELLED = 'select,label';

export function widgetAround(element) {
  const named = attribute(element, 'for') && elementById(element, attribute(element, 'for'));
  if (named && named !== element && seenBox(named)) return named;
  let node = element;
  for (let level = 0; node && level < WIDGET_LEVELS; level++, node = elementAbove(node)) {
    if (tagOf(node) === 'body' || tagOf(node) === 'form') return null;
    if (node !== element && isSelectWidget(node)) return node;
    for (let beside = nextSiblingOf(node), count = 0; beside && count < 6; beside = nextSiblingOf(beside), count++) {
      if (nodeTypeOf(beside) !== ELEMENT_NODE || queryAll(beside, LABELLED).length) continue; // it is of another
      const widget = [beside, ...Array.from(queryAll(beside, SELECT_WIDGETS))].find(isSelectWidget);
      if (widget) return widget;
    }
    const plain = node === element ? plainWidget(element) : null;
    if (plain) return plain;
  }
  return null;
}

/** What is right after a select, without any role, and shows the text of its option, or has a field for several. */
function plainWidget(select) {
  const beside = tagOf(select) === 'select' ? nextElementOf(select) : null;
  if (!beside || !seenBox(beside)) return null;
  if (select.multiple) return typingFieldIn(beside);
  const text = selectedTexts(select).join('');
  const control = Array.from(queryAll(beside, 'a,button,[tabindex]')).find(seenBox) || beside;
  return text && collapse(textContentOf(control)) === text ? control : null;
}

function typingFieldIn(widget) {
  const fields = Array.from(queryAll(widget, 'input')).filter((each) => isTypingField(each) && seenBox(each));
  return fields.length === 1 ? fields[0] : null;
}

const isSelectWidget = (element) =>
  tagOf(element) !== 'select' && matches(element, SELECT_WIDGETS) && seenBox(element) !== null;

/** The hidden select in whose place an element is shown, or null. */
export const selectBehind = (element) => remember('selects by widget', selectsByWidget).get(element) || null;

export const hasWidget = (select) => Array.from(remember('selects by widget', selectsByWidget).values()).includes(select);

/** The hidden selects with labels, by what the page shows in their place: the widget, or the field in it. */
function selectsByWidget() {
  const selects = new Map();
  for (const select of remember('labels', allLabels).keys()) {
    if (tagOf(select) !== 'select' || seenBox(select)) continue;
    const widget = widgetAround(select);
    if (widget === null) continue;
    selects.set(typingFieldIn(widget) || widget, select);
  }
  return selects;
}

/** The name of a widget by the label of the select behind it; '' if it has a name that is not its own content. */
export function nameFromSelect(element) {
  const select = selectBehind(element);
  if (!select || attribute(element, 'aria-label')) return '';
  const ids = (attribute(element, 'aria-labelledby') || '').split(/\s+/).filter(Boolean);
  const isOwn = ids.every((id) => {
    const named = elementById(element, id);
    return !named || holds(element, named);
  });
  return isOwn ? accessibleName(select) : '';
}
