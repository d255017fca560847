// Whether a field holds what was written into it, judged by what the text is: a number, a time, a date, a telephone
// number, a colour, or words. Fields rewrite what they take: they group digits, add units, pad zeros. Pure.

import { collapse } from '../dom/words';

/** How a field contains a text, as in the protocol. */
export type Outcome = 'whole' | 'formatted' | 'limited';

export interface FieldTraits {
  /** What the field is for, as far as its author says so. */
  kind: 'text' | 'number' | 'telephone' | 'color';
  /** Most characters, or `Infinity`. */
  maxLength: number;
  /** The month (1 to 12) that a text names, or null. */
  monthNamed?: (text: string) => number | null;
}

const PLAIN: FieldTraits = { kind: 'text', maxLength: Infinity };

/** How `held` contains the text `wanted`; null if it is something else. */
export function writtenOutcome(wanted: string, held: string, traits: FieldTraits = PLAIN): Outcome | null {
  if (isSameText(wanted, held)) return 'whole';
  if (held.length === traits.maxLength && wanted.startsWith(held)) return 'limited';
  return isSameValue(plainly(wanted), plainly(held), traits) ? 'formatted' : null;
}

const isSameText = (one: string, other: string): boolean => one === other || trimmed(one) === trimmed(other);

const trimmed = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u200b\ufeff]/g, '')
    .normalize('NFC')
    .trim();

function isSameValue(wanted: string, held: string, traits: FieldTraits): boolean {
  if (wanted === '') return isEmptyMask(held);
  if (traits.kind === 'color' || isHexColor(wanted)) {
    if (isSameColor(wanted, held)) return true;
    if (traits.kind === 'color') return false;
  }
  return (
    isSameNumber(wanted, held, traits) ??
    isSameMoment(wanted, held, traits) ??
    (isSameTelephone(wanted, held, traits) || isSameLetters(wanted, held, traits) || isSameGroups(wanted, held))
  );
}

/** In compatibility form, with ASCII digits and minus, and single blanks. */
const plainly = (text: string): string =>
  collapse(
    text
      .normalize('NFKC')
      .replace(/\p{Nd}/gu, asciiDigit)
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, ''),
  );

/** Digits of other scripts come in blocks of ten that begin at a multiple of 16, or six after it. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const block = code & ~15;
  const start = /\p{Nd}/u.test(String.fromCodePoint(block)) ? block : block + 6;
  return String(code - start);
}

/** What a mask shows without any text: its fillers, or the prefix of a country. */
const isEmptyMask = (held: string): boolean => lettersOf(held) === '' || /^\+\d{1,3}$/.test(held);

// --- colours ---

const HEX_COLOR = /^#?(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const isHexColor = (text: string): boolean => text.startsWith('#') && HEX_COLOR.test(text);

function isSameColor(wanted: string, held: string): boolean {
  return HEX_COLOR.test(wanted) && HEX_COLOR.test(held) && fullHex(wanted) === fullHex(held);
}

function fullHex(text: string): string {
  const digits = text.replace('#', '').toLowerCase();
  return digits.length < 6 ? digits.replace(/./g, '$&$&') : digits;
}

// --- numbers ---

const UNIT = '(?:[%‰°]|\\p{Sc}|[\\p{L}°²³µ/.]{1,8})';
const AMOUNT = new RegExp(
  `^(\\()?([-+]?) ?(?:\\p{Lu}{0,3}|kr\\.?|zł)? ?\\p{Sc}? ?([-+]?) ?` +
    `(\\d(?:[\\d.,' ]*\\d)?[.,]?|[.,]\\d+) ?(${UNIT})? ?(-)?(\\))?$`,
  'u',
);
const EXPONENTIAL = /^[-+]?(?:\d+\.?\d*|\.\d+)e[-+]?\d+$/i;

interface Amount {
  /** What it may be read as, as canonical decimals: `1.234` is a fraction in one language and over a thousand in another. */
  readings: readonly string[];
  digits: string;
  unit: string;
}

/** The number that a text is, with its currency or unit; null if it is none. */
function amountOf(text: string): Amount | null {
  if (EXPONENTIAL.test(text)) return { readings: [canonical(Number(text).toFixed(12))], digits: '', unit: '' };
  const found = AMOUNT.exec(text);
  if (!found) return null;
  const [, opening, before, after, body = '', unit = '', trailing, closing] = found;
  if (Boolean(opening) !== Boolean(closing)) return null;
  const isNegative = [before, after, trailing].includes('-') || Boolean(opening);
  const readings = readingsOf(body).map((each) => (isNegative && each !== '0' ? `-${each}` : each));
  return readings.length ? { readings, digits: body.replace(/\D/g, ''), unit } : null;
}

