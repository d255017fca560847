// The scanner protocol (docs/spec/scanner-protocol.md). `make scanner` makes this file from `oryn.scanner.protocol`.

export type Relation = 'near' | 'inside' | 'after' | 'before' | 'contains';

/** Where a text stands that only a part of an element's texts is compared with. `label` includes `aria-label`. */
export type TextSource = 'label' | 'placeholder' | 'title' | 'alt';

export interface RelationData {
  kind: Relation;
  to: TargetData;
}

/** A target as a tagged object: one of its members, and a relation if it has one. */
export interface TargetData {
  text?: string;
  /** With `text` or `pattern`: a role of ARIA's, a type of an element, or `type/role`. */
  kind?: string;
  /** With `text` or `pattern`: the only text of an element that it is compared with. */
  source?: TextSource;
  /** In the place of `text`: a regular expression of JavaScript's. */
  pattern?: string;
  flags?: string;
  role?: string;
  id?: number;
  reference?: number;
  css?: string;
  xpath?: string;
  point?: readonly number[];
  relation?: RelationData;
}

export type ElementType = 'input' | 'button' | 'link' | 'select' | 'textarea' | 'checkbox' | 'radio' | 'generic';

/** See docs/spec/scanner-protocol.md#modifiers. */
export type Modifier =
  | 'required'
  | 'disabled'
  | 'readonly'
  | 'hidden'
  | 'primary'
  | 'checked'
  | 'unchecked'
  | 'expanded'
  | 'collapsed'
  | 'selected'
  | 'pressed'
  | 'mixed'
  | 'current'
  | 'ascending'
  | 'descending'
  | 'invalid'
  | 'active'
  | 'focused'
  | 'revealed';

/** The optional members of an element. */
export type ElementField =
  'tag' | 'selector' | 'xpath' | 'rect' | 'attributes' | 'state' | 'options' | 'value' | 'frame' | 'context';

export interface PointData {
  x: number;
  y: number;
}

export interface RectData extends PointData {
  width: number;
  height: number;
}

/** In pixels. */
export interface BitmapSize {
  width: number;
  height: number;
}

/** The part of an element that can be seen. */
export interface VisibleBox extends RectData {
  id: number;
}

/** How far something is scrolled, and how far it can be. */
export interface ScrollData extends PointData {
  max_x: number;
  max_y: number;
}

export interface StateData {
  visible: boolean;
  enabled: boolean;
  focused: boolean;
  checked: boolean | null;
  value: string | null;
  in_viewport: boolean;
}

/** How a box lies in the viewport. */
export type ViewportPlace = 'inside' | 'partial' | 'outside';

/** A select's options: the first dozen texts and the count of all. */
export interface OptionsData {
  first: readonly string[];
  count: number;
}

/**
 * How a text matches, the best first: as it is; but for case and what people don't see or type alike; as whole words of
 * another text; as the beginning of a word.
 */
export type MatchTier = 'exact' | 'case' | 'contains' | 'begins';

/** What an element is found by; `attribute` is its name or id. */
export type MatchSource =
  'name' | 'text' | 'label' | 'placeholder' | 'title' | 'value' | 'attribute' | 'role' | 'id' | 'selector' | 'point';

/** Why an element is found (docs/spec/scanner-protocol.md#find). */
export interface MatchData {
  /** How the text matches; `exact` for ids, roles, selectors and points. */
  tier: MatchTier;
  source: MatchSource;
  /** Characters of that text beyond the wanted ones. */
  excess: number;
  /**
   * Under a relation: pixels for `near`, size of the common container for `inside`/`contains`, steps in document order
   * for the others.
   */
  distance?: number;
}

/** The reasons for a match, and the data for its ranking. */
export interface TargetMatch extends MatchData {
  interactive: boolean;
  /** It is a check box or radio button that is invisible itself, with a visible label. */
  drawn_by_label: boolean;
  /** Whether it is inside the topmost open dialog; true if no dialog is open. */
  in_dialog: boolean;
  /** Types of the fields, boxes and radio buttons that it holds and that match too; `generic` is editable. */
  field_types?: readonly ElementType[];
}

/** Where a text stands; each part is '' if there is none. */
export interface PlaceData {
  /** What the row or item begins with. */
  row: string;
  /** The heading before it. */
  section: string;
  /** The text around it. */
  around: string;
}

/** An element (docs/spec/scanner-protocol.md#elements). */
export interface ElementData {
  id: number;
  type: ElementType;
  role: string;
  text: string;
  modifiers: readonly Modifier[];
  tag?: string;
  selector?: string;
  xpath?: string;
  rect?: RectData;
  attributes?: Readonly<Record<string, string>>;
  state?: StateData;
  options?: OptionsData;
  /** The value of a field, if it is not empty; never a password's. */
  value?: string;
  /** Selector of the same-origin frame that contains the element. */
  frame?: string;
  /**
   * A text of the row, card or section that the element is in, if another element of the same type, role and text is in
   * another one.
   */
  context?: string;
  match?: TargetMatch;
  place?: PlaceData;
}

export interface ViewportSize {
  width: number;
  height: number;
}

/** Where a page stands. */
export interface PageResponse {
  url: string;
  title: string;
  viewport: ViewportSize;
  scroll: ScrollData;
  ready_state: 'loading' | 'interactive' | 'complete';
}

export interface LoginPattern {
  email?: number;
  username?: number;
  password: number;
  submit: number;
  remember?: number;
  container: string;
}

export interface SearchPattern {
  input: number;
  /** What starts the search, also if there is no form. */
  submit?: number;
  container?: string;
}

export interface Pagination {
  prev?: number;
  next?: number;
  pages: readonly number[];
}

/** The topmost open dialog, or a small box that floats over the page. */
export interface LayerPattern {
  container: string;
  close?: number;
  title?: string;
}

export interface CookiePattern {
  container: string;
  accept: number;
  reject?: number;
}

/**
 * Parts of an interface (docs/spec/scanner-protocol.md#patterns): elements by their numbers, `container` a selector.
 */
export interface Patterns {
  login_form?: LoginPattern;
  search_form?: SearchPattern;
  pagination?: Pagination;
  modal?: LayerPattern;
  popup?: LayerPattern;
  cookie_banner?: CookiePattern;
}

