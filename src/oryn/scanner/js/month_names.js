// Which month and year a text names, in the languages of the page and of the browser.

const YEAR_NUMBER = /(?:^|\D)(1[89]\d\d|2[01]\d\d)(?!\d)/;
const MONTH_NUMBERS = [
  [/(?:^|\D)(?:1[89]|2[01])\d\d\s?[-/.年년]\s?(\d{1,2})(?!\d)/, 1],
  [/(?:^|\D)(\d{1,2})\s?[-/.]\s?(?:1[89]|2[01])\d\d(?!\d)/, 1],
  [/(?:^|\D)(\d{1,2})\s?[月월]/, 1],
];
const MONTH_FORMS = [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }];

let monthWords = null; // `{long, short}`: maps of words to the numbers of their months

function pageLanguage() {
  const root = documentElementOf(document);
  return (root && attribute(root, 'lang')) || 'en';
}

function wordsOfMonths() {
  const language = pageLanguage();
  if (monthWords && monthWords.language === language) return monthWords;
  monthWords = { language, long: new Map(), short: new Map() };
  for (const tag of [language, ...navigator.languages, 'en']) {
    for (const form of MONTH_FORMS) {
      const words = form.month === 'long' ? monthWords.long : monthWords.short;
      for (let month = 1; month <= 12; month++) {
        for (const word of wordsIn(monthText(tag, form, month))) if (!words.has(word)) words.set(word, month);
      }
    }
  }
  return monthWords;
}

const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{M}]{3,}/gu) || [];

function monthText(tag, form, month) {
  try {
    return new Intl.DateTimeFormat(tag, { ...form, timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 15));
  } catch (error) {
    return ''; // the page's language is none
  }
}

/** `{year, month}` that a text names, each null where it names none; `month` counts from 1. */
function monthIn(text) {
  const year = YEAR_NUMBER.exec(text);
  return { year: year ? Number(year[1]) : null, month: namedMonth(text) ?? numberedMonth(text) };
}

function namedMonth(text) {
  const { long, short } = wordsOfMonths();
  const words = wordsIn(text);
  for (const word of words) if (long.has(word)) return long.get(word);
  // A short one may be a weekday as well (`mar`): it counts beside a year, or alone.
  if (words.length > 1 && !YEAR_NUMBER.test(text)) return null;
  for (const word of words) if (short.has(word)) return short.get(word);
  return null;
}

function numberedMonth(text) {
  for (const [pattern, group] of MONTH_NUMBERS) {
    const found = pattern.exec(text);
    if (found && found[group] >= 1 && found[group] <= 12) return Number(found[group]);
  }
  return null;
}

/** The month that a text names if the text is a date on that day of it, else null. */
function monthOfDate(text, day) {
  const iso = /(?:^|\D)(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text);
  if (iso) return Number(iso[3]) === day ? { year: Number(iso[1]), month: Number(iso[2]) } : null;
  if (/^-?\d{10,14}$/.test(text)) return monthOfStamp(Number(text), day);
  if (!new RegExp(`(?:^|\\D)0?${day}(?!\\d)`).test(text.replace(YEAR_NUMBER, ' '))) return null;
  const year = YEAR_NUMBER.exec(text);
  const month = namedMonth(text);
  return year && month ? { year: Number(year[1]), month } : null;
}

/** A time stamp in seconds or milliseconds, of a midnight here or in UTC. */
function monthOfStamp(number, day) {
  const date = new Date(Math.abs(number) < 1e11 ? number * 1000 : number);
  if (date.getDate() === day) return { year: date.getFullYear(), month: date.getMonth() + 1 };
  if (date.getUTCDate() === day) return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
  return null;
}
