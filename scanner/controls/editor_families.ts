// The text editors that pages are built with, as far as the standards (`contenteditable`, text fields) don't say how they
// take and hold their text. The scanner uses the selectors; `read` and `view` run in the page's own world, where an
// editor's object is.
//
// `root`: the editor's outermost element. `input`: the element in it that takes the keys. `isCode`: it renders only the
// lines in view (`lines`), indents, and closes brackets by itself. `hasParagraphs`: pasted text becomes paragraphs at blank lines,
// and a single line break stays in its paragraph. `html`: of a text that the editor would change if it were pasted as plain
// text, HTML that it takes exactly, or null.
// `read`: the whole text, by the editor's own object.

const escapeMarkup = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const linesOf = (text, escape, between, before, after) => before + text.split('\n').map(escape).join(between) + after;

/** Paragraphs at blank lines, line breaks in them, and blanks that HTML does not collapse. */
function paragraphsOf(text) {
  if (!/\n|^ | $| {2}/.test(text)) return null;
  const escape = (line) => escapeMarkup(line).replace(/^ | $| {2,}/g, (blanks) => '\u00a0'.repeat(blanks.length));
  // A break at the end of a paragraph shows only what follows it.
  const paragraph = (lines) => linesOf(lines, escape, '<br>', '<p>', /(^|\n)$/.test(lines) ? '<br></p>' : '</p>');
  return text.split('\n\n').map(paragraph).join('');
}

export const EDITOR_FAMILIES = [
  {
    // https://codemirror.net/5/doc/manual.html#getValue
    name: 'CodeMirror 5',
    root: '.CodeMirror',
    input: 'textarea, [contenteditable=true]',
    lines: '.CodeMirror-line',
    isCode: true,
    read: (root) => root.CodeMirror.getValue('\n'),
  },
  {
    // https://codemirror.net/docs/ref/#view.EditorView^findFromDOM, as it finds the view in each release
    name: 'CodeMirror 6',
    root: '.cm-editor',
    input: '.cm-content',
    lines: '.cm-line',
    isCode: true,
    read: (root) => {
      const content = root.querySelector('.cm-content');
      const part = content.cmTile || content.cmView;
      const { view } = part.view ? part : part.root || part.rootView;
      return view.state.sliceDoc();
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
      const { editor } = view.monaco;
      const found = editor.getEditors().find((each) => each.getContainerDomNode().contains(root));
      return found.getModel().getLinesContent().join('\n');
    },
  },
  {
    // https://ajaxorg.github.io/ace-api-docs/interfaces/ace.Ace.Document.html#getAllLines
    name: 'Ace',
    root: '.ace_editor',
    input: 'textarea.ace_text-input',
    lines: '.ace_line',
    isCode: true,
    read: (root) => root.env.editor.session.getDocument().getAllLines().join('\n'),
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