/** One row of a `tree`. */
export interface TreeNode {
  /** 0 for nodes at the top level of the page. */
  depth: number;
  /** An ARIA role; `text` for text between nodes; `generic` for an interactive element without a role. */
  role: string;
  name?: string;
  /** The text of a `text` node, or of a node with only text inside. */
  text?: string;
  /** The reference, if the node is a useful target: an interactive element, or one with a name. */
  ref?: number;
  level?: number;
  /**
   * `checked` `unchecked` `mixed` `expanded` `collapsed` `selected` `pressed` `current` `ascending` `descending`
   * `required` `disabled` `readonly` `active` `revealed` `invalid` `busy` `multiple` `focused`, and the type of an
   * input that is not plain text.
   */
  states?: readonly string[];
  value?: string;
  options?: OptionsData;
  /** The number of a frame element whose document this scanner can't read: query the scanner of that frame. */
  frame?: number;
}

export interface FrameData {
  id: number;
  name: string;
  src: string;
  selector: string;
  /** 0 for the frames of the page. */
  nested_level: number;
  /** Whether this scanner can enter it. */
  accessible: boolean;
}

/**
 * A step on the way to an element: its position among the elements beside it, or into what the element before contains.
 */
export type EditorStep = number | 'shadow' | 'frame';

/** What reading and writing an editor needs. */
export interface EditorData {
  /** It contains source code, and selects by its own shortcuts alone. */
  code: boolean;
  /** Where `read_editor` finds it. */
  path: readonly EditorStep[] | null;
}

export type CaptchaKind =
  | 'recaptcha'
  | 'hcaptcha'
  | 'turnstile'
  | 'cloudflare challenge'
  | 'funcaptcha'
  | 'geetest'
  | 'aws waf'
  | 'datadome'
  | 'friendly captcha'
  | 'perimeterx'
  | 'picture';

export interface CaptchaData {
  kind: CaptchaKind;
  sitekey: string | null;
  /** null if unknown. */
  solved: boolean | null;
  /** A selector of the fields for its answer. */
  answer: string | null;
  /** Its visible element. */
  id: number | null;
  /** What can be seen of that. */
  box: RectData | null;
  /** Of reCAPTCHA, as the next two. */
  version?: 'v2' | 'v3';
  enterprise?: boolean;
  invisible?: boolean;
  /** Of a picture: the number of the field that its letters are typed into. */
  field?: number | null;
}

export interface FileInputData {
  id: number;
  multiple: boolean;
  folder: boolean;
  accept: string;
  disabled: boolean;
}

/** An adjustable control. */
export interface SliderData {
  id: number;
  native: boolean;
  /** Any text, which changes with the value. */
  position: string;
  now: number | null;
  text: string | null;
  min: number | null;
  max: number | null;
  step: number | null;
  vertical: boolean;
  reversed: boolean;
  disabled: boolean;
  track: RectData;
  thumb: RectData;
}

export type SegmentKind = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'half' | '';

/** A part of a field for a date or a time. */
export interface SegmentData {
  id: number;
  kind: SegmentKind;
  disabled: boolean;
}

/** What to select in the element `id`. */
export interface ChoiceData {
  id: number;
  value: string;
}

/** `text` is to be typed, `value` to be selected; with neither the element is to be pressed. */
export interface TimeStep {
  id: number;
  text?: string;
  value?: string;
}

/** The calendar of one month or several. */
export interface CalendarData {
  /** The number of its first day. */
  key: number;
  /** Whether it lies over the page, or around the element. */
  floating: boolean;
  /** The first and the last month that it displays (`2026-12`); null if unreadable. */
  first: string | null;
  last: string | null;
  /** The number of the wanted day; null if it is not displayed. */
  day: number | null;
  /** Whether that is disabled. */
  disabled: boolean;
  /** Buttons to other months, the likely ones first. */
  forward: readonly number[];
  backward: readonly number[];
  month_option: ChoiceData | null;
  year_option: ChoiceData | null;
  year_field: number | null;
  confirm: number | null;
  /** What is to be done for the wanted time, in order. */
  time: readonly TimeStep[] | null;
}

/** The option that a text fits best. */
export interface OptionMatch {
  id: number;
  text: string;
  tier: 'exact' | 'case' | 'prefix' | 'contains';
  /** Texts that fit as well. */
  others: readonly string[];
  disabled: boolean;
  /** As one of several. */
  selected: boolean;
  /** Another press takes it away. */
  chosen: boolean;
}

/** A box that scrolls up and down. */
export interface ScrollerData extends ScrollData {
  id: number;
}

export interface PopupCloser {
  id: number;
  name: string;
}

/** A layer over the page that a person would close. */
export interface PopupData {
  index: number;
  /** The same for a layer that was rendered anew at its place. */
  mark: string;
  /** What it is called, or the beginning of what it says. */
  title: string;
  cookie: boolean;
  /** The buttons that close or refuse it, the plainest first. null of them accepts, buys or signs up. */
  close: readonly PopupCloser[];
  /** Names of its first four buttons. */
  buttons: readonly string[];
  /** A point of this frame's viewport where a press reaches its backdrop, or the bare page beside it. */
  outside: PointData | null;
}

/** A unit of text (a paragraph, a list item, a row of a table) that has changed. */
export interface TextChange {
  change: 'new' | 'changed' | 'gone';
  /**
   * What it is by roles, live regions or classes; a message that describes an invalid field is an `alert`. `order` has
   * the first of the texts that stand in another order than before; `image` has the name of a picture, `selection` the
   * text that is selected now, `format` a text of an editor that is formatted otherwise.
   */
  kind: 'alert' | 'status' | 'heading' | 'text' | 'order' | 'image' | 'selection' | 'format';
  text: string;
  /** Of `format`: what is other than before: `bold, not italic`. */
  format?: string;
  /** It came and has gone again. */
  vanished?: boolean;
}

/** What every request may have. */
export interface Request {
  /** The only origin that the document may have. */
  origin?: string | null;
  /** Do without the closed shadow roots that are not known yet. */
  skip_roots?: boolean;
}

/** One element: its number, or a selector. */
export interface ElementParameters {
  id?: number | null;
  selector?: string | null;
}

export interface NumberingParameters {
  /** The first number that is free. */
  next_id?: number;
}

