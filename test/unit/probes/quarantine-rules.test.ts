import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeProblem, PreviousQuarantine, Quarantine, ProbeProblemKind } from '../../../controller/probes/probe.ts';
import {
  decideQuarantines, problemOf, sparedProbes, type ProbeHealth,
} from '../../../controller/probes/quarantine-rules.ts';
import { recordBeat, type BeatTrack } from '../../../controller/probes/rules.ts';
import type { Beat } from '../../../shared/contracts/beat.ts';

const NOW = 1_000_000_000;
const MINUTE_MS = 60_000;

function trackOf(change: Partial<Beat> = {}, offMs = 0): BeatTrack {
  const beat: Beat = {
    v: 1, epoch: 'a', sent_at: NOW - offMs, started_at: 1, version: 't', capabilities: [], revision: 1,
    monitors: 1, in_flight: 0, spool_depth: 0, load: 0, lateness_ms: 0, missed_rate: 0, lost_rate: 0, ...change,
  };
  return recordBeat(null, beat, { now: NOW, mono: 0, silentMs: 0 });
}

const found = (problem: ProbeProblemKind): ProbeProblem => ({ problem, reason: problem });
const quarantine = (change: Partial<Quarantine> = {}): Quarantine =>
  ({ ...found('late'), since: NOW, bad_at: NOW, clean_ms: 3 * MINUTE_MS, ...change });
const probe = (id: string, change: Partial<ProbeHealth> = {}): ProbeHealth =>
  ({ id, isLive: true, quarantine: null, before: null, found: null, unchangedMs: 0, ...change });
const healthy = (count: number) => Array.from({ length: count }, (_, at) => probe(`healthy-${at}`));
const kinds = (probes: ProbeHealth[], now = NOW) =>
  decideQuarantines(probes, now).map(({ kind, id }) => `${kind} ${id}`);

describe('the problem of a probe', () => {
  test.each([
    ['nothing', trackOf(), null, null],
    ['a clock a minute behind', trackOf({}, MINUTE_MS), null, 'Its clock is off by 60 s'],
    ['late checks', trackOf({ lateness_ms: 4000 }), null, 'Its checks start up to 4 s late'],
    ['missed checks', trackOf({ missed_rate: 0.75 }), null, 'It misses 75 % of its checks'],
    ['lost results', trackOf({ lost_rate: 0.25 }), null,
      'It loses 25 % of its results because its disk is full or failing'],
    ['few lost results', trackOf({ lost_rate: 0.09 }), null, null],
    ['votes against the others', trackOf(), { monitors: 20, against: 10 },
      'It reports 10 of 20 monitors down that are up in most other regions'],
    ['few votes against the others', trackOf(), { monitors: 9, against: 9 }, null],
    ['a small share of votes against the others', trackOf(), { monitors: 100, against: 49 }, null],
  ])('%s', (_name, track, agreement, reason) => {
    expect(problemOf(track, agreement, 0)?.reason ?? null).toBe(reason);
  });

  test('is doubled if two processes alternate', () => {
    const at = { now: NOW, mono: 0, silentMs: 0 };
    const turns = ['a', 'b', 'a'].reduce<BeatTrack | null>(
      (track, epoch) => recordBeat(track, { ...trackOf().beat, epoch }, at), null,
    );
    expect(problemOf(turns, null, 1)).toMatchObject({ problem: 'doubled' });
    expect(problemOf(turns, null, 2 * MINUTE_MS)).toBeNull();
  });
});

describe('a probe is quarantined', () => {
  test.each([
    ['doubled', 0], ['clock', 30_000], ['late', 60_000], ['missed', 120_000], ['lost', 120_000],
    ['disagrees', 150_000],
  ] as const)('for %s after %i ms without a break', (problem, minDurationMs) => {
    const at = (unchangedMs: number) => kinds([probe('bad', { found: found(problem), unchangedMs }), ...healthy(2)]);
    expect(at(minDurationMs)).toEqual(['enter bad']);
    expect(at(minDurationMs - 1)).toEqual([]);
  });

  test('only if at most half of the probes look bad, or for a doubled identity', () => {
    const bad = (id: string, problem: ProbeProblemKind) => probe(id, { found: found(problem), unchangedMs: 10 * MINUTE_MS });
    expect(kinds([bad('a', 'late'), ...healthy(1)])).toEqual(['enter a']);
    expect(kinds([bad('a', 'late')])).toEqual([]);
    expect(kinds([bad('a', 'late'), bad('b', 'disagrees'), ...healthy(1)])).toEqual([]);
    expect(kinds([bad('a', 'clock'), probe('b', { quarantine: quarantine() }), ...healthy(1)])).toEqual([]);
    expect(kinds([bad('a', 'doubled'), bad('b', 'late'), ...healthy(1)])).toEqual(['enter a']);
    expect(kinds([bad('a', 'late'), probe('away', { isLive: false })])).toEqual([]);
  });

  test('unless more than half look bad, which are listed', () => {
    const bad = (id: string, problem: ProbeProblemKind, unchangedMs = 10 * MINUTE_MS) =>
      probe(id, { found: found(problem), unchangedMs });
    const spared = (probes: ProbeHealth[]) => sparedProbes(probes).map(({ id }) => id);
    expect(spared([bad('a', 'clock'), bad('b', 'doubled'), bad('new', 'clock', 0)])).toEqual(['a']);
    expect(spared([bad('a', 'clock'), ...healthy(1)])).toEqual([]);
    expect(spared([bad('a', 'clock'), probe('b', { quarantine: quarantine() }), ...healthy(1)])).toEqual(['a']);
  });

  test('for twice as long after a relapse within an hour, at most an hour', () => {
    const cleanMs = (before: PreviousQuarantine | null) => {
      const [decision] =
        decideQuarantines([probe('bad', { before, found: found('doubled') }), ...healthy(1)], NOW);
      return decision?.quarantine.clean_ms;
    };
    expect(cleanMs(null)).toBe(3 * MINUTE_MS);
    expect(cleanMs({ ended_at: NOW - 59 * MINUTE_MS, clean_ms: 6 * MINUTE_MS })).toBe(12 * MINUTE_MS);
    expect(cleanMs({ ended_at: NOW - MINUTE_MS, clean_ms: 50 * MINUTE_MS })).toBe(60 * MINUTE_MS);
    expect(cleanMs({ ended_at: NOW - 60 * MINUTE_MS, clean_ms: 6 * MINUTE_MS })).toBe(3 * MINUTE_MS);
  });
});

