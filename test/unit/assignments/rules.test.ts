import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssignmentDoc } from '../../../controller/assignments/assignment-doc.ts';
import {
  chooseProbe, chooseSome, eligibleProbes, movesAmong, planMonitor,
} from '../../../controller/assignments/assigned-regions.ts';
import { phaseMs } from '../../../controller/monitors/slot-rules.ts';
import type { Presence } from '../../../controller/probes/rules.ts';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { derivedId } from '../../../shared/ids.ts';

const monitors = Array.from({ length: 5000 }, (_, at) => derivedId('monitor', at));
const probes = (count: number) => Array.from({ length: count }, (_, at) => derivedId('probe', at));

describe('choosing a probe', () => {
  test('spreads monitors evenly over the probes', () => {
    for (const count of [2, 3, 5, 8]) {
      const load = new Map<string, number>();
      for (const id of monitors) {
        const probe = chooseProbe(id, probes(count)) as string;
        load.set(probe, (load.get(probe) ?? 0) + 1);
      }
      const fair = monitors.length / count;
      expect(load.size).toBe(count);
      // Five standard deviations of a fair draw.
      for (const share of load.values()) expect(Math.abs(share - fair)).toBeLessThan(5 * Math.sqrt(fair));
    }
  });

  test('moves only the monitors of a lost probe, and gives a new probe only its share', () => {
    const before = probes(5);
    const after = before.slice(1);
    for (const id of monitors) {
      const was = chooseProbe(id, before);
      const is = chooseProbe(id, after);
      if (was !== before[0]) expect(is).toBe(was);
    }
  });

  test('does not depend on the order of the probes, and gives null without any', () => {
    for (const id of monitors.slice(0, 100)) {
      expect(chooseProbe(id, probes(6).reverse())).toBe(chooseProbe(id, probes(6)));
    }
    expect(chooseProbe('m', [])).toBeNull();
  });
});

describe('choosing some regions', () => {
  test('returns at most the limit, sorted and stable', () => {
    const ids = ['d', 'a', 'c', 'b'];
    expect(chooseSome('x', ids, 9)).toEqual(['a', 'b', 'c', 'd']);
    const some = chooseSome('x', ids, 2);
    expect(some).toHaveLength(2);
    expect(chooseSome('x', [...ids].reverse(), 2)).toEqual(some);
  });
});

