import { describe, expect, test } from 'vitest';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import { DRAIN_MS } from '../../../controller/results/intake/acceptance.ts';
import { EntryBuilder } from '../../../controller/results/intake/entry-builder.ts';
import type { AssignmentHistory, TakenMessage } from '../../../controller/results/intake/take-limits.ts';
import type { JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { limitsOf } from '../../helpers/take-limits.ts';
import { batchOf, configOf, HOUR, idIn, resultOf } from './build.ts';

const SHARD = 2;
const RETENTION_MS = 30 * 24 * 3_600_000;
const MINUTE = 60_000;

/** An owner of shard 2 with three monitors. The database has `stored`, the owner's cache has `known`. */
class Desk {
  readonly monitors = [0, 1, 2].map((at) => configOf({ monitor_id: idIn(SHARD, at), retries: 0 }));
  readonly cached = new Map<string, number>();
  readonly stored = new Map<string, number>();
  readonly reads: string[][] = [];
  mayRead = true;
  isAway = false;
  readonly acknowledged: number[] = [];
  now = { wall: HOUR + 10 * MINUTE, monotonic: 0 };
  readonly owner: EntryBuilder;
  /** The state of an owner with an empty cache after the same journal. */
  readonly replay = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);

  constructor() {
    const limits = {
      ...limitsOf(RETENTION_MS),
      assignments: {
        until: (_probe: string, id: string) => this.cached.get(id),
        read: (_probe: string, ids: string[]) => (this.mayRead ? this.read(ids) : null),
      },
    };
    const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);
    this.owner = new EntryBuilder(state, 'w', limits, (message) => this.owner.take(message, this.now));
    this.owner.noteConfigs(this.monitors, 0);
    this.flush();
  }

  id(at: number): string {
    return (this.monitors[at] as { monitor_id: string }).monitor_id;
  }

  result(seq: number, at = 0, overrides: Partial<CheckResult> = {}): CheckResult {
    return resultOf(this.monitors[at] ?? configOf(), { seq, started_at: this.now.wall - 1000, ...overrides });
  }

  take(results: CheckResult[], probe = 'p'): void {
    const message: TakenMessage = {
      region: 'eu', probe_id: probe, bytes: encodeBatch(batchOf(results)),
      acknowledge: (watermark) => this.acknowledged.push(watermark),
    };
    this.owner.take(message, this.now);
  }

  /** The next entry, with the reasons of its dead letters. */
  flush(): { entry: JournalEntry; reasons: string[] } | null {
    const next = this.owner.nextEntry(this.now.wall);
    if (!next) return null;
    this.owner.state.apply(next.entry);
    const batches = next.entry.batches.map(
      ({ probe_id, region, batch, refused, late }) => ({ probe_id, region, batch, refused, late }),
    );
    this.replay.apply(JSON.parse(JSON.stringify({ ...next.entry, batches })) as JournalEntry);
    expect(this.status()).toEqual(this.status(this.replay));
    return { entry: this.owner.settled(), reasons: next.letters.map(({ reason }) => reason) };
  }

  status(of = this.owner.state): string[] {
    return this.monitors.map(({ monitor_id: id }) => of.monitors.get(id)?.state.status ?? 'none');
  }

  private async read(ids: string[]): Promise<AssignmentHistory> {
    this.reads.push(ids);
    await Promise.resolve();
    if (this.isAway) throw new Error('no database');
    return new Map(ids.map((id) => {
      const until = this.stored.get(id);
      if (until !== undefined) this.cached.set(id, until);
      return [id, until ?? null];
    }));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('results count', () => {
  test('from the probe that has the monitor', () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), Infinity);
    desk.take([desk.result(1, 0, { outcome: 'failure' })]);
    expect(desk.flush()).toMatchObject({ reasons: [], entry: { batches: [{ refused: [], late: [] }] } });
    expect(desk.status()).toEqual(['down', 'unknown', 'unknown']);
    expect(desk.reads).toEqual([]);
  });

  test('from the probe that lost it, within the drain time but not later', () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), desk.now.wall - DRAIN_MS);
    desk.cached.set(desk.id(1), desk.now.wall - DRAIN_MS - 1);
    desk.mayRead = false;
    desk.take([desk.result(1, 0), desk.result(2, 1)]);
    expect(desk.flush()).toMatchObject({ reasons: [], entry: { batches: [{ refused: [], late: [2] }] } });
    expect(desk.status()).toEqual(['up', 'unknown', 'unknown']);
    expect(desk.acknowledged).toEqual([2]);
  });

  test('not from a probe that never had it: they become dead letters, and the lane continues', async () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), Infinity);
    desk.take([desk.result(1), desk.result(2, 1), desk.result(3)]);
    expect(desk.flush()).toBeNull();
    await settled();
    expect(desk.flush()).toMatchObject({
      reasons: ['not_assigned'], entry: { batches: [{ refused: [2], late: [] }] },
    });
    expect(desk.status()).toEqual(['up', 'unknown', 'unknown']);
    expect(desk.acknowledged).toEqual([3]);
  });

  test('as history in an old backlog of a former holder, without a database read', () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), desk.now.wall - 60 * MINUTE);
    desk.take([desk.result(1, 0, { started_at: desk.now.wall - 30 * MINUTE })]);
    expect(desk.flush()).toMatchObject({ reasons: [], entry: { batches: [{ refused: [], late: [1] }] } });
    expect(desk.reads).toEqual([]);
  });
});

