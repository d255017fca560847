// The messages of the hub with its own pages, and with the content script that serves `window.agent`.

import type { PluginIdentity } from './identity';
import type { PluginEntry } from './registry';

/** What became of a question. "ignored": the user has seen it and not answered; "withdrawn": they have not seen it. */
export type Answered = 'always' | 'once' | 'deny' | 'ignored' | 'withdrawn';

// --- window.agent (port `hub.page`) ---

/** From the content script: what the page has sent, under a number. */
export type PageRequest = [id: number, text: string];

/** To the content script: the answer, or null from when on a plugin may be executing the call, so that it must not be sent
 *  again. */
export type PageAnswer = [id: number, text: string | null];

// --- the consent window (port `hub.consent`) ---

/** A tool in question. All but its name is null if no plugin has it. */
export interface QuestionTool {
  name: string;
  title: string | null;
  description: string | null;
  /** The id of its plugin. */
  pluginId: string | null;
  isDangerous: boolean;
}

/** What the window displays. */
export interface Question {
  origin: string;
  /** Names of tools; null for all tools. */
  names: string[] | null;
  isDangerous: boolean;
  canPersist: boolean;
  isAll: boolean;
  argumentsText: string | null;
  /** How many characters of the arguments are left out. */
  omitted: number;
  tools: QuestionTool[];
  /** The plugins of these tools. */
  plugins: PluginIdentity[];
}

export type ConsentMessage = ({ type: 'question'; id: number } & Question) | { type: 'done' };

export interface ConsentAnswer {
  id: number;
  choice: string;
  all: boolean;
}

// --- the review page (port `hub.review`) ---

/** A decision about an origin; `name` is null for all tools, `until` for those that last. */
export interface Grant {
  origin: string;
  name: string | null;
  kind: 'always' | 'once' | 'deny' | 'ignored' | 'silenced';
  until: number | null;
}

export interface ReviewState {
  type: 'state';
  plugins: PluginEntry[];
  /** The ids of the plugins that may work. */
  enabled: string[];
  allowlist: string[];
  grants: Grant[];
}

export type ReviewMessage = ReviewState | { type: 'error'; message: string };

export type ReviewRequest =
  | { type: 'revoke'; origin: string }
  | { type: 'disable'; id: string; disabled: boolean }
  | { type: 'refresh'; id: string }
  | { type: 'allowlist'; ids: string[] };
