import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssignmentDoc } from '../../../controller/assignments/assignment-doc.ts';
import { eligibleProbes, planMonitor } from '../../../controller/assignments/assigned-regions.ts';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { derivedId } from '../../../shared/ids.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

/** Enough for even shares of all probes. */
const MANY = monitorsOf(20_000);
/** Enough to count moves. */
const SOME = MANY.slice(0, 1000);
const MAX_PROBES = 12;
const probeIds = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => derivedId('probe', from + at));

type Probe = Parameters<typeof eligibleProbes>[0][number];

interface Settled {
  moved: number;
  /** The fewest moves that lead from the loads before to the loads after. */
  fewest: number;
  /** The load of the fullest active probe, as a multiple of the mean. */
  fullest: number;
}

/** A region whose monitors are planned for its probes, with every plan applied. */
class Region {
  #loads = new Map<string, number>();
  readonly #items = new Map<string, AssignmentDoc>();
  readonly #monitors: typeof SOME;

  constructor(monitors = SOME) {
    this.#monitors = monitors;
  }

  loadOf(probeId: string): number {
    return this.#loads.get(probeId) ?? 0;
  }

  settle(eligible: readonly string[]): Settled {
    const before = this.#loads;
    let moved = 0;
    let stayed = 0;
    for (const { monitor, wanted } of this.#monitors) {
      const held = this.#items.get(monitor._id);
      const [added, taken] = planMonitor({ monitor, wanted, held: held ? [held] : [] }, () => eligible);
      if (!added) continue;
      if (held && (taken?.probe_id !== held.probe_id || taken.assignment !== null)) stayed += 1;
      const item = { ...added, _id: `${added.probe_id}:${monitor._id}`, rev: 1, gone: false, changed_at: 0 };
      this.#items.set(monitor._id, item);
      moved += 1;
    }
    expect(stayed).toBe(0);
    this.#loads = new Map();
    for (const { probe_id: id } of this.#items.values()) this.#loads.set(id, this.loadOf(id) + 1);
    const gains = eligible.map((id) => Math.max(0, this.loadOf(id) - (before.get(id) ?? 0)));
    return {
      moved,
      fewest: gains.reduce((sum, gain) => sum + gain, 0),
      fullest: Math.max(...this.#loads.values()) / (this.#monitors.length / eligible.length),
    };
  }
}

function monitorsOf(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const id = derivedId('monitor', at);
    const monitor = { _id: id, organization_id: 'o', revision: 1 };
    return { monitor, wanted: new Map([['r', assignmentOf(id)]]) };
  });
}

function assignmentOf(id: string): Assignment {
  return {
    monitor_id: id, organization_id: 'o', project_id: 'p', assignment_rev: 1, interval_ms: 60_000,
    timeout_ms: 1000, phase_ms: 1, retries: 1, allow_private: true, spec: { type: 'X' },
  };
}

describe('a region with 1 to 12 probes', () => {
  test('with 20,000 monitors, a joining probe gets its share, nothing else moves, and no probe exceeds 1.1 times the mean', () => {
    const region = new Region(MANY);
    region.settle(probeIds(1));
    for (let count = 2; count <= MAX_PROBES; count += 1) {
      const ids = probeIds(count);
      const { moved, fullest } = region.settle(ids);
      const share = region.loadOf(ids[count - 1] as string);
      expect(moved).toBe(share);
      // About two standard deviations of a fair draw.
      expect(share).toBeLessThan((MANY.length / count) * 1.05);
      expect(fullest).toBeLessThan(1.1);
    }
  });

  test('a leaving probe gives away its own monitors, and nothing else moves', () => {
    const region = new Region();
    region.settle(probeIds(MAX_PROBES));
    for (let count = MAX_PROBES - 1; count >= 1; count -= 1) {
      const own = region.loadOf(probeIds(count + 1)[count] as string);
      expect(region.settle(probeIds(count)).moved).toBe(own);
    }
  });

  test('several probes that leave or join move only their own monitors', () => {
    const region = new Region();
    const all = probeIds(MAX_PROBES);
    region.settle(all);
    const lost = all.slice(0, 5);
    const owned = lost.reduce((sum, id) => sum + region.loadOf(id), 0);
    expect(region.settle(all.slice(5)).moved).toBe(owned);
    // They get back exactly the monitors that they had.
    expect(region.settle(all).moved).toBe(owned);
    expect(lost.reduce((sum, id) => sum + region.loadOf(id), 0)).toBe(owned);
  });

  test('a replacement in one change moves no more than a join plus a leave', () => {
    for (const count of [2, 6]) {
      const [together, inTurn] = [new Region(), new Region()];
      const [old, replaced] = [probeIds(count), probeIds(count, 1)];
      for (const region of [together, inTurn]) region.settle(old);
      const steps = inTurn.settle(probeIds(count + 1)).moved + inTurn.settle(replaced).moved;
      expect(together.settle(replaced).moved).toBeLessThanOrEqual(steps);
    }
  });
});

const change = fc.record({
  at: fc.nat(MAX_PROBES - 1),
  to: fc.constantFrom<Partial<Probe>>(
    { presence: 'away' }, { presence: 'returned' }, { presence: 'steady' },
    { isDraining: true }, { isDraining: false }, { isQuarantined: true }, { isQuarantined: false },
  ),
});

test('any sequence of single-probe changes moves the fewest monitors each time', () => {
  const life = fc.array(change, { minLength: 10, maxLength: 30 });
  fc.assert(fc.property(fc.integer({ min: 2, max: MAX_PROBES }), life, (count, changes) => {
    const probes = probeIds(count).map((probeId): Probe =>
      ({ probeId, presence: 'steady', isDraining: false, isQuarantined: false }));
    const region = new Region();
    let eligible = eligibleProbes(probes);
    region.settle(eligible);
    for (const { at, to } of changes) {
      Object.assign(probes[at % count] as Probe, to);
      const next = eligibleProbes(probes);
      if (next.join() === eligible.join()) continue;
      eligible = next;
      const { moved, fewest } = region.settle(eligible);
      expect(moved).toBeLessThanOrEqual(fewest * 1.05);
    }
  }), { numRuns: fewOrAll(2, 5) });
});
