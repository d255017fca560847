// Which month and year a text names. Months count from 1. Pure: the languages come from the page and the browser.

export interface Month {
  year: number;
  month: number;
}

/** The year and the month of a text, each null where the text names none. */
export interface NamedMonth {
  year: number | null;
  month: number | null;
}

export const isMonth = ({ year, month }: NamedMonth): boolean => Boolean(year && month);

const YEAR_NUMBER = /(?:^|\D)(1[89]\d\d|2[01]\d\d)(?!\d)/;

const MONTH_NUMBERS = [
  /(?:^|\D)(?:1[89]|2[01])\d\d\s?[-/.年년]\s?(\d{1,2})(?!\d)/,
  /(?:^|\D)(\d{1,2})\s?[-/.]\s?(?:1[89]|2[01])\d\d(?!\d)/,
  /(?:^|\D)(\d{1,2})\s?[月월]/,
];

const MONTH_FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'long', day: 'numeric' },
  { month: 'short' },
];

/** The names of the months in some languages (BCP 47), the first one's before the others'. */
export class MonthNames {
  private readonly long = new Map<string, number>();
  private readonly short = new Map<string, number>();

  constructor(readonly languages: readonly string[]) {
    for (const language of languages) {
      for (const form of MONTH_FORMS) {
        const words = form.month === 'long' ? this.long : this.short;
        for (let month = 1; month <= 12; month++) {
          for (const word of wordsIn(writtenMonth(language, form, month))) if (!words.has(word)) words.set(word, month);
        }
      }
    }
  }

  monthIn(text: string): NamedMonth {
    const year = YEAR_NUMBER.exec(text);
    return { year: year ? Number(year[1]) : null, month: this.named(text) ?? numberedMonth(text) };
  }

  /** The month that a text names if the text is a date on that day of it, else null. */
  monthOfDate(text: string, day: number): Month | null {
    const iso = /(?:^|\D)(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text);
    if (iso) return Number(iso[3]) === day ? { year: Number(iso[1]), month: Number(iso[2]) } : null;
    if (/^-?\d{10,14}$/.test(text)) return monthOfStamp(Number(text), day);
    if (!new RegExp(`(?:^|\\D)0?${day}(?!\\d)`).test(text.replace(YEAR_NUMBER, ' '))) return null;
    const year = YEAR_NUMBER.exec(text);
    const month = this.named(text);
    return year && month ? { year: Number(year[1]), month } : null;
  }

  /** The month that a text calls by its name. */
  named(text: string): number | null {
    const words = wordsIn(text);
    for (const word of words) {
      const month = this.long.get(word);
      if (month) return month;
    }
    // A short one may be a weekday as well (`mar`): it counts beside a year, or alone.
    if (words.length > 1 && !YEAR_NUMBER.test(text)) return null;
    for (const word of words) {
      const month = this.short.get(word);
      if (month) return month;
    }
    return null;
  }
}

function numberedMonth(text: string): number | null {
  for (const pattern of MONTH_NUMBERS) {
    const month = Number(pattern.exec(text)?.[1]);
    if (month >= 1 && month <= 12) return month;
  }
  return null;
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}]{3,}/gu) || [];

function writtenMonth(tag: string, form: Intl.DateTimeFormatOptions, month: number): string {
  try {
    return new Intl.DateTimeFormat(tag, { ...form, timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 15));
  } catch {
    return ''; // what the page names as its language is none
  }
}

/** A time stamp in seconds or milliseconds, of a midnight here or in UTC. */
function monthOfStamp(number: number, day: number): Month | null {
  const date = new Date(Math.abs(number) < 1e11 ? number * 1000 : number);
  if (date.getDate() === day) return { year: date.getFullYear(), month: date.getMonth() + 1 };
  if (date.getUTCDate() === day) return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
  return null;
}
