// Nodes of the accessibility tree when all inside them is known: which of it they say themselves, and how they are
// printed.

import {
  ELEMENT_NODE,
  TEXT_NODE,
  attribute,
  dataOf,
  documentElementOf,
  frameDocument,
  hasAttribute,
  inputTypeOf,
  isHtml,
  isMultiple,
  nodeTypeOf,
  ownerOf,
  parentElementOf,
  tagOf,
} from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { holds } from '../dom/tree';
import { continueNumbers, nextNumber, nextReference, numberOf, referenceOf, startReferences } from '../dom/numbers';
import { allElements, currentCache, scope, walkableElements } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { labelControlOf } from '../dom/labels';
import { isStyledVisible, styleOf } from '../geometry/visibility';
import { NAME_FROM_CONTENT, isDetailsSummary } from '../semantics/roles';
import {
  checkedState,
  displayedValue,
  focusedElement,
  isInvalid,
  isMixed,
  optionsData,
  toggleStates,
} from '../semantics/values';
import { accessibleName, elementById, flatChildren, shorten } from '../semantics/names';
import { EMPTY_WITHOUT_CONTENT, EMPTY_WITHOUT_NAME, authoredName, treeRole } from '../semantics/structure';
import { nameOf } from '../semantics/labels';
import { foundElements } from '../targets/candidates';
import { pageData, takeHintsOf } from '../targets/describe';

/** https://www.w3.org/TR/wai-aria-1.2/#childrenArePresentational */
const CHILDLESS = wordSet(`
  button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider
  switch tab
`);

/** Places of a table and a list: what they hold is what they are called. */
const PLACES = wordSet('cell gridcell columnheader rowheader listitem row');

const NAMELESS = wordSet('paragraph deletion text definition term');
const VALUED = wordSet('textbox searchbox combobox slider spinbutton progressbar meter scrollbar listbox');
const REPORTED_INPUT_TYPES = wordSet('password file date datetime-local month week time color');

/** Give a node its name and drop what its name says; whether it has a meaning of its own. */
function finish(node) {
  const { element, role } = node;
  const holdsNodes = node.children.some((child) => child.element !== undefined);
  node.name = nameOfNode(node, holdsNodes);
  const saysContent = node.name !== '' && !authoredName(element) && role !== 'iframe';
  if (CHILDLESS.has(role) || (saysContent && NAME_FROM_CONTENT.has(role))) node.children = actionableNodes(node.children);
  else if (saysContent && !holdsNodes) node.children = [];
  else if (node.name && node.children.length === 1 && node.children[0].text === node.name) node.children = [];
  if (node.candidate) return true;
  if (EMPTY_WITHOUT_NAME.has(role) && !node.name) return false;
  return !EMPTY_WITHOUT_CONTENT.has(role) || node.children.length > 0 || node.name !== '';
}

function nameOfNode(node, holdsNodes) {
  const { element, role, candidate } = node;
  if (NAMELESS.has(role)) return '';
  if (authoredName(element) && accessibleName(element)) return shorten(accessibleName(element));
  if (PLACES.has(role) && !(candidate && !holdsNodes)) return '';
  if (candidate) return role === 'generic' && holdsNodes ? '' : shorten(nameOf(element));
  if (role === 'treeitem' && holdsNodes) return shorten(ownText(node));
  return NAME_FROM_CONTENT.has(role) || NAMED_BY_PART.has(node.tag) ? shorten(accessibleName(element)) : '';
}

const NAMED_BY_PART = wordSet('fieldset figure table svg img iframe frame input select textarea progress meter video');

const ownText = (node) =>
  collapse(
    node.children
      .filter((child) => child.element === undefined)
      .map((child) => child.text)
      .join(' '),
  );

/** Of what is inside a node whose name says its content: what can be acted on, and headings. */
function actionableNodes(children) {
  const actionable = [];
  const pending = children.slice().reverse();
  while (pending.length) {
    const child = pending.pop();
    if (child.element === undefined) continue;
    if (child.candidate || child.role === 'heading') actionable.push(child);
    else for (let index = child.children.length - 1; index >= 0; index--) pending.push(child.children[index]);
  }
  return actionable;
}

/** The nodes in page order as rows of protocol.TreeNode; those that a target makes sense for get a reference. */
function nodeRows(nodes) {
  const rows = [];
  const focused = focusedElement();
  const pending = nodes.map((node) => [node, 0]).reverse();
  while (pending.length) {
    const [node, depth] = pending.pop();
    let { children } = node;
    const row = { depth, role: node.element === undefined ? 'text' : node.role };
    rows.push(row);
    if (node.element === undefined) {
      row.text = node.text;
      continue;
    }
    if (children.length === 1 && children[0].element === undefined) {
      row.text = children[0].text;
      children = [];
    }
    describeNode(node, row, focused);
    for (let index = children.length - 1; index >= 0; index--) pending.push([children[index], depth + 1]);
  }
  return rows;
}

function describeNode(node, row, focused) {
  const { element, role, candidate, tag } = node;
  if (node.name) row.name = node.name;
  if (candidate || (node.name && !PLACES.has(role))) row.ref = referenceOf(element);
  if (node.frame) row.frame = node.frame;
  if (role === 'heading' || hasAttribute(element, 'aria-level')) row.level = levelOf(element, tag);
  const states = statesOf(node);
  if (element === focused && tag !== 'body') states.push('focused');
  if (states.length) row.states = states;
  if (!VALUED.has(role)) return;
  if (tag === 'select') row.options = optionsData(element);
  const value = tag === 'progress' || tag === 'meter' ? attribute(element, 'value') : displayedValue(element);
  if (value) row.value = value;
}

function levelOf(element, tag) {
  const written = parseInt(attribute(element, 'aria-level'), 10);
  if (written > 0) return written;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

/** https://www.w3.org/TR/wai-aria-1.2/#state_prop_def, those that tell something to who acts */
function statesOf({ element, tag, role, candidate }) {
  const states = [];
  const checked = checkedState(element);
  if (checked !== null) states.push(isMixed(element) ? 'mixed' : checked ? 'checked' : 'unchecked');
  states.push(...toggleStates(element, tag));
  if (candidate) states.push(...candidate.fixed.filter((word) => word !== 'primary'));
  else if (attribute(element, 'aria-disabled') === 'true') states.push('disabled');
  if (isInvalid(element, tag)) states.push('invalid');
  if (attribute(element, 'aria-busy') === 'true') states.push('busy');
  if (tag === 'input' && REPORTED_INPUT_TYPES.has(inputTypeOf(element))) states.push(inputTypeOf(element));
  if (role === 'listbox' && tag === 'select' && isMultiple(element)) states.push('multiple');
  return states;
}

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

export function tree(request) {
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
