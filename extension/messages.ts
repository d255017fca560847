// The messages between the parts of the extension. Those of the hub with its pages are in `hub/messages.ts`.
//
// The engine (`src/oryn/extension`) speaks for the worker in most of them.

// --- the popup and the worker ---

export type ConnectionStatus = 'disconnected' | 'connecting' | 'pairing' | 'connected' | 'waiting';
export type CommandStatus = 'running' | 'ok' | 'error';

export interface EngineState {
  state: 'off' | 'loading' | 'ready' | 'failed';
  version: string;
  how: 'snapshot' | 'cold' | null;
  /** Milliseconds from the worker's start until the engine was ready. */
  ms: number | null;
  error: string | null;
  /** `Chrome/156.0.8078.79`, `Firefox/153.7.0`. */
  browser: string | null;
  /** Whether the browser has a debugger for extensions. */
  debugger: boolean;
  /** Whether the worker is Firefox's event page. */
  event_page: boolean;
}

export interface Settings {
  endpoint: string;
  auto_connect: boolean;
  tab_scope: 'active' | 'all';
  trusted_input: boolean;
  /** The origins of remote servers that the user allows. */
  allowlist: string[];
}

/** A server that connects without a code. Times are epoch milliseconds, here and below. */
export interface PairedServer {
  endpoint: string;
  since: number;
  last_used: number | null;
}

/** A command of the server. */
export interface ServerCommand {
  id: number;
  time: number;
  /** The number of its tab, if it has one yet. */
  tab: number | null;
  line: string;
  status: CommandStatus;
  elapsed_ms: number | null;
}

export interface ControlledTab {
  number: number;
  title: string;
  url: string;
}

/** A tab that the user can choose for the agent; `chat` marks known chat sites. */
export interface AgentTab {
  id: number;
  title: string;
  url: string;
  active: boolean;
  chat: boolean;
}

export interface AgentSettings {
  /** URLs by the names that the model knows them by. */
  tools: Record<string, string>;
  max_tabs: number;
  max_steps: number;
  page_updates: number;
  redact: string;
  ask: boolean;
}

/** A command of the model. */
export interface AgentStep {
  number: number;
  line: string;
  status: CommandStatus;
  time: number;
}

/** What a run waits for (`ChatPhase`), or does. */
export type AgentPhase = ChatPhase | 'acting' | 'watching';

export interface AgentQuestion {
  id: string;
  command: string;
}

export interface AgentRun {
  goal: string;
  /** The host of the chat. */
  chat: string;
  doing: AgentPhase;
  number: number;
  most: number;
  /** How many messages of the user wait for the next request. */
  corrections: number;
  question: AgentQuestion | null;
  steps: AgentStep[];
}

/** The end of a run: the model's answer, or a detail about the failure. */
export interface AgentResult {
  goal: string;
  answer: string | null;
  detail: string;
  steps: AgentStep[];
}

export interface AgentState {
  settings: AgentSettings;
  tabs: AgentTab[];
  run: AgentRun | null;
  last: AgentResult | null;
}

export interface WorkerState {
  type: 'state';
  status: ConnectionStatus;
  detail: string;
  endpoint: string;
  code: string | null;
  code_expires: number | null;
  retry_at: number | null;
  settings: Settings;
  paired: PairedServer[];
  activity: ServerCommand[];
  engine: EngineState;
  warning: string | null;
  controlled: ControlledTab[];
  agent: AgentState | null;
  notes: NotesState;
}

/** A mark that waits for its words; its picture is a JPEG file in base64. */
export interface PendingMark {
  id: string;
  label: string;
  picture: string | null;
}

export interface NoteReply {
  author: 'agent' | 'person';
  text: string;
  time: string;
}

/** A note of the user for the agent. */
export interface UserNote {
  number: number;
  label: string;
  text: string;
  state: 'open' | 'done';
  told: boolean;
  present: boolean;
  answers: NoteReply[];
}

export interface NotesState {
  mark: PendingMark | null;
  rows: UserNote[];
}

/** From the worker to a popup. */
export type WorkerMessage = WorkerState | { type: 'refused'; message: string };

