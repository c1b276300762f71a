import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCycle } from '../../../controller/monitors/dependencies/cycle-rules.ts';

const graph = (edges: Record<string, string[]>) => (id: string) => edges[id] ?? [];

test('dependencies without a cycle are accepted, even if several lead to the same monitor', () => {
  expect(findCycle(['a'], graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toBeNull();
  expect(findCycle([], graph({ a: ['a'] }))).toBeNull();
});

test('a cycle is found with the ids along it', () => {
  expect(findCycle(['a'], graph({ a: ['a'] }))).toEqual(['a', 'a']);
  expect(findCycle(['a'], graph({ a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a', 'b', 'c', 'a']);
  expect(findCycle(['a'], graph({ a: ['b', 'c'], b: [], c: ['d'], d: ['c'] }))).toEqual(['c', 'd', 'c']);
  expect(findCycle(['x', 'a'], graph({ x: ['y'], a: ['b'], b: ['a'] }))).toEqual(['a', 'b', 'a']);
});

test('a long chain is followed without recursion', () => {
  const next = (id: string) => (Number(id) < 20_000 ? [String(Number(id) + 1)] : []);
  expect(findCycle(['0'], next)).toBeNull();
  expect(findCycle(['0'], (id) => (id === '20000' ? ['19999'] : next(id)))).toEqual(['19999', '20000', '19999']);
});

test('a cycle exists exactly if following dependencies leads back to where it began', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'];
  const edges = fc.dictionary(fc.constantFrom(...nodes), fc.uniqueArray(fc.constantFrom(...nodes), { maxLength: 3 }));
  fc.assert(fc.property(edges, (chosen) => {
    const of = graph(chosen);
    const reachable = (from: string) => {
      const seen = new Set<string>();
      for (let level = of(from); level.length > 0;) {
        const fresh = level.filter((id) => !seen.has(id));
        for (const id of fresh) seen.add(id);
        level = fresh.flatMap(of);
      }
      return seen;
    };
    const cycle = findCycle(nodes, of);
    expect(cycle !== null).toBe(nodes.some((id) => reachable(id).has(id)));
    for (const [at, id] of (cycle ?? []).slice(0, -1).entries()) expect(of(id)).toContain(cycle?.[at + 1]);
    if (cycle) expect(cycle[0]).toBe(cycle.at(-1));
  }));
});
