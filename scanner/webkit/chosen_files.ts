// Files of the computer for a page. The browser gives them to a file field alone, when the chooser of it opens; a field of
// our own gets those that are dropped, or that a field of the page accepts no type of.

import {
  addListener,
  createElement,
  dispatch,
  inputFilesOf,
  inputTypeOf,
  isConnected,
  isElement,
  nativeClick,
  removeListener,
  tagOf,
} from '../dom/natives';
import { getter, method, setter } from '../dom/unbound';

const stop = method(Event.prototype, 'stopImmediatePropagation');
const pathOf = method(Event.prototype, 'composedPath');
const setType = setter(HTMLInputElement.prototype, 'type');
const setMultiple = setter(HTMLInputElement.prototype, 'multiple');
const multipleOf = getter(HTMLInputElement.prototype, 'multiple');
const acceptOf = getter(HTMLInputElement.prototype, 'accept');
const setFiles = setter(HTMLInputElement.prototype, 'files');

const NativeInput = HTMLInputElement;
const { apply, defineProperty: define } = Reflect;

/** Whether the click that comes is one that the page must not hear of. */
let isHushed = false;
let own: HTMLInputElement | null = null;

const isFileInput = (node: EventTarget | undefined): node is HTMLInputElement =>
  node instanceof Node && isElement(node) && tagOf(node) === 'input' && inputTypeOf(node) === 'file';

/** Call `report` with each file field that is clicked, whose chooser opens unless the page prevents that. */
export function watchFileInputs(report: (input: HTMLInputElement) => void): void {
  // The first listener of all, as long as the document has no scripts.
  addListener(
    window,
    'click',
    (event) => {
      if (isHushed) {
        stop(event);
        return;
      }
      const [target] = pathOf(event);
      if (isFileInput(target)) report(target);
    },
    true,
  );
}

/**
 * The same of fields in no document, whose clicks the window does not hear of: a page makes one for its chooser alone, and
 * forgets it as soon as that is cancelled. The stand-ins say `[native code]` too.
 */
export function watchFileInputCalls(report: (input: HTMLInputElement) => void): void {
  watchCalls(HTMLElement.prototype, 'click', report);
  watchCalls(HTMLInputElement.prototype, 'showPicker', report);
}

function watchCalls(prototype: object, name: string, report: (input: HTMLInputElement) => void): void {
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  if (!own) return;
  const value = new Proxy(own.value as () => void, {
    apply(call, self: unknown, values: unknown[]) {
      if (self instanceof NativeInput && isFileInput(self) && !isConnected(self)) report(self);
      return apply(call, self, values) as unknown;
    },
  });
  define(prototype, name, { ...own, value });
}

/** What a chooser of the field takes: several files, and of which types. */
export const wantedFiles = (input: HTMLInputElement): { multiple: boolean; accept: string } => ({
  multiple: multipleOf(input),
  accept: acceptOf(input),
});

/** Tells that a field has got the files of a chooser that was opened here. */
let tellChosen: () => void = () => undefined;

/** Call `tell` when a field has got the files of a chooser that was opened here: from WebKit 2.48 on it gets them later. */
export function watchChosenFiles(tell: () => void): void {
  tellChosen = tell;
}

/** Open the chooser of a field, without a click that the page hears of. */
export function openChooser(field: HTMLInputElement): void {
  addListener(field, 'change', () => tellChosen(), { capture: true, once: true });
  addListener(field, 'click', stop, true); // in no document, the window hears of nothing
  isHushed = true;
  try {
    nativeClick(field);
  } finally {
    isHushed = false;
    removeListener(field, 'click', stop, true);
  }
}

/** Open the chooser of a field of our own, for what is dropped then or given to another field. */
export function openOwnChooser(): void {
  own = createElement(document, 'input') as HTMLInputElement;
  setType(own, 'file');
  setMultiple(own, true);
  openChooser(own);
}

/** Give the files of our own field to one of the page, whatever types that accepts. */
export function giveChosenFiles(input: HTMLInputElement): boolean {
  const files = takeChosenFiles();
  if (!files) return false;
  setFiles(input, files);
  dispatch(input, new Event('input', { bubbles: true, composed: true }));
  dispatch(input, new Event('change', { bubbles: true }));
  return true;
}

/** The files of our own field. */
export function takeChosenFiles(): FileList | null {
  const files = own && inputFilesOf(own);
  own = null;
  return files;
}
