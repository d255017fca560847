// A list, table or tree often has one listener for all that it lists (event delegation): its rows are what a person
// clicks, and none of them looks or listens like it.

const ITEMS_OF_LISTS = 'li,tr,[role=option],[role=row],[role=treeitem],[role=listitem]';
const PARTS_OF_PAGES = 'main,nav,header,footer,h1,h2,[role=main],[role=navigation],[role=banner],[role=search]';
const FEWEST_REPEATED = 3;
const MAX_ITEMS_OF_LIST = 200;
const MAX_ITEMS_OF_PAGE = 1000;
const MAX_LISTS = 300;
const LEVELS_OF_LIST = 3;

/** Finds the items of one page's delegating containers, in walk order, and up to a limit. */
class DelegatedItems {
  constructor() {
    this.items = new Set();
    this.lists = 0;
  }

  has(element) {
    return this.items.has(element);
  }

  /** Add the items of a container that listens. Returns whether it has any. */
  add(container) {
    if (this.items.size >= MAX_ITEMS_OF_PAGE || this.lists++ >= MAX_LISTS) return false;
    if (!firstChildOf(container) || queryAll(container, PARTS_OF_PAGES).length) return false;
    let count = 0;
    for (const item of itemsOf(container)) {
      if (count >= MAX_ITEMS_OF_LIST || this.items.size >= MAX_ITEMS_OF_PAGE) break;
      if (isRowOfHeads(item) || !visibleLength(item)) continue;
      this.items.add(item);
      count++;
    }
    return count > 0;
  }
}

/** What a container lists: by tag or role, else the children that repeat, of the container or its only child. */
function itemsOf(container) {
  const items = queryAll(container, ITEMS_OF_LISTS);
  if (items.length) return items;
  let list = container;
  for (let level = 0; level < LEVELS_OF_LIST; level++) {
    const children = childrenOf(list);
    if (children.length !== 1) return repeated(children);
    list = children[0];
  }
  return [];
}

/** Children of the same tag and class, if there are several and they are most of all. */
function repeated(children) {
  const all = Array.prototype.slice.call(children, 0, 2 * MAX_ITEMS_OF_LIST);
  const kinds = groupBy(all, (child) => `${tagOf(child)} ${attribute(child, 'class') || ''}`);
  for (const group of kinds.values()) {
    if (group.length >= FEWEST_REPEATED && 2 * group.length > all.length) return group;
  }
  return [];
}