describe('the phase', () => {
  test('lies within the interval, is stable, and spaces the regions evenly', () => {
    const interval = fc.integer({ min: 1000, max: 86_400_000 });
    fc.assert(
      fc.property(fc.uuid(), interval, fc.integer({ min: 1, max: 20 }), (id, intervalMs, regions) => {
        const phases = Array.from({ length: regions }, (_, index) => phaseMs(id, intervalMs, index, regions));
        for (const phase of phases) {
          expect(phase >= 0 && phase < intervalMs && Number.isInteger(phase)).toBe(true);
        }
        const sorted = [...phases].sort((a, b) => a - b);
        const ends = [...sorted.slice(1), (sorted[0] as number) + intervalMs];
        const gaps = ends.map((end, at) => end - (sorted[at] as number));
        for (const gap of gaps) expect(Math.abs(gap - intervalMs / regions)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('spreads 5,000 monitors over a minute: no second starts more than 1.5 times its share', () => {
    const seconds = new Array<number>(60).fill(0);
    for (const id of monitors) {
      const second = Math.floor(phaseMs(id, 60_000, 0, 1) / 1000);
      seconds[second] = (seconds[second] as number) + 1;
    }
    const mean = monitors.length / 60;
    expect(Math.max(...seconds)).toBeLessThanOrEqual(mean * 1.5);
  });
});

describe('eligible probes', () => {
  const probe = (probeId: string, presence: Presence, isDraining = false, isQuarantined = false) =>
    ({ probeId, presence, isDraining, isQuarantined });
  test('are the steady ones that are not draining', () => {
    const all = [
      probe('b', 'steady'), probe('a', 'steady'), probe('c', 'away'), probe('d', 'steady', true),
      probe('e', 'returned'),
    ];
    expect(eligibleProbes(all)).toEqual(['a', 'b']);
  });
  test('are otherwise the best of the rest, so that the last probe keeps its monitors', () => {
    expect(eligibleProbes([probe('a', 'away'), probe('b', 'returned'), probe('c', 'steady', true)])).toEqual(['b']);
    expect(eligibleProbes([probe('a', 'away'), probe('b', 'steady', true)])).toEqual(['b']);
    expect(eligibleProbes([probe('a', 'away'), probe('b', 'away', true)])).toEqual(['a']);
    expect(eligibleProbes([probe('b', 'away', true)])).toEqual(['b']);
    expect(eligibleProbes([])).toEqual([]);
  });
  test('include probes in quarantine only if all others are away', () => {
    const doubted = probe('q', 'steady', false, true);
    expect(eligibleProbes([doubted, probe('a', 'steady')])).toEqual(['a']);
    expect(eligibleProbes([doubted, probe('a', 'steady', true)])).toEqual(['a']);
    expect(eligibleProbes([doubted, probe('a', 'away')])).toEqual(['q']);
    expect(eligibleProbes([doubted])).toEqual(['q']);
  });
});

describe('monitors of a region move', () => {
  const probe = (probeId: string, presence: Presence, isDraining = false) =>
    ({ probeId, presence, isDraining, isQuarantined: false });

  test('to its steady probes, and away from a returned one only once it is steady', () => {
    expect(movesAmong([probe('a', 'away'), probe('b', 'steady')])).toEqual({ targets: ['b'], keepers: [] });
    expect(movesAmong([probe('a', 'returned'), probe('b', 'steady')])).toEqual({ targets: ['b'], keepers: ['a'] });
    expect(movesAmong([probe('a', 'away'), probe('b', 'steady', true)])).toEqual({ targets: ['b'], keepers: [] });
  });

  test('not at all while all are away or none has returned for good', () => {
    const targets = (...all: Presence[]) => movesAmong(all.map((presence, at) => probe(`p${at}`, presence))).targets;
    expect(targets('away', 'away')).toEqual([]);
    expect(targets('away', 'returned')).toEqual([]);
    expect(targets('returned', 'returned')).toEqual([]);
    expect(targets('steady', 'returned')).toEqual(['p0']);
    expect(targets('steady', 'steady')).toEqual(['p0', 'p1']);
  });
});

describe('planning a monitor', () => {
  const monitorId = monitors[0] as string;
  const assignment = (rev: number): Assignment => ({
    monitor_id: monitorId, organization_id: 'o', project_id: 'p', assignment_rev: rev,
    interval_ms: 60_000, timeout_ms: 1000, phase_ms: 1, retries: 1, allow_private: true, spec: { type: 'X' },
  });
  const item = (probeId: string, change: Partial<AssignmentDoc> = {}): AssignmentDoc => ({
    _id: `${probeId}:${monitorId}`, probe_id: probeId, monitor_id: monitorId, organization_id: 'o',
    region: 'r', rev: 3, gone: false, monitor_rev: 1, assignment: assignment(1), changed_at: 0, ...change,
  });
  const plan = (held: AssignmentDoc[], wanted: [string, Assignment][], revision = 1) => ({
    monitor: { _id: monitorId, organization_id: 'o', revision }, wanted: new Map(wanted), held,
  });
  const wanted = (rev: number): [string, Assignment][] => [['r', assignment(rev)]];
  const only = (...ids: string[]) => () => ids;

  test('assigns a new monitor and then changes nothing', () => {
    const added = { probe_id: 'a', region: 'r', assignment: { assignment_rev: 1 } };
    expect(planMonitor(plan([], wanted(1)), only('a'))).toMatchObject([added]);
    expect(planMonitor(plan([item('a')], wanted(1)), only('a'))).toEqual([]);
  });

  test('sends an edit to the probe that has the monitor', () => {
    const changes = planMonitor(plan([item('a')], wanted(2), 2), only('a'));
    expect(changes).toMatchObject([{ probe_id: 'a', monitor_rev: 2 }]);
  });

  test('removes a paused monitor from every probe, once', () => {
    const changes = planMonitor(plan([item('a'), item('b', { region: 's' })], [], 2), only('a'));
    expect(changes.map((change) => [change.probe_id, change.assignment])).toEqual([['a', null], ['b', null]]);
    const tombstone = item('a', { gone: true, assignment: null, monitor_rev: 2 });
    expect(planMonitor(plan([tombstone], [], 2), only('a'))).toEqual([]);
  });

  test('leaves one probe per region if two have the monitor', () => {
    const target = chooseProbe(monitorId, ['a', 'b']) as string;
    const other = target === 'a' ? 'b' : 'a';
    const changes = planMonitor(plan([item('a'), item('b')], wanted(1)), only('a', 'b'));
    expect(changes).toMatchObject([{ probe_id: other, assignment: null }]);
  });

  test('rewrites a change that has no revision yet', () => {
    expect(planMonitor(plan([item('a', { pending: 'a' })], wanted(1)), only('a'))).toHaveLength(1);
  });

  test('ignores monitors planned for a later revision', () => {
    expect(planMonitor(plan([item('a', { monitor_rev: 2 })], [], 1), only('a'))).toEqual([]);
  });

  test('removes nothing in a region without a probe to take over', () => {
    expect(planMonitor(plan([item('a')], wanted(1)), only())).toEqual([]);
  });
});
