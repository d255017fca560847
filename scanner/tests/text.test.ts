import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collapse, groupBy, wordSet } from '../dom/words';
import { fitText, withoutSpaces } from '../targets/text_fit';
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

test('a text fits exactly, but for its case, or as a part', () => {
  assert.deepEqual(fitText('Save', 'Save'), { tier: 'exact', excess: 0 });
  assert.deepEqual(fitText('SAVE', 'Save'), { tier: 'case', excess: 0 });
  assert.deepEqual(fitText('Save as', 'save'), { tier: 'contains', excess: 3 });
  assert.equal(fitText('Save', 'Save as'), null);
  assert.equal(fitText('Send', 'Save'), null);
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
