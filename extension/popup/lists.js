// Lists whose rows stay where they are while nothing about them changes, and with them the focus.

import { byId } from './dom.js';

/** A function that shows items in the list with this id: a row is made again only when its item is another one.
 *  `keyOf(item)` tells items apart, `row(item)` makes the `<li>`. */
export function renderer(id, keyOf, row) {
  const list = byId(id);
  let rows = new Map();
  return (items) => {
    const focused = list.contains(document.activeElement) ? document.activeElement.closest('li') : null;
    const place = focused ? [...list.children].indexOf(focused) : -1;
    const next = new Map();
    for (const item of items) {
      const text = JSON.stringify(item);
      const old = rows.get(keyOf(item));
      next.set(keyOf(item), old?.text === text ? old : { text, node: row(item) });
    }
    rows = next;
    const nodes = [...next.values()].map(({ node }) => node);
    if (nodes.length !== list.children.length || nodes.some((node, at) => node !== list.children[at])) arrange(list, nodes);
    // Whose row is gone goes on with the one in its place, not at the page's beginning.
    if (focused && !focused.isConnected) list.children[Math.min(place, list.children.length - 1)]?.querySelector('button')?.focus();
  };
}

/** Put the nodes in order; those that stay are not moved, for moving takes the focus away. */
function arrange(list, nodes) {
  const wanted = new Set(nodes);
  for (const node of [...list.children]) if (!wanted.has(node)) node.remove();
  nodes.forEach((node, at) => {
    if (list.children[at] !== node) list.insertBefore(node, list.children[at] ?? null);
  });
}
