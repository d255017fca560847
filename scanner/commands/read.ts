// The commands that read one element: values, text, HTML, bounds, state
// (docs/spec/scanner-protocol.md#commands-that-read). Then `storage` and `file_input`.

import {
  attribute,
  attributesOf,
  bodyOf,
  boxOf,
  dispatch,
  documentElementOf,
  hasAttribute,
  innerHtmlOf,
  inputTypeOf,
  isMultiple,
  optionSelected,
  optionValue,
  optionsOf,
  outerHtmlOf,
  ownerOf,
  tagOf,
  windowOf,
} from '../dom/natives';
import type {
  ExistsRequest,
  ExistsResponse,
  FileInputData,
  FileInputRequest,
  FileInputResponse,
  GetBoundsRequest,
  GetBoundsResponse,
  GetHtmlRequest,
  GetHtmlResponse,
  GetStateRequest,
  GetStateResponse,
  GetTextRequest,
  GetTextResponse,
  GetValueRequest,
  GetValueResponse,
  StorageArea,
  StorageRequest,
  StorageResponse,
} from '../dom/protocol';
import { Refusal, isPresent } from '../dom/refusal';
import { htmlWithoutBanner, queryAll } from '../dom/banner';
import { elementAbove } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { scope } from '../dom/snapshot';
import { queryFirst } from '../dom/selectors';
import { labelControlOf } from '../dom/labels';
import { isVisible, placeInViewport, seenBox, visibleBox } from '../geometry/visibility';
import { hitIn, rectData } from '../geometry/boxes';
import {
  checkedState,
  dateFieldText,
  isDateField,
  isDisabled,
  isEditable,
  stateOf,
  valueOf,
} from '../semantics/values';
import { renderedText } from '../text/text';
import { textUnits } from '../text/units';
import { patternTest } from '../targets/text_fit';
import { requestedElement } from '../targets/candidates';
import { chosenText } from '../targets/describe';
import { bringIntoView } from '../page/scrolling';
import { middleOf } from '../input/press_points';
import { editorData, editorOf, heldText } from '../controls/editors';
import { localStorageOf, sessionStorageOf } from '../dom/windows';

