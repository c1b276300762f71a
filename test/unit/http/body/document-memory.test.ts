import { expect, test } from 'vitest';
import { DocumentMemory } from '../../../../controller/http/body/document-memory.ts';

const open = () => new DocumentMemory(100, () => new Error('refused'));

test('above the limit, refuses the newest document of the heaviest caller, never of a newcomer', async () => {
  const memory = open();
  const greedy = [memory.reserve('greedy'), memory.reserve('greedy')];
  for (const parts of greedy) parts.add(Buffer.alloc(50));
  const modest = memory.reserve('modest');
  modest.add(Buffer.from('small'));
  await expect(greedy[1]?.refused).rejects.toThrow('refused');
  expect(() => greedy[1]?.join()).toThrow('refused');
  expect(greedy[0]?.join()).toHaveLength(50);
  expect(modest.join().toString()).toBe('small');
  expect(memory.refused).toBe(1);
});

test('a released document uses no memory', () => {
  const memory = open();
  for (let at = 0; at < 3; at += 1) {
    const parts = memory.reserve('one');
    parts.add(Buffer.alloc(100));
    expect(parts.join()).toHaveLength(100);
    memory.release(parts);
  }
  expect(memory.refused).toBe(0);
});
