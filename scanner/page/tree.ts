// tree (docs/spec/scanner-protocol.md#tree): the page as assistive technology meets it, in page order: roles, names,
// states, nesting. Built from the flat tree (shadow roots and slots joined, same-origin frames inside) with `aria-owns`
// honoured; what is hidden from assistive technology is left out.
// https://www.w3.org/TR/wai-aria-1.2/#accessibility_tree

import {
  attribute,
  closest,
  dataOf,
  documentElementOf,
  frameDocument,
  hasAttribute,
  inputTypeOf,
  isElement,
  isHtml,
  isMultiple,
  isText,
  nextSiblingOf,
  parentElementOf,
  previousSiblingOf,
  tagOf,
} from '../dom/natives';
import type { TreeNode, TreeRequest, TreeResponse } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { isPresent, wholeNumber } from '../dom/refusal';
import { collapse, wordSet } from '../dom/words';
import { continueNumbers, nextNumber, nextReference, numberOf, referenceOf, startReferences } from '../dom/numbers';
import { allElements, currentCache, scope, walkableElements } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { styleOf } from '../geometry/styles';
import { NAME_FROM_CONTENT, authoredRole } from '../semantics/roles';
import {
  checkedState,
  displayedValue,
  focusedElement,
  isInvalid,
  isMixed,
  isReadOnly,
  isRequired,
  optionsData,
  toggleStates,
} from '../semantics/values';
import { accessibleName, flatChildren, isFoldedDetails, isRendered, isSummaryNode, shorten } from '../semantics/names';
import { ownersOfElements } from '../semantics/owners';
import { EMPTY_WITHOUT_CONTENT, EMPTY_WITHOUT_NAME, authoredName, treeRole } from '../semantics/structure';
import { formulaText } from '../semantics/formulas';
import { nameOf } from '../semantics/labels';
import { elementOf, foundElements } from '../targets/candidates';
import { sectionAround } from '../targets/relations';
import { pageData, takeHintsOf } from '../targets/describe';
import { modalDialogs } from '../dom/top_layer';

export function tree(request: TreeRequest): TreeResponse {
  takeHintsOf(request);
  continueNumbers(request.next_id || 1);
  startReferences(request.next_ref || 1);
  const found = foundElements();
  const root = isPresent(request.root) ? sectionAround(elementOf(wholeNumber(request.root, 'root')), found) : null;
  const nodes = treeRows(root).map(({ row }) => row);
  return {
    page: pageData(),
    nodes,
    stats: { scanned: walkableElements(allElements()).length },
    next_ref: nextReference,
    next_id: nextNumber,
  };
}

/** An element with a meaning, a text, or the page around them. Elements without meaning have no node. */
type PageNode = ElementNode | TextNode;

interface Holder {
  children: PageNode[];
  /** Something stands between the last text and the next one. */
  apart: boolean;
}

interface ElementNode extends Holder {
  element: Element;
  tag: string;
  role: string;
  /** Null for what is not interactive. */
  candidate: Candidate | null;
  /** Known when all inside it is. */
  name: string;
  /** The number of a frame of another origin. */
  frame?: number;
}

interface TextNode {
  element?: undefined;
  text: string;
}

/** The nodes of one element, or of the page, that are still to be visited. */
interface Level {
  nodes: readonly Node[];
  next: number;
  /** What takes their tree nodes, and what takes those of the element itself. */
  into: Holder;
  parent: Holder;
  element: Element | null;
  node: ElementNode | null;
  /** The element shows its text. */
  seen: boolean;
  /** Its text only names something else. */
  quiet: boolean;
  isBlock: boolean;
}

/** These show nothing, or nothing of the page itself. */
const UNSPOKEN = wordSet(
  'script style noscript template head meta link title param source track colgroup col datalist',
);

/** These are one thing, whatever is inside. */
const UNDIVIDED = wordSet('input textarea select img progress meter hr video audio embed object');

/** Their text is the name of what they stand in, and not said twice. */
const NAMING: Record<string, string> = { legend: 'fieldset', caption: 'table', figcaption: 'figure' };

/** One walk. */
class TreeBuilder {
  private readonly facts = currentCache().facts;
  private readonly owners = ownersOfElements();
  private readonly pending: Level[] = [];

