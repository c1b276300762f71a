import { expect, test } from 'vitest';
import { WaitingLine } from '../../../../probe/runner/waiting-line.ts';

const lineOf = (...items: [name: string, missedBefore: number][]) => {
  const line = new WaitingLine<{ name: string; missedBefore: number }>();
  for (const [name, missedBefore] of items) line.put({ name, missedBefore });
  return line;
};
const namesOf = (line: ReturnType<typeof lineOf>) => Array.from({ length: line.size }, () => line.take()?.name);

test('monitors that missed most slots in a row come first, then those that wait longest', () => {
  const line = lineOf(['a', 0], ['b', 1], ['c', 0], ['d', 3], ['e', 1]);
  expect(namesOf(line)).toEqual(['d', 'b', 'e', 'a', 'c']);
  expect(line.take()).toBeUndefined();
});

test('monitors that missed very many slots keep their order', () => {
  expect(namesOf(lineOf(['a', 7], ['b', 100], ['c', 8]))).toEqual(['a', 'b', 'c']);
});

test('expired items leave from every rank', () => {
  const line = lineOf(['a', 0], ['b', 1], ['c', 0], ['d', 1]);
  const hasExpired = ({ name }: { name: string }): boolean => name === 'a' || name === 'b';
  expect([line.takeExpired(hasExpired)?.name, line.takeExpired(hasExpired)?.name]).toEqual(['b', 'a']);
  expect(line.takeExpired(hasExpired)).toBeUndefined();
  expect(line.clear().map(({ name }) => name)).toEqual(['c', 'd']);
  expect(line.size).toBe(0);
});
