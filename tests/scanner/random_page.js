// A page built from a description, which every command of the scanner reads and acts on, while what it reads is taken
// away. Evaluated in the world of the scanner; `tryEverything` answers the commands that failed without a code of theirs.
(() => {
  const NAMESPACES = {
    html: 'http://www.w3.org/1999/xhtml',
    svg: 'http://www.w3.org/2000/svg',
    math: 'http://www.w3.org/1998/Math/MathML',
    own: 'urn:example',
  };
  const TRAP_KINDS =
    'focus focusin blur focusout beforeinput input change keydown keypress keyup pointerover pointerdown mousedown mouseup click scroll mouseover mousemove paste copy cut submit invalid select toggle dragstart dragover drop wheel contextmenu';

  function grow(spec, into, owner) {
    for (const node of spec) {
      if (node.text !== undefined) into.appendChild(owner.createTextNode(node.text));
      else if (node.comment !== undefined) into.appendChild(owner.createComment(node.comment));
      else if (node.instruction !== undefined) into.appendChild(owner.createProcessingInstruction('x', node.instruction));
      else growElement(node, into, owner);
    }
    return into;
  }

  function growElement(node, into, owner) {
    const element = owner.createElementNS(NAMESPACES[node.space], node.tag);
    for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, value);
    into.appendChild(element);
    if (node.shadow) {
      try {
        const root = element.attachShadow({ mode: node.shadow.mode });
        grow(node.shadow.children, root, owner);
        shadows.push([root, node.shadow.children]);
      } catch (error) {
        // Not an element that may have one.
      }
    }
    const inner = element.contentDocument;
    if (inner && inner.documentElement) grow(node.children, inner.body || inner.documentElement, inner);
    else if (element.content) grow(node.children, element.content, owner);
    else grow(node.children, element, owner);
  }

  const shadows = [];

  /** All nodes of the page, with those in shadow trees and frames. */
  function nodesOf(root) {
    const nodes = [];
    for (const node of root.childNodes) {
      nodes.push(node, ...nodesOf(node));
      if (node.shadowRoot) nodes.push(...nodesOf(node.shadowRoot));
      if (node.contentDocument) nodes.push(...nodesOf(node.contentDocument));
    }
    return nodes;
  }

  const at = (list, index) => list[index % list.length];
  const ofType = (type) => nodesOf(document).filter((node) => node.nodeType === type);
  const documents = () => [document, ...ofType(1).map((node) => node.contentDocument).filter(Boolean)];

  const CHANGES = {
    redraw(index) {
      const [root, spec] = at(shadows, index);
      root.textContent = '';
      grow(spec, root, root.ownerDocument);
    },
    text(index) {
      at(ofType(3), index).data = `changed ${index}`;
    },
    remove(index) {
      at(ofType(1), index).remove();
    },
    move(index) {
      const elements = ofType(1);
      at(elements, index * 7 + 3).appendChild(at(elements, index));
    },
    adopt(index) {
      const owner = at(documents(), index);
      (owner.body || owner.documentElement || owner).appendChild(at(ofType(1), index));
    },
    unroot(index) {
      at(documents(), index).documentElement.remove();
    },
    reroot(index) {
      const owner = at(documents(), index);
      const root = owner.createElementNS(index % 2 ? NAMESPACES.svg : NAMESPACES.html, index % 2 ? 'svg' : 'html');
      owner.documentElement.replaceWith(root);
      root.appendChild(owner.createTextNode('a root'));
      growElement({ space: 'html', tag: 'button', attributes: { class: 'alert' }, children: [] }, root, owner);
    },
    unbody(index) {
      at(documents(), index).body.remove();
    },
    comment(index) {
      const roots = [...documents(), ...shadows.map(([root]) => root)];
      at(roots, index).appendChild(document.createComment('one more'));
    },
    say(index) {
      const roots = [...documents().map((owner) => owner.body), ...shadows.map(([root]) => root)];
      const message = document.createElement('p');
      message.setAttribute('role', index % 2 ? 'alert' : 'status');
      message.textContent = `message ${index}`;
      at(roots, index).appendChild(message);
    },
    attribute(index) {
      const element = at(ofType(1), index);
      element.setAttribute('class', `changed-${index}`);
      element.toggleAttribute('hidden');
    },
    reload(index) {
      const frames = ofType(1).filter((node) => node.contentDocument);
      at(frames, index).srcdoc = '<p>another<button>Other</button>';
    },
    fragment(index) {
      const fragment = document.createDocumentFragment();
      fragment.append(...document.body.childNodes);
      if (index % 2) document.body.append(fragment);
    },
  };

  function change([kind, index]) {
    try {
      CHANGES[kind](index);
    } catch (error) {
      // There is nothing of that kind, or nowhere to put it.
    }
  }

  const failures = [];

  async function ask(request) {
    const answer = JSON.parse(await globalThis.__oryn_scanner(JSON.stringify(request), false));
    if (!answer.ok && answer.code === 'INTERNAL_ERROR') failures.push(`${JSON.stringify(request)}: ${answer.error}`);
    return answer.ok ? answer.data : {};
  }

  const READS = [
    { cmd: 'page' }, { cmd: 'scan', include_hidden: true, max_elements: 0 }, { cmd: 'scan', near: 'a', keep_ids: true },
    { cmd: 'scan', viewport_only: true, keep_ids: true }, { cmd: 'tree' }, { cmd: 'get_text' },
    { cmd: 'find', target: { css: '*' }, any: true }, { cmd: 'find', target: { text: 'a' }, any: true },
    { cmd: 'find', target: { text: 'a', relation: { kind: 'near', to: { text: 'b' } } } },
    { cmd: 'find', target: { xpath: '//*|//text()|//comment()' }, any: true }, { cmd: 'find', target: { point: [20, 20] } },
    { cmd: 'find', target: { role: 'button', relation: { kind: 'inside', to: { css: '*' } } } },
    { cmd: 'find', target: { text: 'a' }, frames: true }, { cmd: 'exists', selector: 'button' },
    { cmd: 'get_frames' }, { cmd: 'scrollers' }, { cmd: 'popups' }, { cmd: 'popup_open', index: 0 }, { cmd: 'captcha' },
    { cmd: 'extract', source: 'links' }, { cmd: 'extract', source: 'tables' }, { cmd: 'extract', source: 'text' },
    { cmd: 'extract', source: 'images' }, { cmd: 'extract', source: 'meta' }, { cmd: 'extract', source: 'css', selector: '*' },
    { cmd: 'wait_for', condition: 'content', timeout: 0 }, { cmd: 'wait_for', condition: 'visible', text: 'a', timeout: 0 },
    { cmd: 'unread_changes', elements: [1, 2, 3, 4, 5, 6] }, { cmd: 'changed_texts', acting: 100 },
    { cmd: 'feed_elements', subject: 1, came: [1, 2, 3, 4, 5, 6], went: [1, 2, 3, 4, 5, 6], changed: [1, 2, 3, 4, 5, 6] },
    { cmd: 'settle', timeout: 1, busy: 1 }, { cmd: 'restore_scroll' }, { cmd: 'get_html' }, { cmd: 'highlight', ids: [1] }, { cmd: 'highlight_clear' },
  ];

  async function readEverything() {
    for (const request of READS) await ask(request);
  }

  const KEYS = ['Tab', 'Enter', ' ', 'a', 'Backspace', 'ArrowDown', 'ArrowLeft', 'Home', 'Escape', 'Delete'];
  const keyEvents = (key) => ['down', 'up'].map((kind) => ({
    kind, key, code: key, key_code: 0, location: 0, text: key.length === 1 ? key : '',
    command: { Backspace: 'deleteBackward', ArrowLeft: 'moveLeft', Home: 'moveToBeginningOfLine' }[key],
  }));

  const ACTS = [
    (id) => ({ cmd: 'get_state', id }), (id) => ({ cmd: 'get_text', id }), (id) => ({ cmd: 'get_value', id }),
    (id) => ({ cmd: 'get_html', id }), (id) => ({ cmd: 'get_bounds', id }), (id) => ({ cmd: 'boxes', ids: [id] }),
    (id) => ({ cmd: 'locate', id, timeout: 1 }), (id) => ({ cmd: 'locate', id, force: true, presses: 1, timeout: 1 }),
    (id) => ({ cmd: 'prepare', id }), (id) => ({ cmd: 'typed', text: 'ab', id }), (id) => ({ cmd: 'insert', id, text: 'abc' }),
    (id) => ({ cmd: 'insert', id, text: 'abc', clear: false, fits: true }), (id) => ({ cmd: 'type', id, text: 'ab' }),
    (id) => ({ cmd: 'clear', id }), (id) => ({ cmd: 'check', id, timeout: 1 }), (id) => ({ cmd: 'uncheck', id, timeout: 1 }),
    (id) => ({ cmd: 'select', id, text: 'a' }), (id) => ({ cmd: 'select', id, index: 0 }),
    (id) => ({ cmd: 'focus', id }), (id) => ({ cmd: 'hover', id, timeout: 1 }), (id) => ({ cmd: 'scroll', id, direction: 'down' }),
    (id) => ({ cmd: 'scroll', element: id }), (id) => ({ cmd: 'file_input', id }), (id) => ({ cmd: 'slider', id, focus: true }),
    (id) => ({ cmd: 'slider', id, after: '1' }), (id) => ({ cmd: 'range_value', id, value: 1 }),
    (id) => ({ cmd: 'date_segments', id }), (id) => ({ cmd: 'date_limits', id }),
    (id) => ({ cmd: 'calendar', id, date: '2026-12-24', time: '14:30', timeout: 1 }),
    (id) => ({ cmd: 'options', id, text: 'a', mark: true }), (id) => ({ cmd: 'options', id, text: 'a' }),
    (id) => ({ cmd: 'select_widget', id }), (id) => ({ cmd: 'scroll_to', id, y: 10 }), (id) => ({ cmd: 'scrollers', id }),
    (id) => ({ cmd: 'reaction', stage: 'watch', id }), () => ({ cmd: 'reaction', stage: 'arm', restless: true }),
    () => ({ cmd: 'reaction', stage: 'report', end: true }), (id) => ({ cmd: 'submit', id }), (id) => ({ cmd: 'click', id, timeout: 1 }),
    (id) => ({ cmd: 'click', id, force: true, click_count: 2, timeout: 1 }), (id) => ({ cmd: 'switch_frame', id }),
    () => ({ cmd: 'scan', keep_ids: true }), () => ({ cmd: 'switch_frame', main: true }), () => ({ cmd: 'paste', text: 'x' }), () => ({ cmd: 'copy' }),
    (id) => ({ cmd: 'pointer', kind: 'move', x: id * 9, y: id * 7 }), (id) => ({ cmd: 'pointer', kind: 'click', x: id * 9, y: id * 7, count: 2 }),
    (id) => ({ cmd: 'pointer', kind: 'down', x: id * 5, y: id * 9 }), (id) => ({ cmd: 'pointer', kind: 'move', x: id * 9, y: id * 11 }),
    (id) => ({ cmd: 'pointer', kind: 'up', x: id * 9, y: id * 11 }), (id) => ({ cmd: 'pointer', kind: 'tap', x: id * 9, y: id * 7 }),
    (id) => ({ cmd: 'pointer', kind: 'wheel', x: id * 9, y: id * 7, dy: 20 }), (id) => ({ cmd: 'keys', events: keyEvents(at(KEYS, id)) }),
    () => ({ cmd: 'keys', events: [{ kind: 'insert', text: 'typed' }] }),
  ];

  /** `changes` between the readings, `acts` as pairs of an act and an element, `traps`: changes at events of the page. */
  globalThis.tryEverything = async ({ body, changes, acts, traps }) => {
    window.open = () => null;
    addEventListener('submit', (event) => event.preventDefault());
    addEventListener('click', (event) => event.preventDefault());
    const noteError = ({ message, error, reason }) => failures.push(String((error || reason || {}).stack || message || reason));
    addEventListener('error', (event) => event.message && noteError(event)); // in a listener or observer of the scanner's
    addEventListener('unhandledrejection', noteError);
    grow(body, document.body, document);
    await ask({ cmd: 'watch' });
    await readEverything();
    for (const step of changes) {
      change(step);
      await ask({ cmd: 'watch', acting: step[1] % 2 === 0 });
      change(step);
      await readEverything();
    }
    for (const kind of TRAP_KINDS.split(' ')) {
      addEventListener(kind, () => traps.length && change(traps.shift()), { capture: true });
    }
    for (const [act, element] of acts) {
      await ask(at(ACTS, act)((element % 40) + 1));
    }
    await readEverything();
    return failures;
  };
  globalThis.ACT_COUNT = ACTS.length;
})();