export function getValue(request: GetValueRequest): GetValueResponse {
  const element = requestedElement(request);
  const editor = editorOf(element);
  if (editor) return { value: heldText(editor), editor: editorData(editor) };
  const tag = tagOf(element);
  if (tag === 'select' && isMultiple(element)) {
    const options = Array.prototype.filter.call(optionsOf(element), optionSelected) as HTMLOptionElement[];
    return { value: options.map(optionValue) };
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

export function getText(request: GetTextRequest): GetTextResponse {
  const isWhole = !isPresent(request.id) && !request.selector;
  const element = isWhole ? bodyOf(scope) || documentElementOf(scope) : requestedElement(request);
  return { text: element ? renderedText(element) : '' };
}

export function getHtml(request: GetHtmlRequest): GetHtmlResponse {
  const element = request.selector || isPresent(request.id) ? requestedElement(request) : documentElementOf(scope);
  if (!element) return { html: '' };
  return { html: htmlWithoutBanner(element, request.outer === false ? innerHtmlOf(element) : outerHtmlOf(element)) };
}

export function getBounds(request: GetBoundsRequest): GetBoundsResponse {
  const element = requestedElement(request);
  const box = visibleBox(element) || boxOf(element);
  return { ...rectData(element, box), visible: isVisible(element), in_viewport: placeInViewport(element, box) };
}

export function exists(request: ExistsRequest): ExistsResponse {
  if (isPresent(request.selector)) return { exists: queryFirst(requireText(request.selector, 'selector')) !== null };
  return { exists: showsText(requireText(request.text, 'selector or text')) };
}

/** Whether the page shows a text, in a unit as reports have it, or across them. */
function showsText(pattern: string): boolean {
  const isIn = patternTest(pattern);
  return [...textUnits().values()].some(isIn) || isIn(getText({ cmd: 'get_text' }).text);
}

export function getState(request: GetStateRequest): GetStateResponse {
  const element = requestedElement(request);
  const box = visibleBox(element) || boxOf(element);
  const attributes: Record<string, string> = {};
  for (const { name, value } of attributesOf(element)) attributes[name] = value;
  return {
    state: stateOf(element),
    attributes,
    rect: rectData(element, box),
    in_viewport: placeInViewport(element, box),
  };
}

export function requireText(value: unknown, name: string): string {
  if (typeof value !== 'string' || !value) throw new Refusal('INVALID_REQUEST', `${name} is required`);
  return value;
}

// storage (docs/spec/scanner-protocol.md#storage): the page's local and session storage.

export function storage(request: StorageRequest): StorageResponse {
  const area = storageArea(request.area || 'local');
  const { action, key, value = '' } = request;
  switch (action) {
    case 'list': {
      const entries: Record<string, string> = {};
      for (let index = 0; index < area.length; index++) {
        const name = area.key(index);
        const text = name === null ? null : area.getItem(name);
        if (name !== null && text !== null) entries[name] = text; // null: another tab has just removed it
      }
      return { entries };
    }
    case 'get':
      return { value: area.getItem(requireText(key, 'key')) };
    case 'set':
      return store(area, requireText(key, 'key'), String(value));
    case 'delete': {
      const name = requireText(key, 'key');
      const value = area.getItem(name);
      area.removeItem(name);
      return { value };
    }
    case 'clear':
      area.clear();
      return { entries: {} };
    default:
      throw new Refusal('INVALID_REQUEST', `no such storage action: ${String(action)}`);
  }
}

function store(area: Storage, key: string, value: string): { value: string } {
  try {
    area.setItem(key, value);
  } catch {
    throw new Refusal('SCRIPT_ERROR', 'the storage is full');
  }
  return { value };
}

/** Opaque origins (`data:`, sandboxed frames) have no storage. */
function storageArea(name: StorageArea): Storage {
  if (name !== 'local' && name !== 'session')
    throw new Refusal('INVALID_REQUEST', `no such storage area: ${String(name)}`);
  const view = windowOf(scope) || window;
  try {
    return name === 'local' ? localStorageOf(view) : sessionStorageOf(view);
  } catch {
    throw new Refusal('SCRIPT_ERROR', 'this page has no storage');
  }
}

// file_input (docs/spec/scanner-protocol.md#file_input): the file input that an element is, names or holds.

export function fileInput(request: FileInputRequest): FileInputResponse {
  const element = requestedElement(request);
  const input = fileInputOf(element) || fileInputOver(element);
  continueNumbers(request.next_id || 1);
  const beside = input ? null : fileInputBeside(element);
  return {
    input: input && fileInputData(input),
    beside: beside && fileInputData(beside),
    drops: !input && takesFilesOver(element),
    next_id: nextNumber,
  };
}

const fileInputData = (input: Element): FileInputData => ({
  id: numberOf(input),
  multiple: hasAttribute(input, 'multiple'),
  folder: hasAttribute(input, 'webkitdirectory'),
  accept: attribute(input, 'accept') || '',
  disabled: isDisabled(input),
});

/** Itself, the control of the label that it is or is in, or the only file input inside it. */
function fileInputOf(element: Element): Element | null {
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    if (isFileInput(node)) return node;
    const control = tagOf(node) === 'label' ? labelControlOf(node) : null;
    if (isFileInput(control)) return control;
  }
  const inside = queryAll(element, 'input[type=file]');
  return (inside.length === 1 && inside[0]) || null;
}

const isFileInput = (element: Element | null): boolean =>
  element !== null && tagOf(element) === 'input' && inputTypeOf(element) === 'file';

/** The transparent input that lies over a button, so that a press on the button is one on the input. */
function fileInputOver(element: Element): Element | null {
  const box = seenBox(element);
  if (!box) return null;
  if (placeInViewport(element, box) !== 'inside') bringIntoView(element);
  const middle = middleOf(boxOf(element));
  const hit = hitIn(ownerOf(element), middle.x, middle.y);
  return isFileInput(hit) ? hit : null;
}

const BESIDE_LEVELS = 3;

/** The only file input near a button that is not the page's only way to something else, or null. */
function fileInputBeside(element: Element): Element | null {
  let node: Element | null = element;
  for (let level = 0; node && level < BESIDE_LEVELS; level++) {
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body') return null;
    const inside = queryAll(node, 'input[type=file]');
    if (inside.length) return (inside.length === 1 && inside[0]) || null;
  }
  return null;
}

/**
 * Whether files over the element would be taken: only where a page cancels `dragover` is there a drop.
 * https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model
 */
function takesFilesOver(element: Element): boolean {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([''], 'file'));
  const init = { bubbles: true, cancelable: true, composed: true, dataTransfer };
  dispatch(element, new DragEvent('dragenter', init));
  const isTaken = !dispatch(element, new DragEvent('dragover', init));
  dispatch(element, new DragEvent('dragleave', init));
  return isTaken;
}
