// Runs in the page's own world, where an editor's object is: reads an editor whole. A function of the path to its root
// (`pathTo` in `controls/editors.ts`); its text, or null if the page has no object to ask.

import { EDITOR_FAMILIES } from '../controls/editor_families';

export default function readEditor(path) {
  try {
    let at = document;
    for (const step of path) {
      if (step === 'shadow') at = at.shadowRoot;
      else if (step === 'frame') at = at.contentDocument;
      else at = at.children[step];
    }
    const family = EDITOR_FAMILIES.find(({ root, read }) => read && at.matches(root));
    const text = family.read(at, at.ownerDocument.defaultView);
    return typeof text === 'string' ? text : null;
  } catch (error) {
    return null; // another release, or no such object
  }
}
