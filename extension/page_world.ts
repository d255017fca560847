// Functions that run in a page's own world: `scripting.executeScript` is called from Python with their names in `func`.
//
// The browser copies their text into the page, so each stands for itself. What they answer is the page's word, which
// may have put anything in the place of JavaScript's own.
// https://developer.chrome.com/docs/extensions/reference/api/scripting#type-ScriptInjection

export const FUNCTIONS = { evaluate, listTools, callTool };

/**
 * The tools that the document offers (WebMCP), as JSON text: `[{name, description, inputSchema, readOnly}]`.
 * https://webmachinelearning.github.io/webmcp/
 */
async function listTools(): Promise<string> {
  const context = document.modelContext;
  if (!context?.getTools) return '[]';
  // Also lists those of frames of the same origin, which are asked themselves.
  const own = (await context.getTools()).filter((tool) => tool.window === window);
  return JSON.stringify(
    own.map(({ name, description, inputSchema, annotations }) => {
      return { name, description, inputSchema, readOnly: annotations?.readOnlyHint === true };
    }),
  );
}

/**
 * What a tool answers, as JSON text: `{"value": …}`, `{"error": …}`, `{"missing": true}` if there is none, or
 * `{"left": true}` if the document goes away first, of which Firefox does not notify who has called.
 */
async function callTool(name: string, input: string): Promise<string> {
  const context = document.modelContext;
  const tools = (await context?.getTools?.()) ?? [];
  const tool = tools.find((each) => each.name === name && each.window === window);
  if (!tool || !context?.executeTool) return JSON.stringify({ missing: true });
  const left = new Promise<null>((resolve) => addEventListener('pagehide', () => resolve(null), { once: true }));
  try {
    const answered = context.executeTool(tool, JSON.parse(input)).then((text) => ({ text }));
    const answer = await Promise.race([answered, left]);
    if (!answer) return JSON.stringify({ left: true });
    let value: unknown = answer.text;
    try {
      value = JSON.parse(answer.text);
    } catch {
      // It answered with a text.
    }
    return JSON.stringify({ value: value ?? null });
  } catch (error) {
    const { message } = (error ?? {}) as { message?: unknown };
    return JSON.stringify({ error: String(message ?? error) });
  }
}

/**
 * The value of JavaScript as the console gives it, as JSON text: `{"value": …}` (JSON, or text that describes what is
 * none), `{"error": …}` for what it threw, or `{"forbidden": true}` where the page's policy lets nothing be evaluated.
 * With `compileOnly` it is a function in parentheses, which is not called.
 */
