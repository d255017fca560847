// Where a person writes to the chat: the box, the button that sends, and the one that stops an answer.
//
// A site's own selectors come first (src/oryn/extension/chats.json); where they find nothing, for sites change, the page's
// structure tells.

(() => {
  const chat = (globalThis[Symbol.for('oryn.chat')] ??= {});
  if (chat.composer) return;

  const BOXES = 'textarea, [contenteditable=""], [contenteditable="true" i], [contenteditable="plaintext-only" i]';
  const BUTTONS = 'button, [role="button"], input[type="submit"]';
  const MAX_LEVELS = 8; // from the box up to what it shares with its buttons
  const UNSEEN = /[\u200b-\u200d\u2060\ufeff]/g;

  chat.composer = { box, textIn, write, sendButton, stopButtons, pressEnter };

  const seen = (selectors, root = document) =>
    (selectors ?? []).flatMap((selector) => [...root.querySelectorAll(selector)].filter(chat.isSeen));

  const isWritable = (element) => !element.disabled && !element.readOnly && element.getAttribute('aria-disabled') !== 'true';

  /** The box to write in, or null: the site's, else the largest. */
  function box(site) {
    const [own] = seen(site.box).filter(isWritable);
    if (own) return own;
    const all = seen([BOXES]).filter(isWritable).map((element) => ({ element, area: areaOf(element) }));
    return all.reduce((best, each) => (each.area > best.area ? each : best), { element: null, area: 0 }).element;
  }

  function areaOf(element) {
    const { width, height } = element.getBoundingClientRect();
    return width * height;
  }

  const isField = (element) => element instanceof HTMLTextAreaElement;

  /** What stands in the box. */
  function textIn(element) {
    return (isField(element) ? element.value : element.innerText).replace(UNSEEN, '').trim();
  }

  const holds = (element, text) => chat.lettersOf(textIn(element)) === chat.lettersOf(text);

  /** Write a text into the box, in the place of what is there, as an editor of the page takes it. Resolves to whether it
   *  holds the text now. */
  async function write(element, text) {
    element.focus();
    const ways = isField(element) ? [setValue] : [insert, paste, replace];
    for (const way of ways) {
      way(element, text);
      // Editors take what comes in a turn or two of their own.
      for (let turn = 0; turn < 20; turn++) {
        if (holds(element, text)) return true;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
    return false;
  }

  function setValue(field, text) {
    // Past what a framework has put over the property: it notices by the event.
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, text);
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
  }

  const selectAll = (editor) => getSelection().selectAllChildren(editor);

  function insert(editor, text) {
    selectAll(editor);
    document.execCommand('insertText', false, text);
  }

  function paste(editor, text) {
    selectAll(editor);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }

  function replace(editor, text) {
    const lines = text.split('\n').map((line) => {
      const paragraph = document.createElement('p');
      paragraph.append(line || document.createElement('br'));
      return paragraph;
    });
    editor.replaceChildren(...lines);
    editor.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
  }

  /** The button that sends, enabled or not; null where there is none, and Enter has to do it. */
  function sendButton(element, site) {
    const [own] = seen(site.send);
    if (own) return own;
    let level = element.parentElement;
    for (let count = 0; level && level !== document.body && count < MAX_LEVELS; count++, level = level.parentElement) {
      const all = seen([BUTTONS], level).filter((button) => !isStop(button, site));
      const named = all.filter((button) => says(button, site.send_words));
      const found = named.at(-1) ?? all.find((button) => button.getAttribute('type') === 'submit');
      if (found) return found;
    }
    return null;
  }

  const isStop = (button, site) => says(button, site.stop_words);

  /** Buttons that stop an answer which is being written. */
  function stopButtons(site) {
    const own = seen(site.stop);
    return own.length ? own : seen([BUTTONS]).filter((button) => isStop(button, site));
  }

  function says(button, words) {
    const { id, title, value, textContent } = button;
    const label = [button.getAttribute('aria-label'), title, button.getAttribute('data-testid'), id, value, textContent];
    const text = label.filter(Boolean).join(' ').toLowerCase();
    return words.some((word) => text.includes(word));
  }

  function pressEnter(element) {
    element.focus();
    for (const kind of ['keydown', 'keypress', 'keyup']) {
      const key = { key: 'Enter', code: 'Enter', keyCode: 13, which: 13, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent(kind, key));
    }
  }
})();
