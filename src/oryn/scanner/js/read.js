// The commands that read one element: values, text, HTML, bounds, state
// (docs/spec/scanner-protocol.md#commands-that-read).

function getValue(request) {
  const element = requestedElement(request);
  const editor = editorOf(element);
  if (editor) return { value: heldText(editor), editor: editorData(editor) };
  const tag = tagOf(element);
  if (tag === 'select' && isMultiple(element)) {
    return { value: Array.prototype.filter.call(optionsOf(element), optionSelected).map(optionValue) };
  }
  const chosen = chosenText(element);
  if (chosen) return { value: chosen };
  if (isDateField(element)) return { value: dateFieldText(element) };
  const checked = checkedState(element);
  if (checked !== null) return { value: checked };
  if (
    !['input', 'textarea', 'select'].includes(tag) &&
    !isEditable(element) &&
    !hasAttribute(element, 'aria-valuenow')
  ) {
    throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tag} has no value`);
  }
  return { value: valueOf(element) };
}

function getText(request) {
  const isWhole = !isPresent(request.id) && !request.selector;
  const element = isWhole ? bodyOf(scope) || documentElementOf(scope) : requestedElement(request);
  return { text: element ? renderedText(element) : '' };
}

function getHtml(request) {
  const element = request.selector || isPresent(request.id) ? requestedElement(request) : documentElementOf(scope);
  if (!element) return { html: '' };
  return { html: htmlWithoutBanner(element, request.outer === false ? innerHtmlOf(element) : outerHtmlOf(element)) };
}

function getBounds(request) {
  const element = requestedElement(request);
  const box = visibleBox(element) || boxOf(element);
  return { ...rectData(element, box), visible: isVisible(element), in_viewport: placeInViewport(element, box) };
}

function exists(request) {
  requireText(request.selector, 'selector');
  return { exists: queryFirst(request.selector) !== null };
}

function getState(request) {
  const element = requestedElement(request);
  const box = visibleBox(element) || boxOf(element);
  const attributes = {};
  for (const { name, value } of attributesOf(element)) attributes[name] = value;
  return {
    state: stateOf(element),
    attributes,
    rect: rectData(element, box),
    in_viewport: placeInViewport(element, box),
  };
}

function requireText(value, name) {
  if (typeof value !== 'string' || !value) throw new Refusal('INVALID_REQUEST', `${name} is required`);
  return value;
}
