// What WebKit's protocol lacks about input: it is reported as it happens, or done when the backend asks for it.

import { copyText } from '../input/clipboard';
import { watchDoubleClicks } from '../input/double_clicks';
import { reportCopies } from '../page/copies';
import { giveChosenFiles, openChooser, openOwnChooser, wantedFiles, watchFileInputs } from './chosen_files';
import { reportDialogs } from './dialog_reports';

/** Tells the backend a text about something, and may hand it an object of the page. */
export type InputReport = (kind: string, text: string, object?: object) => void;

const MAX_COPIED = 1_000_000;

/** The functions that the backend calls. */
const inputFunctions = { copyText, giveChosenFiles, openChooser, openOwnChooser, wantedFiles };

/** Call `report` from now on: `dialog`, `dialog-closed`, `copied`, `file-input`. Before the page's own scripts. */
export function reportInput(report: InputReport): typeof inputFunctions {
  reportDialogs(report);
  reportCopies((text) => report('copied', text), MAX_COPIED);
  watchFileInputs((input) => report('file-input', '', input));
  watchDoubleClicks();
  return inputFunctions;
}
