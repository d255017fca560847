// Puts a text into the clipboard, in a world of its own.

export { copyText as default } from '../input/clipboard';
