import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { registerRichText } from '@lexical/rich-text';
import { $getRoot, createEditor } from 'lexical';

const editor = createEditor({ namespace: 'test', onError: (error) => console.error(error) });
editor.setRootElement(document.querySelector('#editor'));
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
window.model = () =>
  editor.read(() =>
    $getRoot()
      .getChildren()
      .map((node) => node.getTextContent())
      .join('\n'),
  );
