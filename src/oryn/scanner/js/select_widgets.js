// Widgets that a page shows in the place of a native select, which it hides (Select2, Chosen, Tom Select). The select
// keeps the label; the widget is what a person sees and presses.

/** select_widget (protocol.py): what the page shows in the place of a select that it hides, or null. */
function selectWidget(request) {
  const select = elementOf(wholeNumber(request.id, 'id'));
  continueNumbers(request.next_id || 1);
  const widget = widgetAround(select);
  return { widget: widget && numberOf(widget), next_id: nextNumber };
}

const SELECT_WIDGETS = '[role=combobox],[role=listbox],[aria-haspopup],[tabindex="0"]';
const WIDGET_LEVELS = 3;
const LABELLED = 'select,label';

function widgetAround(element) {
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
  const shown = Array.from(queryAll(beside, 'a,button,[tabindex]')).find(seenBox) || beside;
  return text && collapse(textContentOf(shown)) === text ? shown : null;
}

function typingFieldIn(widget) {
  const fields = Array.from(queryAll(widget, 'input')).filter((each) => isTypingField(each) && seenBox(each));
  return fields.length === 1 ? fields[0] : null;
}

const isSelectWidget = (element) =>
  tagOf(element) !== 'select' && matches(element, SELECT_WIDGETS) && seenBox(element) !== null;

/** The hidden select in whose place an element is shown, or null. */
const selectBehind = (element) => remember('selects by widget', selectsByWidget).get(element) || null;

const hasWidget = (select) => Array.from(remember('selects by widget', selectsByWidget).values()).includes(select);

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
function nameFromSelect(element) {
  const select = selectBehind(element);
  if (!select || attribute(element, 'aria-label')) return '';
  const ids = (attribute(element, 'aria-labelledby') || '').split(/\s+/).filter(Boolean);
  const isOwn = ids.every((id) => {
    const named = elementById(element, id);
    return !named || holds(element, named);
  });
  return isOwn ? accessibleName(select) : '';
}