describe('missing assignments are read first', () => {
  test('the first results of a new assignment are accepted once it is in the database', async () => {
    const desk = new Desk();
    desk.stored.set(desk.id(0), Infinity);
    desk.stored.set(desk.id(1), Infinity);
    desk.take([desk.result(1), desk.result(2, 1), desk.result(3)]);
    await settled();
    expect(desk.reads).toEqual([[desk.id(0), desk.id(1)]]);
    expect(desk.flush()).toMatchObject({ reasons: [] });
    expect(desk.status()).toEqual(['up', 'up', 'unknown']);
  });

  test('a monitor assigned to the probe again votes at once, although the cache has it as lost', async () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), HOUR);
    desk.stored.set(desk.id(0), Infinity);
    desk.take([desk.result(1, 0, { outcome: 'failure' })]);
    await settled();
    expect(desk.flush()).toMatchObject({ entry: { batches: [{ late: [] }] } });
    expect(desk.status()[0]).toBe('down');
  });

  test('later batches of the probe wait behind it and are processed in order', async () => {
    const desk = new Desk();
    desk.stored.set(desk.id(0), Infinity);
    desk.stored.set(desk.id(1), Infinity);
    desk.take([desk.result(1)]);
    desk.take([desk.result(2)]);
    desk.take([desk.result(3, 1)]);
    desk.take([desk.result(1)], 'q');
    await settled();
    await settled();
    const entry = desk.flush()?.entry;
    expect(entry?.lanes).toEqual([{ lane: 'p/e', position: 3 }, { lane: 'q/e', position: 1 }]);
    expect(desk.acknowledged.toSorted()).toEqual([1, 3, 3, 3]);
  });

  test('without a database response nothing is refused or acknowledged', async () => {
    const desk = new Desk();
    desk.isAway = true;
    desk.take([desk.result(1)]);
    await settled();
    expect([desk.flush(), desk.acknowledged]).toEqual([null, []]);
    desk.isAway = false;
    desk.take([desk.result(1)]);
    await settled();
    expect(desk.flush()?.reasons).toEqual(['not_assigned']);
  });

  test('a refusal is never based on data read before the result arrived', async () => {
    const desk = new Desk();
    desk.take([desk.result(1)]);
    await settled();
    expect(desk.flush()?.reasons).toEqual(['not_assigned']);
    desk.stored.set(desk.id(0), Infinity);
    desk.take([desk.result(2)]);
    await settled();
    expect(desk.flush()?.reasons).toEqual([]);
  });

  test('a probe over the miss limit gets no response for uncached monitors', () => {
    const desk = new Desk();
    desk.mayRead = false;
    desk.take([desk.result(1)]);
    expect([desk.flush(), desk.acknowledged, desk.reads]).toEqual([null, [], []]);
  });

  test('nothing is read for results that are refused in any case', () => {
    const desk = new Desk();
    desk.take([desk.result(1, 0, { monitor_id: idIn(3) }), desk.result(2, 0, { started_at: 0 })]);
    expect(desk.flush()?.reasons).toEqual(['foreign_shard', 'too_old']);
    expect(desk.reads).toEqual([]);
  });
});

