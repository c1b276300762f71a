import { expect, test } from 'vitest';
import { forKnownTexts } from '../../../controller/http/known-texts.ts';

function open(most: number) {
  const asked: string[] = [];
  const meaningOf = forKnownTexts(most, (text) => {
    asked.push(text);
    return text === 'nothing' ? null : text.length;
  });
  return { asked, meaningOf };
}

test('what a text means is worked out once, also if it means nothing', () => {
  const { asked, meaningOf } = open(10);
  expect(['abc', 'nothing', 'abc', 'nothing'].map(meaningOf)).toEqual([3, null, 3, null]);
  expect(asked).toEqual(['abc', 'nothing']);
});

test('however many texts there are, few are remembered, and none that is long', () => {
  const { asked, meaningOf } = open(2);
  for (const text of ['a', 'b', 'b', 'c', 'b', 'c']) meaningOf(text);
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
  const long = 'x'.repeat(251);
  expect([meaningOf(long), meaningOf(long)]).toEqual([251, 251]);
  expect(asked.slice(-2)).toEqual([long, long]);
});
