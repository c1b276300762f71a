import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathOf, placementOf } from '../../../controller/groups/tree-rules.ts';

const edge = (_id: string, parent_group_id: string | null = null) => ({ _id, parent_group_id });
const chain = (length: number, name = 'g') =>
  Array.from({ length }, (_, index) => edge(`${name}${index + 1}`, index === 0 ? null : `${name}${index}`));

describe('a group', () => {
  test('fits under a group on level 9, but not on level 10', () => {
    expect(placementOf(chain(10), 'new', 'g9')).toBe('fits');
    expect(placementOf(chain(10), 'new', 'g10')).toBe('too_deep');
  });

  test('fits only if all its descendants fit', () => {
    const edges = [...chain(7), ...chain(4, 'h')];
    expect(placementOf(edges, 'h1', 'g6')).toBe('fits');
    expect(placementOf(edges, 'h1', 'g7')).toBe('too_deep');
    expect(placementOf(edges, 'h2', 'g7')).toBe('fits');
  });

  test('cannot be placed under itself or its descendants', () => {
    expect(placementOf(chain(3), 'g1', 'g1')).toBe('circular');
    expect(placementOf(chain(3), 'g1', 'g3')).toBe('circular');
    expect(placementOf(chain(3), 'g3', 'g1')).toBe('fits');
  });

  test('cannot be placed under an unknown group, but always at the top level', () => {
    expect(placementOf(chain(3), 'g1', 'nowhere')).toBe('no_parent');
    expect(placementOf(chain(3), 'g3', null)).toBe('fits');
  });

  test('has a path from the top level', () => {
    expect(pathOf(chain(4), 'g3').map((each) => each._id)).toEqual(['g1', 'g2', 'g3']);
    expect(pathOf(chain(4), 'nowhere')).toEqual([]);
  });

  test('is at most ten levels deep after any moves', () => {
    const names = Array.from({ length: 16 }, (_, index) => `n${index}`);
    const move = fc.tuple(fc.constantFrom(...names), fc.option(fc.constantFrom(...names), { nil: null }));
    fc.assert(fc.property(fc.array(move, { maxLength: 200 }), (moves) => {
      const parents = new Map<string, string | null>(names.map((name) => [name, null]));
      for (const [id, parent] of moves) {
        const edges = [...parents].map(([name, above]) => edge(name, above));
        const after = new Map(parents).set(id, parent);
        const levels = maxDepth(after);
        const placement = placementOf(edges, id, parent);
        expect(placement).toBe(levels === null ? 'circular' : levels > 10 ? 'too_deep' : 'fits');
        if (placement === 'fits') parents.set(id, parent);
      }
    }), { numRuns: 200 });
  });
});

/** The deepest level, computed upwards from each group; null if there is a cycle. */
function maxDepth(parents: ReadonlyMap<string, string | null>): number | null {
  let max = 0;
  for (const start of parents.keys()) {
    let level = 0;
    for (let at: string | null = start; at !== null; at = parents.get(at) ?? null) {
      level += 1;
      if (level > parents.size) return null;
    }
    max = Math.max(max, level);
  }
  return max;
}