/** See docs/spec/scanner-protocol.md#listener-hints. */
export interface HintParameters {
  listeners?: readonly number[];
  listeners_of?: number;
}

/** Which elements a scan lists. */
export interface FilterParameters {
  within?: string | null;
  near?: string | null;
  /**
   * Only elements inside the one with this number, or in the section of a heading; none if this document has no such
   * number.
   */
  container?: number;
  /** Only elements of one of these kinds. */
  roles?: readonly string[];
  viewport_only?: boolean;
  include_hidden?: boolean;
  folded?: boolean;
}

export interface FindParameters extends NumberingParameters {
  target?: TargetData;
  /** A text may also match elements that are not interactive. */
  any?: boolean;
}

export interface WatchParameters {
  /** An action follows. */
  acting?: boolean;
}

export type LocatePurpose = 'click' | 'hover' | 'type' | 'any' | 'choose' | 'open';

/** Where an element is to be pressed. */
export interface PressParameters {
  force?: boolean;
  scroll_into_view?: boolean;
  /** From the centre of the element. */
  offset?: PointData;
}

export interface LocateParameters extends PressParameters {
  purpose?: LocatePurpose;
  /** How often the mouse presses there next. */
  presses?: number;
  /** The words of its text that the command named. */
  words?: string;
  timeout?: number;
}

export type Button = 'left' | 'middle' | 'right';

export type KeyModifier = 'control' | 'shift' | 'alt' | 'meta';

export interface VersionRequest extends Request {
  cmd: 'version';
}

export interface ScanRequest extends Request, FilterParameters, HintParameters, NumberingParameters {
  cmd: 'scan';
  max_elements?: number;
  include_positions?: boolean;
  fields?: readonly ElementField[];
  keep_ids?: boolean;
  /** What is on top comes first, and long tables are cut. */
  overview?: boolean;
}

export interface PageRequest extends Request {
  cmd: 'page';
}

export interface FindRequest extends Request, FindParameters {
  cmd: 'find';
  /** Only frames count. */
  frames?: boolean;
  /** The likes of the matches take over their numbers whenever they come, also of elements that are not interactive. */
  follow?: boolean;
  /** Also where each match of a pattern stands. */
  places?: boolean;
}

export interface TreeRequest extends Request, HintParameters, NumberingParameters {
  cmd: 'tree';
  next_ref?: number;
  /** Only the element with this number, or the section of a heading, and what is inside. */
  root?: number;
}

export interface GetValueRequest extends Request, ElementParameters {
  cmd: 'get_value';
}

export interface GetTextRequest extends Request, ElementParameters {
  cmd: 'get_text';
}

export interface GetHtmlRequest extends Request, ElementParameters {
  cmd: 'get_html';
  outer?: boolean;
}

export interface GetBoundsRequest extends Request, ElementParameters {
  cmd: 'get_bounds';
}

export interface GetStateRequest extends Request, ElementParameters {
  cmd: 'get_state';
}

export interface ExistsRequest extends Request {
  cmd: 'exists';
  selector?: string;
  text?: string;
}

export interface BoxesRequest extends Request {
  cmd: 'boxes';
  ids: readonly number[];
  /** The numbers are those of the last tree. */
  references?: boolean;
}

export interface AnnotateRequest extends Request {
  cmd: 'annotate';
  image: string;
  format: string;
  width: number;
  boxes: readonly VisibleBox[];
  /** The part of the picture that is wanted. */
  clip?: RectData;
  /** Of JPEG and WebP, 1 to 100. */
  quality?: number | null;
}

/** Two picture files in base 64. */
export interface ComparePicturesRequest extends Request {
  cmd: 'compare_pictures';
  first: string;
  second: string;
  /** How different two colours may be, 0 to 1. */
  threshold: number;
  /** What is left out, in pixels of the pictures. */
  masks: readonly RectData[];
  /** Whether a picture of the differences is wanted. */
  draws: boolean;
}

export type ExtractionType = 'links' | 'images' | 'tables' | 'meta' | 'css';

export interface ExtractRequest extends Request {
  cmd: 'extract';
  type: ExtractionType;
  selector?: string | null;
  within?: string | null;
}

export type StorageArea = 'local' | 'session';

export type StorageAction = 'list' | 'get' | 'set' | 'delete' | 'clear';

export interface StorageRequest extends Request {
  cmd: 'storage';
  area?: StorageArea;
  action: StorageAction;
  key?: string | null;
  value?: string | null;
}

export interface CaptchaRequest extends Request, NumberingParameters {
  cmd: 'captcha';
}

export interface AuditOptions {
  /** Only rules with one of these tags. */
  tags?: readonly string[] | null;
  /** Rules to leave out. */
  without?: readonly string[] | null;
}

export interface AuditRequest extends Request, NumberingParameters {
  cmd: 'audit';
  options: AuditOptions;
  /** The part of the document that the audit of the document around it is about; without it, the whole. */
  context?: unknown;
}

export interface AuditReportRequest extends Request {
  cmd: 'audit_report';
  options: AuditOptions;
  /** The results of the parts in their order, null for frames that none is of. */
  parts: readonly unknown[];
}

export interface AuditElementsRequest extends Request, NumberingParameters {
  cmd: 'audit_elements';
  /** Of each element, the selectors of the frames around it and its own. */
  paths: readonly (readonly unknown[])[];
}

export interface VitalsRequest extends Request, NumberingParameters {
  cmd: 'vitals';
}

export interface GetFramesRequest extends Request {
  cmd: 'get_frames';
}

/** Exactly one of its parameters. */
export interface SwitchFrameRequest extends Request, ElementParameters {
  cmd: 'switch_frame';
  name?: string | null;
  main?: boolean;
  parent?: boolean;
}

export interface ClickRequest extends Request, ElementParameters, PressParameters {
  cmd: 'click';
  button?: Button;
  click_count?: number;
  modifiers?: readonly ('Control' | 'Shift' | 'Alt' | 'Meta')[];
}

export interface HoverRequest extends Request, ElementParameters {
  cmd: 'hover';
}

export interface FocusRequest extends Request, ElementParameters {
  cmd: 'focus';
}

export interface TypeRequest extends Request, ElementParameters {
  cmd: 'type';
  text: string;
  clear?: boolean;
  delay?: number;
}

