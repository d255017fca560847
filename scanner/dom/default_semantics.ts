// Custom elements that tell the browser what they are, and nobody else (`ElementInternals`): no script gets at it, not even
// the scanner's. The browser's accessibility tree has it, and the backend hands it over.
// https://html.spec.whatwg.org/multipage/custom-elements.html#native-accessibility-semantics

import { hasAttribute, matches, tagOf, takeDefaults } from './natives';
import { forgetCache, scope } from './snapshot';
import { walk } from './tree';

/** More custom elements in one document are not asked about: each costs a message. */
const MAX_ELEMENTS = 100;

const OPERABLE = ':is(:enabled, :disabled, [tabindex]):defined';

/**
 * The custom elements that a person can operate and that write no role, about which the backend asks the browser. They
 * are looked for without the cache, which is not to be built before closed roots are known.
 */
export function unsaidElements(): Element[] {
  const found: Element[] = [];
  walk(
    scope,
    (element) => {
      if (found.length >= MAX_ELEMENTS || !tagOf(element).includes('-')) return;
      if (matches(element, OPERABLE) && !hasWrittenRole(element)) found.push(element);
    },
    () => undefined,
  );
  return found;
}

const hasWrittenRole = (element: Element): boolean => hasAttribute(element, 'role') && !asked.has(element);

const asked = new WeakSet<Element>();

/** Take over what the browser says of elements: for each the attributes that would say the same. */
export function takeSemantics(values: readonly Readonly<Record<string, string>>[], elements: readonly Element[]): void {
  let isNew = false;
  elements.forEach((element, index) => {
    asked.add(element);
    isNew = takeDefaults(element, values[index] ?? {}) || isNew;
  });
  if (isNew) forgetCache();
}
