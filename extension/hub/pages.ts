// Requests of pages: `window.agent` behind the content script (docs/spec/plugin-protocol.md#the-api-for-pages).
//
// A port belongs to one document. Its origin comes from the browser (`port.sender`), never from the page.

import { messageOf } from '../errors';
import { isFields } from '../values';
import type { Fields, JsonValue } from '../values';
import { keepAwake } from './browser';
import type { Calls } from './calls';
import type { Grants } from './grants';
import type { PageAnswer, Question } from './messages';
import { HubError, MAX_RESULT_CHARACTERS, splitToolName } from './protocol';
import type { Tool } from './protocol';
import type { Answer, Asker, Questions } from './questions';
import type { CallableTool, Registry } from './registry';

const MAX_REQUEST_CHARACTERS = 2 ** 20;
const MAX_PENDING = 1000;
const MAX_NAMES = 50;
const MAX_ARGUMENT_CHARACTERS = 20_000;
const ORIGIN = /^https?:\/\/[^/]+$/;
/** In the place of an origin: the agent that drives this browser. No page has such an origin. */
const AGENT = 'oryn:agent';

/** What a page gets of an error. */
interface PageError {
  code: string;
  message: string;
  details?: JsonValue;
}
type Outcome = { value: unknown } | { error: PageError };

/** What a tool has answered. */
interface ToolAnswer {
  success: true;
  result: JsonValue;
  executionTimeMs?: number;
}

export class Pages {
  readonly #registry: Registry;
  readonly #calls: Calls;
  readonly #grants: Grants;
  readonly #questions: Questions;

  constructor(registry: Registry, calls: Calls, grants: Grants, questions: Questions) {
    this.#registry = registry;
    this.#calls = calls;
    this.#grants = grants;
    this.#questions = questions;
  }

  /** Serve one document until it is gone. */
  connect(port: chrome.runtime.Port): void {
    const origin = originOf(port.sender ?? {});
    let isOpen = true;
    let pending = 0;
    const post = (...answer: PageAnswer) => {
      if (isOpen) port.postMessage(answer);
    };
    port.onDisconnect.addListener(() => {
      isOpen = false;
      this.#questions.forget(port);
    });
    const serve = async (id: number, text: unknown) => {
      let answer: Outcome;
      pending += 1;
      try {
        if (pending > MAX_PENDING) throw new HubError('TOO_MANY_REQUESTS', `more than ${MAX_PENDING} requests at once`);
        answer = { value: await keepAwake(this.#handle(origin, text, port, () => post(id, null))) };
      } catch (error) {
        answer = { error: errorFor(error) };
      } finally {
        pending -= 1;
      }
      post(id, textOf(answer));
    };
    port.onMessage.addListener((message: unknown) => {
      const [id, text] = Array.isArray(message) ? (message as unknown[]) : [];
      if (typeof id === 'number') void serve(id, text); // its process is the page's
    });
  }

  async #handle(origin: string, text: unknown, port: chrome.runtime.Port, sending: () => void): Promise<unknown> {
    if (!ORIGIN.test(origin)) throw new HubError('PERMISSION_DENIED', 'only pages of http and https may use tools');
    const request = parse(text);
    switch (request.op) {
      case 'list':
        return await this.#list(origin);
      case 'call':
        return await this.#call(origin, request, port, sending);
      case 'permission':
        return await this.#requestPermission(origin, request, port);
      default:
        throw new HubError('INVALID_REQUEST', 'there is no such operation');
    }
  }

  /** All tools, for the agent: the user has let it work in this browser, so it may know what there is. */
  async listForAgent(): Promise<Tool[]> {
    return (await this.#registry.tools()).map(({ fullName, definition }) => ({ ...definition, name: fullName }));
  }

  /** A call of the agent's, under the same consent as a page's: `{"value": …}` or `{"error": …}`. `asker` identifies it. */
  async callForAgent(asker: string, name: unknown, values: unknown): Promise<Outcome> {
    try {
      return { value: await this.#call(AGENT, { name, arguments: values }, asker, () => {}) };
    } catch (error) {
      return { error: errorFor(error) };
    }
  }

  /** The agent no longer waits: what the user would answer now must not start the call. */
  cancelForAgent(asker: string): void {
    this.#questions.forget(asker);
  }

  /** Only what the origin may use: which plugins a user has installed is no page's business. */
  async #list(origin: string): Promise<Tool[]> {
    const found: Tool[] = [];
    for (const { fullName, definition } of await this.#registry.tools()) {
      if (await this.#grants.decision(origin, fullName)) found.push({ ...definition, name: fullName });
    }
    return found;
  }

  /** Consent comes first, so that the answer does not depend on whether there is such a tool. */
  async #call(
    origin: string,
    { name: fullName, arguments: values }: Fields,
    asker: Asker,
    sending: () => void,
  ): Promise<ToolAnswer> {
    const name = checkedName(fullName);
    if (!isFields(values) || Array.isArray(values)) {
      throw new HubError('INVALID_ARGUMENTS', 'the arguments must be an object');
    }
    const argumentsText = JSON.stringify(values, null, 2);
    const wasDangerous = await this.#isDangerous(name);
    const decision = await this.#grants.decision(origin, name);
    // A call of a dangerous tool is allowed once, in the strict sense. A refusal holds.
    const isDecided = wasDangerous ? decision === false : decision !== null;
    const isAllowed = isDecided ? decision : await this.#ask(origin, [name], argumentsText, wasDangerous, asker);
    if (!isAllowed) throw new HubError('PERMISSION_DENIED', 'the user has not allowed this tool');
    const tool = await this.#registry.tool(name);
    if (tool.isDangerous && !wasDangerous) {
      throw new HubError('PERMISSION_DENIED', 'the tool has become dangerous since the user was asked');
    }
    this.#registry.checkArguments(tool, values);
    sending();
    const { result = null, executionTimeMs } = await this.#calls.request(tool.pluginId, 'PLUGIN_TOOL_CALL', {
      toolName: tool.definition.name,
      arguments: values,
      callingOrigin: origin,
    });
    return { success: true, result, ...(executionTimeMs !== undefined && { executionTimeMs }) };
  }

