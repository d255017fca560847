import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MonthNames, isMonth } from '../controls/months';

const english = new MonthNames(['en']);

test('a month and a year are named by words, numbers or signs', () => {
  const named: [string, number | null, number | null][] = [
    ['March 2025', 2025, 3],
    ['2025-03', 2025, 3],
    ['3/2025', 2025, 3],
    ['2025年3月', 2025, 3],
    ['Sep 2025', 2025, 9],
    ['March', null, 3],
    ['2025', 2025, null],
    ['13/2025', 2025, null],
    ['Order 1234', null, null],
  ];
  for (const [text, year, month] of named) assert.deepEqual(english.monthIn(text), { year, month }, text);
});

test('a short name counts alone or beside a year, for it may be a weekday too', () => {
  const spanish = new MonthNames(['es']);
  assert.equal(spanish.monthIn('mar 2025').month, 3);
  assert.equal(spanish.monthIn('mar').month, 3);
  assert.equal(spanish.monthIn('lun mar mié').month, null);
});

test('the language of the page comes before that of the browser', () => {
  assert.equal(new MonthNames(['cs', 'en']).monthIn('březen 2025').month, 3);
  assert.equal(new MonthNames(['no such language', 'de']).monthIn('März 2025').month, 3);
});

test('a date is on its day in every form', () => {
  const month = { year: 2025, month: 3 };
  for (const text of ['2025-03-09', 'Sunday, March 9, 2025', '9 March 2025'])
    assert.deepEqual(english.monthOfDate(text, 9), month, text);
  assert.deepEqual(english.monthOfDate(String(Date.UTC(2025, 2, 9)), 9), month);
  assert.deepEqual(english.monthOfDate(String(Date.UTC(2025, 2, 9) / 1000), 9), month);
  for (const text of ['2025-03-10', 'March 2025', 'March 9', '19 March 2025'])
    assert.equal(english.monthOfDate(text, 9), null, text);
});

test('a month needs both', () => {
  assert.equal(isMonth({ year: 2025, month: 3 }), true);
  assert.equal(isMonth({ year: null, month: 3 }), false);
});
