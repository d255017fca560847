// Custom elements that tell the browser what they are, and nobody else (`ElementInternals`): no script gets at it, not even
// the scanner's. The browser's accessibility tree has it, and the backend hands it over.
// https://html.spec.whatwg.org/multipage/custom-elements.html#native-accessibility-semantics

import { hasAttribute, matches, tagOf, takeDefaults } from './natives';
import { forgetCache, scope } from './snapshot';
import { walk } from './tree';

/** The most custom elements that are asked about at once: each costs a message. */
const MAX_ELEMENTS = 100;

const OPERABLE = ':is(:enabled, :disabled, [tabindex])';

/**
 * The custom elements that write no role, about which the backend asks the browser, first those that are plainly there to
 * be operated; once, if the browser has nothing to say about them. They are looked for without the cache, which is not to
 * be built before closed roots are known.
 */
export function unsaidElements(): Element[] {
  const operable: Element[] = [];
  const others: Element[] = [];
  walk(
    scope,
    (element) => {
      if (!tagOf(element).includes('-') || silent.has(element) || !matches(element, ':defined')) return;
      if (said.has(element) || !hasAttribute(element, 'role'))
        (matches(element, OPERABLE) ? operable : others).push(element);
    },
    () => undefined,
  );
  return [...operable, ...others].slice(0, MAX_ELEMENTS);
}

const said = new WeakSet<Element>();
const silent = new WeakSet<Element>();

/** Take over what the browser says of elements: for each the attributes that would say the same. */
export function takeSemantics(values: readonly Readonly<Record<string, string>>[], elements: readonly Element[]): void {
  let isNew = false;
  for (const [index, element] of elements.entries()) {
    const attributes = values[index] ?? {};
    const isSilent = !('role' in attributes) && !said.has(element);
    (isSilent ? silent : said).add(element);
    if (!isSilent) isNew = takeDefaults(element, attributes) || isNew;
  }
  if (isNew) forgetCache();
}
