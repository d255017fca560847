// Nodes of the accessibility tree when all inside them is known: which of it they say themselves, and how they are
// printed.

/** https://www.w3.org/TR/wai-aria-1.2/#childrenArePresentational */
const CHILDLESS = wordSet(`
  button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider
  switch tab
`);
/** Places of a table and a list: what they hold is what they are called. */
const PLACES = wordSet('cell gridcell columnheader rowheader listitem row');
const NAMELESS = wordSet('paragraph deletion text definition term');
const VALUED = wordSet('textbox searchbox combobox slider spinbutton progressbar meter scrollbar listbox');
const REPORTED_INPUT_TYPES = wordSet('password file date datetime-local month week time color');

/** Give a node its name and drop what its name says; whether it has a meaning of its own. */
function finish(node) {
  const { element, role } = node;
  const holdsNodes = node.children.some((child) => child.element !== undefined);
  node.name = nameOfNode(node, holdsNodes);
  const saysContent = node.name !== '' && !authoredName(element) && role !== 'iframe';
  if (CHILDLESS.has(role) || (saysContent && NAME_FROM_CONTENT.has(role))) node.children = actionableNodes(node.children);
  else if (saysContent && !holdsNodes) node.children = [];
  else if (node.name && node.children.length === 1 && node.children[0].text === node.name) node.children = [];
  if (node.candidate) return true;
  if (EMPTY_WITHOUT_NAME.has(role) && !node.name) return false;
  return !EMPTY_WITHOUT_CONTENT.has(role) || node.children.length > 0 || node.name !== '';
}

function nameOfNode(node, holdsNodes) {
  const { element, role, candidate } = node;
  if (NAMELESS.has(role)) return '';
  if (authoredName(element) && accessibleName(element)) return shorten(accessibleName(element));
  if (PLACES.has(role) && !(candidate && !holdsNodes)) return '';
  if (candidate) return role === 'generic' && holdsNodes ? '' : shorten(nameOf(element));
  if (role === 'treeitem' && holdsNodes) return shorten(ownText(node));
  return NAME_FROM_CONTENT.has(role) || NAMED_BY_PART.has(node.tag) ? shorten(accessibleName(element)) : '';
}

const NAMED_BY_PART = wordSet('fieldset figure table svg img iframe frame input select textarea progress meter video');

const ownText = (node) =>
  collapse(
    node.children
      .filter((child) => child.element === undefined)
      .map((child) => child.text)
      .join(' '),
  );

/** Of what is inside a node whose name says its content: what can be acted on, and headings. */
function actionableNodes(children) {
  const actionable = [];
  const pending = children.slice().reverse();
  while (pending.length) {
    const child = pending.pop();
    if (child.element === undefined) continue;
    if (child.candidate || child.role === 'heading') actionable.push(child);
    else for (let index = child.children.length - 1; index >= 0; index--) pending.push(child.children[index]);
  }
  return actionable;
}

/** The nodes in page order as rows of protocol.TreeNode; those that a target makes sense for get a reference. */
function nodeRows(nodes) {
  const rows = [];
  const focused = focusedElement();
  const pending = nodes.map((node) => [node, 0]).reverse();
  while (pending.length) {
    const [node, depth] = pending.pop();
    let { children } = node;
    const row = { depth, role: node.element === undefined ? 'text' : node.role };
    rows.push(row);
    if (node.element === undefined) {
      row.text = node.text;
      continue;
    }
    if (children.length === 1 && children[0].element === undefined) {
      row.text = children[0].text;
      children = [];
    }
    describeNode(node, row, focused);
    for (let index = children.length - 1; index >= 0; index--) pending.push([children[index], depth + 1]);
  }
  return rows;
}

function describeNode(node, row, focused) {
  const { element, role, candidate, tag } = node;
  if (node.name) row.name = node.name;
  if (candidate || (node.name && !PLACES.has(role))) row.ref = referenceOf(element);
  if (node.frame) row.frame = node.frame;
  if (role === 'heading' || hasAttribute(element, 'aria-level')) row.level = levelOf(element, tag);
  const states = statesOf(node);
  if (element === focused && tag !== 'body') states.push('focused');
  if (states.length) row.states = states;
  if (!VALUED.has(role)) return;
  if (tag === 'select') row.options = optionsData(element);
  const value = tag === 'progress' || tag === 'meter' ? attribute(element, 'value') : displayedValue(element);
  if (value) row.value = value;
}

function levelOf(element, tag) {
  const written = parseInt(attribute(element, 'aria-level'), 10);
  if (written > 0) return written;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

/** https://www.w3.org/TR/wai-aria-1.2/#state_prop_def, those that tell something to who acts */
function statesOf({ element, tag, role, candidate }) {
  const states = [];
  const checked = checkedState(element);
  if (checked !== null) states.push(isMixed(element) ? 'mixed' : checked ? 'checked' : 'unchecked');
  states.push(...toggleStates(element, tag));
  if (candidate) states.push(...candidate.fixed.filter((word) => word !== 'primary'));
  else if (attribute(element, 'aria-disabled') === 'true') states.push('disabled');
  if (isInvalid(element, tag)) states.push('invalid');
  if (attribute(element, 'aria-busy') === 'true') states.push('busy');
  if (tag === 'input' && REPORTED_INPUT_TYPES.has(inputTypeOf(element))) states.push(inputTypeOf(element));
  if (role === 'listbox' && tag === 'select' && isMultiple(element)) states.push('multiple');
  return states;
}