async function evaluate(expression: string, compileOnly: boolean): Promise<string> {
  const indirect = eval; // of the page's global scope: https://tc39.es/ecma262/#sec-performeval
  const AsyncFunction = (async () => {}).constructor as new (body: string) => () => Promise<unknown>;
  const serialized = (answer: object) => JSON.stringify(answer);

  // --- running it ---

  const compiled = (body: string) => {
    try {
      return new AsyncFunction(body);
    } catch {
      return null;
    }
  };

  /** The same with `await` at the top, as a function that answers the last statement's value where that is found. */
  const withAwait = () => {
    const text = expression.replace(/[\s;]+$/, '');
    const whole = compiled(`return (${text}\n)`);
    if (whole) return whole;
    for (let at = text.length - 1, tries = 200; at > 0 && tries; at--) {
      if (!';}\n'.includes(text.charAt(at))) continue;
      tries--;
      const last = compiled(`${text.slice(0, at + 1)}\nreturn (${text.slice(at + 1)}\n)`);
      if (last) return last;
    }
    return compiled(text);
  };

  const run = (): unknown => {
    const asynchronous = !compileOnly && /\bawait\b/.test(expression) && withAwait();
    return asynchronous ? asynchronous.call(globalThis) : indirect(expression);
  };

  const isForbidden = () => {
    try {
      indirect('0');
      return false;
    } catch {
      return true;
    }
  };

  // --- what becomes of values: as the DevTools protocol's `RemoteObject` and `returnByValue` have it ---

  const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

  const nameOf = (value: object) => {
    const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
    const constructor = prototype?.constructor;
    return (typeof constructor === 'function' && constructor.name) || 'Object';
  };

  /** Firefox's stacks have the calls alone: https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Error/stack */
  const withTitle = (error: Error, stack: string) => {
    const calls: string[] = [];
    for (const line of stack.split('\n')) {
      const call = /^(.*)@.* > (?:eval|\w*Function):(\d+:\d+)$/.exec(line);
      if (!call) break;
      calls.push(call[1] ? `    at ${call[1]} (<anonymous>:${call[2]})` : `    at <anonymous>:${call[2]}`);
    }
    return [`${error.name}: ${error.message}`, ...calls].join('\n');
  };

  /** A stack as the console shows it: what called this function is no part of it. */
  const stackOf = (error: Error) => {
    const lines: string[] = [];
    const reported = String(error.stack || '');
    const stack = /^ {4}at /m.test(reported) || !/@.*:\d+:\d+$/m.test(reported) ? reported : withTitle(error, reported);
    const isUnnamed = stack.startsWith('Error') && tagOf(error) === 'Error'; // a class that only its constructor names
    if (!stack) return `${error.name}: ${error.message}`;
    for (const line of (isUnnamed ? stack.replace('Error', nameOf(error)) : stack).split('\n')) {
      const own = /^ {4}at (?:eval|async eval|) ?\(?eval at .*, (<anonymous>:\d+:\d+)\)$/.exec(line);
      lines.push(own ? `    at ${own[1]}` : line);
      if (own) break;
    }
    return lines.join('\n');
  };

  const nodeText = (node: Node) => {
    if (node.nodeType === 10) return `<!DOCTYPE ${(node as DocumentType).name}>`;
    if (node.nodeType !== 1) return node.nodeName;
    const element = node as Element;
    const classes = [...element.classList].map((name) => `.${name}`).join('');
    return element.localName + (element.id ? `#${element.id}` : '') + classes;
  };

  const isError = (value: object): value is Error =>
    tagOf(value) === 'Error' || value instanceof Error || value instanceof DOMException;

  /** The text for an object that JSON would say less of, or null. */
  const described = (value: object): string | null => {
    if (typeof value === 'function') return Function.prototype.toString.call(value);
    if (value instanceof Node) return nodeText(value);
    if (isError(value)) return stackOf(value);
    if (ArrayBuffer.isView(value))
      return `${nameOf(value)}(${value instanceof DataView ? value.byteLength : (value as Uint8Array).length})`;
    switch (tagOf(value)) {
      case 'RegExp':
      case 'Date':
        return (value as RegExp | Date).toString();
      case 'Map':
      case 'Set':
        return `${nameOf(value)}(${(value as Set<unknown>).size})`;
      case 'ArrayBuffer':
      case 'SharedArrayBuffer':
        return `${nameOf(value)}(${(value as ArrayBuffer).byteLength})`;
      case 'WeakMap':
      case 'WeakSet':
      case 'Generator':
        return tagOf(value);
      case 'Map Iterator':
      case 'Set Iterator':
        return tagOf(value).replace(' ', '');
      default:
        return null;
    }
  };

  const className = (value: object) => (Array.isArray(value) ? `Array(${value.length})` : nameOf(value));

  /** Plain data of what an object has itself; throws for what JSON has no word for, or no end. */
  const plain = (value: unknown, depth = 0): unknown => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
    if (typeof value === 'bigint' || typeof value === 'symbol' || depth > 1000) throw new Error('not JSON');
    if (typeof value === 'function') return plain({ ...value }, depth);
    if (typeof value !== 'object') return value;
    if (Array.isArray(value)) return Array.from<unknown, unknown>(value, (each) => plain(each, depth + 1));
    const data = {};
    for (const key of Object.keys(value)) {
      const field = (value as Record<string, unknown>)[key];
      if (field === undefined) continue;
      // Not by assignment, which `__proto__` would take otherwise.
      Object.defineProperty(data, key, { value: plain(field, depth + 1), enumerable: true });
    }
    return data;
  };

  const display = (value: unknown): unknown => {
    if (value === undefined) return null;
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
      return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return String(value);
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
    const text = described(value);
    if (text !== null) return text;
    try {
      return plain(value);
    } catch {
      return className(value);
    }
  };

  const thrown = (error: unknown, wasPromised: boolean): string | undefined => {
    if (error === undefined) return wasPromised ? 'Uncaught (in promise)' : 'Uncaught';
    if (typeof error === 'string') return error;
    if (error === null || typeof error === 'boolean') return String(error);
    if (typeof error !== 'object' && typeof error !== 'function') return String(display(error));
    return (described(error) ?? className(error)).split('\n    at ')[0];
  };

  // --- and now ---

  let wasPromised = false;
  try {
    const value = run();
    if (compileOnly) return serialized({ value: true });
    wasPromised = value instanceof Promise;
    return serialized({ value: display(wasPromised ? await value : value) });
  } catch (error) {
    return serialized(isForbidden() ? { forbidden: true } : { error: thrown(error, wasPromised) });
  }
}
