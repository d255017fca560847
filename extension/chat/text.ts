// The text of an answer as its model wrote it: what the chat page has made of Markdown is turned back where a command may
// stand in it. Runs in the extension's own world of the one tab that the user has chosen, as all of this folder does.

const MAX_CHARACTERS = 200_000; // characters
const SKIPPED =
  'script, style, noscript, template, svg, button, [role="button"], [role="toolbar"], [aria-hidden="true"], input, ' +
  'select, textarea, details:not([open])';
// Characters that nobody sees, which pages put in so that long words may break.
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** What is to be seen of an element, line by line. What matches `ignored` (a selector, or '') is left out. */
export function textOf(root: Element, ignored = ''): string {
  const skipped = ignored ? `${SKIPPED}, ${ignored}` : SKIPPED;
  const parts: string[] = [];
  walk(root, parts, skipped);
  return parts
    .join('')
    .replace(UNSEEN, '')
    .replace(/[ \t\u00a0]*\n[ \t\u00a0]*(\n\s*)?/g, (gap) =>
      gap.indexOf('\n') === gap.lastIndexOf('\n') ? '\n' : '\n\n',
    )
    .trim()
    .slice(0, MAX_CHARACTERS);
}

export const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });

function walk(node: Node, parts: string[], skipped: string): void {
  if (node.nodeType === Node.TEXT_NODE) {
    const { data, parentElement: parent } = node as Text;
    parts.push(!parent || collapses(parent) ? data.replace(/\s+/g, ' ') : data);
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const element = node as Element;
  if (element.matches(skipped) || !isSeen(element)) return;
  if (element.localName === 'br') parts.push('\n');
  else if (element.localName === 'pre') parts.push(`\n${codeOf(element, skipped)}\n`);
  else if (element.localName === 'code') within(element, parts, skipped, '`', '`');
  // Markdown lets HTML through, so the tags of a command may have become an element of no meaning.
  else if (element.localName === 'tool_code') within(element, parts, skipped, '<tool_code>', '</tool_code>');
  else if (isBlock(element)) within(element, parts, skipped, '\n', '\n');
  else within(element, parts, skipped, '', '');
}

function within(node: Node, parts: string[], skipped: string, before: string, after: string): void {
  parts.push(before);
  for (const child of node.childNodes) walk(child, parts, skipped);
  parts.push(after);
}

const collapses = (element: Element) => !getComputedStyle(element).whiteSpace.startsWith('pre');
const isBlock = (element: Element) => !/^(inline|contents|ruby)/.test(getComputedStyle(element).display);

/** A block of code with the fences that it was written with, which are gone from what is shown. */
function codeOf(pre: Element, skipped: string): string {
  const code = pre.querySelector('code') ?? pre;
  const parts: string[] = [];
  for (const child of code.childNodes) walk(child, parts, skipped);
  return `\`\`\`${languageOf(pre, code)}\n${parts.join('').trim()}\n\`\`\``;
}

function languageOf(pre: Element, code: Element): string {
  const named = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(`${code.className} ${pre.className}`)?.[1];
  if (named || code === pre) return named ?? '';
  // The line above the code: "json", and a button.
  return (
    /^\s*([\w+#.-]+)/.exec(pre.textContent.slice(0, pre.textContent.indexOf(code.textContent)))?.[1]?.toLowerCase() ??
    ''
  );
}
