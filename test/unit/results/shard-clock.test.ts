import { describe, expect, test } from 'vitest';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState, RegionState } from '../../../controller/verdicts/monitor-state.ts';
import { isDueForWriting, savedThrough } from '../../../controller/results/writing/closed-hours.ts';
import {
  ClockScanner, SCAN_BATCH_SIZE, type ClockMessage, type ClockScannerDeps,
} from '../../../controller/results/clock/clock-scanner.ts';
import type { ClockDecision } from '../../../controller/results/journal/journal-store.ts';
import { ScanQueue } from '../../../controller/results/clock/due-monitors.ts';
import { SCANS_PER_CYCLE } from '../../../controller/results/clock/monitor-walk.ts';
import { SCAN_INTERVAL_MS, ShardClock } from '../../../controller/results/clock/shard-clock.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { MONITORS_PER_WRITE, SnapshotCompactor } from '../../../controller/results/clock/snapshot-compactor.ts';
import { newId } from '../../../shared/ids.ts';
import { Actor } from '../../../shared/actor/actor.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf, HOUR } from './build.ts';
import { shardMap } from '../../helpers/shard-map.ts';

/** Far more than one scan examines. */
const MANY = 3000;
const NO_DATA_AFTER_MS = 300_000;

interface ShardOptions {
  count?: number;
  /** Time of a monitor's last result, Unix ms; null makes it a heartbeat. */
  lastAt(number: number): number | null;
  deadline?(number: number): number;
}

function shardOfMany({ count = MANY, lastAt, deadline }: ShardOptions): { shard: ShardState; ids: string[] } {
  const ids = Array.from({ length: count }, (_, at) => newId(HOUR + at));
  const records = ids.map((id, at) => ({
    monitor_id: id, shard: 1, position: 0, outbox: [], state: stateOf(id, lastAt(at), deadline?.(at) ?? 0),
  }));
  return { shard: new ShardState(1, { n: 0, lanes: [], taken_at: HOUR }, records), ids };
}

function stateOf(id: string, lastAt: number | null, deadline: number): MonitorState {
  if (lastAt !== null) {
    const state = newMonitorState(configOf({ monitor_id: id, changed_at: HOUR }));
    const eu = {
      verdict: 'up' as const, degraded: false, slows: 0, fails: 0, first_fail_at: null, last_at: lastAt, engine: '1',
      response_time_ms: 5, status_code: 200, error: null, probe_id: 'p', reason: null,
    };
    return { ...state, status: 'up', regions: { eu } };
  }
  const heartbeat = { interval_ms: 60_000, grace_ms: 60_000 };
  const state = newMonitorState(configOf({ monitor_id: id, type: 'HEARTBEAT', heartbeat, changed_at: HOUR }));
  return {
    ...state, status: 'up',
    heartbeat: { last_at: deadline - 120_000, deadline, not_before: 0 },
  };
}

/** One shard's scans on a simulated clock, as the owner of many shards runs them. */
class Shard implements ClockedShard {
  readonly shard = 1;
  readonly isWriting = false;
  readonly clock: SimulatedClock;
  readonly decided = new Map<string, number>();
  /** Decisions about monitors, in order. */
  readonly found: ClockDecision[] = [];
  /** Monitors examined in each step. */
  readonly steps: { at: number; scanned: number }[] = [];
  readonly clocked: ShardClock;
  readonly quarantined = new Set<string>();
  /** Regions without a live probe. */
  readonly away = new Set<string>();
  readonly #state: ShardState;

  constructor(clock: SimulatedClock, state: ShardState) {
    this.clock = clock;
    this.#state = state;
    this.clocked = new ShardClock(
      state, clock.now(), {
        monotonic: () => clock.monotonic(),
        onFailed: (id) => expect.fail(`a rule failed for ${id}`), assigned: () => null, canGetMoreVotes: () => true,
        hasVote: (id) => !this.quarantined.has(id), hasLiveProbe: (region) => !this.away.has(region),
        noDataAfterMs: NO_DATA_AFTER_MS,
      },
    );
  }

  get size(): number {
    return this.#state.monitors.size;
  }

  beginScan(mayCloseHour: boolean): number {
    this.#state.takenAt = this.clock.now();
    this.#note(this.clocked.beginScan(this.clock.now(), mayCloseHour));
    return 0;
  }

