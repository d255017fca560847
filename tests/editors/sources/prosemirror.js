import { exampleSetup } from 'prosemirror-example-setup';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';

const view = new EditorView(document.querySelector('#editor'), {
  state: EditorState.create({ schema, plugins: exampleSetup({ schema }) }),
});
window.model = () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n', '\n');
