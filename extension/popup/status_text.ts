// The texts of the popup about the connection and the engine, made of the worker's state.

import type { EngineState, Settings, WorkerState } from '../messages';
import { commandFor, isLocal, shortName } from './endpoints';

const SCOPE_DETAILS: Record<Settings['tab_scope'], string> = {
  active: 'The server can read and control the active tab, and tabs that come from it.',
  all: 'The server can read and control all tabs.',
};

/** `{title, detail}` of the connection. `now` is in epoch milliseconds. */
export function connectionText(state: WorkerState, now: number): { title: string; detail: string } {
  const name = shortName(state.endpoint || state.settings.endpoint);
  const reason = asSentence(state.detail);
  switch (state.status) {
    case 'connecting':
      return { title: `Connecting to ${name}`, detail: reason };
    case 'pairing':
      return {
        title: `${name} is not paired yet`,
        detail: reason || 'The server can do nothing until you give it the code below.',
      };
    case 'connected':
      return { title: `Connected to ${name}`, detail: reason || SCOPE_DETAILS[state.settings.tab_scope] };
    case 'waiting':
      return {
        title: `No connection to ${name}`,
        detail: [reason, solutionFor(state), retryText(state, now)].filter(Boolean).join(' '),
      };
    default:
      return { title: 'Not connected', detail: reason || idleText(state) };
  }
}

const idleText = ({ engine }: WorkerState) =>
  engine.state === 'loading' ? 'The engine is starting.' : 'No server can read or control this browser.';

/** The worker's details are parts of sentences. */
const asSentence = (text: string) =>
  text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…”]$/.test(text) ? '' : '.'}` : '';

const UNREACHABLE = 'no server answers there';

function solutionFor({ detail, endpoint, code }: WorkerState): string {
  if (detail && detail !== UNREACHABLE) return '';
  if (!isLocal(endpoint)) return "Check the address, and ask the server's operator whether it is running.";
  return code ? 'Run the command below in a terminal.' : `Run “${commandFor(endpoint)}” in a terminal.`;
}

function retryText({ retry_at: retryAt }: WorkerState, now: number): string {
  if (!retryAt) return '';
  const seconds = Math.ceil((retryAt - now) / 1000);
  return seconds > 0 ? `Retrying in ${seconds} s.` : 'Retrying.';
}

/** `4:09` of milliseconds. */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const ENGINE_STATES: Partial<Record<EngineState['state'], string>> = {
  off: 'Engine not started',
  loading: 'Engine starting',
  failed: 'Engine failed',
};
const START_METHODS = { snapshot: 'from its snapshot', cold: 'without a snapshot' };

/** The engine in one line: `Engine 0.1.0, ready in 0.6 s from its snapshot`. */
export function engineText(engine: EngineState): string {
  const { state, version, ms, how } = engine;
  if (state !== 'ready') return `${ENGINE_STATES[state] ?? state}${version ? ` (${version})` : ''}`;
  const duration = typeof ms !== 'number' ? '' : `, ready in ${(ms / 1000).toFixed(1)} s`;
  return [`Engine ${version}${duration}`, duration && how && START_METHODS[how]].filter(Boolean).join(' ');
}
