// The text editors that pages are built with, as far as the standards (`contenteditable`, text fields) don't say how they
// take and hold their text. The scanner uses the selectors; `read` runs in the page's own world, where an editor's object
// is.

interface Family {
  readonly name: string;
  /** The editor's outermost element. */
  readonly root: string;
}

/** An editor of source code, which renders only the lines in view, indents, and closes brackets by itself. */
export interface CodeFamily extends Family {
  readonly isCode: true;
  /** The element in it that takes the keys. */
  readonly input: string;
  readonly lines: string;
  /** The whole text, by the editor's own object. */
  readonly read: (root: Element, view: Window) => unknown;
  readonly hasParagraphs?: never;
  readonly html?: never;
}

/** An editor whose outermost element takes the keys. */
export interface TextFamily extends Family {
  /** Pasted text becomes paragraphs at blank lines, and a single line break stays in its paragraph. */
  readonly hasParagraphs?: true;
  /** HTML that the editor takes exactly, of a text that it would change if it were pasted as plain text; or null. */
  readonly html: (text: string) => string | null;
  readonly isCode?: never;
  readonly input?: never;
  readonly read?: never;
}

export type EditorFamily = CodeFamily | TextFamily;

const escapeMarkup = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const linesOf = (
  text: string,
  escape: (line: string) => string,
  between: string,
  before: string,
  after: string,
): string => before + text.split('\n').map(escape).join(between) + after;

/** Paragraphs at blank lines, line breaks in them, and blanks that HTML does not collapse. */
function paragraphsOf(text: string): string | null {
  if (!/\n|^ | $| {2}/.test(text)) return null;
  const escape = (line: string) =>
    escapeMarkup(line).replace(/^ | $| {2,}/g, (blanks) => '\u00a0'.repeat(blanks.length));
  // A break at the end of a paragraph shows only what follows it.
  const paragraph = (lines: string) =>
    linesOf(lines, escape, '<br>', '<p>', /(^|\n)$/.test(lines) ? '<br></p>' : '</p>');
  return text.split('\n\n').map(paragraph).join('');
}

// The objects of the editors, as far as `read` uses them.

interface CodeMirror5Root extends Element {
  CodeMirror: { getValue(separator: string): unknown };
}

interface CodeMirror6Content extends Element {
  cmTile?: CodeMirror6Part;
  cmView?: CodeMirror6Part;
}

interface CodeMirror6Part {
  view?: CodeMirror6View;
  root?: { view: CodeMirror6View };
  rootView?: { view: CodeMirror6View };
}

interface CodeMirror6View {
  state: { sliceDoc(): unknown };
}

interface MonacoWindow extends Window {
  monaco: { editor: { getEditors(): MonacoEditor[] } };
}

interface MonacoEditor {
  getContainerDomNode(): Element;
  getModel(): { getLinesContent(): string[] };
}

interface AceRoot extends Element {
  env: { editor: { session: { getDocument(): { getAllLines(): string[] } } } };
}

export const EDITOR_FAMILIES: readonly EditorFamily[] = [
  {
    // https://codemirror.net/5/doc/manual.html#getValue
    name: 'CodeMirror 5',
    root: '.CodeMirror',
    input: 'textarea, [contenteditable=true]',
    lines: '.CodeMirror-line',
    isCode: true,
    read: (root) => (root as CodeMirror5Root).CodeMirror.getValue('\n'),
  },
  {
    // https://codemirror.net/docs/ref/#view.EditorView^findFromDOM, as it finds the view in each release
    name: 'CodeMirror 6',
    root: '.cm-editor',
    input: '.cm-content',
    lines: '.cm-line',
    isCode: true,
    read: (root) => {
      const content = root.querySelector<CodeMirror6Content>('.cm-content');
      const part = content?.cmTile || content?.cmView;
      const holder = part?.view ? part : part?.root || part?.rootView;
      return holder?.view?.state.sliceDoc();
    },
  },
  {
    // https://microsoft.github.io/monaco-editor/typedoc/functions/editor.getEditors.html
    name: 'Monaco',
    root: '.monaco-editor',
    input: '.native-edit-context, textarea.inputarea, textarea.ime-text-area',
    lines: '.view-line',
    isCode: true,
    read: (root, view) => {
      const { editor } = (view as MonacoWindow).monaco;
      const found = editor.getEditors().find((each) => each.getContainerDomNode().contains(root));
      return found?.getModel().getLinesContent().join('\n');
    },
  },
  {
    // https://ajaxorg.github.io/ace-api-docs/interfaces/ace.Ace.Document.html#getAllLines
    name: 'Ace',
    root: '.ace_editor',
    input: 'textarea.ace_text-input',
    lines: '.ace_line',
    isCode: true,
    read: (root) => (root as AceRoot).env.editor.session.getDocument().getAllLines().join('\n'),
  },
  {
    // https://prosemirror.net/docs/ref/#view.EditorProps.clipboardTextParser leaves out blank lines; its own clipboard
    // format, which Tiptap and others share, has all of them
    name: 'ProseMirror',
    root: '.ProseMirror',
    html: (text) => {
      if (!/^\n|\n\n|\n$/.test(text)) return null;
      return linesOf(text, escapeMarkup, '</p><p>', '<p data-pm-slice="1 1 []">', '</p>');
    },
  },
  {
    // https://www.tiny.cloud/docs/tinymce/latest/copy-and-paste/
    name: 'TinyMCE',
    root: '.mce-content-body',
    hasParagraphs: true,
    html: paragraphsOf,
  },
  {
    // https://ckeditor.com/docs/ckeditor5/latest/framework/deep-dive/clipboard.html#input-pipeline
    name: 'CKEditor',
    root: '.ck-editor__editable',
    hasParagraphs: true,
    html: paragraphsOf,
  },
];
