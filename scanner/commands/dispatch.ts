// The entry: JSON in, JSON out, a tagged result whatever happens. Synchronous commands answer a string, the others a
// promise of one.

import { NativePromise, parseJson, printJson } from '../dom/natives';
import type { Commands, ScannerResponse } from '../dom/protocol';
import { Refusal, checkOrigin } from '../dom/refusal';
import { roundMs } from '../dom/timing';
import { checkRoots, refreshCache, setAsksBackend } from '../dom/snapshot';
import { pageData } from '../targets/describe';
import { popupOpen, popups } from '../page/layers';
import { tree } from '../page/tree';
import { checkScope, getFrames, switchFrame } from '../page/frames';
import { activity, changedTexts, feedElements, readUnreadChanges, watchTexts } from '../page/watch';
import { decidedElements } from '../page/decided';
import { raisedElements } from '../page/raised';
import { settle } from '../page/settle';
import { find, scan } from '../page/scan';
import { restoreScroll, scrollToPosition, scrollersData } from '../page/scrolling';
import { approach, locate } from '../input/locate';
import { click, focus, hover, scroll, submit } from '../input/act';
import { pointer } from '../input/pointer';
import { copy, paste } from '../controls/editors';
import { prepare, reactionTo } from '../controls/prepare';
import { clear, dateSegments, type } from '../controls/fields';
import { select } from '../controls/native_options';
import { check, toggle, uncheck } from '../controls/toggles';
import { verify } from '../controls/verify';
import { rangeValue, slider } from '../controls/slider';
import { calendar, dateLimits } from '../controls/calendar';
import { optionsOfWidget } from '../controls/options';
import { insert, restoreField } from '../keyboard/editing';
import { keys } from '../keyboard/keys';
import { exists, fileInput, getBounds, getHtml, getState, getText, getValue, storage } from './read';
import { execute } from './script';
import { eventPaths } from './event_paths';
import { extract } from './extract';
import { boxes, highlight, highlightClear } from './highlight';
import { annotate, comparePictures } from './pictures';
import { audit, auditElements, auditReport } from './audit';
import { captcha } from './captcha';
import { vitals } from './vitals';
import { waitFor } from './wait';

const VERSION = '1.1';
const IMPLEMENTATION = '0.1.0';

const FEATURES = [
  'core',
  'patterns',
  'wait',
  'extract',
  'bounds',
  'frames',
  'highlight',
  'custom_wait',
  'fields',
  'keep_ids',
  'find',
  'locate',
  'prepare',
  'settle',
  'page',
  'get_state',
  'storage',
  'file_input',
  'annotate',
  'compare_pictures',
  'tree',
  'captcha',
  'pointer',
  'keys',
  'reaction',
  'insert',
  'watch',
  'approach',
  'unread_changes',
  'paste',
  'copy',
  'slider',
  'scrollers',
  'calendar',
  'options',
  'popups',
  'event_paths',
  'activity',
  'verify',
  'audit',
  'vitals',
];

type CommandName = keyof Commands;

type Command<Name extends CommandName> = (
  request: Commands[Name]['request'],
) => Commands[Name]['response'] | Promise<Commands[Name]['response']>;

/** `read_editor` has an entry of its own. */
const COMMANDS: { readonly [Name in Exclude<CommandName, 'read_editor'>]: Command<Name> } = {
  scan,
  click,
  type,
  clear,
  check,
  uncheck,
  toggle,
  select,
  scroll,
  focus,
  hover,
  submit,
  get_value: getValue,
  get_text: getText,
  get_html: getHtml,
  get_bounds: getBounds,
  exists,
  wait_for: waitFor,
  execute,
  highlight,
  highlight_clear: highlightClear,
  boxes,
  annotate,
  compare_pictures: comparePictures,
  get_frames: getFrames,
  switch_frame: switchFrame,
  extract,
  find,
  locate,
  prepare,
  settle,
  page: pageData,
  get_state: getState,
  storage,
  file_input: fileInput,
  slider,
  date_segments: dateSegments,
  calendar,
  scrollers: scrollersData,
  scroll_to: scrollToPosition,
  options: optionsOfWidget,
  date_limits: dateLimits,
  range_value: rangeValue,
  tree,
  captcha,
  audit,
  audit_report: auditReport,
  audit_elements: auditElements,
  vitals,
  popups,
  popup_open: popupOpen,
  pointer,
  keys,
  reaction: reactionTo,
  insert,
  restore_field: restoreField,
  verify,
  paste,
  copy,
  restore_scroll: restoreScroll,
  event_paths: eventPaths,
  activity,
  watch: watchTexts,
  approach,
  changed_texts: changedTexts,
  feed_elements: feedElements,
  raised_elements: raisedElements,
  decided_elements: decidedElements,
  unread_changes: readUnreadChanges,
  version: () => ({ protocol: VERSION, scanner: IMPLEMENTATION, features: FEATURES }),
};

// Those that read the whole page: they answer ROOTS_UNKNOWN, with nothing done, when the backend has to look first.
const READ_WHOLE = new Set<CommandName>([
  'scan',
  'find',
  'tree',
  'get_text',
  'exists',
  'extract',
  'settle',
  'wait_for',
  'watch',
  'approach',
  'changed_texts',
  'unread_changes',
  'activity',
  'audit',
]);

/** A request that has a command here. */
type Request = Commands[keyof typeof COMMANDS]['request'];

/** `asks`: whether the backend looks for closed shadow roots when it is told ROOTS_UNKNOWN. */
export function answer(json: string, asks?: boolean): string | Promise<string> {
  const started = performance.now();
  const done = (data: unknown) => printJson({ ok: true, data, timing: { ms: roundMs(performance.now() - started) } });
  const failed = (error: unknown) => printJson(refusalOf(error));
  try {
    const request = requestOf(json);
    setAsksBackend(asks === true);
    checkScope();
    checkOrigin(request, window);
    refreshCache();
    if (READ_WHOLE.has(request.cmd)) checkRoots(request);
    const result = (COMMANDS[request.cmd] as (request: Request) => unknown)(request);
    return result instanceof NativePromise ? result.then(done, failed) : done(result);
  } catch (error) {
    return failed(error);
  }
}

function requestOf(json: string): Request {
  let request;
  try {
    request = parseJson(json) as { cmd?: unknown } | null;
  } catch {
    throw new Refusal('INVALID_REQUEST', 'the request is not JSON');
  }
  if (!request || typeof request !== 'object' || typeof request.cmd !== 'string')
    throw new Refusal('INVALID_REQUEST', 'cmd is required');
  if (!Object.prototype.hasOwnProperty.call(COMMANDS, request.cmd))
    throw new Refusal('UNKNOWN_COMMAND', `unknown command: ${request.cmd}`);
  // A parameter that is null counts as absent.
  const parameters: Record<string, unknown> = request;
  for (const name in parameters) if (parameters[name] === null) delete parameters[name];
  return request as Request;
}

/** An error with its stack; not all engines repeat the message there. */
function textOf(error: unknown): string {
  const { stack } = (error ?? {}) as { stack?: unknown };
  const text = String(error);
  if (typeof stack !== 'string' || !stack) return text;
  return stack.includes(text) ? stack : `${text}\n${stack}`;
}

function refusalOf(error: unknown): ScannerResponse {
  if (!(error instanceof Refusal))
    return {
      ok: false,
      code: 'INTERNAL_ERROR',
      error: textOf(error).slice(0, 1000),
    };
  const refusal: ScannerResponse = { ok: false, code: error.code, error: error.message };
  if (error.data) refusal.data = error.data;
  return refusal;
}