describe('a monitor that is not journaled yet', () => {
  const late = () => configOf({ monitor_id: idIn(SHARD, 5) });

  test('is awaited if its probe has it: nothing is lost, and the lane continues afterwards', async () => {
    const desk = new Desk();
    desk.stored.set(late().monitor_id, Infinity);
    desk.take([resultOf(late(), { started_at: desk.now.wall })]);
    await settled();
    expect([desk.flush(), desk.acknowledged]).toEqual([null, [0]]);
    desk.owner.noteConfigs([late()], 0);
    desk.take([resultOf(late(), { started_at: desk.now.wall })]);
    expect(desk.flush()).toMatchObject({ reasons: [], entry: { batches: [{ refused: [] }] } });
    expect(desk.acknowledged).toEqual([0, 1]);
  });

  test('is awaited for a minute in total, regardless of other batches in its lane', () => {
    const desk = new Desk();
    for (const id of [desk.id(0), late().monitor_id]) desk.cached.set(id, Infinity);
    const unknownResult = (seq: number) => resultOf(late(), { seq, started_at: desk.now.wall });
    desk.take([unknownResult(1)]);
    desk.now.monotonic += 59_999;
    desk.take([unknownResult(1)]);
    expect(desk.flush()).toBeNull();
    desk.now.monotonic += 1;
    desk.take([unknownResult(1)]);
    expect(desk.flush()?.reasons).toEqual(['unknown_monitor']);
    desk.take([desk.result(2)]);
    expect(desk.flush()?.reasons).toEqual([]);
    desk.take([unknownResult(3)]);
    expect(desk.flush()?.reasons).toEqual(['unknown_monitor']);
    expect(desk.acknowledged).toEqual([0, 0, 1, 2, 3]);
  });

  test('is refused at once if its probe does not have it', async () => {
    const desk = new Desk();
    desk.stored.set(late().monitor_id, HOUR);
    desk.take([resultOf(late(), { started_at: desk.now.wall }), resultOf(configOf({ monitor_id: idIn(SHARD, 6) }), {
      seq: 2, started_at: desk.now.wall,
    })]);
    await settled();
    expect(desk.flush()?.reasons).toEqual(['unknown_monitor', 'unknown_monitor']);
  });
});

describe('a result dated ahead of its entry', () => {
  test.each([
    ['started', { started_at: HOUR + 12 * MINUTE, scheduled_at: HOUR }],
    ['scheduled', { started_at: HOUR + 10 * MINUTE, scheduled_at: HOUR + 60 * MINUTE }],
  ])('is stored and suppresses no later results: %s', (_what, dated) => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), Infinity);
    desk.take([desk.result(1, 0)]);
    desk.flush();
    desk.take([desk.result(2, 0, dated)]);
    expect(desk.flush()?.entry.batches[0]?.late).toEqual([2]);
    const live = desk.owner.state.monitors.get(desk.id(0));
    expect(live?.state).toMatchObject({
      last_check_at: desk.now.wall - 1000, last_success_at: desk.now.wall - 1000,
    });
    expect(live?.hours.map(({ hour }) => hour)).toEqual([HOUR]);
    desk.now.wall += MINUTE;
    desk.take([desk.result(3, 0, { outcome: 'failure' })]);
    desk.flush();
    expect(desk.status()[0]).toBe('down');
  });

  test('votes if it is no further ahead than clocks may differ', () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), Infinity);
    desk.take([desk.result(1, 0, { started_at: desk.now.wall + MINUTE })]);
    expect(desk.flush()?.entry.batches[0]?.late).toEqual([]);
    expect(desk.status()[0]).toBe('up');
  });

  test('a slot reported as missed ahead of time removes no vote', () => {
    const desk = new Desk();
    desk.cached.set(desk.id(0), Infinity);
    desk.take([desk.result(1, 0)]);
    desk.flush();
    desk.take([desk.result(2, 0, { outcome: 'missed', scheduled_at: HOUR + 100 * MINUTE })]);
    desk.flush();
    expect(desk.status()[0]).toBe('up');
  });
});
