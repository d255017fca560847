import { Editor, EditorState, RichUtils } from 'draft-js';
import { createElement, useState } from 'react';
import { render } from 'react-dom';

function Page() {
  const [state, setState] = useState(EditorState.createEmpty());
  window.model = () => state.getCurrentContent().getPlainText('\n');
  const handleKeyCommand = (command, current) => {
    const next = RichUtils.handleKeyCommand(current, command);
    if (next) setState(next);
    return next ? 'handled' : 'not-handled';
  };
  return createElement(Editor, { editorState: state, onChange: setState, handleKeyCommand, ariaLabel: 'Text' });
}

render(createElement(Page), document.querySelector('#editor'));
