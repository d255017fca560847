// file_input (protocol.py): the file input that an element is, names or holds.

function fileInput(request) {
  const input = fileInputOf(requestedElement(request));
  continueNumbers(request.next_id || 1);
  if (!input) return { input: null, next_id: nextNumber };
  return {
    input: {
      id: numberOf(input),
      multiple: hasAttribute(input, 'multiple'),
      folder: hasAttribute(input, 'webkitdirectory'),
      accept: attribute(input, 'accept') || '',
      disabled: isDisabled(input),
    },
    next_id: nextNumber,
  };
}

const isFileInput = (element) => element && tagOf(element) === 'input' && inputTypeOf(element) === 'file';

/** Itself, the control of the label that it is or is in, or the only file input inside it. */
function fileInputOf(element) {
  for (let node = element; node; node = elementAbove(node)) {
    if (isFileInput(node)) return node;
    if (tagOf(node) === 'label' && isFileInput(labelControlOf(node))) return labelControlOf(node);
  }
  const inside = queryAll(element, 'input[type=file]');
  return inside.length === 1 ? inside[0] : null;
}
