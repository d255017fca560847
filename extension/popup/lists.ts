// Lists that keep the nodes of unchanged rows, and with them the focus.

import { byId } from './dom';

interface Row {
  text: string;
  node: HTMLElement;
}

/** Returns a function that renders items in the list with this id. A row is created again only if its item has changed.
 *  `keyOf(item)` identifies an item, `createRow(item)` returns its `<li>`. */
export function listRenderer<T>(
  id: string,
  keyOf: (item: T) => string,
  createRow: (item: T) => HTMLElement,
): (items: readonly T[]) => void {
  const list = byId(id);
  let rows = new Map<string, Row>();
  return (items) => {
    const focused = list.contains(document.activeElement) ? (document.activeElement?.closest('li') ?? null) : null;
    const index = focused ? [...list.children].indexOf(focused) : -1;
    const next = new Map<string, Row>();
    for (const item of items) {
      const text = JSON.stringify(item);
      const old = rows.get(keyOf(item));
      next.set(keyOf(item), old && old.text === text ? old : { text, node: createRow(item) });
    }
    rows = next;
    arrange(
      list,
      [...next.values()].map(({ node }) => node),
    );
    // If the focused row was removed, the row in its place gets the focus, not the page's beginning.
    if (focused && !focused.isConnected) {
      list.children[Math.min(index, list.children.length - 1)]?.querySelector('button')?.focus();
    }
  };
}

/** Put the nodes in order. Nodes that stay are not moved, because moving a node removes the focus. */
function arrange(list: HTMLElement, nodes: HTMLElement[]): void {
  const wanted = new Set<Element>(nodes);
  for (const node of [...list.children]) if (!wanted.has(node)) node.remove();
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
}