  scan(limit: number): number {
    this.clocked.pingsPolled(this.clock.now());
    const { decisions, scanned } = this.clocked.scan(this.clock.now(), limit, false);
    this.#note(decisions);
    this.steps.push({ at: this.clock.monotonic(), scanned });
    expect(scanned).toBeLessThanOrEqual(limit);
    return scanned;
  }

  /** Stands in for the journal, which would apply the decisions. */
  #note(decisions: ClockDecision[]): void {
    for (const decision of decisions) {
      if (!('monitor_id' in decision)) continue;
      this.found.push(decision);
      expect(this.decided.has(decision.monitor_id)).toBe(false);
      this.decided.set(decision.monitor_id, this.clock.now());
      const monitor = this.#state.monitors.get(decision.monitor_id);
      if (monitor) monitor.state = { ...monitor.state, status: 'down', regions: {}, witnesses: null };
    }
  }
}

interface ClockedShard {
  shard: number;
  size: number;
  isWriting: boolean;
  beginScan(mayCloseHour: boolean): number;
  scan(limit: number): number;
}

/** Wraps the shards in actors. */
function inFlight(clock: SimulatedClock, shards: readonly ClockedShard[]): ClockScannerDeps['shards'] {
  const actors = new Map(shards.map((shard) => {
    const receive = (message: ClockMessage): void => {
      if (message.kind === 'beginScan') message.respond(shard.beginScan(message.mayCloseHour));
      else message.respond({ scanned: shard.scan(message.limit), isWriting: shard.isWriting });
    };
    const actor = new Actor<ClockMessage>({
      clock, capacity: 10, start: () => ({ receive }), onEnded: (error) => expect(error).toBeUndefined(),
    });
    actor.begin();
    return [shard.shard, actor];
  }));
  return {
    summaries: new Map(shards.map(({ shard, size }) => [shard, { monitors: size }])),
    get: (shard) => actors.get(shard),
  };
}

async function runScans(clock: SimulatedClock, shards: Shard[], count: number): Promise<void> {
  const all = new ClockScanner({ clock, shards: inFlight(clock, shards) });
  all.start();
  await clock.advance(count * SCAN_INTERVAL_MS + SCAN_INTERVAL_MS / 2);
  all.stop();
}

