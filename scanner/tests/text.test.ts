import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collapse, fold, groupBy, wordSet } from '../dom/words';
import { fitText, patternTest, placeOf, withoutSpaces, wordsOfIdentifier } from '../targets/text_fit';
import { pairAlike } from '../targets/pairs';
import { isClockTick, isTimeOfDay, withoutTimes } from '../text/clock';
import { countTexts, isMostOf, reordered, take } from '../text/differences';

test('words', () => {
  assert.equal(collapse('  a \n\t b '), 'a b');
  assert.deepEqual(wordSet(' a  b a '), new Set(['a', 'b']));
  assert.deepEqual(
    groupBy([1, 2, 3], (each) => each % 2),
    new Map([
      [1, [1, 3]],
      [0, [2]],
    ]),
  );
  assert.equal(withoutSpaces('Sign  In'), 'signin');
});

test('a text is compared as people read and type it', () => {
  for (const [page, typed] of [
    ['Zusammen\u00adfassung', 'Zusammenfassung'],
    ['Daten\u200bschutz', 'Datenschutz'],
    ['\u200eShalom\u200f', 'shalom'],
    ['Don\u2019t save\u2026', "don't save..."],
    ['\u201eHallo\u201c \u00abmonde\u00bb', '"hallo" "monde"'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['12\u00a0\u20ac\u202f/ Monat', '12 \u20ac / monat'],
    ['2019\u20132024', '2019-2024'],
    ['\uff26\uff35\uff2c\uff2c', 'full'],
    ['\u2764\ufe0f Like', '\u2764 like'],
    ['a\u200db', 'ab'],
  ] as const)
    assert.equal(fold(page), fold(typed), page);
  assert.notEqual(fold('\u{1f468}\u200d\u{1f4bb}'), fold('\u{1f468}\u{1f4bb}'));
});

test('a text fits exactly, but for its case, or as words', () => {
  assert.deepEqual(fitText('Save', 'Save'), { tier: 'exact', excess: 0 });
  assert.deepEqual(fitText('SAVE', 'Save'), { tier: 'case', excess: 0 });
  assert.deepEqual(fitText('Zusammen\u00adfassung', 'Zusammenfassung'), { tier: 'case', excess: 0 });
  assert.deepEqual(fitText('Save as', 'save'), { tier: 'contains', excess: 3 });
  assert.deepEqual(fitText('Saved items', 'save'), { tier: 'begins', excess: 7 });
  assert.equal(fitText('Save', 'Save as'), null);
  assert.equal(fitText('Send', 'Save'), null);
  assert.equal(fitText('Send', '\u200b'), null);
});

test('a pattern is found as whole words, and anything stands for its asterisk', () => {
  for (const [text, pattern, found] of [
    ['Boston fern\t2\t\u20ac36', 'boston fern 2 \u20ac36', true],
    ['Total \u20ac36', 'Total \u20ac3', false],
    ['23', '2', false],
    ['23, 2', '2', true],
    ['Order 1001 comes on Saturday.', 'order * comes on Saturday', true],
    ['Order 1001 comes on Saturday.', '* comes on Satur', false],
    ['Order 1001 comes on Saturday.', 'Saturday*Order', false],
    ['Disorder, order 5', 'order *5', true],
    ['5.50, 5', '5*5', true],
    ['Saved', '*', true],
    ['Saved', '\u200b', false],
  ] as const)
    assert.equal(patternTest(pattern)(text), found, `${pattern} in ${text}`);
});

test('a text is nowhere inside of a word', () => {
  const places: [string, string, ReturnType<typeof placeOf>][] = [
    ['delete the environment', 'iron', null],
    ['unsubscribe', 'subscribe', null],
    ['settings', 'sett', 'begins'],
    ['resettings, settings', 'sett', 'begins'],
    ['page 1024', '4', null],
    ['1.5 kg', '5', null],
    ['12:30', '12', 'begins'],
    ['12, 30', '12', 'contains'],
    ['inbox3', 'inbox', 'contains'],
    ['mp3', '3', null],
    ['\u20ac5', '5', 'contains'],
    ['user_email', 'email', 'contains'],
    ['caf\u00e9s', 'caf', 'begins'],
    ['\u7acb\u5373\u767b\u5f55', '\u767b\u5f55', 'contains'],
    ['\u30ed\u30b0\u30a4\u30f3\u3059\u308b', '\u30ed\u30b0\u30a4\u30f3', 'contains'],
    ['\uc800\uc7a5\ud558\uae30', '\uc800\uc7a5', 'contains'],
    ['\u0e40\u0e02\u0e49\u0e32\u0e2a\u0e39\u0e48\u0e23\u0e30\u0e1a\u0e1a', '\u0e23\u0e30\u0e1a\u0e1a', 'contains'],
    ['\u043f\u0435\u0440\u0435\u0432\u043e\u0434', '\u0432\u043e\u0434', null],
  ];
  for (const [text, wanted, place] of places) assert.equal(placeOf(text, wanted), place, `${wanted} in ${text}`);
});

test('names of authors are words too', () => {
  for (const name of ['userEmail', 'user_email', 'form[user-email]'])
    assert.equal(placeOf(fold(wordsOfIdentifier(name)), 'email'), 'contains', name);
});

test('old and new ones of the same identity are pairs, if there are as many of both', () => {
  const initial = (word: string): string | null => word[0] ?? null;
  assert.deepEqual(pairAlike(['a1', 'a2', 'b1'], ['b9', 'a8', 'a9'], initial), [
    { old: 'b1', heir: 'b9' },
    { old: 'a1', heir: 'a8' },
    { old: 'a2', heir: 'a9' },
  ]);
  assert.deepEqual(pairAlike(['a1', 'a2'], ['a9'], initial), []);
  assert.deepEqual(pairAlike([''], [''], initial), []);
});

test('a clock that has gone on is no change', () => {
  assert.equal(isClockTick('Now 10:00:00', 'Now 10:00:02', 2), true);
  assert.equal(isClockTick('23:59:59', '00:00:01', 2), true);
  assert.equal(isClockTick('Now 10:00:00', 'Now 10:05:00', 2), false);
  assert.equal(isClockTick('Now 10:00:02', 'Now 10:00:00', 0), false);
  assert.equal(isClockTick('Now', 'Then', 9), false);
  assert.equal(withoutTimes('at 10:00:00, at 11:00:00'), 'at #, at #');
  const moment = Date.UTC(2025, 0, 1, 12, 34, 56);
  for (const text of ['12:34:56', '14:34:57', '18:19:55']) assert.equal(isTimeOfDay(text, moment), true, text);
  assert.equal(isTimeOfDay('12:40:00', moment), false);
});

test('each text is taken as often as it is there', () => {
  const counts = countTexts(['a', 'a', 'b']);
  assert.deepEqual(
    [take(counts, 'a'), take(counts, 'a'), take(counts, 'a'), take(counts, 'c')],
    [true, true, false, false],
  );
  assert.equal(isMostOf('almost all', 'almost all of it'), true);
  assert.equal(isMostOf('it', 'almost all of it'), false);
});

test('of texts in another order, those from the first to the last that moved', () => {
  const rows = (...texts: string[]): Map<number, string> => new Map(texts.map((text, at) => [at, text]));
  assert.deepEqual(reordered(rows('a', 'b', 'c'), rows('a', 'b', 'c')), []);
  assert.deepEqual(reordered(rows('a', 'b', 'c', 'd'), rows('a', 'c', 'b', 'd')), [
    ['c', 1],
    ['b', 2],
  ]);
  assert.deepEqual(reordered(rows('a', 'a', 'b'), rows('b', 'a', 'a')), [], 'texts that are there twice do not count');
  assert.deepEqual(reordered(rows('a', 'b'), rows('new', 'a', 'b')), []);
});