export interface ClearRequest extends Request, ElementParameters {
  cmd: 'clear';
}

export interface CheckRequest extends Request, ElementParameters {
  cmd: 'check';
}

export interface UncheckRequest extends Request, ElementParameters {
  cmd: 'uncheck';
}

export interface ToggleRequest extends Request, ElementParameters, NumberingParameters {
  cmd: 'toggle';
}

/** Exactly one of `value`, `text`, `index` and `values`. */
export interface SelectRequest extends Request, ElementParameters {
  cmd: 'select';
  value?: string;
  text?: string;
  index?: number;
  values?: readonly string[];
}

export interface SubmitRequest extends Request, ElementParameters {
  cmd: 'submit';
}

export interface ScrollRequest extends Request {
  cmd: 'scroll';
  /** Scroll it into view, and nothing else. */
  element?: number;
  direction?: 'up' | 'down' | 'left' | 'right';
  amount?: number;
  page?: boolean;
  container?: string;
  id?: number;
  behavior?: 'instant' | 'smooth';
}

export interface LocateRequest extends Request, ElementParameters, LocateParameters {
  cmd: 'locate';
}

export interface ApproachRequest extends Request, FindParameters, WatchParameters {
  cmd: 'approach';
  id?: number;
  locate?: LocateParameters;
}

export interface RestoreScrollRequest extends Request {
  cmd: 'restore_scroll';
}

export interface PrepareRequest extends Request, ElementParameters {
  cmd: 'prepare';
  clear?: boolean;
  /** False: what the field holds need not be the text alone. */
  compares?: boolean;
  /** Keep the keys that come next from other elements. */
  guards?: boolean;
  /** The same text once more, in the place of what became of it. */
  again?: boolean;
  /** The field that a press on the element has opened, and that has the focus. */
  opened?: boolean;
}

export interface RestoreFieldRequest extends Request {
  cmd: 'restore_field';
}

export interface InsertRequest extends Request, ElementParameters {
  cmd: 'insert';
  text: string;
  clear?: boolean;
  /** Only if a field of a form accepts all of the text. */
  fits?: boolean;
  /** In the place of what has become of the text that was typed after `prepare`. */
  again?: boolean;
  /** It is a code for one login: no picture shows it, and it may belong into a row of boxes. */
  code?: boolean;
}

/** It runs in the page's own world, by a script of its own. */
export interface ReadEditorRequest extends Request {
  cmd: 'read_editor';
  path: readonly EditorStep[];
}

export interface PasteRequest extends Request {
  cmd: 'paste';
  text: string;
}

export interface CopyRequest extends Request {
  cmd: 'copy';
}

export type PointerKind =
  'move' | 'click' | 'down' | 'up' | 'cancel' | 'wheel' | 'tap' | 'touch' | 'draggable' | 'double' | 'drop';

export interface PointerRequest extends Request {
  cmd: 'pointer';
  kind: PointerKind;
  x: number;
  y: number;
  button?: Button;
  /** Of `click`. */
  count?: number;
  modifiers?: readonly KeyModifier[];
  /** Of `wheel`, as `dy`. */
  dx?: number;
  dy?: number;
  /** The point belongs to this frame, whatever is there. */
  captured?: boolean;
}

/** A key that goes down or up. */
export interface KeyData {
  kind: 'down' | 'up';
  key: string;
  code: string;
  key_code: number;
  location: number;
  modifiers?: readonly KeyModifier[];
  /** The typed text. */
  text?: string;
  repeat?: boolean;
  /** Its editing command, such as `selectAll`. */
  command?: string;
}

/** Text without a key. */
export interface InsertedText {
  kind: 'insert';
  text: string;
}

export interface KeysRequest extends Request {
  cmd: 'keys';
  events: readonly (KeyData | InsertedText)[];
}

/** A field holds the text that was written into it. Without `text`: what it held once that was done. */
export interface ValueExpectation {
  kind: 'value';
  text: string | null;
}

/** A box, a switch or a toggle button has this state. */
export interface CheckedExpectation {
  kind: 'checked';
  checked: boolean;
}

/** Options are chosen. */
export interface ChosenExpectation {
  kind: 'chosen';
  texts: readonly string[];
}

/** The element, or a part of it, has the focus. */
export interface FocusedExpectation {
  kind: 'focused';
}

/** The presses that `locate` was told of have reached the element. */
export interface PressedExpectation {
  kind: 'pressed';
}

/** The mouse is over the element, or over what the page shows there since. */
export interface HoveredExpectation {
  kind: 'hovered';
}

/** A part of the element can be seen without scrolling. */
export interface InViewExpectation {
  kind: 'in_view';
}

/** What was dragged away, if the browser dragged it, was taken where it was dropped. */
export interface DroppedExpectation {
  kind: 'dropped';
}

/** A file input holds files of these names. */
export interface FilesExpectation {
  kind: 'files';
  names: readonly string[];
}

/** What must be true of an element after an action. */
export type Expectation =
  | CheckedExpectation
  | ChosenExpectation
  | FocusedExpectation
  | PressedExpectation
  | HoveredExpectation
  | InViewExpectation
  | DroppedExpectation
  | FilesExpectation
  | ValueExpectation;

export interface VerifyRequest extends Request, ElementParameters {
  cmd: 'verify';
  expects: Expectation;
}

export interface HighlightRequest extends Request {
  cmd: 'highlight';
  id: number;
  color?: string;
  duration?: number;
}

export interface HighlightClearRequest extends Request {
  cmd: 'highlight_clear';
}

export interface ExecuteRequest extends Request {
  cmd: 'execute';
  script: string;
  args?: readonly unknown[];
}

export type WaitCondition =
  | 'visible'
  | 'hidden'
  | 'exists'
  | 'gone'
  | 'enabled'
  | 'disabled'
  | 'count'
  | 'navigation'
  | 'custom'
  | 'content'
  | 'change'
  | 'unread_changes';

export interface WaitForRequest extends Request, ElementParameters {
  cmd: 'wait_for';
  condition: WaitCondition;
  text?: string;
  expression?: string;
  count?: number;
  timeout?: number;
  /** How many milliseconds of the timeout are over. */
  waited?: number;
  /** Of `change`: changes since the last report count. */
  since_report?: boolean;
  /** Of `unread_changes`, as `collect`. */
  quiet?: number;
  collect?: number;
}