  grow(part: Element | null): PageNode[] {
    const root: Holder = { children: [], apart: true };
    const start = part || openModal() || documentElementOf(scope);
    if (start) {
      const nodes = [start];
      this.descend({
        nodes,
        into: root,
        parent: root,
        element: null,
        node: null,
        seen: true,
        quiet: false,
        isBlock: false,
      });
    }
    for (let level = this.pending.at(-1); level; level = this.pending.at(-1)) {
      const node = level.nodes[level.next++];
      if (!node) {
        this.pending.pop();
        this.leave(level);
      } else if (isText(node)) {
        if (level.seen && !level.quiet) addText(level.into, dataOf(node));
      } else if (isElement(node)) this.enter(node, level);
    }
    settleText(root);
    return root.children;
  }

  private descend(level: Omit<Level, 'next'>): void {
    this.pending.push({ next: 0, ...level });
  }

  private enter(element: Element, level: Level): void {
    const tag = tagOf(element);
    if (tag === 'br') return addText(level.into, ' ');
    if (UNSPOKEN.has(tag) || isHiddenFromAssistance(element)) return;
    const owner = level.element && this.owners.ownerOf.get(element);
    if (owner && owner !== level.element) return;
    const style = styleOf(element);
    if (style.display === 'none') return;
    const seen = style.visibility === 'visible';
    const isBlock = !/^(?:inline|contents$|math$|ruby)/.test(style.display);
    if (tag === 'math' && !isBlock && isInSentence(element)) {
      if (seen && !level.quiet) addText(level.into, formulaText(element));
      return;
    }
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

  private leave(level: Level): void {
    if (level.isBlock) level.parent.apart = true;
    if (!level.node) return;
    if (level.node.tag === 'math' && level.element) addText(level.node, formulaText(level.element));
    settleText(level.node);
    const stays = finish(level.node);
    if (stays) return;
    // Without a meaning of its own: what it holds takes its place.
    level.parent.children.pop();
    for (const child of level.node.children) level.parent.children.push(child);
  }

  /** The node of an element, or null when its content stands for itself. */
  private nodeOf(element: Element, tag: string): ElementNode | null {
    const facts = this.facts.get(element);
    const candidate = facts && !facts.passive ? facts : null;
    const role = treeRole(element, tag);
    if (tag === 'label') {
      const control = hiddenControlOf(element);
      if (control) return this.nodeOf(control, tagOf(control));
    }
    if (!role && !candidate) return null;
    const reportedRole = role || (candidate?.role === 'textbox' ? 'textbox' : 'generic');
    return { element, tag, role: reportedRole, candidate, children: [], apart: true, name: '' };
  }

  private childrenOf(element: Element, tag: string, node: ElementNode | null): readonly Node[] {
    if (tag === 'iframe' || tag === 'frame') return this.frameContent(element, node);
    if (UNDIVIDED.has(tag) || node?.role === 'textbox') return [];
    if (tag === 'math') return [];
    let nodes: readonly Node[] = flatChildren(element);
    if (isFoldedDetails(element)) nodes = nodes.filter(isSummaryNode);
    const owned = this.owners.ownedBy.get(element);
    return owned ? [...nodes, ...owned.filter((each) => !nodes.includes(each))] : nodes;
  }

  /** The document of a same-origin frame; of another, its number, by which the engine finds it. */
  private frameContent(element: Element, node: ElementNode | null): readonly Node[] {
    const inner = frameDocument(element);
    const start = inner && documentElementOf(inner);
    if (start) return [start];
    if (node) node.frame = numberOf(element);
    return [];
  }

  /** Whether an element's text only names something else that is shown. */
  private namesAnother(element: Element, tag: string): boolean {
    if (tag === 'label') {
      const control = labelControlOf(element);
      return control !== null && isRead(control) && !hasAttribute(control, 'aria-label');
    }
    const named = NAMING[tag];
    const parent = named ? parentElementOf(element) : null;
    return parent !== null && tagOf(parent) === named;
  }
}

/** Whether text stands beside an element, as a part of which it is read. */
const isInSentence = (element: Element): boolean =>
  [previousSiblingOf(element), nextSiblingOf(element)].some(
    (beside) => beside !== null && isText(beside) && dataOf(beside).trim() !== '',
  );

const isHiddenFromAssistance = (element: Element): boolean =>
  attribute(element, 'aria-hidden') === 'true' || (hasAttribute(element, 'inert') && isHtml(element));

/** A control that is not read itself and that its label stands for: a box drawn by style sheets, a file input. */
function hiddenControlOf(label: Element): Element | null {
  const control = labelControlOf(label);
  if (!control || tagOf(control) !== 'input' || isRead(control)) return null;
  return ['checkbox', 'radio', 'file'].includes(inputTypeOf(control)) ? control : null;
}

/** Whether a control has a node in its own place, which may be drawn by something else. */
const isRead = (control: Element): boolean =>
  isRendered(control) && closest(control, '[aria-hidden=true],[inert]') === null;

/** An open modal dialog makes all else inert: https://html.spec.whatwg.org/multipage/interaction.html#modal-dialogs */
const openModal = (): Element | null => modalDialogs(scope).at(-1) ?? null;

/** Text joins the text before it unless a block or another node lies between them. */
function addText(holder: Holder, text: string): void {
  const last = holder.children.at(-1);
  if (last && last.element === undefined && !holder.apart) last.text += text;
  else holder.children.push({ text });
  holder.apart = false;
}

function settleText(holder: Holder): void {
  for (const child of holder.children) if (child.element === undefined) child.text = collapse(child.text);
  holder.children = holder.children.filter((child) => child.element !== undefined || child.text);
}

// Nodes when all inside them is known: which of it they say themselves.

/** https://www.w3.org/TR/wai-aria-1.2/#childrenArePresentational */
const CHILDLESS = wordSet(`
  button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider
  switch tab
`);

/** Give a node its name and drop what its name says; whether it has a meaning of its own. */
function finish(node: ElementNode): boolean {
  const { element, role } = node;
  const holdsNodes = node.children.some((child) => child.element !== undefined);
  node.name = nameOfNode(node, holdsNodes);
  const saysContent = node.name !== '' && !authoredName(element) && role !== 'iframe';
  if ((CHILDLESS.has(role) && !isDrawing(node)) || (saysContent && NAME_FROM_CONTENT.has(role)))
    node.children = [...ownTexts(node), ...actionableNodes(node.children)];
  else if (saysContent && !holdsNodes) node.children = [];
  else if (node.name && onlyText(node) === node.name) node.children = [];
  if (node.candidate) return true;
  if (EMPTY_WITHOUT_NAME.has(role) && !node.name) return false;
  return !EMPTY_WITHOUT_CONTENT.has(role) || node.children.length > 0 || node.name !== '';
}

/** What these say is not their name: it is kept, unless their author says it otherwise. */
const SAYING = wordSet('math progressbar meter separator scrollbar img');

function ownTexts({ role, name, children }: ElementNode): TextNode[] {
  if (!SAYING.has(role) || (role === 'img' && name)) return [];
  const text = collapse(textsIn(children).join(' '));
  return text && text !== name ? [{ text }] : [];
}

const textsIn = (children: readonly PageNode[]): string[] =>
  children.flatMap((child) => (child.element === undefined ? child.text : child.name || textsIn(child.children)));

/** A drawing's parts have meanings of their own unless its author calls it a picture. */
const isDrawing = ({ element, tag }: ElementNode): boolean => tag === 'svg' && !authoredRole(element);

/** The text that is all that a node holds, or null. */
function onlyText({ children }: ElementNode): string | null {
  const only = children.length === 1 ? children[0] : undefined;
  return only && only.element === undefined ? only.text : null;
}

/** Places of a table and a list: what they hold is what they are called. */
const PLACES = wordSet('cell gridcell columnheader rowheader listitem row');

const NAMELESS = wordSet('paragraph deletion text definition term');
const NAMED_BY_PART = wordSet(
  'fieldset figure table svg g img iframe frame input select textarea progress meter video output',
);

function nameOfNode(node: ElementNode, holdsNodes: boolean): string {
  const { element, role, candidate } = node;
  if (NAMELESS.has(role)) return '';
  if (authoredName(element) && accessibleName(element)) return shorten(accessibleName(element));
  if (PLACES.has(role) && !(candidate && !holdsNodes)) return '';
  if (candidate) return role === 'generic' && holdsNodes ? '' : shorten(nameOf(element));
  if (role === 'treeitem' && holdsNodes) return shorten(ownText(node));
  return NAME_FROM_CONTENT.has(role) || NAMED_BY_PART.has(node.tag) ? shorten(accessibleName(element)) : '';
}

function ownText({ children }: ElementNode): string {
  const texts: string[] = [];
  for (const child of children) if (child.element === undefined) texts.push(child.text);
  return collapse(texts.join(' '));
}

/** Of what is inside a node whose name says its content: what can be acted on, and headings. */
function actionableNodes(children: readonly PageNode[]): ElementNode[] {
  const actionable: ElementNode[] = [];
  const pending = [...children].reverse();
  for (let child = pending.pop(); child; child = pending.pop()) {
    if (child.element === undefined) continue;
    if (child.candidate || child.role === 'heading') actionable.push(child);
    else for (const inner of [...child.children].reverse()) pending.push(inner);
  }
  return actionable;
}

// Nodes as rows.

/**
 * The nodes in page order as rows, with their elements, null for a text; those that a target makes sense for get a
 * reference.
 */
export function treeRows(root: Element | null = null): { row: TreeNode; element: Element | null }[] {
  const rows: { row: TreeNode; element: Element | null }[] = [];
  const focused = focusedElement();
  const pending = new TreeBuilder()
    .grow(root)
    .map((node) => ({ node, depth: 0 }))
    .reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, depth } = next;
    if (node.element === undefined) {
      rows.push({ row: { depth, role: 'text', text: node.text }, element: null });
      continue;
    }
    const row: TreeNode = { depth, role: node.role };
    rows.push({ row, element: node.element });
    const text = onlyText(node);
    if (text !== null) row.text = text;
    describeNode(node, row, focused);
    if (text !== null) continue;
    for (const child of [...node.children].reverse()) pending.push({ node: child, depth: depth + 1 });
  }
  return rows;
}

