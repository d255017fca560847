// Elements of the extension's own pages.

export { announce, element, formatDuration, setText, timeElement } from 'live-page/dom';

type Kind<E> = abstract new () => E;

/** The element with an id of the page's HTML, which has to be of a kind. */
export function byId(id: string): HTMLElement;
export function byId<E extends HTMLElement>(id: string, kind: Kind<E>): E;
export function byId(id: string, kind: Kind<HTMLElement> = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

/** The control of a form with a name. */
export function control<E extends object>(form: HTMLFormElement, name: string, kind: Kind<E>): E {
  const found = form.elements.namedItem(name);
  if (!(found instanceof kind)) throw new Error(`the form has no ${name}`);
  return found;
}

/** What the user has set in a control of a form. */
export function valueOf(changed: EventTarget | null): { name: string; value: string | number | boolean } | null {
  if (changed instanceof HTMLSelectElement) return { name: changed.name, value: changed.value };
  if (!(changed instanceof HTMLInputElement)) return null;
  const { type, name, checked, value, valueAsNumber } = changed;
  return { name, value: type === 'checkbox' ? checked : type === 'number' ? valueAsNumber : value };
}