export interface UnreadChangesRequest extends Request {
  cmd: 'unread_changes';
  elements?: readonly number[];
}

export interface SettleRequest extends Request {
  cmd: 'settle';
  timeout?: number;
  busy?: number;
  /** No script hears of the action. */
  unheard?: boolean;
}

export interface EventPathsRequest extends Request {
  cmd: 'event_paths';
  id: number;
  /** The mouse presses there; else a value is entered. */
  pressed: boolean;
}

export interface ActivityRequest extends Request {
  cmd: 'activity';
}

export interface WatchRequest extends Request, WatchParameters {
  cmd: 'watch';
}

export interface ChangedTextsRequest extends Request {
  cmd: 'changed_texts';
  /** What comes in the next so many milliseconds is still the action's. */
  acting?: number;
  /** The `visible_texts` of the same address before. */
  former?: readonly string[] | null;
}

export interface FeedElementsRequest extends Request {
  cmd: 'feed_elements';
  subject?: number | null;
  came?: readonly number[];
  went?: readonly number[];
  changed?: readonly number[];
}

export interface DecidedElementsRequest extends Request {
  cmd: 'decided_elements';
  subject: number;
  elements: readonly number[];
}

export interface RaisedElementsRequest extends Request {
  cmd: 'raised_elements';
  elements: readonly number[];
}

export type ReactionStage = 'watch' | 'arm' | 'report';

export interface ReactionRequest extends Request, ElementParameters {
  cmd: 'reaction';
  stage: ReactionStage;
  /** The page changes by itself, and previous changes no longer count. */
  restless?: boolean;
  end?: boolean;
}

export interface FileInputRequest extends Request, ElementParameters, NumberingParameters {
  cmd: 'file_input';
}

export interface SliderRequest extends Request, ElementParameters, NumberingParameters {
  cmd: 'slider';
  focus?: boolean;
  /** A former `position`. */
  after?: string;
}

export interface RangeValueRequest extends Request, ElementParameters, NumberingParameters {
  cmd: 'range_value';
  value: number | string;
  /** Stop a step before the value. */
  short?: boolean;
}

export interface DateSegmentsRequest extends Request, ElementParameters, NumberingParameters {
  cmd: 'date_segments';
}

export interface DateLimitsRequest extends Request, ElementParameters {
  cmd: 'date_limits';
}

export interface CalendarRequest extends Request, NumberingParameters {
  cmd: 'calendar';
  id: number;
  /** `2026-12-24` */
  date: string;
  /** `14:30` */
  time?: string | null;
  timeout?: number | null;
  /** The first month of the calendar that is not waited for. */
  after?: string | null;
  /** The key of the calendar that is not waited for. */
  unlike?: number | null;
}

export interface OptionsRequest extends Request, NumberingParameters {
  cmd: 'options';
  id: number;
  /** The wanted option. */
  text?: string | null;
  /** A choice begins: what appears later may be the list. */
  mark?: boolean;
  /** The wanted option has just been chosen. */
  taken?: boolean;
  /** The mouse is held down on the element. */
  pressed?: boolean;
}

export interface ScrollersRequest extends Request, NumberingParameters {
  cmd: 'scrollers';
  id?: number;
}

export interface ScrollToRequest extends Request {
  cmd: 'scroll_to';
  id: number;
  y?: number | null;
}

export type PopupKind = 'popup' | 'modal' | 'banner';

export interface PopupsRequest extends Request, NumberingParameters {
  cmd: 'popups';
  kind?: PopupKind;
  text?: string | null;
}

export interface PopupOpenRequest extends Request {
  cmd: 'popup_open';
  index: number;
}

/** See docs/spec/scanner-protocol.md#error-codes. */
export type ErrorCode =
  | 'ELEMENT_NOT_FOUND'
  | 'ELEMENT_STALE'
  | 'ELEMENT_NOT_VISIBLE'
  | 'ELEMENT_DISABLED'
  | 'ELEMENT_NOT_INTERACTABLE'
  | 'SELECTOR_INVALID'
  | 'TIMEOUT'
  | 'SCRIPT_ERROR'
  | 'UNKNOWN_COMMAND'
  | 'INVALID_REQUEST'
  | 'INVALID_ELEMENT_TYPE'
  | 'OPTION_NOT_FOUND'
  | 'FRAME_NOT_FOUND'
  | 'ORIGIN_CHANGED'
  | 'ROOTS_UNKNOWN'
  | 'INTERNAL_ERROR';

export interface ScannerTiming {
  ms: number;
}

/** What is around the data of every response. */
export interface ScannerResponse {
  ok: boolean;
  /** The command's data; without `ok`, details of the error. */
  data?: unknown;
  error?: string;
  code?: ErrorCode;
  timing?: ScannerTiming;
}

/** There is nothing to say. */
export type NoData = Record<string, never>;

/** A response that may have numbered elements. */
export interface NumberedResponse {
  /** The first number that is free. */
  next_id: number;
}

export interface VersionResponse {
  protocol: string;
  scanner: string;
  features: readonly string[];
}

export interface ScanStats {
  /** Elements that fit. */
  total: number;
  returned: number;
  /** Elements of the document. */
  scanned: number;
  ms: number;
}

/** A table of which an overview lists the first rows. */
export interface TableData {
  /** The first element of its rows. */
  first: number;
  /** The last one that is listed. */
  last: number;
  rows: number;
  /** What the heads of the columns say. */
  columns: readonly string[];
  /** What is in the rows that are left out. */
  elements: readonly number[];
}

export interface ScanResponse extends NumberedResponse {
  page: PageResponse;
  elements: readonly ElementData[];
  patterns: Patterns;
  /** What is in a dialog or a menu over the page, if an overview was asked for and other elements are not. */
  raised?: readonly number[];
  tables?: readonly TableData[];
  stats: ScanStats;
}

export interface FindResponse extends NumberedResponse {
  matches: readonly ElementData[];
  /** Of all matches. */
  count: number;
  /** How many of all can be seen. */
  visible: number;
}

export interface TreeStats {
  scanned: number;
}

export interface TreeResponse extends NumberedResponse {
  page: PageResponse;
  nodes: readonly TreeNode[];
  stats: TreeStats;
  next_ref: number;
}

