// Text of pages and plugins as the user may see it: data, which can't pass for the product's own words.

/** Control, format and invisible characters, and the blank ones that fonts draw as nothing. A variation selector after a
 *  pictograph chooses how that is drawn. */
const HIDDEN = /(?![\n\t])(?<!\p{Extended_Pictographic}(?=[\ufe0e\ufe0f]))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;
const LINES = /[\n\t]/g;
const MARKS = /(\p{M}{3})\p{M}+/gu;
const SPACES = /\p{Zs}+/gu;

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Characters that can't be seen, or that change how others are read, as `\u{202e}`: they could make one text look like
 *  another. Line breaks and tabs stay if `multiline`. */
export function visible(text: string, multiline = false): string {
  const seen = text.replace(HIDDEN, escaped);
  return multiline ? seen : seen.replace(LINES, escaped);
}

/** A name, a title or an author on one line of at most `limit` characters. Marks that pile up over a letter, and would
 *  cover the lines around it, are cut. */
export function label(text: string, limit = 80): string {
  const line = visible(text.replace(/\s+/g, ' ')).replace(SPACES, ' ').replace(MARKS, '$1').trim();
  return shortened(line, limit) || 'without a name';
}

/** At most `limit` characters of a text, none of them cut in two, with `…` for the rest. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 2);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 2 : limit - 1)}…`;
}

/** An origin as the user sees it. */
export const originText = (origin: string): string =>
  origin === 'oryn:agent' ? 'The agent that works in this browser' : visible(origin);
