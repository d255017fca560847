import { python } from '@codemirror/lang-python';
import { EditorView, basicSetup } from 'codemirror';

const view = new EditorView({ extensions: [basicSetup, python()], parent: document.querySelector('#editor') });
window.model = () => view.state.doc.toString();
