// Widgets that choose from a list and are no native select. Many stand in the place of one that the page hides
// (Select2, Chosen, Tom Select), which keeps the label. What they show as chosen is the text in them, or beside an empty
// field.

/**
 * select_widget (docs/spec/scanner-protocol.md#select_widget): what the page shows in the place of a select that it
 * hides, or null.
 */
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

const PRESSED_CONTROLS = 'a[href],area[href],button,summary,input,[role=button],[role=link],[role=menuitem]';
const POPUP_ATTRIBUTES = ['aria-expanded', 'aria-controls', 'aria-owns', 'popovertarget'];
const CHOICES = new Set(['combobox', 'listbox', 'option', 'radio', 'gridcell', 'treeitem', 'tab', 'spinbutton']);

/**
 * A press that is to open something or to choose a value must reach no button that may do something else: send the form,
 * go to another page. `plain`: a button is taken that neither sends a form nor says what it does.
 */
function refuseSender(hit, plain) {
  const button = closest(hit, PRESSED_CONTROLS);
  if (!button || isTypingField(button) || mayOpen(button)) return;
  const isLink = tagOf(button) === 'a' || tagOf(button) === 'area' || authoredRole(button) === 'link';
  if (plain && !isLink && !isSubmit(button, tagOf(button))) return;
  throw new Refusal('INVALID_ELEMENT_TYPE', `a ${isLink ? 'link' : 'button'} that shows nothing to choose from is for click`);
}

/** Whether a button says that it opens something to choose from, or is a choice itself. */
function mayOpen(button) {
  if (CHOICES.has(authoredRole(button)) || closest(button, '[role=combobox],[role=listbox],[role=grid]')) return true;
  const popup = attribute(button, 'aria-haspopup');
  if (popup) return popup !== 'false';
  return POPUP_ATTRIBUTES.some((name) => hasAttribute(button, name)) || selectBehind(button) !== null;
}

const CHOSEN_LEVELS = 3;
const MAX_CHOSEN_NODES = 200;
const NOT_CHOSEN = [
  'label,legend,button,script,style,svg,[role=button],[role=listbox],[role=option],[role=status],[role=alert]',
  '[aria-live],[class*=placeholder i]',
].join();

/** The chosen texts of a combo box, joined by commas; '' for another element, or if a native value has them. */
function chosenText(element) {
  const tag = tagOf(element);
  const select = tag !== 'input' && selectBehind(element);
  if (select) return selectedTexts(select).join(', ');
  if (isLabelledOpener(element, tag)) return chosenIn(element, element, nameOf(element));
  if (authoredRole(element) !== 'combobox') return '';
  if (tag !== 'input') {
    if (tag === 'select' || isEditable(element) || holdsTypingField(element)) return '';
    return chosenIn(element, element, nameOf(element));
  }
  // A field with a border of its own is all that a person sees of the box: what is beside it is other text.
  if (inputValueOf(element) || parseFloat(styleOf(element).borderTopWidth) > 0) return '';
  for (let node = elementAbove(element), level = 0; node && level < CHOSEN_LEVELS; node = elementAbove(node), level++) {
    if (tagOf(node) === 'form' || tagOf(node) === 'body' || queryAll(node, 'label,input:not([type=hidden])').length > 1) break;
    const text = chosenIn(node, element, nameOf(element));
    if (text) return text;
  }
  return '';
}

/** Whether a button that opens a popup is called by a label: what it shows is then what was chosen in the popup. */
function isLabelledOpener(element, tag) {
  if (tag !== 'button' || !CHOOSING_POPUPS.has(attribute(element, 'aria-haspopup'))) return false;
  return labelsOf(element).length > 0 && !hasAttribute(element, 'aria-label');
}

const CHOOSING_POPUPS = new Set(['dialog', 'listbox', 'grid', 'tree']);

const holdsTypingField = (element) => Array.from(queryAll(element, 'input,textarea')).some(isStyledVisible);

/** The texts in an element that are seen, those of its buttons and lists and the name excepted, if in the field's line. */
function chosenIn(element, field, name) {
  const line = seenBox(field);
  const texts = [];
  let left = MAX_CHOSEN_NODES;
  let isInLine = false;
  const read = (node) => {
    for (let child = firstChildOf(node); child && left-- > 0; child = nextSiblingOf(child)) {
      if (nodeTypeOf(child) === TEXT_NODE) {
        const text = collapse(withoutGlyphs(dataOf(child)));
        const isDescriptive = /[\p{L}\p{N}]/u.test(text) && text !== name && !isIconName(text, node);
        const box = line && isDescriptive ? seenBox(node) : null;
        if (!box) continue;
        texts.push(text);
        isInLine = isInLine || (box.top < line.bottom && box.bottom > line.top);
      } else if (nodeTypeOf(child) === ELEMENT_NODE && child !== field && !matches(child, NOT_CHOSEN)) read(child);
    }
  };
  read(element);
  return isInLine ? texts.join(', ') : '';
}
