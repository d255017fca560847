// The text that a style adds before or after an element's content: https://www.w3.org/TR/css-content-3/#content-property

import { SVG, attribute, attributesOf, namespaceOf } from '../dom/natives';
import { styleOf } from '../geometry/styles';

export type Pseudo = '::before' | '::after';

/** What a pseudo-element says, and whether it stands in a block of its own. */
export interface GeneratedText {
  readonly text: string;
  readonly isBlock: boolean;
}

/** The text of a pseudo-element that is shown, null where there is none. `isShown` may count what is not visible. */
export function generatedText(element: Element, pseudo: Pseudo, countsHidden = false): GeneratedText | null {
  if (namespaceOf(element) === SVG) return null; // its elements have no such boxes, and icons are made of many
  const style = styleOf(element, pseudo);
  const { content } = style;
  if (content === 'none' || content === 'normal' || !content) return null;
  const { display } = style; // each value takes its time, and most elements have no such content
  if (!countsHidden && (display === 'none' || style.visibility !== 'visible')) return null;
  const text = partsOf(content)
    .map((part) => textOf(part, element))
    .join('');
  if (!text || isIcon(text, style.fontFamily, element)) return null;
  return { text, isBlock: !display.startsWith('inline') };
}

/** The alternative of a picture that the style of an element, `content`, shows in the place of all that it holds; or null. */
export function replacingText(element: Element, content: string): string | null {
  if (!content.startsWith('url(')) return null;
  const text = partsOf(content)
    .map((part) => textOf(part, element))
    .join('');
  return text.trim() ? text : null;
}

// A string, a function (an address in it may hold any character), a keyword, or the slash before the alternative.
const PARTS = /"(?:[^"\\]|\\.)*"|[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^")])*\)|[\w-]+|\//g;

/** The parts of a computed `content`: of its alternative, if it has one. Pictures (`url`, gradients) are no text. */
function partsOf(content: string): string[] {
  const parts: string[] = content.match(PARTS) || [];
  return parts.slice(parts.lastIndexOf('/') + 1);
}

const QUOTES: Readonly<Record<string, string>> = { 'open-quote': '“', 'close-quote': '”' };

function textOf(part: string, element: Element): string {
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\(.)/g, '$1');
  if (part.startsWith('attr(')) return attribute(element, part.slice(5, -1).trim().split(/[\s,]/)[0] || '') || '';
  return QUOTES[part] ?? '';
}

// The private use areas (https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-23/#G19184): the pictures of
// icon fonts, which nobody can read or write.
const GLYPHS = /[\uE000-\uF8FF\u{F0000}-\u{10FFFF}]+/gu;

export const withoutGlyphs = (text: string): string => text.replace(GLYPHS, ' ');

// Other icon fonts draw the name of a picture as that picture, if it stands alone, `<i>arrow_drop_down</i>`, or a letter.
const LIGATURE = /^\s*(?:[a-z][a-z\d]*(?:[_-][a-z\d]+)*|[\p{L}\p{N}])\s*$/u;

const ICON_FONT = /^["']?[^,]*(?:icons?\b|symbols?\b|\bico|glyph|awesome|dingbat|fontello|entypo|themify)/i;

export const isIconName = (text: string, element: Element): boolean =>
  LIGATURE.test(text) && ICON_FONT.test(styleOf(element).fontFamily);

const ICON_ATTRIBUTE = /icon|glyph|symbol|ligature/i;

/** Whether a generated text is drawn as a picture: by a font of icons, or as an attribute for icons names it. */
const isIcon = (text: string, fontFamily: string, element: Element): boolean =>
  LIGATURE.test(text) &&
  (ICON_FONT.test(fontFamily) ||
    Array.from(attributesOf(element)).some(({ name, value }) => ICON_ATTRIBUTE.test(name) && value === text));
