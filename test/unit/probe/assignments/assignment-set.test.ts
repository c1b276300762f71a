import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssignmentSet } from '../../../../probe/assignments/assignment-set.ts';
import type { Assignment, AssignmentChange } from '../../../../shared/contracts/assignment.ts';
import { buildAssignment } from '../build.ts';

const NOW = 1_760_000_000_000;

describe('the assignment set', () => {
  test('applies changes and reports new, edited and removed assignments', () => {
    const set = new AssignmentSet();
    const [one, two] = [buildAssignment(), buildAssignment()];
    expect(set.apply({ revision: 1, reset: false, changes: [{ set: one }, { set: two }] }, NOW))
      .toMatchObject({
        changed: [{ assignment: one, sinceMs: NOW }, { assignment: two }], adjusted: [], gone: [],
      });
    const moved = { ...one, phase_ms: 77 };
    expect(
      set.apply({ revision: 2, reset: false, changes: [{ set: moved }, { gone: two.monitor_id }] }, NOW + 5),
    ).toEqual({ changed: [], adjusted: [{ assignment: moved, sinceMs: NOW }], gone: [two.monitor_id] });
    const edited = { ...moved, assignment_rev: 2 };
    expect(set.apply({ revision: 3, reset: false, changes: [{ set: edited }] }, NOW + 9).changed).toEqual([
      { assignment: edited, sinceMs: NOW + 9 },
    ]);
    expect({ revision: set.revision, size: set.size }).toEqual({ revision: 3, size: 1 });
  });

  test('is replaced entirely by a reset', () => {
    const set = new AssignmentSet();
    const [one, two, three] = [buildAssignment(), buildAssignment(), buildAssignment()];
    set.apply({ revision: 9, reset: false, changes: [{ set: one }, { set: two }] }, NOW);
    const applied = set.apply({ revision: 4, reset: true, changes: [{ set: two }, { set: three }] }, NOW + 1);
    expect(applied).toEqual({
      changed: [{ assignment: three, sinceMs: NOW + 1 }], adjusted: [{ assignment: two, sinceMs: NOW }],
      gone: [one.monitor_id],
    });
    expect(set.revision).toBe(4);
  });

  test('accepts a change only if it starts at the current revision', () => {
    const set = new AssignmentSet(5);
    const delta = { revision: 6, changes: [], more: null };
    expect(set.follows({ ...delta, from: 5, reset: false })).toBe(true);
    expect(set.follows({ ...delta, from: 4, reset: false })).toBe(false);
    expect(set.follows({ ...delta, from: 6, reset: false })).toBe(false);
    expect(set.follows({ ...delta, from: 0, reset: true })).toBe(true);
  });

  test('ends with the latest assignments, and its reports describe exactly the way there', () => {
    const monitors = Array.from({ length: 6 }, () => buildAssignment());
    const change = fc.record({ at: fc.nat(5), rev: fc.integer({ min: 1, max: 3 }), isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(
        fc.record({ reset: fc.boolean(), changes: fc.array(change, { maxLength: 6 }) }), { maxLength: 12 },
      ), (deltas) => {
        const set = new AssignmentSet();
        const wanted = new Map<string, Assignment>();
        const run = new Map<string, Assignment>();
        deltas.forEach(({ reset, changes }, index) => {
          if (reset) wanted.clear();
          const list: AssignmentChange[] = changes.map(({ at, rev, isGone }) => {
            const set = { ...(monitors[at] as Assignment), assignment_rev: rev };
            if (isGone) wanted.delete(set.monitor_id);
            else wanted.set(set.monitor_id, set);
            return isGone ? { gone: set.monitor_id } : { set };
          });
          const applied = set.apply({ revision: index + 1, reset, changes: list }, NOW);
          for (const { assignment } of [...applied.changed, ...applied.adjusted]) {
            run.set(assignment.monitor_id, assignment);
          }
          for (const monitorId of applied.gone) if (!set.get(monitorId)) run.delete(monitorId);
          expect(
            new Map([...set.values()].map(({ assignment }) => [assignment.monitor_id, assignment])),
          ).toEqual(wanted);
          expect(run).toEqual(wanted);
        });
      }),
    );
  });
});