describe('a quarantine', () => {
  const held = (unchangedMs: number, change: Partial<ProbeHealth> = {}) =>
    [probe('bad', { quarantine: quarantine(), unchangedMs, ...change })];

  test('ends after no problem was found for long enough, including by this controller', () => {
    const later = NOW + 3 * MINUTE_MS;
    expect(kinds(held(3 * MINUTE_MS), later)).toEqual(['leave bad']);
    expect(kinds(held(3 * MINUTE_MS), later - 1)).toEqual([]);
    // A controller that has just started.
    expect(kinds(held(MINUTE_MS), later + 60 * MINUTE_MS)).toEqual([]);
    expect(kinds(held(3 * MINUTE_MS, { isLive: false }), later)).toEqual([]);
  });

  test('continues while there is a problem, which is stored every 30 s', () => {
    const bad = held(MINUTE_MS, { found: found('late') });
    expect(kinds(bad, NOW + 29_999)).toEqual([]);
    const [decision] = decideQuarantines(bad, NOW + 30_000);
    expect(decision).toMatchObject({ kind: 'confirm', quarantine: { since: NOW, bad_at: NOW + 30_000 } });
    expect(kinds(held(0, { found: found('clock') }), NOW + 1)).toEqual(['confirm bad']);
  });
});

/** Each step defines, per probe, whether it is live and its problem. */
const history = fc.array(
  fc.array(fc.record({
    isLive: fc.boolean(),
    problem: fc.constantFrom<ProbeProblemKind | null>(null, null, null, 'doubled', 'clock', 'late', 'missed', 'disagrees'),
  }), { minLength: 5, maxLength: 5 }),
  { minLength: 1, maxLength: 60 },
);

test('no healthy probe enters, no bad one leaves, and at least half keep their vote', () => {
  fc.assert(fc.property(history, (steps) => {
    const stored = new Map<string, { quarantine: Quarantine | null; before: PreviousQuarantine | null }>();
    const streaks = new Map<string, { isBad: boolean; since: number }>();
    const badAt = new Map<string, number>();
    steps.forEach((step, index) => {
      const now = NOW + index * 30_000;
      const probes = step.map(({ isLive, problem }, at): ProbeHealth => {
        const id = `p${at}`;
        const bad = isLive ? problem : null;
        const previous = streaks.get(id);
        const streak = isLive && previous?.isBad === (bad !== null) ? previous : { isBad: bad !== null, since: now };
        streaks.set(id, streak);
        if (bad) badAt.set(id, now);
        const { quarantine: held = null, before = null } = stored.get(id) ?? {};
        return {
          id, isLive, quarantine: held, before, found: bad && found(bad), unchangedMs: now - streak.since,
        };
      });
      for (const { kind, id, quarantine: next } of decideQuarantines(probes, now)) {
        const { found: wrong, isLive } = probes.find((one) => one.id === id) as ProbeHealth;
        expect(isLive).toBe(true);
        expect(wrong === null).toBe(kind === 'leave');
        if (kind === 'leave') expect(now - (badAt.get(id) ?? -Infinity)).toBeGreaterThanOrEqual(next.clean_ms);
        const before = kind === 'leave' ? { ended_at: now, clean_ms: next.clean_ms } : null;
        stored.set(id, { quarantine: kind === 'leave' ? null : next, before });
        if (kind !== 'enter' || next.problem === 'doubled') continue;
        const live = probes.filter((one) => one.isLive);
        const muted = live.filter(({ id: other }) => stored.get(other)?.quarantine);
        expect(muted.length * 2).toBeLessThanOrEqual(live.length);
      }
    });
  }));
});