describe('the clock of a shard with many monitors', () => {
  test('reports every silent region, up to the limit of decisions per scan', async () => {
    const clock = new SimulatedClock();
    const start = clock.now();
    // Two intervals, the timeout and a grace of 15 s: regions fall silent between 60 s and 160 s from now.
    const { shard, ids } = shardOfMany({ lastAt: (number) => start - 85_000 + (number % 100) * 1000 });
    const one = new Shard(clock, shard);
    await runScans(clock, [one], 40);
    expect(one.decided.size).toBe(MANY);
    for (const [number, id] of ids.entries()) {
      // Silence counts only after 145 s of monitoring. Each scan then decides 500.
      const late =
        (one.decided.get(id) as number) - start - Math.max(145_000, 60_000 + (number % 100) * 1000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual((MANY / 500 + 1) * SCAN_INTERVAL_MS);
    }
  });

  test('removes the vote of regions whose probe is in quarantine, without waiting for silence', async () => {
    const clock = new SimulatedClock(HOUR + 120_000);
    const { shard } = shardOfMany({ count: 5, lastAt: () => HOUR + 120_000 });
    const one = new Shard(clock, shard);
    one.quarantined.add('p');
    await runScans(clock, [one], 2);
    expect(one.decided.size).toBe(5);
  });

  test('removes the "up" of regions without a live probe while another one votes "down"', async () => {
    const clock = new SimulatedClock(HOUR + 120_000);
    const { shard, ids } = shardOfMany({ count: 4, lastAt: () => clock.now() });
    const [doubted = '', alive = '', agreed = '', down = ''] = ids;
    for (const [id, other] of [[doubted, 'gone'], [alive, 'there'], [down, 'gone']] as const) {
      const monitor = shard.monitors.get(id) as { state: MonitorState };
      const up = monitor.state.regions['eu'] as RegionState;
      const regions = { [other]: up, us: { ...up, verdict: 'down' as const } };
      monitor.state = { ...monitor.state, status: id === down ? 'down' : 'up', regions };
    }
    const monitor = shard.monitors.get(agreed) as { state: MonitorState };
    monitor.state = { ...monitor.state, regions: { gone: monitor.state.regions['eu'] as RegionState } };
    const one = new Shard(clock, shard);
    one.away.add('gone');
    await runScans(clock, [one], 8);
    expect([...one.decided.keys()], 'after an interruption, probes may not have reported yet').toEqual([]);
    await runScans(clock, [one], 4);
    expect([...one.decided.keys()]).toEqual([doubted]);
    one.away.add('there');
    await runScans(clock, [one], 4);
    expect([...one.decided.keys()]).toEqual([doubted, alive]);
  });

  test('removes a witness vote when it expires or its probe is quarantined', async () => {
    const clock = new SimulatedClock(HOUR + 600_000);
    const { shard, ids } = shardOfMany({ count: 2, lastAt: () => clock.now() });
    for (const [number, id] of ids.entries()) {
      const monitor = shard.monitors.get(id) as { state: MonitorState };
      const berlin = {
        vote: 'up' as const, engine: '1', error: null, attempt: 1, at: clock.now(),
        probe_id: number === 0 ? 'sound' : 'bad',
      };
      monitor.state = { ...monitor.state, regions: {}, witnesses: { berlin } };
    }
    const one = new Shard(clock, shard);
    one.quarantined.add('bad');
    await runScans(clock, [one], 20);
    expect([...one.decided.keys()], 'two intervals, the timeout and 15 s are not over').toEqual([ids[1]]);
    await runScans(clock, [one], 15);
    expect([...one.decided.keys()]).toEqual([ids[1], ids[0]]);
  });

  test('alerts of monitors without data, but only after it has received data for long enough itself', async () => {
    const clock = new SimulatedClock(HOUR + 600_000);
    const start = clock.now();
    const { shard, ids } = shardOfMany({ count: 20, lastAt: () => HOUR });
    for (const [number, id] of ids.entries()) {
      const monitor = shard.monitors.get(id);
      const since = number < 10 ? HOUR : start + 60_000;
      if (monitor) monitor.state = { ...monitor.state, status: 'unknown', since, regions: {}, last_check_at: HOUR };
    }
    const one = new Shard(clock, shard);
    await runScans(clock, [one], 80);
    expect(one.decided.size).toBe(20);
    for (const [number, id] of ids.entries()) {
      const late =
        (one.decided.get(id) as number) - start - NO_DATA_AFTER_MS - (number < 10 ? 0 : 60_000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(SCAN_INTERVAL_MS);
    }
  });

  test('reports regions that fall silent one by one within a scan', async () => {
    const clock = new SimulatedClock();
    const start = clock.now();
    const { shard, ids } = shardOfMany({ lastAt: (number) => start + number * 100 });
    const one = new Shard(clock, shard);
    await runScans(clock, [one], 100);
    expect(one.decided.size).toBe(MANY);
    for (const [number, id] of ids.entries()) {
      const late = (one.decided.get(id) as number) - (start + number * 100 + 145_000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(SCAN_INTERVAL_MS + 1000);
    }
  });

  test('finds overdue heartbeats in time, including one that became due earlier by a change', async () => {
    const clock = new SimulatedClock();
    const start = clock.now();
    const { shard, ids } =
      shardOfMany({ lastAt: () => null, deadline: (number) => start + 20_000 + number * 100 });
    const one = new Shard(clock, shard);
    const changed = ids.at(-1) as string;
    clock.setTimer(12_000, () => {
      const monitor = shard.monitors.get(changed);
      if (monitor?.state.heartbeat) {
        monitor.state = { ...monitor.state, heartbeat: { ...monitor.state.heartbeat, deadline: start + 30_000 } };
      }
      one.clocked.applied({ ...EMPTY, configs: [configOf({ monitor_id: changed })] }, { changed: [], fresh: [] });
    });
    await runScans(clock, [one], 80);
    expect(one.decided.size).toBe(MANY);
    for (const [number, id] of ids.entries()) {
      const deadline = id === changed ? start + 30_000 : start + 20_000 + number * 100;
      const late = (one.decided.get(id) as number) - deadline;
      expect(late).toBeGreaterThanOrEqual(3000);
      expect(late).toBeLessThanOrEqual(3000 + SCAN_INTERVAL_MS + 1000);
    }
  });

  test('names the next due time of a schedule instead of a deadline before which a ping may be lost', async () => {
    const clock = new SimulatedClock(HOUR);
    const { shard, ids } = shardOfMany({ count: 2, lastAt: () => null, deadline: () => HOUR + 30_000 });
    const schedule = { cron: '*/5 * * * *', timezone: 'UTC' };
    for (const [number, id] of ids.entries()) {
      const monitor = shard.monitors.get(id) as { state: MonitorState };
      const { config, heartbeat } = monitor.state;
      monitor.state = {
        ...monitor.state, config: { ...config, heartbeat: { interval_ms: 1, grace_ms: 20_000, schedule } },
        heartbeat: { ...heartbeat!, ...(number === 0 ? { lost_until: HOUR + 601_000 } : {}) },
      };
    }
    const one = new Shard(clock, shard);
    await runScans(clock, [one], 12);
    expect(one.found).toEqual([
      { kind: 'due', monitor_id: ids[0], at: HOUR + 900_000 }, { kind: 'overdue', monitor_id: ids[1], at: HOUR + 30_000 },
    ]);
  });

  test('examines a limited number of monitors per step, and few more than once per cycle', async () => {
    const clock = new SimulatedClock();
    const start = clock.now();
    const { shard } = shardOfMany({ count: 4 * MANY, lastAt: () => start + 3_600_000 });
    const one = new Shard(clock, shard);
    await runScans(clock, [one], 3 * SCANS_PER_CYCLE);
    const turns = new Map<number, number>();
    for (const { at, scanned } of one.steps) turns.set(at, (turns.get(at) ?? 0) + scanned);
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(SCAN_BATCH_SIZE);
    const total = one.steps.reduce((sum, step) => sum + step.scanned, 0);
    expect(total).toBeGreaterThanOrEqual(3 * 4 * MANY);
    expect(total).toBeLessThanOrEqual(5 * 4 * MANY);
  });

  test('spreads a scan over small steps and completes it before the next, even with a million monitors', async () => {
    for (const size of [20_000, 100_000, 1_000_000]) {
      const clock = new SimulatedClock();
      const steps: { at: number; scanned: number }[] = [];
      const shards = Array.from({ length: shardMap.count }, (_, shard) => {
        let left = 0;
        return {
          shard, size: size / shardMap.count, isWriting: true,
          beginScan: () => {
            left = Math.round(size / shardMap.count / 6);
            return 0;
          },
          scan: (limit: number) => {
            const scanned = Math.min(limit, left);
            left -= scanned;
            steps.push({ at: clock.monotonic(), scanned });
            return scanned;
          },
        };
      });
      const all = new ClockScanner({ clock, shards: inFlight(clock, shards) });
      all.start();
      await clock.advance(2 * SCAN_INTERVAL_MS - 1);
      all.stop();
      expect(steps.reduce((sum, { scanned }) => sum + scanned, 0)).toBe(
        shardMap.count * Math.round(size / shardMap.count / 6),
      );
      expect(Math.max(...steps.map(({ scanned }) => scanned))).toBeLessThanOrEqual(
        size <= 100_000 ? 50 : SCAN_BATCH_SIZE,
      );
      expect(new Set(steps.map(({ at }) => Math.floor(at / 1000))).size).toBeGreaterThanOrEqual(4);
    }
  });

  test('lets shards write one after another, all within a scan', async () => {
    const clock = new SimulatedClock();
    const scannedAt: number[] = [];
    const shards = Array.from({ length: shardMap.count }, (_, shard) => ({
      shard, size: 10, isWriting: shard % 2 === 0, scan: () => scannedAt.push(clock.monotonic()) * 0,
      beginScan: () => 0,
    }));
    const all = new ClockScanner({ clock, shards: inFlight(clock, shards) });
    const start = clock.monotonic();
    all.start();
    await clock.advance(2 * SCAN_INTERVAL_MS - 1);
    all.stop();
    expect(scannedAt.map((at) => at - start - SCAN_INTERVAL_MS)).toEqual(
      shards.map(({ shard }) => Math.ceil(shard / 2) * 250),
    );
  });

  test('lets shards account an hour one after another', async () => {
    const clock = new SimulatedClock();
    const accounted: number[][] = [];
    const shards = Array.from({ length: 4 }, (_, shard) => ({
      shard, size: 10, isWriting: false, scan: () => 0,
      beginScan: (mayCloseHour: boolean) => {
        if (!mayCloseHour || accounted.flat().includes(shard)) return 0;
        (accounted.at(-1) as number[]).push(shard);
        return MANY;
      },
    }));
    const all = new ClockScanner({ clock, shards: inFlight(clock, shards) });
    clock.setRepeating(SCAN_INTERVAL_MS, () => accounted.push([]));
    all.start();
    await clock.advance(6 * SCAN_INTERVAL_MS);
    all.stop();
    expect(accounted.slice(0, 5)).toEqual([[0], [1], [2], [3], []]);
  });
});

const EMPTY = {
  shard: 1, n: 1, v: 1, writer: 'w', taken_at: HOUR, configs: [], batches: [], pings: [], clock: [],
  lanes: [],
};

describe('compacting many monitors', () => {
  test('finds every due monitor within a cycle, in limited steps, and never overstates what is saved', () => {
    const { shard, ids } = shardOfMany({ lastAt: () => HOUR });
    shard.n = 1000;
    // Every third monitor is unsaved; every ninth of these is due, because the clock changed its state.
    const unsaved = ids.filter((_, number) => number % 3 === 0);
    for (const [number, id] of unsaved.entries()) {
      const monitor = shard.monitors.get(id);
      if (!monitor) continue;
      monitor.unsavedFrom = 100 + number;
      monitor.state = { ...monitor.state, accounted: number % 9 === 0 ? {} : { [HOUR]: [1, 0, 0] } };
    }
    const now = HOUR + 2 * 3_600_000;
    const due = new Set(ids.filter((id) => isDueForWriting(id, shard.monitors.get(id) as never, now)));
    const all = due.size;
    expect(all).toBeGreaterThan(MONITORS_PER_WRITE);
    const compactor = new SnapshotCompactor(shard, () => true);
    const throughs: number[] = [];
    for (let scan = 0; scan < 4 * SCANS_PER_CYCLE; scan += 1) {
      compactor.beginScan();
      for (let scanned = SCAN_BATCH_SIZE; scanned === SCAN_BATCH_SIZE;) {
        scanned = compactor.scan(now, SCAN_BATCH_SIZE);
        expect(scanned).toBeLessThanOrEqual(SCAN_BATCH_SIZE);
      }
      const work = compactor.take();
      expect(work.due.length).toBeLessThanOrEqual(MONITORS_PER_WRITE);
      for (const id of work.due) {
        expect(due.delete(id)).toBe(true);
        (shard.monitors.get(id) as { unsavedFrom: number | null }).unsavedFrom = null;
      }
      const through = compactor.done(work);
      shard.n += 10;
      if (through === null) continue;
      throughs.push(through);
      expect(through).toBeLessThanOrEqual(
        Math.min(...[...shard.monitors.values()].map((monitor) => savedThrough(monitor, shard.n))),
      );
    }
    expect(due.size).toBe(0);
    // The first monitor that is never due holds the snapshot at its entry.
    expect(throughs.at(-1)).toBe(100);
  });
});

describe('the scan queue', () => {
  test('returns each name in its earliest scan, and leftovers in the next', () => {
    const queue = new ScanQueue(10);
    queue.put('soon', 1);
    queue.put('later', 5);
    queue.put('moved', 5);
    queue.put('moved', 2);
    queue.put('later', 7);
    queue.put('far', 1000);
    const taken: string[][] = [];
    for (let scan = 0; scan < 12; scan += 1) {
      queue.turn();
      const names: string[] = [];
      // Nothing is taken in scan 0, as if the step was full.
      if (scan !== 0) {for (let name = queue.take(); name !== undefined; name = queue.take()) {
        names.push(name);
      }}
      taken.push(names);
    }
    expect(taken).toEqual([[], ['soon', 'moved'], [], [], ['later'], [], [], [], [], ['far'], [], []]);
    expect(queue.size).toBe(0);
  });
});
