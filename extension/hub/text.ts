// Text of pages and plugins as the user may see it.

/** Control, format and bidirectional characters as `\u{202e}`: they could make one text look like another. Line breaks and
 *  tabs stay if `multiline`. */
export function visible(text: string, multiline = false): string {
  const pattern = multiline ? /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu : /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
  return text.replace(pattern, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** An origin as the user sees it. */
export const originText = (origin: string): string =>
  origin === 'oryn:agent' ? 'The agent that works in this browser' : visible(origin);
