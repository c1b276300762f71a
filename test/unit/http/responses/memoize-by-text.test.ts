import { expect, test } from 'vitest';
import { memoizeByText } from '../../../../controller/http/responses/memoize-by-text.ts';

function setUp(maxEntries: number) {
  const computed: string[] = [];
  const lengthOf = memoizeByText(maxEntries, (text) => {
    computed.push(text);
    return text === 'nothing' ? null : text.length;
  });
  return { asked: computed, meaningOf: lengthOf };
}

test('what a text means is worked out once, also if it means nothing', () => {
  const { asked: computed, meaningOf: lengthOf } = setUp(10);
  expect(['abc', 'nothing', 'abc', 'nothing'].map(lengthOf)).toEqual([3, null, 3, null]);
  expect(computed).toEqual(['abc', 'nothing']);
});

test('however many texts there are, few are remembered, and none that is long', () => {
  const { asked: computed, meaningOf: lengthOf } = setUp(2);
  for (const text of ['a', 'b', 'b', 'c', 'b', 'c']) lengthOf(text);
  expect(computed).toEqual(['a', 'b', 'c', 'b']);
  const long = 'x'.repeat(251);
  expect([lengthOf(long), lengthOf(long)]).toEqual([251, 251]);
  expect(computed.slice(-2)).toEqual([long, long]);
});
