// `document.modelContext` (WebMCP) in the page's own world, for browsers that have none: pages offer tools with it, and
// `page_world.ts` lists and calls them. https://webmachinelearning.github.io/webmcp/
//
// Only while Oryn is connected (`content_scripts.ts`), before the page's scripts unless the page was open before. What is
// said here is the page's word, as with a browser that has it; built-ins are kept, so that a page that replaces them only
// harms its own tools.

import { getter, method, setter } from 'scanner/unbound';
import { isFields } from './values';

const { parse, stringify } = JSON;
const { freeze, defineProperty } = Object;
const { Promise, TypeError, DOMException, String, Event } = globalThis;
const [mapGet, mapSet, mapHas] = [
  method(Map.prototype, 'get'),
  method(Map.prototype, 'set'),
  method(Map.prototype, 'has'),
];
const [mapDelete, mapClear] = [method(Map.prototype, 'delete'), method(Map.prototype, 'clear')];
const mapValues = method(Map.prototype, 'values') as <T>(map: Map<string, T>) => MapIterator<T>;
const queryForms = method(Document.prototype, 'querySelectorAll') as (
  document: Document,
  selector: string,
) => NodeListOf<HTMLFormElement>;
const addEventListener = method(EventTarget.prototype, 'addEventListener');
const removeEventListener = method(EventTarget.prototype, 'removeEventListener');
const dispatchEvent = method(EventTarget.prototype, 'dispatchEvent');
const getAttribute = method(Element.prototype, 'getAttribute');
const hasAttribute = method(Element.prototype, 'hasAttribute');
const elementsOf = getter(HTMLFormElement.prototype, 'elements');
const setInput = setter(HTMLInputElement.prototype, 'value');
const setTextArea = setter(HTMLTextAreaElement.prototype, 'value');
const setSelect = setter(HTMLSelectElement.prototype, 'value');
const setChecked = setter(HTMLInputElement.prototype, 'checked');

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What a tool's function gets besides its input. */
interface Client {
  requestUserInteraction(callback: () => unknown): Promise<unknown>;
}

interface Tool {
  name: string;
  description: string;
  inputSchema: unknown;
  annotations: { readOnlyHint?: boolean };
  execute: (input: unknown, client: Client) => unknown;
}

const tools = new Map<string, Tool>();

// --- tools that scripts register ---

const isFunction = (value: unknown): value is Tool['execute'] => typeof value === 'function';

function checked(provided: unknown): Tool {
  if (!isFields(provided) || !isFunction(provided.execute)) throw new TypeError('a tool needs a function execute');
  const { name, description, inputSchema, annotations, execute } = provided;
  if (name === undefined || description === undefined) throw new TypeError('a tool needs a name and a description');
  const texts = { name: String(name), description: String(description) };
  if (!texts.name || !texts.description) throw new DOMException('a name or description is empty', 'InvalidStateError');
  const schema = inputSchema === undefined ? undefined : (stringify(inputSchema) as string | undefined);
  if (inputSchema !== undefined && schema === undefined) throw new TypeError('the inputSchema is not JSON');
  const readOnlyHint = isFields(annotations) && annotations.readOnlyHint === true;
  return { ...texts, inputSchema: schema && (parse(schema) as unknown), annotations: { readOnlyHint }, execute };
}

function register(provided: unknown, signal: AbortSignal | undefined): void {
  const tool = checked(provided);
  if (mapHas(tools, tool.name)) throw new DOMException('there is a tool of this name', 'InvalidStateError');
  if (signal?.aborted) return;
  mapSet(tools, tool.name, tool);
  signal?.addEventListener('abort', () => {
    if (mapGet(tools, tool.name) === tool) remove(tool.name);
  });
  changed();
}

function remove(name: unknown): void {
  if (mapDelete(tools, String(name))) changed();
}

function changed(): void {
  dispatchEvent(context, new Event('toolchange'));
  dispatchEvent(document, new Event('oryn-toolchange')); // for `content.ts`, which can't see the context
}

// --- forms that are tools: https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md ---

const forms = () => [...queryForms(document, 'form[toolname][tooldescription]')];
const attribute = (element: Element, name: string) => getAttribute(element, name) ?? '';
const NO_PARAMETERS = ['submit', 'button', 'reset', 'image', 'file', 'hidden'];

// By their names: the prototype of an element that a frame has made is the frame's.
const isTextArea = (element: Element): element is HTMLTextAreaElement => element.tagName === 'TEXTAREA';
const isSelect = (element: Element): element is HTMLSelectElement => element.tagName === 'SELECT';
const isField = (element: Element): element is Field =>
  element.tagName === 'INPUT' || isTextArea(element) || isSelect(element);

/** What may be in a form and checks its value. */
type Checked = Element & Partial<Pick<HTMLInputElement, 'name' | 'willValidate' | 'validity' | 'validationMessage'>>;

/** The fields of a form by their names: radio buttons and checkboxes may share one. */
function fieldsOf(form: HTMLFormElement): Map<string, [Field, ...Field[]]> {
  const named = new Map<string, [Field, ...Field[]]>();
  for (const field of elementsOf(form)) {
    if (!isField(field) || !field.name || field.disabled || NO_PARAMETERS.includes(field.type)) continue;
    const others = mapGet(named, field.name) as [Field, ...Field[]] | undefined;
    mapSet(named, field.name, others ? [...others, field] : [field]);
  }
  return named;
}

const labelOf = (field: Field) =>
  attribute(field, 'toolparamdescription') || field.labels?.[0]?.textContent.trim() || attribute(field, 'aria-label');

const valuesOf = (choices: Iterable<{ readonly value: string }>) => [...choices].map(({ value }) => value);