  /** Ask for tools by their names, or for all. */
  async #requestPermission(origin: string, { tools = null }: Fields, asker: Asker): Promise<{ granted: boolean }> {
    if (tools !== null && !(Array.isArray(tools) && tools.length > 0 && tools.length <= MAX_NAMES)) {
      throw new HubError('INVALID_REQUEST', `tools must be 1 to ${MAX_NAMES} names`);
    }
    const wanted = tools === null ? [null] : [...new Set(tools.map(checkedName))].sort();
    const decisions = await Promise.all(wanted.map((name) => this.#grants.decision(origin, name)));
    const open = wanted.filter((_, index) => decisions[index] === null);
    if (decisions.includes(false)) return { granted: false };
    return {
      granted:
        open.length === 0 ||
        (await this.#ask(origin, tools && open.filter((name) => name !== null), null, false, asker)),
    };
  }

  /** Returns whether the user allows it. `names` is null for all tools. */
  async #ask(
    origin: string,
    names: string[] | null,
    argumentsText: string | null,
    isDangerous: boolean,
    asker: Asker,
  ): Promise<boolean> {
    const question = await this.#question(origin, names, argumentsText, isDangerous);
    const isPage = origin !== AGENT; // the agent asks only for tools that there are, each of which can be refused
    // The page around a frame counts, too: it could ask through frames of ever other origins.
    const url = typeof asker === 'string' ? undefined : asker.sender?.tab?.url;
    const top = url ? originOf({ url }) : origin;
    for (const each of isPage ? [origin, top] : []) if (await this.#grants.isSilenced(each)) return false;
    const record = async ({ choice, all }: Answer) => {
      if (top !== origin && choice === 'deny') await this.#grants.silence(top);
      if (top !== origin && choice === 'ignored') await this.#grants.record(top, names, choice);
      if (choice === 'withdrawn' || (choice === 'ignored' && !isPage) || (choice === 'once' && isDangerous)) return;
      await this.#grants.record(origin, all ? null : names, choice);
    };
    const { choice } = await this.#questions.ask(question, asker, record);
    return choice === 'once' || choice === 'always';
  }

  async #question(
    origin: string,
    names: string[] | null,
    argumentsText: string | null,
    isDangerous: boolean,
  ): Promise<Question> {
    const tools = await this.#registry.tools();
    const found: [name: string, tool: CallableTool | undefined][] =
      names?.map((name) => [name, tools.find(({ fullName }) => fullName === name)]) ??
      tools.map((tool) => [tool.fullName, tool]);
    const plugins = new Map(found.flatMap(([, tool]) => (tool ? [[tool.pluginId, tool.plugin]] : [])));
    return {
      origin,
      names,
      isDangerous,
      // Whoever is between the user and a server without TLS could use what it was granted for ever.
      canPersist: origin === AGENT || origin.startsWith('https:') || isLoopback(origin),
      isAll: names === null,
      argumentsText: argumentsText?.slice(0, MAX_ARGUMENT_CHARACTERS) ?? null,
      omitted: Math.max(0, (argumentsText?.length ?? 0) - MAX_ARGUMENT_CHARACTERS),
      tools: found.map(([name, tool]) => ({
        name,
        title: tool?.definition.title ?? null,
        description: tool?.definition.description.slice(0, 500) ?? null,
        pluginId: tool?.pluginId ?? null,
        isDangerous: tool?.isDangerous ?? false,
      })),
      plugins: [...plugins.values()],
    };
  }

  async #isDangerous(name: string): Promise<boolean> {
    return (await this.#registry.tools()).some(({ fullName, isDangerous }) => fullName === name && isDangerous);
  }
}

/** Chromium and Firefox 126 have `sender.origin`; "null" is that of sandboxed frames. */
const originOf = ({ origin, url }: chrome.runtime.MessageSender) =>
  origin ?? (url !== undefined && URL.canParse(url) ? new URL(url).origin : 'null');

/** https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy */
function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]' || /(^|\.)localhost$/.test(hostname);
}

/** A name of a tool, which the page chooses. */
function checkedName(name: unknown): string {
  const { pluginId, toolName } = splitToolName(name);
  return `${pluginId}::${toolName}`;
}

function parse(text: unknown): Fields {
  if (typeof text !== 'string' || text.length > MAX_REQUEST_CHARACTERS) {
    throw new HubError('INVALID_REQUEST', `a request must have at most ${MAX_REQUEST_CHARACTERS} characters`);
  }
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HubError('INVALID_REQUEST', 'a request must be JSON', messageOf(error));
  }
  if (!isFields(value)) throw new HubError('INVALID_REQUEST', 'a request must be an object');
  return value;
}

/** What a page may know of an error. */
function errorFor(error: unknown): PageError {
  if (!(error instanceof HubError)) {
    console.error('hub: a request of a page:', error);
    return { code: 'INTERNAL_ERROR', message: 'the hub has failed' };
  }
  const { code, message, details } = error;
  return { code, message, ...(details !== undefined && { details }) };
}

function textOf(answer: Outcome): string {
  const text = JSON.stringify(answer);
  if (text.length <= MAX_RESULT_CHARACTERS) return text;
  const message = `the result has more than ${MAX_RESULT_CHARACTERS} characters`;
  return JSON.stringify({ error: { code: 'EXECUTION_FAILED', message } });
}
