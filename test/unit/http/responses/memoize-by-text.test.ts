import { expect, test } from 'vitest';
import { memoizeByText } from '../../../../controller/http/responses/memoize-by-text.ts';

function setUp(maxEntries: number) {
  const computed: string[] = [];
  const lengthOf = memoizeByText(maxEntries, (text) => {
    computed.push(text);
    return text === 'nothing' ? null : text.length;
  });
  return { computed, lengthOf };
}

test('computes a value once per text, even if it is null', () => {
  const { computed, lengthOf } = setUp(10);
  expect(['abc', 'nothing', 'abc', 'nothing'].map(lengthOf)).toEqual([3, null, 3, null]);
  expect(computed).toEqual(['abc', 'nothing']);
});

test('memoizes few of many texts, and no long ones', () => {
  const { computed, lengthOf } = setUp(2);
  for (const text of ['a', 'b', 'b', 'c', 'b', 'c']) lengthOf(text);
  expect(computed).toEqual(['a', 'b', 'c', 'b']);
  const long = 'x'.repeat(251);
  expect([lengthOf(long), lengthOf(long)]).toEqual([251, 251]);
  expect(computed.slice(-2)).toEqual([long, long]);
});