export interface GetValueResponse {
  value: string | boolean | readonly string[];
  editor?: EditorData;
}

export interface GetTextResponse {
  text: string;
}

export interface GetHtmlResponse {
  html: string;
}

export interface GetBoundsResponse extends RectData {
  visible: boolean;
  in_viewport: ViewportPlace;
}

export interface GetStateResponse {
  state: StateData;
  attributes: Readonly<Record<string, string>>;
  rect: RectData;
  in_viewport: ViewportPlace;
}

export interface ExistsResponse {
  exists: boolean;
}

export interface BoxesResponse {
  boxes: readonly VisibleBox[];
}

export interface AnnotateResponse {
  image: string;
}

/** Without `compared` and what follows for pictures of different sizes, and for more than 64 million pixels. */
export interface ComparePicturesResponse {
  /** null for a file that the engine can't read. */
  first: BitmapSize | null;
  second: BitmapSize | null;
  /** How many pixels no mask touches. */
  compared?: number;
  /** How many of these differ. */
  differing?: number;
  /** The boxes around them, from top to bottom. */
  regions?: readonly RectData[];
  image?: string;
}

export interface ExtractResponse {
  type: ExtractionType;
  data: unknown;
}

export interface StorageResponse {
  /** Of `list` and `clear`. */
  entries?: Readonly<Record<string, string>>;
  /** Of the others. */
  value?: string | null;
}

export interface CaptchaResponse extends NumberedResponse {
  captchas: readonly CaptchaData[];
}

/** A document's part of an audit, or the place where that of a frame of another origin belongs. */
export interface AuditPart {
  result: unknown;
  /** The number of the frame of another origin. */
  frame: number | null;
  /** The part of the document in the frame that the audit is about. */
  context: unknown;
}

export interface AuditResponse extends NumberedResponse {
  parts: readonly AuditPart[];
}

export interface AuditNode {
  /** The selectors of the frames around the element and its own; of one in shadow roots, those of the hosts too. */
  path: readonly unknown[];
  html: string;
  summary: string;
}

export interface AuditFinding {
  rule: string;
  impact: string;
  help: string;
  url: string;
  tags: readonly string[];
  nodes: readonly AuditNode[];
}

export interface AuditReportResponse {
  violations: readonly AuditFinding[];
  /** What only a person can judge. */
  incomplete: readonly AuditFinding[];
}

export interface AuditPlace {
  /** The number of the element, or of the frame of another origin that it is in; null for one that is gone. */
  id: number | null;
  /** The selectors of its path in that frame. */
  rest: readonly unknown[];
}

export interface AuditElementsResponse extends NumberedResponse {
  places: readonly AuditPlace[];
}

export type VitalName = 'LCP' | 'CLS' | 'INP' | 'FCP' | 'TTFB';

export interface VitalData {
  name: VitalName;
  /** Milliseconds; of CLS a score. */
  value: number;
  rating: 'good' | 'needs-improvement' | 'poor';
  /** The number of the element that the metric is of; null if it has left the page, or is in a shadow root. */
  id: number | null;
  /** The beginning of its HTML, or a selector of one without a number. */
  element: string | null;
  /** What INP is of. */
  interaction: 'pointer' | 'keyboard' | null;
  /** What the time consists of, in milliseconds. */
  parts: Readonly<Record<string, number>>;
}

export interface VitalsResponse extends NumberedResponse {
  metrics: readonly VitalData[];
  /** What this browser does not measure. */
  unsupported: readonly VitalName[];
  /** Whether the document had begun before it was observed. */
  late: boolean;
  /** Whether it was in the background when it was loaded. */
  hidden: boolean;
}

export interface GetFramesResponse {
  frames: readonly FrameData[];
}

export interface CurrentFrame {
  main: boolean;
  name: string;
  url: string;
}

export interface SwitchFrameResponse {
  frame: CurrentFrame;
}

export interface MutationCounts {
  added: number;
  removed: number;
  modified: number;
}

export interface ClickResponse extends PointData {
  action: 'click';
  id: number;
  selector: string | null;
  navigation: boolean;
  changes: MutationCounts;
}

export interface HoverResponse extends PointData {
  action: 'hover';
  id: number;
}

export interface FocusResponse {
  action: 'focus';
  id: number;
  focused: true;
}

export interface TypeResponse {
  action: 'type';
  id: number;
  text: string;
  value: string;
}

export interface ClearResponse {
  action: 'clear';
  id: number;
  value: string;
}

export interface CheckResponse {
  action: 'check' | 'uncheck';
  id: number;
  checked: boolean | null;
  changed: boolean;
}

export type ToggleState = 'checked' | 'unchecked' | 'mixed';

export interface ToggleResponse extends NumberedResponse {
  /** Of the control that has the state: the element itself, or the one that it labels or holds. */
  id: number;
  state: ToggleState;
  radio: boolean;
}

export interface SelectResponse {
  action: 'select';
  id: number;
  value: string;
  text: string;
  previous: string;
  /** The texts of the options that were asked for. */
  chosen: readonly string[];
  /** Of a select that takes several options. */
  texts?: readonly string[];
}

export interface SubmitResponse {
  action: 'submit';
  id: number;
  valid: boolean;
  /** Whether the form was submitted, even if the page has cancelled that. */
  sent: boolean;
  /** The name of the first field that is not valid. */
  field?: string;
  /** What the browser says of it. */
  reason?: string;
}

export interface ScrollResponse {
  action: 'scroll';
  scroll: ScrollData;
  moved: boolean;
}

/** Where an element can be pressed. */
export interface LocateResponse extends PointData {
  rect: RectData;
  tag: string;
  type: string;
  /** The mouse is there already. */
  hovered: boolean;
}

export interface ApproachPlace extends LocateResponse {
  id: number;
}

export interface WatchResponse {
  /** Whether the document has changed since its last scan without a filter. */
  mutated: boolean;
  texts: readonly TextChange[];
  visible_texts: readonly string[] | null;
  /** Whether elements may change by themselves. */
  feeding: boolean;
}

export interface ApproachResponse {
  found: FindResponse | null;
  watched?: WatchResponse;
  place?: ApproachPlace;
}

export interface PreparedField {
  mode: 'keys' | 'set';
  empty: boolean;
  /** It is a form's text field. */
  control: boolean;
  /** It has several lines. */
  lines: boolean;
}

