// `document.modelContext` (WebMCP) in the page's own world, for browsers that have none: pages offer tools with it, and
// `page_world.js` lists and calls them. https://webmachinelearning.github.io/webmcp/
//
// Only while Oryn is connected (`content_scripts.js`), before the page's scripts unless the page was open before. What is
// said here is the page's word, as with a browser that has it; built-ins are kept, so that a page that replaces them only
// harms its own tools.

(() => {
  'use strict';
  if ('modelContext' in document || !isSecureContext) return;

  const { apply } = Reflect;
  const { parse, stringify } = JSON;
  const { freeze, defineProperty } = Object;
  const { Promise, TypeError, DOMException, String, Event } = globalThis;
  const { get: mapGet, set: mapSet, has: mapHas, delete: mapDelete, clear: mapClear, values: mapValues } = Map.prototype;
  const { querySelectorAll } = Document.prototype;
  const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;
  const { getAttribute, hasAttribute } = Element.prototype;
  const setter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).set;
  const setValue = {
    INPUT: setter(HTMLInputElement, 'value'),
    TEXTAREA: setter(HTMLTextAreaElement, 'value'),
    SELECT: setter(HTMLSelectElement, 'value'),
  };
  const setChecked = setter(HTMLInputElement, 'checked');

  const tools = new Map(); // name: {name, description, inputSchema, annotations, execute}

  // --- tools that scripts register ---

  function checked({ name, description, inputSchema, annotations, execute }) {
    if (typeof execute !== 'function') throw new TypeError('a tool needs a function execute');
    if (name === undefined || description === undefined) throw new TypeError('a tool needs a name and a description');
    const tool = { name: String(name), description: String(description), execute };
    if (!tool.name || !tool.description) throw new DOMException('a name or description is empty', 'InvalidStateError');
    const schema = inputSchema === undefined ? undefined : stringify(inputSchema);
    if (inputSchema !== undefined && schema === undefined) throw new TypeError('the inputSchema is not JSON');
    tool.inputSchema = schema && parse(schema);
    tool.annotations = { readOnlyHint: annotations?.readOnlyHint === true };
    return tool;
  }

  function register(description, { signal } = {}) {
    const tool = checked(description);
    if (apply(mapHas, tools, [tool.name])) throw new DOMException('there is a tool of this name', 'InvalidStateError');
    if (signal?.aborted) return;
    apply(mapSet, tools, [tool.name, tool]);
    signal?.addEventListener('abort', () => {
      if (apply(mapGet, tools, [tool.name]) === tool) remove(tool.name);
    });
    changed();
  }

  function remove(name) {
    if (apply(mapDelete, tools, [String(name)])) changed();
  }

  function changed() {
    apply(dispatchEvent, context, [new Event('toolchange')]);
    apply(dispatchEvent, document, [new Event('oryn-toolchange')]); // for `content.js`, which can't see the context
  }

  // --- forms that are tools: https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md ---

  const forms = () => [...apply(querySelectorAll, document, ['form[toolname][tooldescription]'])];
  const attribute = (element, name) => apply(getAttribute, element, [name]) ?? '';
  const NO_PARAMETERS = ['submit', 'button', 'reset', 'image', 'file', 'hidden'];

  /** The fields of a form by their names: radio buttons and checkboxes may share one. */
  function fieldsOf(form) {
    const named = new Map();
    for (const field of form.elements) {
      const name = field.name;
      if (!name || field.disabled || !(field.tagName in setValue) || NO_PARAMETERS.includes(field.type)) continue;
      apply(mapSet, named, [name, [...(apply(mapGet, named, [name]) ?? []), field]]);
    }
    return named;
  }

  const labelOf = (field) =>
    attribute(field, 'toolparamdescription') || field.labels?.[0]?.textContent.trim() || attribute(field, 'aria-label');

  function schemaOf(fields) {
    const [field] = fields;
    const description = labelOf(field);
    const about = description ? { description } : {};
    switch (field.type) {
      case 'number':
      case 'range':
        return { type: 'number', ...about };
      case 'checkbox':
        if (fields.length === 1) return { type: 'boolean', ...about };
        return { type: 'array', items: { type: 'string', enum: fields.map(({ value }) => value) }, ...about };
      case 'radio':
        return { type: 'string', enum: fields.map(({ value }) => value), ...about };
      case 'select-one':
        return { type: 'string', enum: [...field.options].map(({ value }) => value), ...about };
      case 'select-multiple':
        return { type: 'array', items: { type: 'string', enum: [...field.options].map(({ value }) => value) }, ...about };
      default:
        return { type: 'string', ...about };
    }
  }

  function toolOf(form) {
    const properties = {};
    const required = [];
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

  function fill(field, value) {
    if (field.type === 'checkbox' || field.type === 'radio') {
      const isChecked = typeof value === 'boolean' ? value : [value].flat().map(String).includes(field.value);
      if (field.checked === isChecked) return;
      apply(setChecked, field, [isChecked]);
    } else if (field.type === 'select-multiple') {
      for (const option of field.options) option.selected = [value].flat().map(String).includes(option.value);
    } else apply(setValue[field.tagName], field, [String(value)]);
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
  }

  async function fillIn(form, input) {
    const fields = fieldsOf(form);
    for (const [name, value] of Object.entries(input)) {
      for (const field of apply(mapGet, fields, [name]) ?? []) fill(field, value);
    }
    const wrong = [...form.elements].find((field) => field.willValidate && !field.validity.valid);
    if (wrong && !form.noValidate) throw new TypeError(`${wrong.name}: ${wrong.validationMessage}`);
    if (!apply(hasAttribute, form, ['toolautosubmit'])) return 'The form is filled in. It was not submitted.';
    const { isPrevented, answer } = submit(form);
    // A form that was submitted leads to another page, whose loading ends this one.
    return isPrevented ? answer : new Promise(() => {});
  }

  /** What becomes of the event: the page may prevent it, and answer (`SubmitEvent.respondWith`). */
  function submit(form) {
    let submitted = null;
    let answer = null;
    const begin = (event) => {
      if (event.target !== form) return;
      submitted = event;
      defineProperty(event, 'agentInvoked', { value: true });
      defineProperty(event, 'respondWith', { value: (promised) => (answer = promised) });
    };
    apply(addEventListener, document, ['submit', begin, true]);
    form.requestSubmit();
    apply(removeEventListener, document, ['submit', begin, true]);
    return { isPrevented: submitted?.defaultPrevented === true, answer };
  }

  // --- the object ---

  const all = () => {
    const own = forms().map(toolOf).filter(({ name }) => name && !apply(mapHas, tools, [name]));
    return [...apply(mapValues, tools, []), ...own].sort((one, other) => (one.name < other.name ? -1 : 1));
  };

  class ModelContext extends EventTarget {
    registerTool(tool, options) {
      register(tool, options);
    }

    unregisterTool(name) {
      remove(name);
    }

    provideContext({ tools: provided = [] } = {}) {
      const replaced = [...provided].map(checked);
      apply(mapClear, tools, []);
      for (const tool of replaced) apply(mapSet, tools, [tool.name, tool]);
      changed();
    }

    clearContext() {
      apply(mapClear, tools, []);
      changed();
    }

    async getTools() {
      return all().map(({ name, description, inputSchema, annotations }) => {
        return { name, description, inputSchema, annotations, window, origin: location.origin };
      });
    }

    /** JSON text of what the tool answers. */
    async executeTool({ name }, input) {
      const tool = all().find((each) => each.name === name);
      if (!tool) throw new DOMException('there is no such tool', 'NotFoundError');
      const client = freeze({ requestUserInteraction: async (callback) => callback() });
      return stringify((await tool.execute(input, client)) ?? null);
    }
  }
  freeze(ModelContext.prototype);

  const context = new ModelContext();
  for (const [owner, target] of [
    [Document.prototype, document],
    [Navigator.prototype, navigator],
  ]) {
    if (!('modelContext' in target)) {
      defineProperty(owner, 'modelContext', { get: () => context, enumerable: true, configurable: true });
    }
  }
})();
