import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GATHER_MS, Scheduler } from '../../../../probe/scheduler/scheduler.ts';
import { nextSlot } from '../../../../probe/scheduler/slots.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import type { Clock } from '../../../../shared/time.ts';
import { buildAssignment } from '../build.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

/**
 * A clock whose wall time can be set independently of its monotonic time, and that can pass time without running
 * timers.
 */
class JumpingClock extends SimulatedClock {
  offsetMs = 0;
  stalledMs = 0;
  override now(): number {
    return super.now() + this.offsetMs + this.stalledMs;
  }
  override monotonic(): number {
    return super.monotonic() + this.stalledMs;
  }
}

interface Seen {
  id: string;
  kind: 'due' | 'missed';
  atMs: number;
  count: number;
  whenMs: number;
  reason?: string;
}

function watch(clock: Clock): { scheduler: Scheduler; seen: Seen[] } {
  const seen: Seen[] = [];
  const scheduler = new Scheduler(clock, {
    due: (assignment, dueMs) => seen.push({
      id: assignment.monitor_id, kind: 'due', atMs: dueMs, count: 1, whenMs: clock.now(),
    }),
    missed: (assignment, run, reason) => seen.push({
      id: assignment.monitor_id, kind: 'missed', ...run, whenMs: clock.now(), reason,
    }),
  });
  scheduler.start();
  return { scheduler, seen };
}