export interface PreparedEditor extends EditorData {
  mode: 'editor';
  empty: boolean;
  /** It takes no elements, so that a line break is a character of its text. */
  plain: boolean;
  /** Its shortcuts are those of macOS. */
  mac: boolean;
}

export type PrepareResponse = PreparedField | PreparedEditor;

/**
 * How a field contains a text: whole, with other characters between the same letters and digits, or as far as its
 * `maxlength` lets it.
 */
export type WriteOutcome = 'whole' | 'formatted' | 'limited';

/** What became of a text that was written into a field. Lengths are in characters. */
export interface WrittenValue {
  outcome: WriteOutcome | 'other';
  /** Of the field's content. */
  length: number;
  /** Of the content that it should have. */
  wanted: number;
  /** The content; null of a password. */
  held_text: string | null;
  wanted_text: string | null;
  /** It has its former content. */
  unchanged: boolean;
  /** The field has taken any input. */
  taken: boolean;
  /** It has not been replaced. */
  attached: boolean;
  /** The focus has left it, and the text is not in it. */
  away: boolean;
  /** Where the focus went, in a few words. */
  place: string | null;
  /** Whether that is a frame. */
  frame: boolean;
  /** Other forms of the number that the text is, which the field may take. */
  forms: readonly string[];
}

export interface RestoreFieldResponse {
  /** Whether the field has its former content again. */
  restored: boolean;
}

export interface InsertResponse {
  /** `set`: the field takes its value whole. `keys`: the text does not fit, and is left to the keyboard. */
  mode: 'inserted' | 'set' | 'keys';
  outcome?: WriteOutcome | 'refused';
  /** Of `inserted`: characters of the content. */
  length?: number;
}

export interface EditorTextResponse {
  text: string | null;
}

export interface PasteResponse {
  /** Whether the page's scripts have done it. */
  taken: boolean;
}

/** What the browser refuses to do for clicks that scripts make. */
export interface ClickEffects {
  /** The addresses of links into new tabs. */
  opened: readonly string[];
  /** Whether a field requested files. */
  chooser: boolean;
}

export interface PointerEffects extends ClickEffects {
  frame: null;
  /** Of `touch`: the page wants no mouse events after it. */
  prevented?: boolean;
  /** Of `draggable`: a mouse that is pressed there drags something away. */
  draggable?: boolean;
}

/** The point is in a frame that only another scanner reaches: nothing was done. */
export interface InnerFrame extends PointData {
  frame: number;
}

export type PointerResponse = PointerEffects | InnerFrame;

export interface KeysResponse extends ClickEffects {
  /** How many events were processed. */
  done: number;
  /** The number of the frame that has the focus and gets the rest. */
  frame: number | null;
  missing?: 'clipboard';
}

/** Why a press did not reach its element. */
export type PressFate = 'moved' | 'covered' | 'replaced' | 'missed';

export interface VerifyResponse {
  holds: boolean;
  /** What is true instead, in a few words. */
  now?: string;
  /** The element has left the page, or is not shown any more: nothing can be said of it. */
  gone?: boolean;
  /** The element is disabled or busy, as while its page asks a server. */
  pending?: boolean;
  /** Of `value`. */
  written?: WrittenValue;
  fate?: PressFate;
  /** Nothing else has taken the press: it may be made again. */
  again?: boolean;
}

export interface HighlightResponse {
  highlighted: true;
  id: number;
}

export interface HighlightClearResponse {
  cleared: number;
}

export interface ExecuteResponse {
  result: unknown;
}

export interface WaitForResponse {
  met: true;
  waited: number;
  /** Of `navigation`, as `url`. */
  previous_url?: string;
  url?: string;
  /** Of `custom`. */
  result?: unknown;
}

export interface UnreadChangesResponse {
  /** There was no such command before, so all is new. */
  fresh: boolean;
  /** The document has changed outside of feeds. */
  touched: boolean;
  texts: readonly TextChange[];
  /** Which of `elements` are in places that change by themselves. */
  feeds: readonly number[];
  feeding: boolean;
}

export interface SettleResponse {
  mutated: boolean;
  quiet: boolean;
  /** What is still on its way, in words. */
  busy: string | null;
  /** Scripts have put something off since the action began; null if that can't be told. */
  pending: boolean | null;
  /** A script has closed the window. */
  closed: boolean;
}

/** Where an element is, for a script in another world. */
export interface NodePath {
  /** From the document on: the positions among the child elements; -1 leads into the shadow root. */
  steps: readonly number[];
  tag: string;
}

export interface EventPathsResponse {
  /** null if the act may have an effect without a listener, or listeners that can't be seen. */
  paths: readonly NodePath[] | null;
}

export interface ActivityResponse {
  loading: boolean;
  busy: boolean;
  /** Milliseconds since the document has changed; null if it has not since it is watched. */
  changed: number | null;
  /**
   * Milliseconds since scripts were last seen to have set a timer, at most; null if they have set none, or do so by
   * themselves all the time.
   */
  scheduled: number | null;
}

export interface ChangedTextsResponse {
  texts: readonly TextChange[];
  feeding: boolean;
}

export interface FeedElementsResponse {
  elements: readonly number[];
}

export interface DecidedElementsResponse {
  elements: readonly number[];
}

export interface RaisedElementsResponse {
  elements: readonly number[];
}

/** Empty but of `report`. */
export interface ReactionResponse {
  typed?: boolean;
  reacted?: boolean;
  submitted?: boolean;
  requested?: boolean;
}

export interface FileInputResponse extends NumberedResponse {
  input: FileInputData | null;
  beside: FileInputData | null;
  drops: boolean;
}

export interface SliderResponse extends NumberedResponse {
  slider: SliderData | null;
}

export interface DateSegmentsResponse extends NumberedResponse {
  segments: readonly SegmentData[];
  text: string;
}

export interface DateLimitsResponse {
  valid: boolean;
  min: string | null;
  max: string | null;
  message: string;
}

export interface CalendarResponse extends NumberedResponse {
  calendar: CalendarData | null;
  /** A button beside the element that may open one. */
  opener: number | null;
  in_dialog: boolean;
}

