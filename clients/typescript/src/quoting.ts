/** How texts are written into a line of the Intent Language, so that they mean what they say and nothing else. */

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const RELATION = "near|inside|after|before|contains";
const ROLE = "email|password|search|submit|username|phone|url|tel";
const STRING = String.raw`(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')`;
const NUMBER = String.raw`-?[0-9]{1,15}(?:\.[0-9]{1,15})?`;
const SIMPLE = [
  "[0-9]{1,15}",
  "@e[0-9]{1,15}",
  ROLE,
  STRING,
  String.raw`(?:css|xpath)\(${STRING}\)`,
  String.raw`at\(${NUMBER}, *${NUMBER}\)`,
].join("|");

const TARGET = new RegExp(`^(?:${SIMPLE})(?: +(?:${RELATION}) +(?:${SIMPLE}))*$`);
const SELECTOR = /^(css|xpath)\((.+)\)$/;
const URL_TEXT = /^[\p{L}\p{N}./~:%?&=+,;*_][\p{L}\p{N}./~:%?&=+,;@*#_-]*$/u;
const RELATION_ALONE = new RegExp(`^(?:${RELATION})$`, "i");
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_-]*$/u;

/** A string of the language that means `text`, whatever is in it. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`;
}

/**
 * A target: a number, or a whole target of the language, stands as it is; all else is the text of an element. A
 * selector gets the quotes that it lacks.
 */
export function target(value: number | string): string {
  const text = String(value);
  if (TARGET.test(text)) return text;
  const [, kind, inside = ""] = SELECTOR.exec(text) ?? [];
  const selector = inside.trim();
  return kind && selector ? `${kind}(${quote(selector)})` : quote(text);
}

/** A URL, bare where nothing in it means something to the language. */
export function url(text: string): string {
  return URL_TEXT.test(text) && !RELATION_ALONE.test(text) ? text : quote(text);
}

/** A name, bare where it is an identifier. */
export function name(text: string): string {
  return IDENTIFIER.test(text) ? text : quote(text);
}