/** Digits in groups: of three, or of two before the last three, as in India. */
const isGrouped = (parts: readonly string[]): boolean =>
  parts.length === 1 ||
  (/^\d{1,3}$/.test(parts[0] ?? '') &&
    parts.slice(1, -1).every((part, _, all) => part.length === (all[0]?.length ?? 3) && /^\d{2,3}$/.test(part)) &&
    parts.at(-1)?.length === 3);

function readingsOf(body: string): string[] {
  const marks = [...body.replace(/[^.,]/g, '')];
  const last = marks.at(-1);
  const isOnce = last !== undefined && marks.filter((mark) => mark === last).length === 1;
  const readings: string[] = [];
  if (isOnce) {
    const [whole = '', fraction = ''] = body.split(last);
    if (/^\d*$/.test(fraction) && isGrouped(whole.split(/[.,' ]/))) readings.push(decimal(whole, fraction));
    else if (whole === '') readings.push(decimal('', fraction));
  }
  const parts = body.split(/[.,' ]/);
  const separators = new Set(body.replace(/\d/g, ''));
  if (separators.size <= 1 && isGrouped(parts) && !(isOnce && /^0/.test(body))) readings.push(decimal(body, ''));
  return [...new Set(readings)];
}

const decimal = (whole: string, fraction: string): string => canonical(`${whole.replace(/\D/g, '')}.${fraction}`);

function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d*)\.?(\d*?)0*$/.exec(text) ?? [];
  const number = (whole || '0') + (fraction && `.${fraction}`);
  return number === '0' ? number : sign + number;
}

const TELEPHONE = /^\+?[\d\s().\-/]+$/;
const isTelephone = (text: string): boolean =>
  TELEPHONE.test(text) && text.startsWith('+') && digitsOf(text).length > 6;

/** Whether both are the same number; undefined where that does not decide. */
function isSameNumber(wanted: string, held: string, { kind }: FieldTraits): boolean | undefined {
  const one = kind === 'telephone' || isTelephone(wanted) ? null : amountOf(wanted);
  if (!one) return kind === 'number' ? false : undefined;
  const other = amountOf(held);
  if (other?.readings.some((reading) => one.readings.includes(reading))) {
    if (kind === 'number') return true;
    const isUnitLost = /^[\p{Ll}]/u.test(one.unit) && !lettersOf(held).includes(lettersOf(one.unit));
    const areZerosLost = /^0\d/.test(one.digits) && !other.digits.startsWith('0');
    return !isUnitLost && !areZerosLost;
  }
  const isWhole = one.readings.every((reading) => /^\d+$/.test(reading));
  return other || kind === 'number' || !isWhole ? false : undefined;
}

/**
 * The forms in which a field may take a number that it did not take as it was written: without groups, with either
 * decimal mark. Empty if the text is none.
 */
export function numberForms(text: string): string[] {
  const amount = amountOf(plainly(text));
  const [reading] = amount?.readings ?? [];
  if (!amount || reading === undefined || /^0\d/.test(amount.digits.replace(/^0[.,]/, ''))) return [];
  const [, fraction = ''] = reading.split('.');
  const written = /[.,](\d+)\D*$/.exec(plainly(text))?.[1] ?? '';
  const full = fraction && written.startsWith(fraction) ? reading.replace(/\..*/, `.${written}`) : reading;
  return [...new Set([full, full.replace('.', ',')])].filter((form) => form !== text);
}

// --- times and dates ---

const TIME = /^(\d{1,2})(?:[:.h](\d{2})(?:[:.](\d{2}))?)?\s?(?:([ap])\.?\s?m\.?)?$/i;

/** The seconds of the day that a text is, or null. */
function timeOf(text: string): number | null {
  const found = TIME.exec(text);
  if (!found || (!found[2] && !found[4])) return null;
  const [hour, minute, second] = [found[1], found[2], found[3]].map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  const half = found[4]?.toLowerCase();
  if (hour > 23 || minute > 59 || second > 59 || (half && (hour < 1 || hour > 12))) return null;
  return ((half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour) * 60 + minute) * 60 + second;
}

const DATE = /^(\d{1,4})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,4})\.?$/;

interface Day {
  year: number;
  /** Month and day where their order is known, else both numbers in the order in which they stand. */
  parts: readonly [number, number];
  isOrdered: boolean;
}

/** The day that a text is, or null. A year of two digits is one of this century. */
function dayOf(text: string, monthNamed: FieldTraits['monthNamed']): Day | null {
  const found = DATE.exec(text);
  if (found) {
    const [first, second, third] = found.slice(1).map(Number) as [number, number, number];
    if ((found[1] ?? '').length === 4) return day(first, second, third, true);
    return (found[3] ?? '').length % 2 === 0 ? day(third, first, second, false) : null;
  }
  const month = /\p{L}/u.test(text) ? (monthNamed?.(text) ?? null) : null;
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  if (month === null || numbers.length !== 2) return null;
  const [date = 0, year = 0] = numbers[0] !== undefined && numbers[0] > 31 ? [numbers[1], numbers[0]] : numbers;
  return day(year, month, date, true);
}

function day(year: number, one: number, other: number, isOrdered: boolean): Day | null {
  if (Math.max(one, other) > 31 || Math.min(one, other) > 12 || Math.min(one, other) < 1) return null;
  const parts: [number, number] = one > 12 ? [other, one] : [one, other];
  return { year: year < 100 ? year + 2000 : year, parts, isOrdered: isOrdered || Math.max(one, other) > 12 };
}

function isSameDay(one: Day, other: Day): boolean {
  if (one.year !== other.year) return false;
  const [a, b] = one.parts;
  const [c, d] = other.parts;
  return (
    (a === c && b === d) ||
    (!(one.isOrdered && other.isOrdered) && one.isOrdered !== other.isOrdered && a === d && b === c)
  );
}

/** Whether both are the same time, day, or day and time; undefined where one is neither. */
function isSameMoment(wanted: string, held: string, { monthNamed }: FieldTraits): boolean | undefined {
  const [one, other] = [timeOf(wanted), timeOf(held)];
  if (one !== null && other !== null) return one === other;
  const [first, second] = [momentOf(wanted, monthNamed), momentOf(held, monthNamed)];
  if (!first || !second) return undefined;
  return isSameDay(first.day, second.day) && first.time === second.time;
}

function momentOf(text: string, monthNamed: FieldTraits['monthNamed']): { day: Day; time: number | null } | null {
  const found = /^(.*?)(?:,? |T)(\d{1,2}[:.]\d{2}.*)$/.exec(text);
  const time = found ? timeOf(found[2] ?? '') : null;
  const date = dayOf(time === null ? text : (found?.[1] ?? ''), monthNamed);
  return date && { day: date, time };
}

// --- letters and digits ---

export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** With the prefix of the country, or without it where the field shows that elsewhere. */
function isSameTelephone(wanted: string, held: string, { kind }: FieldTraits): boolean {
  if (kind !== 'telephone' && !isTelephone(wanted) && !isTelephone(held)) return false;
  if (!TELEPHONE.test(wanted) || !TELEPHONE.test(held)) return false;
  const [short, long] = [wanted, held].sort((one, other) => digitsOf(one).length - digitsOf(other).length) as [
    string,
    string,
  ];
  if (digitsOf(short) === digitsOf(long)) return true;
  const national = digitsOf(short).replace(/^0+/, '');
  const missing = digitsOf(long).length - national.length;
  return /^(?:\+|00)/.test(long) && national.length > 5 && missing <= 4 && digitsOf(long).endsWith(national);
}

/** The same letters and digits; a mask may put anything between them, but drop nothing that tells values apart. */
function isSameLetters(wanted: string, held: string, { kind }: FieldTraits): boolean {
  const letters = lettersOf(wanted);
  if (letters === '' || letters !== lettersOf(held)) return false;
  const isGroupingDigits = kind === 'telephone' || (digitsOf(wanted).length > 6 && !DATE.test(wanted));
  const [gaps, others] = [gapsOf(wanted), gapsOf(held)];
  return gaps.every((gap, at) => {
    const mark = gap.replace(/\s/g, '');
    if (mark === '' || others[at] !== '') return true;
    if (at === 0) return /^[@#/+(]$/.test(mark);
    if (at === gaps.length - 1) return /^[/)]$/.test(mark);
    return isGroupingDigits && /^[-.()/]+$/.test(mark);
  });
}

/** What stands before, between and after the letters and digits of a text. */
const gapsOf = (text: string): string[] => text.split(/[\p{L}\p{N}]/u);

/** The same words and numbers, where zeros are padded or dropped: `1/2/2026` is `01/02/2026`. */
function isSameGroups(wanted: string, held: string): boolean {
  const [one, other] = [groupsOf(wanted), groupsOf(held)];
  if (one.length < 2 || one.length !== other.length || !one.some((part) => /\d/.test(part))) return false;
  return one.every((part, at) => part === other[at] || (/\d/.test(part) && Number(part) === Number(other[at])));
}

const groupsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
