// Runs in the page's own world, where an editor's object is: reads an editor whole. A function of the path to its root
// (`pathTo` in `controls/editors.ts`); its text, or null if the page has no object to ask.

import type { Container } from '../dom/natives';
import type { EditorStep } from '../dom/protocol';
import { EDITOR_FAMILIES } from '../controls/editor_families';

export default function readEditor(path: readonly EditorStep[]): string | null {
  try {
    let at: Container = document;
    for (const step of path) at = below(at, step);
    const root = at as Element;
    const family = EDITOR_FAMILIES.find((each) => each.read && root.matches(each.root));
    const view = root.ownerDocument.defaultView;
    const text: unknown = view && family?.read?.(root, view);
    return typeof text === 'string' ? text : null;
  } catch {
    return null; // another release, no such object, or another page by now
  }
}

function below(at: Container, step: EditorStep): Container {
  const next =
    step === 'shadow'
      ? (at as Element).shadowRoot
      : step === 'frame'
        ? (at as HTMLIFrameElement).contentDocument
        : at.children[step];
  if (!next) throw new Error('the path leads nowhere');
  return next;
}
