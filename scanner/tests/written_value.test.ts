import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MonthNames } from '../controls/months';
import { numberForms, writtenOutcome } from '../controls/written_value';
import type { FieldTraits } from '../controls/written_value';

const text: FieldTraits = {
  kind: 'text',
  maxLength: Infinity,
  monthNamed: (each) => new MonthNames(['en', 'de']).named(each),
};
const number: FieldTraits = { ...text, kind: 'number' };
const telephone: FieldTraits = { ...text, kind: 'telephone' };

const SAME: readonly (readonly [string, string, FieldTraits?])[] = [
  ['1234.5', '1,234.50'],
  ['1,234.50 €', '1234.5', number],
  ['1234.56', '1.234,56 €'],
  ['12,50', '12.5', number],
  ['12,50', '12.50'],
  ['1250', '1 250,00 kr'],
  ['1250', "1'250.00"],
  ['1234567', '12,34,567'],
  ['5', '5 %'],
  ['5%', '5', number],
  ['-5', '−5'],
  ['-5', '(5.00)'],
  ['-1200', '-$1,200.00'],
  ['-1200', '$-1,200.00'],
  ['.5', '0.50'],
  ['007', '7', number],
  ['50', '50 kg'],
  ['1e3', '1000', number],
  ['1250', '١٢٥٠'],
  ['5551234567', '(555) 123-4567'],
  ['555-123-4567', '5551234567', telephone],
  ['555-123-4567', '5551234567'],
  ['+15551234567', '(555) 123-4567', telephone],
  ['+49 170 1234567', '0170 1234567', telephone],
  ['5551234567', '+1 (555) 123-4567', telephone],
  ['4111-1111-1111-1111', '4111 1111 1111 1111'],
  ['1225', '12/25'],
  ['12/25', '12 / 25'],
  ['9:05', '09:05'],
  ['15:30', '3:30 PM'],
  ['10:30', '10:30:00'],
  ['3 pm', '15:00'],
  ['1/2/2026', '01/02/2026'],
  ['24.12.2026', '24/12/2026'],
  ['24122026', '24.12.2026'],
  ['2026-12-24', '24.12.2026'],
  ['2026-02-03', '03/02/2026'],
  ['2026-12-24', 'December 24, 2026'],
  ['2026-12-24', '24. Dezember 2026'],
  ['2026-12-24 10:30', '24/12/2026, 10:30'],
  ['ab12cd', 'AB 12 CD'],
  ['#E66465', 'e66465'],
  ['My Post', 'my-post'],
  ['@ada', 'ada'],
  ["it's", 'it’s'],
  ['', '(___) ___-____'],
  ['', '+1 ', telephone],
];

const OTHER: readonly (readonly [string, string, FieldTraits?])[] = [
  ['12,50', '1250'],
  ['12,50', '1250', number],
  ['1234.56', '123.456 €'],
  ['1250', '12.50'],
  ['-5', '5'],
  ['5', '-5'],
  ['12:30', '1230'],
  ['12:30', '12:03'],
  ['12/25', '1225'],
  ['24/12/2026', '24122026'],
  ['24/12/2026', '12/24/2025'],
  ['03/02/2026', '02/03/2026'],
  ['2026-12-24', '2026-12-25'],
  ['3:30 pm', '3:30'],
  ['abc', '', number],
  ['12', '', number],
  ['', '0'],
  ['', 'x'],
  ['01234', '1234'],
  ['ada@example.org', 'adaexampleorg'],
  ['Hello!', 'Hello'],
  ["O'Brien", 'OBrien'],
  ['1.5', '15'],
  ['50 kg', '50'],
  ['50', 'abc50'],
  ['hello', 'helo'],
  ['1-2', '12'],
  ['+15551234567', '15551234568', telephone],
  ['badvalue', '#000000', { ...text, kind: 'color' }],
  ['#ff0000', '#00ff00'],
];

for (const [wanted, held, traits = text] of SAME) {
  test(`"${wanted}" is held as "${held}" (${traits.kind})`, () => {
    assert.equal(writtenOutcome(wanted, held, traits), 'formatted');
  });
}

for (const [wanted, held, traits = text] of OTHER) {
  test(`"${wanted}" is not "${held}" (${traits.kind})`, () => {
    assert.equal(writtenOutcome(wanted, held, traits), null);
  });
}

test('blanks at the ends and the form of line breaks do not matter', () => {
  assert.equal(writtenOutcome('one\r\ntwo ', 'one\ntwo'), 'whole');
  assert.equal(writtenOutcome('e\u0301', '\u00e9'), 'whole');
});

test('a field of limited length holds the beginning', () => {
  assert.equal(writtenOutcome('abcdef', 'abcd', { ...text, maxLength: 4 }), 'limited');
  assert.equal(writtenOutcome('abcdef', 'abcx', { ...text, maxLength: 4 }), null);
});

test('a number has other forms', () => {
  assert.deepEqual(numberForms('12,50'), ['12.50']);
  assert.deepEqual(numberForms('1.234,50 €'), ['1234.50', '1234,50']);
  assert.deepEqual(numberForms('1234.56'), ['1234,56']);
  assert.deepEqual(numberForms('-5'), []);
  assert.deepEqual(numberForms('12:30'), []);
  assert.deepEqual(numberForms('01234'), []);
});