/** From a popup to the worker. */
export type PopupRequest =
  | { type: 'connect' | 'disconnect' | 'stop' | 'new_code' | 'agent_stop' }
  | { type: 'settings' | 'agent_settings'; changes: Readonly<Record<string, unknown>> }
  | { type: 'allow' | 'revoke'; endpoint: string }
  | { type: 'agent_start'; goal: string; chat: number; tabs: number[] }
  | { type: 'agent_command'; text: string }
  | { type: 'agent_answer'; question: string; agreed: boolean }
  | { type: 'note_add'; mark: string; text: string }
  | { type: 'note_answer'; number: number; text: string }
  | { type: 'note_done' | 'note_remove'; number: number };

// --- the content script of a frame and the worker ---

/** A part of a picture (base64), in its own pixels, as a file of another format. */
export interface PictureRequest {
  image: string;
  x: number;
  y: number;
  width: number;
  height: number;
  format: string;
  quality: number | null;
  /** How many times as wide the file is. */
  scale: number;
}

/** The fields of requests by their names. */
export interface ContentRequests {
  ping: object;
  scan: { request: string };
  frame: object;
  closing: object;
  history: { delta: number };
  stop: object;
  post: { element: number; token: string };
  report: { token: string };
  announce: { token: string };
  meet: { token: string; frame: string };
  place: { frame: string; x: number; y: number };
  area: { frame: string };
  view: object;
  picture: PictureRequest;
  hold: { element: number | null; token: string };
}

export type ContentRequest = {
  [Name in keyof ContentRequests]: { oryn: Name } & ContentRequests[Name];
}[keyof ContentRequests];

/** The name of the worker's port to a document (`conversations.ts`). */
export const CONTENT_PORT = 'oryn';

/** Through that port: a request, and its answer under the same number. */
export interface NumberedRequest {
  id: number;
  message: ContentRequest;
}

/** What a document reports besides an answer, or without one. */
export interface ContentReport {
  /** The page's tools may have changed. */
  tools?: true;
  /** What the page has written to its console, as JSON texts. */
  console?: string[];
  /** So many inputs of a kind that no script of the page has made. */
  input?: { kind: string; count: number };
}

export interface NumberedAnswer extends ContentReport {
  id: number;
  answer: unknown;
}

/** From a content script to the worker, without an answer. */
export type ContentNotice = { oryn: 'token'; token: string } | { type: 'stop' | 'seen' | 'notes' } | MarkNotice;

/** What the user has pointed at, in CSS pixels of the viewport: a point, if it has no size, or a region. */
export interface MarkNotice {
  type: 'mark';
  x: number;
  y: number;
  width: number;
  height: number;
}

// --- the bar of a controlled tab ---

export interface BannerText {
  endpoint?: string;
  words?: string;
  button?: string;
  /** About the notes for the agent: how many are open, or what has become of the last. */
  notes?: string;
}

export type BannerRequest = { banner: 'away' | 'hide' } | ({ banner: 'show' } & BannerText);

// --- the chat page of an agent ---

/** How to use the page of a chat (`Site` of `src/oryn/extension/agent/chat.py`). Times are milliseconds. */
export interface ChatSite {
  /** CSS selectors, of which the first that matches counts. */
  box: string[];
  send: string[];
  stop: string[];
  message: string[];
  ignore: string[];
  /** Parts of a button's name, in lower case. */
  send_words: string[];
  stop_words: string[];
  settled_ms: number;
  quiet_ms: number;
  silent_ms: number;
  ready_ms: number;
  wait_ms: number;
}

/** A message to the model. `after` is the token of the message before, `sent` whether this one has been. */
export interface ChatMessage {
  run: string;
  number: number;
  token: string;
  after: string;
  text: string;
  keyword: string;
  sent: boolean;
  site: ChatSite;
}

export type ChatRequest = ({ chat: 'say' } & ChatMessage) | { chat: 'leave' };

export type ChatPhase = 'sending' | 'answer' | 'draft' | 'gone' | 'silent';

export type ChatState =
  | { chat: 'sent' }
  | { chat: 'waiting'; why: ChatPhase }
  | { chat: 'answer'; text: string }
  | { chat: 'failed'; why: string };

export type ChatReport = ChatState & { run: string; number: number };