const VALUED = wordSet('textbox searchbox combobox slider spinbutton progressbar meter scrollbar listbox');

function describeNode(node: ElementNode, row: TreeNode, focused: Element | null): void {
  const { element, role, candidate, tag } = node;
  if (node.name) row.name = node.name;
  if (candidate || (node.name && !PLACES.has(role))) row.ref = referenceOf(element);
  if (node.frame) row.frame = node.frame;
  if (role === 'heading' || hasAttribute(element, 'aria-level')) row.level = levelOf(element, tag);
  const states = statesOf(node);
  if (element === focused && tag !== 'body') states.push('focused');
  if (states.length) row.states = states;
  if (!VALUED.has(role)) return;
  const options = optionsData(element);
  if (options) row.options = options;
  const value = tag === 'progress' || tag === 'meter' ? attribute(element, 'value') : displayedValue(element);
  if (value) row.value = value;
}

function levelOf(element: Element, tag: string): number {
  const written = parseInt(attribute(element, 'aria-level') ?? '', 10);
  if (written > 0) return written;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

const REPORTED_INPUT_TYPES = wordSet('password file date datetime-local month week time color');

/** https://www.w3.org/TR/wai-aria-1.2/#state_prop_def, those that tell something to who acts */
function statesOf({ element, tag, role, candidate }: ElementNode): string[] {
  const states: string[] = [];
  const checked = checkedState(element);
  if (checked !== null) states.push(isMixed(element) ? 'mixed' : checked ? 'checked' : 'unchecked');
  states.push(...toggleStates(element, tag));
  if (candidate) states.push(...candidate.fixed.filter((word) => word !== 'primary'));
  else states.push(...passiveStates(element));
  if (isInvalid(element, tag)) states.push('invalid');
  if (attribute(element, 'aria-busy') === 'true') states.push('busy');
  if (tag === 'input' && REPORTED_INPUT_TYPES.has(inputTypeOf(element))) states.push(inputTypeOf(element));
  const isMultipleList = role === 'listbox' && tag === 'select' && isMultiple(element);
  if (isMultipleList || attribute(element, 'aria-multiselectable') === 'true') states.push('multiple');
  return states;
}

/** The states of what is no control itself: a group that is required, a grid that is read-only. */
function passiveStates(element: Element): string[] {
  const states: string[] = [];
  if (isRequired(element)) states.push('required');
  if (attribute(element, 'aria-disabled') === 'true') states.push('disabled');
  if (isReadOnly(element)) states.push('readonly');
  return states;
}