function schemaOf(fields: [Field, ...Field[]]): object {
  const [field] = fields;
  const description = labelOf(field);
  const about = description ? { description } : {};
  if (isSelect(field)) {
    const choice = { type: 'string', enum: valuesOf(field.options) };
    return field.type === 'select-one' ? { ...choice, ...about } : { type: 'array', items: choice, ...about };
  }
  switch (field.type) {
    case 'number':
    case 'range':
      return { type: 'number', ...about };
    case 'checkbox':
      if (fields.length === 1) return { type: 'boolean', ...about };
      return { type: 'array', items: { type: 'string', enum: valuesOf(fields) }, ...about };
    case 'radio':
      return { type: 'string', enum: valuesOf(fields), ...about };
    default:
      return { type: 'string', ...about };
  }
}

function toolOf(form: HTMLFormElement): Tool {
  const properties = {};
  const required: string[] = [];
  for (const [name, fields] of fieldsOf(form)) {
    defineProperty(properties, name, { value: schemaOf(fields), enumerable: true });
    if (fields.some((field) => field.required)) required.push(name);
  }
  return {
    name: attribute(form, 'toolname'),
    description: attribute(form, 'tooldescription'),
    inputSchema: { type: 'object', properties, ...(required.length && { required }) },
    annotations: {},
    execute: (input) => fillIn(form, input),
  };
}

const textsOf = (value: unknown) => [value].flat().map(String);

function fill(field: Field, value: unknown): void {
  if (isTextArea(field)) setTextArea(field, String(value));
  else if (isSelect(field)) {
    if (field.type !== 'select-multiple') setSelect(field, String(value));
    else for (const option of field.options) option.selected = textsOf(value).includes(option.value);
  } else if (field.type === 'checkbox' || field.type === 'radio') {
    const isChecked = typeof value === 'boolean' ? value : textsOf(value).includes(field.value);
    if (field.checked === isChecked) return;
    setChecked(field, isChecked);
  } else setInput(field, String(value));
  for (const type of ['input', 'change']) dispatchEvent(field, new Event(type, { bubbles: true }));
}

function fillIn(form: HTMLFormElement, input: unknown): unknown {
  const fields = fieldsOf(form);
  for (const [name, value] of Object.entries(isFields(input) ? input : {})) {
    for (const field of (mapGet(fields, name) as Field[] | undefined) ?? []) fill(field, value);
  }
  const wrong = [...elementsOf(form)].find(
    ({ willValidate, validity }: Checked) => willValidate && !validity?.valid,
  ) as Checked | undefined;
  if (wrong && !form.noValidate) throw new TypeError(`${wrong.name ?? ''}: ${wrong.validationMessage ?? ''}`);
  if (!hasAttribute(form, 'toolautosubmit')) return 'The form is filled in. It was not submitted.';
  const { isPrevented, answer } = submit(form);
  // A form that was submitted leads to another page, whose loading ends this one.
  return isPrevented ? answer : new Promise(() => {});
}

/** What becomes of the event: the page may prevent it, and answer (`SubmitEvent.respondWith`). */
function submit(form: HTMLFormElement): { isPrevented: boolean; answer: unknown } {
  let submitted: globalThis.Event | null = null;
  let answer: unknown = null;
  const begin = (event: globalThis.Event) => {
    if (event.target !== form) return;
    submitted = event;
    defineProperty(event, 'agentInvoked', { value: true });
    defineProperty(event, 'respondWith', { value: (promised: unknown) => (answer = promised) });
  };
  addEventListener(document, 'submit', begin, true);
  form.requestSubmit();
  removeEventListener(document, 'submit', begin, true);
  return { isPrevented: (submitted as globalThis.Event | null)?.defaultPrevented === true, answer };
}

// --- the object ---

const all = (): Tool[] => {
  const own = forms()
    .map(toolOf)
    .filter(({ name }) => name && !mapHas(tools, name));
  return [...mapValues(tools), ...own].sort((one, other) => (one.name < other.name ? -1 : 1));
};

/** Its arguments are the page's. */
class ModelContext extends EventTarget {
  registerTool(tool: unknown, { signal }: { signal?: AbortSignal } = {}): void {
    register(tool, signal);
  }

  unregisterTool(name: unknown): void {
    remove(name);
  }

  provideContext({ tools: provided = [] }: { tools?: Iterable<unknown> } = {}): void {
    const replaced = [...provided].map(checked);
    mapClear(tools);
    for (const tool of replaced) mapSet(tools, tool.name, tool);
    changed();
  }

  clearContext(): void {
    mapClear(tools);
    changed();
  }

  getTools(): globalThis.Promise<ModelContextTool[]> {
    return new Promise((resolve) => {
      const described = all().map(({ name, description, inputSchema, annotations }) => {
        return { name, description, inputSchema, annotations, window, origin: location.origin };
      });
      resolve(described);
    });
  }

  /** JSON text of what the tool answers. */
  async executeTool({ name }: { name: unknown }, input: unknown): Promise<string> {
    const tool = all().find((each) => each.name === name);
    if (!tool) throw new DOMException('there is no such tool', 'NotFoundError');
    const client: Client = freeze({ requestUserInteraction: async (callback: () => unknown) => await callback() });
    return stringify((await tool.execute(input, client)) ?? null);
  }
}

const context = new ModelContext();

if (!('modelContext' in document) && isSecureContext) {
  freeze(ModelContext.prototype);
  for (const [owner, target] of [
    [Document.prototype, document],
    [Navigator.prototype, navigator],
  ] as const) {
    if (!('modelContext' in target)) {
      defineProperty(owner, 'modelContext', { get: () => context, enumerable: true, configurable: true });
    }
  }
}
