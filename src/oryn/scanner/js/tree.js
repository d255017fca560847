// tree (docs/spec/scanner-protocol.md#tree): the page as assistive technology meets it, in page order: roles, names,
// states, nesting. Built from the flat tree (shadow roots and slots joined, same-origin frames inside) with `aria-owns`
// honoured; what is hidden from assistive technology is left out.
// https://www.w3.org/TR/wai-aria-1.2/#accessibility_tree

/** These show nothing, or what they hold is no part of the page. */
const UNSPOKEN = wordSet('script style noscript template head meta link title param source track colgroup col datalist');
/** These are one thing, whatever is inside. */
const UNDIVIDED = wordSet('input textarea select img progress meter hr video audio embed object');
/** Their text is the name of what they stand in, and not said twice. */
const NAMING = { legend: 'fieldset', caption: 'table', figcaption: 'figure' };

function tree(request) {
  takeHintsOf(request);
  continueNumbers(request.next_id || 1);
  startReferences(request.next_ref || 1);
  foundElements();
  const nodes = nodeRows(new TreeBuilder().grow());
  return {
    page: pageData(),
    nodes,
    stats: { scanned: walkableElements(allElements()).length },
    next_ref: nextReference,
    next_id: nextNumber,
  };
}

/** One walk. A node is `{element, role, children, …}` or `{text}`; elements without meaning have none. */
class TreeBuilder {
  constructor() {
    this.facts = currentCache().facts;
    this.owners = ownersOfElements();
    this.pending = [];
  }

  grow() {
    const root = { role: 'document', children: [], apart: true };
    const start = openModal() || documentElementOf(scope);
    if (start) this.descend({ nodes: [start], into: root, element: null, seen: true, quiet: false });
    while (this.pending.length) {
      const level = this.pending[this.pending.length - 1];
      const node = level.nodes[level.next++];
      if (!node) this.leave(this.pending.pop());
      else if (nodeTypeOf(node) === TEXT_NODE) {
        if (level.seen && !level.quiet) addText(level.into, dataOf(node));
      } else if (nodeTypeOf(node) === ELEMENT_NODE) this.enter(node, level);
    }
    settleText(root);
    return root.children;
  }

  descend(level) {
    this.pending.push({ next: 0, node: null, ...level });
  }

  enter(element, level) {
    const tag = tagOf(element);
    if (tag === 'br') return addText(level.into, ' ');
    if (UNSPOKEN.has(tag) || isHiddenFromAssistance(element)) return;
    const owner = this.owners.get(element);
    if (owner && owner !== level.element) return;
    const style = styleOf(element);
    if (style.display === 'none') return;
    const seen = style.visibility === 'visible';
    const isBlock = !style.display.startsWith('inline') && style.display !== 'contents';
    if (isBlock) level.into.apart = true;
    const node = seen ? this.nodeOf(element, tag) : null;
    if (node) level.into.children.push(node);
    this.descend({
      nodes: style.contentVisibility === 'hidden' ? [] : this.childrenOf(element, tag, node),
      into: node || level.into,
      parent: level.into,
      element,
      node,
      seen,
      quiet: node ? false : level.quiet || this.namesAnother(element, tag),
      isBlock,
    });
  }

  leave(level) {
    if (level.isBlock) level.parent.apart = true;
    if (!level.node) return;
    settleText(level.node);
    const stays = finish(level.node);
    if (stays) return;
    // Without a meaning of its own: what it holds takes its place.
    level.parent.children.pop();
    for (const child of level.node.children) level.parent.children.push(child);
  }

  /** The node of an element, or null when its content stands for itself. */
  nodeOf(element, tag) {
    const candidate = this.facts.get(element);
    const isInteractive = candidate !== undefined && !candidate.passive;
    const role = treeRole(element, tag);
    if (tag === 'label') {
      const control = hiddenControlOf(element);
      if (control) return this.nodeOf(control, tagOf(control));
    }
    if (!role && !isInteractive) return null;
    const reportedRole = role || (candidate.role === 'textbox' ? 'textbox' : 'generic');
    return { element, tag, role: reportedRole, candidate: isInteractive ? candidate : null, children: [], apart: true };
  }

  childrenOf(element, tag, node) {
    if (tag === 'iframe' || tag === 'frame') return this.frameContent(element, node);
    if (UNDIVIDED.has(tag) || (node && node.role === 'textbox')) return [];
    let nodes = flatChildren(element);
    if (tag === 'details' && !hasAttribute(element, 'open')) nodes = nodes.filter(isSummary);
    const owned = this.owners.owned.get(element);
    return owned ? [...nodes, ...owned.filter((each) => !nodes.includes(each))] : nodes;
  }

  /** The document of a same-origin frame; of another, its number, by which the engine finds it. */
  frameContent(element, node) {
    const inner = frameDocument(element);
    const start = inner && documentElementOf(inner);
    if (start) return [start];
    if (node) node.frame = numberOf(element);
    return [];
  }

  /** Whether an element's text only names something else that is shown. */
  namesAnother(element, tag) {
    if (tag === 'label') {
      const control = labelControlOf(element);
      return control !== null && isStyledVisible(control) && !hasAttribute(control, 'aria-label');
    }
    const parent = NAMING[tag] && parentElementOf(element);
    return Boolean(parent) && tagOf(parent) === NAMING[tag];
  }
}

const isHiddenFromAssistance = (element) =>
  attribute(element, 'aria-hidden') === 'true' || (hasAttribute(element, 'inert') && isHtml(element));

const isSummary = (node) => nodeTypeOf(node) === ELEMENT_NODE && tagOf(node) === 'summary' && isDetailsSummary(node);

/** A control that is not rendered and that its label stands for: a box drawn by style sheets, a file input. */
function hiddenControlOf(label) {
  const control = labelControlOf(label);
  if (!control || tagOf(control) !== 'input' || isStyledVisible(control)) return null;
  return ['checkbox', 'radio', 'file'].includes(inputTypeOf(control)) ? control : null;
}

/** An open modal dialog makes all else inert: https://html.spec.whatwg.org/multipage/interaction.html#modal-dialogs */
function openModal() {
  let modals = [];
  try {
    modals = queryPage('dialog:modal');
  } catch (error) {
    // An engine that does not know the selector.
  }
  const visible = modals.filter((element) => ownerOf(element) === scope);
  return visible.length ? visible[visible.length - 1] : null;
}

/** `aria-owns` (https://www.w3.org/TR/wai-aria-1.2/#aria-owns): the owner of each element, and `owned` the way back. */
function ownersOfElements() {
  const owners = new Map();
  owners.owned = new Map();
  for (const owner of queryPage('[aria-owns]')) {
    for (const id of attribute(owner, 'aria-owns').trim().split(/\s+/)) {
      const element = elementById(owner, id);
      if (!element || owners.has(element) || holds(element, owner)) continue;
      owners.set(element, owner);
      if (owners.owned.has(owner)) owners.owned.get(owner).push(element);
      else owners.owned.set(owner, [element]);
    }
  }
  return owners;
}

/** Text joins the text before it unless a block or another node lies between them. */
function addText(node, text) {
  const last = node.children[node.children.length - 1];
  if (last && last.element === undefined && !node.apart) last.text += text;
  else node.children.push({ text });
  node.apart = false;
}

function settleText(node) {
  for (const child of node.children) if (child.element === undefined) child.text = collapse(child.text);
  node.children = node.children.filter((child) => child.element !== undefined || child.text);
}