describe('the scheduler', () => {
  test('starts every slot once, on time, for hours and without drift', async () => {
    const clock = new SimulatedClock();
    const { scheduler, seen } = watch(clock);
    const monitors = [1000, 7000, 60_000, 3_600_000].map(
      (interval, at) => buildAssignment({ interval_ms: interval, phase_ms: 250 * at }),
    );
    for (const monitor of monitors) scheduler.set(monitor);
    const startMs = clock.now();
    await clock.advance(2 * 3_600_000);
    for (const { monitor_id, interval_ms, phase_ms } of monitors) {
      const expected: number[] = [];
      for (let slot =
        nextSlot({ interval_ms, phase_ms }, startMs); slot <= clock.now(); slot += interval_ms) {
        expected.push(slot);
      }
      const mine = seen.filter((each) => each.id === monitor_id && each.atMs <= clock.now() - 10);
      expect(mine.map((each) => each.atMs)).toEqual(expected.filter((slot) => slot <= clock.now() - 10));
      expect(Math.max(...mine.map((each) => each.whenMs - each.atMs))).toBeLessThanOrEqual(1);
    }
  });

  test('starts a few checks together if they are due at almost the same time, and many on time', async () => {
    for (const { perSecond, latestMs, maxWakes } of [
      { perSecond: 5, latestMs: 6, maxWakes: 5 }, { perSecond: 40, latestMs: GATHER_MS + 6, maxWakes: 10 },
      { perSecond: 250, latestMs: 6, maxWakes: 250 },
    ]) {
      const clock = new SimulatedClock();
      const { scheduler, seen } = watch(clock);
      for (let at = 0; at < perSecond; at += 1) {
        scheduler.set(buildAssignment({ interval_ms: 1000, phase_ms: Math.floor((at * 1000) / perSecond) }));
      }
      // After the first second, the rate is known.
      await clock.advance(2000);
      const fromMs = clock.now();
      await clock.advance(10_000);
      const due = seen.filter((each) => each.atMs > fromMs);
      expect(due.length, `${perSecond} a second`).toBeGreaterThan(9 * perSecond);
      expect(
        Math.max(...due.map((each) => each.whenMs - each.atMs)), `${perSecond} a second`,
      ).toBeLessThanOrEqual(latestMs);
      expect(new Set(due.map((each) => each.whenMs)).size, `${perSecond} a second`).toBeLessThanOrEqual(
        maxWakes * 10,
      );
      scheduler.stop();
    }
  });

  test('checks a new assignment immediately and then by its phase', async () => {
    const clock = new SimulatedClock();
    const { scheduler, seen } = watch(clock);
    await clock.advance(1234);
    const monitor = buildAssignment({ interval_ms: 60_000, phase_ms: 59_000 });
    const addedMs = clock.now();
    scheduler.set(monitor, addedMs);
    await clock.advance(120_000);
    expect(seen[0]).toMatchObject({ kind: 'due', atMs: addedMs });
    expect((seen[0] as Seen).whenMs - addedMs).toBeLessThanOrEqual(6);
    expect((seen[1] as Seen).atMs).toBe(nextSlot(monitor, addedMs));
  });

  test('keeps the immediate check of a new assignment if the assignment changes first', async () => {
    const clock = new SimulatedClock();
    const { scheduler, seen } = watch(clock);
    await clock.advance(1234);
    const monitor = buildAssignment({ interval_ms: 3_600_000, phase_ms: 59_000 });
    scheduler.set(monitor, clock.now());
    scheduler.set({ ...monitor, retries: 3 });
    await clock.advance(100);
    expect(seen).toMatchObject([{ kind: 'due' }]);
    scheduler.set({ ...monitor, retries: 2 });
    await clock.advance(60_000);
    expect(seen).toHaveLength(1);
  });

  test('records missed slots once after a stall, and continues with the next slot', async () => {
    const clock = new JumpingClock();
    const { scheduler, seen } = watch(clock);
    const monitor = buildAssignment({ interval_ms: 10_000, phase_ms: 0 });
    scheduler.set(monitor);
    await clock.advance(10_000);
    seen.length = 0;
    const stoodFrom = clock.now();
    clock.stalledMs += 65_000;
    await clock.advance(15_000);
    expect(seen.filter((each) => each.kind === 'missed')).toMatchObject([
      { count: 6, reason: 'overload', atMs: nextSlot(monitor, stoodFrom) },
    ]);
    const following = nextSlot(monitor, stoodFrom + 65_000);
    expect(seen.filter((each) => each.kind === 'due').map((each) => each.atMs)).toEqual([
      following, following + 10_000,
    ]);
  });

  test('records missed slots as a clock jump after the wall clock is set forward, without a burst', async () => {
    const clock = new JumpingClock();
    const { scheduler, seen } = watch(clock);
    for (let at = 0; at < 100; at += 1) {
      scheduler.set(buildAssignment({ interval_ms: 60_000, phase_ms: at * 600 }));
    }
    await clock.advance(60_000);
    seen.length = 0;
    clock.offsetMs = 3_600_000;
    await clock.advance(60_000);
    const missed = seen.filter((each) => each.kind === 'missed');
    expect(missed).toHaveLength(100);
    expect(new Set(missed.map((each) => each.reason))).toEqual(new Set(['clock_jump']));
    expect(missed.every((each) => each.count === 60 || each.count === 61)).toBe(true);
    expect(
      maxWithin(seen.filter((each) => each.kind === 'due').map((each) => each.whenMs), 1000),
    ).toBeLessThanOrEqual(3);
  });

  test.each([60_000, -60_000])('reports the same lateness after the wall clock jumps by %d ms', async (stepMs) => {
    const clock = new JumpingClock();
    const { scheduler } = watch(clock);
    for (let at = 0; at < 100; at += 1) scheduler.set(buildAssignment({ interval_ms: 60_000, phase_ms: at * 600 }));
    await clock.advance(60_000);
    scheduler.takeLatenessMs();
    clock.offsetMs = stepMs;
    await clock.advance(5000);
    expect(scheduler.takeLatenessMs()).toBeLessThanOrEqual(6);
    clock.stalledMs += 700;
    await clock.advance(5000);
    expect(scheduler.takeLatenessMs()).toBeGreaterThanOrEqual(700);
  });

  test('causes neither a burst nor a silence after the wall clock is set back', async () => {
    const clock = new JumpingClock();
    const { scheduler, seen } = watch(clock);
    for (let at = 0; at < 100; at += 1) {
      scheduler.set(buildAssignment({ interval_ms: 60_000, phase_ms: at * 600 }));
    }
    await clock.advance(60_000);
    seen.length = 0;
    clock.offsetMs = -3_600_000;
    await clock.advance(61_000);
    expect(new Set(seen.map((each) => each.id)).size).toBe(100);
    expect(seen.length).toBeLessThanOrEqual(104);
    expect(maxWithin(seen.map((each) => each.whenMs), 1000)).toBeLessThanOrEqual(3);
    expect(Math.max(...seen.map((each) => each.whenMs - each.atMs))).toBeLessThanOrEqual(GATHER_MS + 6);
  });

  test('starts or misses every slot once, however assignments change, timers stall and the clock is set forward', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('add', 'change', 'remove'), at: fc.nat(4),
        ms: fc.integer({ min: 50, max: 20_000 }),
      }),
      fc.record({
        kind: fc.constantFrom('run', 'stall', 'forward'), at: fc.nat(4),
        ms: fc.integer({ min: 1, max: 90_000 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const clock = new JumpingClock();
        const { scheduler, seen } = watch(clock);
        const lives =
          new Map<string, { interval_ms: number; phase_ms: number; fromMs: number; untilMs: number }>();
        const ids = Array.from({ length: 5 }, () => buildAssignment().monitor_id);
        const current = new Map<string, string>();
        const end = (id: string): void => {
          const key = current.get(id);
          if (key) (lives.get(key) as { untilMs: number }).untilMs = scheduler.coveredUntilMs;
          current.delete(id);
        };
        let rev = 0;
        for (const { kind, at, ms } of steps) {
          const id = ids[at] as string;
          if (kind === 'add' || kind === 'change') {
            rev += 1;
            const fromMs =
              current.has(id) ? scheduler.coveredUntilMs : Math.max(clock.now(), scheduler.coveredUntilMs);
            end(id);
            const monitor =
              buildAssignment({ monitor_id: id, assignment_rev: rev, interval_ms: ms, phase_ms: ms >> 1 });
            lives.set(`${id}/${rev}`, { interval_ms: ms, phase_ms: ms >> 1, fromMs, untilMs: Infinity });
            current.set(id, `${id}/${rev}`);
            scheduler.set(monitor);
          } else if (kind === 'remove') {
            end(id);
            scheduler.remove(id);
          } else if (kind === 'stall') {
            clock.stalledMs += ms;
            await clock.advance(0);
          } else if (kind === 'forward') {
            clock.offsetMs += ms;
            await clock.advance(0);
          } else {
            await clock.advance(ms);
          }
        }
        await clock.advance(2000);
        const coveredMs = scheduler.coveredUntilMs;
        for (const id of ids) {
          const expected = [...lives].filter(([key]) => key.startsWith(id)).flatMap(
            ([, life]) => slotsOf(life, Math.min(life.untilMs, coveredMs)),
          );
          const got = seen.filter((each) => each.id === id).flatMap((each) => {
            const life = [...lives].filter(([key]) => key.startsWith(id)).map(([, one]) => one)
              .find((one) => one.fromMs < each.atMs && one.untilMs >= each.atMs &&
                nextSlot(one, each.atMs - 1) === each.atMs);
            return Array.from(
              { length: each.count }, (_, index) => each.atMs + index * (life?.interval_ms ?? NaN),
            );
          });
          expect(got.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
        }
        scheduler.stop();
      }),
      { numRuns: fewOrAll(50, 150) },
    );
  });
});

function slotsOf(life: { interval_ms: number; phase_ms: number; fromMs: number }, untilMs: number): number[] {
  const slots: number[] = [];
  for (let slot = nextSlot(life, life.fromMs); slot <= untilMs; slot += life.interval_ms) slots.push(slot);
  return slots;
}

function maxWithin(times: number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let max = 0;
  for (let from = 0, to = 0; to < sorted.length; to += 1) {
    while ((sorted[to] as number) - (sorted[from] as number) >= windowMs) from += 1;
    max = Math.max(max, to - from + 1);
  }
  return max;
}
