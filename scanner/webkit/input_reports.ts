// What WebKit's protocol lacks about input: it is reported as it happens, or done when the backend asks for it.

import { addListener } from '../dom/natives';
import { reportCopies } from '../page/copies';
import {
  giveChosenFiles,
  openChooser,
  openOwnChooser,
  takeChosenFiles,
  wantedFiles,
  watchChosenFiles,
  watchFileInputCalls,
  watchFileInputs,
} from './chosen_files';
import { reportDialogs } from './dialog_reports';
import { beginPaste, endPaste, watchPastes } from './pastes';

/** Tells the backend a text about something, and may hand it an object of the page. */
export type InputReport = (kind: string, text: string, object?: object) => void;

const MAX_COPIED = 1_000_000;

/** The functions that the backend calls. */
const inputFunctions = {
  beginPaste,
  endPaste,
  giveChosenFiles,
  openChooser,
  openOwnChooser,
  takeChosenFiles,
  wantedFiles,
};

/**
 * Call `report` from now on: `dialog`, `dialog-closed`, `copied` (what is selected), `copied-other`, `file-input`,
 * `files-chosen`, `double-click`. It must run in the page's own realm, before its scripts.
 */
export function reportInput(report: InputReport): typeof inputFunctions {
  reportDialogs(report);
  reportCopies((text, isSelected) => {
    report(isSelected ? 'copied' : 'copied-other', text);
  }, MAX_COPIED);
  watchPastes();
  const onFileInput = (input: HTMLInputElement): void => {
    report('file-input', '', input);
  };
  watchFileInputs(onFileInput);
  watchFileInputCalls(onFileInput);
  watchChosenFiles(() => report('files-chosen', ''));
  addListener(window, 'dblclick', (event) => event.isTrusted && report('double-click', ''), true);
  return inputFunctions;
}
