// Puts a text into the clipboard, in a world of its own, so that no script of the page can stop it or learn of it.

/** Whether the browser has taken the text. */
export default function copyText(text: string): boolean {
  let isDone = false; // `execCommand` returns true in a password field too, where there is no event
  const give = (event: ClipboardEvent): void => {
    isDone = true;
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('copy', give, { capture: true });
  document.execCommand('copy');
  removeEventListener('copy', give, { capture: true });
  return isDone;
}