export interface OptionsResponse extends NumberedResponse {
  /** Of what the element stands for: the control of a label, the widget that is shown for a hidden select or field. */
  id: number;
  /** That is a select, or a field with suggestions. */
  native: boolean;
  match: OptionMatch | null;
  /** Whether the select behind the widget keeps the wanted text; null without one that knows it. */
  select_state: boolean | null;
  /** The widget shows the wanted text. */
  shown: boolean;
  texts: readonly string[];
  count: number;
  last: string | null;
  /** The list is known to be open. */
  open: boolean;
  /** What the widget says of that. */
  expanded: boolean | null;
  /** The field that filters them. */
  typing: number | null;
  /** What that field holds. */
  typed: string | null;
  /** The element takes text and says nothing of a list. */
  text_field: boolean;
  /** What is pressed beside the field to open its list. */
  opener: number | null;
  scroller: number | null;
  /** Where the mouse can be released if the list lies under it. */
  aside: PointData | null;
  in_dialog: boolean;
}

export interface ScrollersResponse extends NumberedResponse {
  scrollers: readonly ScrollerData[];
}

export interface ScrollToResponse {
  scroll: ScrollData;
  /** Its height. */
  screen: number;
}

export interface PopupsResponse extends NumberedResponse {
  layers: readonly PopupData[];
}

export interface PopupOpenResponse {
  open: boolean;
}

/** Each command's request, and the data of its response. */
export interface Commands {
  version: { request: VersionRequest; response: VersionResponse };
  scan: { request: ScanRequest; response: ScanResponse };
  page: { request: PageRequest; response: PageResponse };
  find: { request: FindRequest; response: FindResponse };
  tree: { request: TreeRequest; response: TreeResponse };
  get_value: { request: GetValueRequest; response: GetValueResponse };
  get_text: { request: GetTextRequest; response: GetTextResponse };
  get_html: { request: GetHtmlRequest; response: GetHtmlResponse };
  get_bounds: { request: GetBoundsRequest; response: GetBoundsResponse };
  get_state: { request: GetStateRequest; response: GetStateResponse };
  exists: { request: ExistsRequest; response: ExistsResponse };
  boxes: { request: BoxesRequest; response: BoxesResponse };
  annotate: { request: AnnotateRequest; response: AnnotateResponse };
  compare_pictures: { request: ComparePicturesRequest; response: ComparePicturesResponse };
  extract: { request: ExtractRequest; response: ExtractResponse };
  storage: { request: StorageRequest; response: StorageResponse };
  captcha: { request: CaptchaRequest; response: CaptchaResponse };
  audit: { request: AuditRequest; response: AuditResponse };
  audit_report: { request: AuditReportRequest; response: AuditReportResponse };
  audit_elements: { request: AuditElementsRequest; response: AuditElementsResponse };
  vitals: { request: VitalsRequest; response: VitalsResponse };
  get_frames: { request: GetFramesRequest; response: GetFramesResponse };
  switch_frame: { request: SwitchFrameRequest; response: SwitchFrameResponse };
  click: { request: ClickRequest; response: ClickResponse };
  hover: { request: HoverRequest; response: HoverResponse };
  focus: { request: FocusRequest; response: FocusResponse };
  type: { request: TypeRequest; response: TypeResponse };
  clear: { request: ClearRequest; response: ClearResponse };
  check: { request: CheckRequest; response: CheckResponse };
  uncheck: { request: UncheckRequest; response: CheckResponse };
  toggle: { request: ToggleRequest; response: ToggleResponse };
  select: { request: SelectRequest; response: SelectResponse };
  submit: { request: SubmitRequest; response: SubmitResponse };
  scroll: { request: ScrollRequest; response: ScrollResponse };
  locate: { request: LocateRequest; response: LocateResponse };
  approach: { request: ApproachRequest; response: ApproachResponse };
  restore_scroll: { request: RestoreScrollRequest; response: NoData };
  prepare: { request: PrepareRequest; response: PrepareResponse };
  restore_field: { request: RestoreFieldRequest; response: RestoreFieldResponse };
  insert: { request: InsertRequest; response: InsertResponse };
  read_editor: { request: ReadEditorRequest; response: EditorTextResponse };
  paste: { request: PasteRequest; response: PasteResponse };
  copy: { request: CopyRequest; response: EditorTextResponse };
  pointer: { request: PointerRequest; response: PointerResponse };
  keys: { request: KeysRequest; response: KeysResponse };
  verify: { request: VerifyRequest; response: VerifyResponse };
  highlight: { request: HighlightRequest; response: HighlightResponse };
  highlight_clear: { request: HighlightClearRequest; response: HighlightClearResponse };
  execute: { request: ExecuteRequest; response: ExecuteResponse };
  wait_for: { request: WaitForRequest; response: WaitForResponse };
  unread_changes: { request: UnreadChangesRequest; response: UnreadChangesResponse };
  settle: { request: SettleRequest; response: SettleResponse };
  activity: { request: ActivityRequest; response: ActivityResponse };
  event_paths: { request: EventPathsRequest; response: EventPathsResponse };
  watch: { request: WatchRequest; response: WatchResponse };
  changed_texts: { request: ChangedTextsRequest; response: ChangedTextsResponse };
  feed_elements: { request: FeedElementsRequest; response: FeedElementsResponse };
  decided_elements: { request: DecidedElementsRequest; response: DecidedElementsResponse };
  raised_elements: { request: RaisedElementsRequest; response: RaisedElementsResponse };
  reaction: { request: ReactionRequest; response: ReactionResponse };
  file_input: { request: FileInputRequest; response: FileInputResponse };
  slider: { request: SliderRequest; response: SliderResponse };
  range_value: { request: RangeValueRequest; response: SliderResponse };
  date_segments: { request: DateSegmentsRequest; response: DateSegmentsResponse };
  date_limits: { request: DateLimitsRequest; response: DateLimitsResponse };
  calendar: { request: CalendarRequest; response: CalendarResponse };
  options: { request: OptionsRequest; response: OptionsResponse };
  scrollers: { request: ScrollersRequest; response: ScrollersResponse };
  scroll_to: { request: ScrollToRequest; response: ScrollToResponse };
  popups: { request: PopupsRequest; response: PopupsResponse };
  popup_open: { request: PopupOpenRequest; response: PopupOpenResponse };
}
