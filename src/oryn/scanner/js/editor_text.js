// The text of an editor as its document has it, with its line breaks: each block is a line, or a paragraph where the
// editor's own paste makes paragraphs at blank lines.

/** What fills empty lines and marks cursors, and is no text. */
const EDITOR_FILLERS = /\ufeff|\u2060{7}/g;

/** One block of an editor while it is read: the texts of the blocks in it, and the line that has begun. */
class EditorBlock {
  constructor(node, parts) {
    this.isItem = tagOf(node) === 'li' || tagOf(node) === 'tr';
    this.parts = parts;
    this.line = null;
    this.endsWithBreak = false;
  }

  add(text, isExact) {
    if (text === '') return;
    const line = this.line || '';
    const flat = isExact || (line !== '' && !/[ \n]$/.test(line)) ? text : text.replace(/^ +/, '');
    if (flat === '' && this.line === null) return;
    this.line = line + flat;
    this.endsWithBreak = isExact && flat.endsWith('\n');
    this.isExact = isExact;
  }

  breakLine() {
    this.line = `${this.trimmed()}\n`;
    this.endsWithBreak = true;
  }

  trimmed() {
    const line = this.line || '';
    return this.isExact ? line : line.replace(/ +$/, '');
  }

  /** End the line that has begun, because a block follows or the block ends. A break at its end only fills the line. */
  endLine() {
    if (this.line === null) return;
    const line = this.endsWithBreak ? this.line.slice(0, -1) : this.trimmed();
    this.parts.push({ text: line.replace(/\u00a0/g, this.isExact ? '\u00a0' : ' '), isItem: this.isItem });
    this.line = null;
    this.endsWithBreak = false;
  }
}

/** The text in an editing host. */
function editorText({ root, family }) {
  const parts = [];
  const outer = new EditorBlock(root, parts);
  const pending = childNodesOf(root).map((node) => [node, outer]);
  while (pending.length) {
    const step = pending.pop();
    if (typeof step === 'function') step();
    else readEditorNode(...step, pending);
  }
  outer.endLine();
  const isSpaced = (at) => family && family.hasParagraphs && !parts[at].isItem && !parts[at - 1].isItem;
  return parts.map(({ text }, at) => (at ? (isSpaced(at) ? '\n\n' : '\n') : '') + text).join('');
}

/** The nodes below a node, the last first. */
function childNodesOf(node) {
  const nodes = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) nodes.push(child);
  return nodes.reverse();
}

function readEditorNode(node, block, pending) {
  if (nodeTypeOf(node) === TEXT_NODE) return readEditorText(node, block);
  if (nodeTypeOf(node) !== ELEMENT_NODE || TEXTLESS.has(tagOf(node))) return;
  if (tagOf(node) === 'br') return block.breakLine();
  const { display } = styleOf(node);
  if (display === 'none') return;
  if (display.startsWith('inline') || display === 'contents' || display === 'table-cell') {
    for (const child of childNodesOf(node)) pending.push([child, block]);
    return;
  }
  block.endLine();
  const inner = new EditorBlock(node, block.parts);
  const { length } = block.parts;
  pending.push(() => {
    inner.endLine();
    if (inner.parts.length === length && !isWidget(node)) inner.parts.push({ text: '', isItem: inner.isItem });
  });
  for (const child of childNodesOf(node)) pending.push([child, inner]);
}

/** An island of the editor's own, such as a button beside an image. */
const isWidget = (node) => attribute(node, 'contenteditable') === 'false';

function readEditorText(node, block) {
  const { whiteSpace } = styleOf(parentOf(node));
  const text = dataOf(node).replace(EDITOR_FILLERS, '');
  if (text === '\u200b') return;
  const isExact = whiteSpace.startsWith('pre') || whiteSpace.startsWith('break');
  block.add(isExact ? text : text.replace(/[\t\n\f\r ]+/g, ' '), isExact);
}
