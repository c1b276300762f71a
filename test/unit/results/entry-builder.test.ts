import { describe, expect, test } from 'vitest';
import { decodeBatch, encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { MAX_SEQ, type CheckResult, type ResultBatch } from '../../../shared/contracts/result.ts';
import { EntryBuilder } from '../../../controller/results/intake/entry-builder.ts';
import { hourAllowance } from '../../../controller/results/intake/acceptance.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import type { JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import { rowsOf } from '../../../controller/results/hours/hour-rows.ts';
import type { LiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { batchOf, configOf, HOUR, idIn, resultOf } from './build.ts';
import { limitsOf } from '../../helpers/take-limits.ts';

const SHARD = 2;
const RETENTION_MS = 30 * 24 * 3_600_000;
/** A monitor that no probe has any more. */
const UNKNOWN_MONITOR = idIn(SHARD, 9);

/** An owner of shard 2 with one known monitor. */
class Desk {
  readonly monitor: MonitorConfig = configOf({ shard: SHARD });
  readonly owner = new EntryBuilder(new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []), 'w', {
    ...limitsOf(RETENTION_MS),
    rawRetentionMs: (organizationId) => (organizationId === 'brief' ? RETENTION_MS / 4 : RETENTION_MS),
    assignments: { until: (_probe, id) => (id === UNKNOWN_MONITOR ? 0 : Infinity), read: () => null },
    intakeFacts: (probe, region) => (region === 'unseen' ? undefined : {
      owner: region.startsWith('of-') ? region.slice(3) : null, hasVote: probe !== 'doubted',
      clockShiftMs: probe === 'fast' ? -3_600_000 : probe === 'slow' ? 3_600_000 : 0,
    }),
  });
  readonly acknowledged: number[] = [];
  now = { wall: HOUR + 10_000, monotonic: 0 };

  constructor() {
    this.owner.noteConfigs([this.monitor], 0);
    this.flush();
  }

  results(first: number, last: number, overrides: Partial<CheckResult> = {}): CheckResult[] {
    return Array.from(
      { length: last - first + 1 },
      (_, at) => resultOf(this.monitor, { seq: first + at, started_at: HOUR + (first + at) * 10, ...overrides }),
    );
  }

  take(batch: ResultBatch, probe = 'p', region = 'eu'): ReturnType<EntryBuilder['take']> {
    return this.send(encodeBatch(batch), probe, region);
  }

  send(bytes: Uint8Array, probe = 'p', region = 'eu'): ReturnType<EntryBuilder['take']> {
    return this.owner.take(
      { region, probe_id: probe, bytes, acknowledge: (watermark) => this.acknowledged.push(watermark) }, this.now,
    );
  }

  /** Why a region's result is refused, or null if it is accepted. */
  refusal(region: string, config: MonitorConfig = this.monitor): string | null {
    const epoch = String(this.acknowledged.length);
    this.take(batchOf([resultOf(config, { started_at: HOUR })], { epoch }), region, region);
    const next = this.owner.nextEntry(this.now.wall);
    expect(next?.entry.lanes).toEqual([{ lane: `${region}/${epoch}`, position: 1 }]);
    this.flush();
    expect(this.acknowledged.at(-1)).toBe(1);
    return next?.letters[0]?.reason ?? null;
  }

  change(overrides: Partial<MonitorConfig>): void {
    const current = this.owner.state.monitors.get(this.monitor.monitor_id)?.state.config as MonitorConfig;
    const { former_regions: _former, ...config } = current;
    this.owner.noteConfigs(
      [{ ...config, ...overrides, revision: current.revision + 1, changed_at: this.now.wall }], 0,
    );
    this.flush();
  }

  range(first: number, last: number, probe = 'p'): void {
    this.take(batchOf(this.results(first, last)), probe);
  }

  flush(): JournalEntry | null {
    const next = this.owner.nextEntry(this.now.wall);
    if (!next) return null;
    this.owner.state.apply(next.entry);
    return this.owner.settled();
  }

  /** The sequence numbers of the accepted results in an entry. */
  static seqs(entry: JournalEntry | null): number[] {
    return (entry?.batches ?? []).flatMap(
      ({ batch, refused }) => batch.results.map(({ seq }) => seq).filter((seq) => !refused.includes(seq)),
    );
  }
}

describe('a batch that is set aside', () => {
  const dropped = (first: number, last: number): ResultBatch => (
    { epoch: 'e', engine: '', first, last, results: [], dropped: [{ first, last, reason: 'trimmed' }] }
  );

  test('never leaves undecodable bytes in the journal', () => {
    const desk = new Desk();
    desk.take(dropped(1, 2 ** 53 - 2));
    desk.take(dropped(2 ** 53 - 1, 2 ** 53 - 1));
    desk.take(dropped(1, MAX_SEQ - 5));
    const spoiled = Buffer.from(encodeBatch(dropped(MAX_SEQ - 4, MAX_SEQ)));
    spoiled[spoiled.length - 2] = 99;
    expect(desk.send(spoiled)).toBeNull();
    const entry = desk.flush();
    expect(entry?.lanes).toEqual([{ lane: 'p/e', position: MAX_SEQ }]);
    for (const { bytes, batch } of entry?.batches ?? []) expect(decodeBatch(bytes)).toEqual(batch);
    expect(desk.acknowledged.at(-1)).toBe(MAX_SEQ);
  });

  test('by the database keeps its lane position, and everything else in the entry', () => {
    const desk = new Desk();
    desk.range(1, 3);
    desk.owner.noteClock([{ kind: 'watched' }], 0);
    const refused = desk.owner.nextEntry(desk.now.wall);
    expect(desk.owner.setAsideBatches(desk.now.wall)).toBe(true);
    const again = desk.owner.nextEntry(desk.now.wall);
    expect(again?.entry).toMatchObject({ n: refused?.entry.n, clock: [{ kind: 'watched' }] });
    expect(again?.letters).toMatchObject([{ reason: 'unreadable', probe_id: 'p' }]);
    expect(again?.entry.batches).toMatchObject([
      { batch: { first: 1, last: 3, results: [], dropped: [{ first: 1, last: 3, reason: 'unreadable' }] } },
    ]);
    expect(desk.owner.setAsideBatches(desk.now.wall)).toBe(false);
    desk.flush();
    expect(desk.acknowledged).toEqual([3]);
  });
});

test.each(['in time', 'late'])('results of a quarantined probe that arrive %s are stored without effect', (when) => {
  const desk = new Desk();
  const monitor = desk.owner.state.monitors.get(desk.monitor.monitor_id) as LiveMonitor;
  const before = monitor.state;
  if (when === 'late') desk.now = { ...desk.now, wall: HOUR + 600_000 };
  const failed = desk.results(1, 3, { outcome: 'failure' });
  desk.take(batchOf([...failed, ...desk.results(4, 4)]), 'doubted');
  expect(desk.flush()?.batches).toMatchObject([{ probe_id: 'doubted', late: [], refused: [], muted: true }]);
  expect(rowsOf(monitor, HOUR)).toMatchObject({ counts: { total: 4, failed: 3 }, late: null });
  expect(monitor.state).toBe(before);
  desk.take(batchOf(failed), 'trusted');
  expect(desk.flush()?.batches[0]).not.toHaveProperty('muted');
  expect(monitor.state).not.toBe(before);
});

test('a region may send as many results per hour as the interval allows, and no more', () => {
  const desk = new Desk();
  const allowed = hourAllowance(desk.monitor);
  expect(allowed).toBe(6 * 61 * 2 + 500);
  const send = (first: number, last: number, region: string): void => {
    desk.take(batchOf(desk.results(first, last), { epoch: region }), 'p', region);
    desk.flush();
  };
  for (let first = 1; first < allowed; first += 100) send(first, Math.min(first + 99, allowed), 'eu');
  const monitor = desk.owner.state.monitors.get(desk.monitor.monitor_id) as LiveMonitor;
  const stored = (): number => rowsOf(monitor, HOUR)?.counts.total ?? 0;
  expect(stored()).toBe(allowed);
  send(allowed + 1, allowed + 10, 'eu');
  send(1, 10, 'us');
  expect(stored()).toBe(allowed + 10);
  desk.take(batchOf(desk.results(allowed + 11, allowed + 11), { epoch: 'eu' }), 'p', 'eu');
  expect(desk.owner.nextEntry(desk.now.wall)?.letters).toMatchObject([{ reason: 'too_many' }]);
});

describe('a lane', () => {
  test('accepts the next results, and acknowledges them only once they are journaled', () => {
    const desk = new Desk();
    desk.range(1, 3);
    expect(desk.acknowledged).toEqual([]);
    expect(Desk.seqs(desk.flush())).toEqual([1, 2, 3]);
    expect(desk.acknowledged).toEqual([3]);
  });

  test('rejects results after a gap: the response says where to resume', () => {
    const desk = new Desk();
    desk.range(2, 4);
    expect(desk.acknowledged).toEqual([0]);
    expect(desk.flush()).toBeNull();
  });

  test('accepts consecutive batches before the first one is acknowledged', () => {
    const desk = new Desk();
    desk.range(1, 3);
    desk.range(4, 6);
    expect(Desk.seqs(desk.flush())).toEqual([1, 2, 3, 4, 5, 6]);
    expect(desk.acknowledged).toEqual([6, 6]);
  });

  test('acknowledges a duplicate of journaled results at once', () => {
    const desk = new Desk();
    desk.range(1, 3);
    desk.flush();
    desk.range(1, 3);
    expect(desk.acknowledged).toEqual([3, 3]);
    expect(desk.flush()).toBeNull();
  });

  test('acknowledges a duplicate of pending results with the entry that contains them', () => {
    const desk = new Desk();
    desk.range(1, 3);
    const next = desk.owner.nextEntry(desk.now.wall);
    desk.range(1, 3);
    expect(desk.acknowledged).toEqual([]);
    desk.owner.state.apply(next?.entry as JournalEntry);
    desk.owner.settled();
    expect(desk.acknowledged).toEqual([3]);
    expect(desk.flush()).toBeNull();
  });

  test('counts only the new results of an overlapping batch', () => {
    const desk = new Desk();
    desk.range(1, 3);
    desk.flush();
    desk.range(2, 5);
    const next = desk.owner.nextEntry(desk.now.wall);
    const applied = desk.owner.state.apply(next?.entry as JournalEntry);
    expect(applied.fresh.map(({ result }) => result.seq)).toEqual([4, 5]);
    expect(desk.owner.state.lanes.position('p/e')).toBe(5);
  });

  test('belongs to one epoch of one probe', () => {
    const desk = new Desk();
    desk.range(1, 2, 'p');
    desk.range(1, 2, 'q');
    desk.take(batchOf(desk.results(1, 2), { epoch: 'f' }));
    expect(desk.flush()?.lanes).toEqual(['p/e', 'q/e', 'p/f'].map((lane) => ({ lane, position: 2 })));
  });

  test('moves past a range that the probe lost', () => {
    const desk = new Desk();
    desk.take({
      epoch: 'e', engine: '', first: 1, last: 9, results: [],
      dropped: [{ first: 1, last: 9, reason: 'trimmed' }],
    });
    desk.flush();
    expect(desk.acknowledged).toEqual([9]);
  });
});

describe('an unconfirmed insert', () => {
  test('is repeated unchanged, regardless of later input', () => {
    const desk = new Desk();
    desk.range(1, 3);
    const first = desk.owner.nextEntry(desk.now.wall);
    const text = JSON.stringify(first?.entry);
    desk.range(4, 6);
    desk.owner.noteConfigs([{ ...desk.monitor, revision: 2 }], 5);
    const again = desk.owner.nextEntry(desk.now.wall + 5000);
    expect(again?.entry).toBe(first?.entry);
    expect(JSON.stringify(again?.entry)).toBe(text);
    expect(Desk.seqs(desk.flush())).toEqual([1, 2, 3]);
    expect(Desk.seqs(desk.flush())).toEqual([4, 5, 6]);
  });
});

describe('a refused result', () => {
  test.each([
    ['unknown_monitor', { monitor_id: UNKNOWN_MONITOR }],
    ['foreign_shard', { monitor_id: idIn(3) }],
    ['future', { started_at: HOUR + 10_000 + 7_200_001 }],
    ['too_old', { started_at: HOUR + 10_000 - RETENTION_MS - 1 }],
  ] as [string, Partial<CheckResult>][])('becomes a dead letter with the reason %s, and its lane continues', (reason, overrides) => {
    const desk = new Desk();
    desk.take(batchOf([...desk.results(1, 1), ...desk.results(2, 2, overrides), ...desk.results(3, 3)]));
    const next = desk.owner.nextEntry(desk.now.wall);
    expect(next?.letters).toEqual([
      expect.objectContaining({ reason, seq: 2, epoch: 'e', probe_id: 'p', shard: SHARD }),
    ]);
    expect(next?.entry.batches[0]?.refused).toEqual([2]);
    expect(Desk.seqs(desk.flush())).toEqual([1, 3]);
    expect(desk.acknowledged).toEqual([3]);
  });

  test('of a deleted monitor leaves no dead letter', () => {
    const desk = new Desk();
    desk.owner.noteConfigs([{ ...desk.monitor, revision: 2, status: 'deleted' }], 0);
    desk.range(1, 2);
    const next = desk.owner.nextEntry(desk.now.wall);
    expect(next?.letters).toEqual([]);
    expect(next?.entry.batches[0]?.refused).toEqual([1, 2]);
  });

  test('does not include one whose monitor is about to be journaled', () => {
    const desk = new Desk();
    const fresh = configOf({ monitor_id: idIn(SHARD, 1) });
    desk.owner.noteConfigs([fresh], 0);
    desk.owner.nextEntry(desk.now.wall);
    desk.take(batchOf([resultOf(fresh)]));
    desk.flush();
    expect(desk.owner.nextEntry(desk.now.wall)?.letters).toEqual([]);
  });

  test('always has the same dead letter id', () => {
    const letters = [new Desk(), new Desk()].map((desk) => {
      desk.take(batchOf(desk.results(1, 1, { monitor_id: idIn(3) })));
      return desk.owner.nextEntry(desk.now.wall)?.letters[0]?.id;
    });
    expect(letters[0]).toBe(letters[1]);
  });

  test('in undecodable bytes becomes a dead letter without a position and moves no lane', () => {
    const desk = new Desk();
    expect(desk.send(new Uint8Array([1, 255, 255]))).toMatchObject({ reason: 'unreadable', epoch: null });
    expect(desk.acknowledged).toEqual([]);
    expect(desk.flush()).toBeNull();
  });

  test('in an unreadable batch with a readable position is recorded as dropped, and the lane continues', () => {
    const desk = new Desk();
    const text =
      JSON.stringify({ v: 1, epoch: 'e', results: [{ seq: 1, monitor_id: { $gt: '' } }, { seq: 2 }] });
    expect(desk.send(Buffer.from(text))).toBeNull();
    const next = desk.owner.nextEntry(desk.now.wall);
    expect(next?.letters).toMatchObject([{ reason: 'unreadable' }]);
    expect(next?.entry.batches[0]?.batch.dropped).toEqual([{ first: 1, last: 2, reason: 'unreadable' }]);
    desk.flush();
    desk.range(3, 4);
    expect(Desk.seqs(desk.flush())).toEqual([3, 4]);
  });
});

describe('a region', () => {
  test('may check monitors with an automatic choice if it is shared or belongs to their organization', () => {
    const desk = new Desk();
    expect(['eu', 'us', 'of-o', 'of-other'].map((region) => desk.refusal(region))).toEqual([
      null, null, null, 'foreign_organization',
    ]);
  });

  test('may not check a monitor that selects other regions', () => {
    const desk = new Desk();
    const named = configOf({ monitor_id: idIn(SHARD, 1), monitoring_regions: ['eu', 'of-other'] });
    desk.owner.noteConfigs([named], 0);
    desk.flush();
    expect(['eu', 'us', 'of-o', 'of-other'].map((region) => desk.refusal(region, named))).toEqual([
      null, 'foreign_region', 'foreign_region', 'foreign_organization',
    ]);
  });

  test('removed from a monitor may deliver earlier results within the retention of results', () => {
    const desk = new Desk();
    desk.change({ monitoring_regions: ['eu'] });
    expect(desk.refusal('us')).toBeNull();
    desk.now.wall += RETENTION_MS + 1;
    desk.change({ monitoring_regions: ['us'] });
    desk.change({ monitoring_regions: ['ap'], status: 'paused' });
    expect(['eu', 'us', 'ap', 'sa'].map((region) => desk.refusal(region))).toEqual([
      'too_old', 'too_old', 'too_old', 'foreign_region',
    ]);
    desk.now.wall += RETENTION_MS + 1;
    expect(['eu', 'us', 'ap'].map((region) => desk.refusal(region))).toEqual([
      'foreign_region', 'foreign_region', 'too_old',
    ]);
  });

  test('is not foreign while the change of regions is not journaled', () => {
    const desk = new Desk();
    desk.owner.noteConfigs([{ ...desk.monitor, revision: 2, monitoring_regions: ['us'] }], 0);
    desk.take(batchOf(desk.results(1, 1)));
    expect(desk.owner.nextEntry(desk.now.wall)?.letters).toEqual([]);
  });

  test('formerly selected is remembered, up to the latest hundred', () => {
    const desk = new Desk();
    for (let at = 0; at < 300; at += 1) {
      desk.now.wall += 1;
      desk.change({ monitoring_regions: [`r${at}`] });
    }
    expect(
      Object.keys(desk.owner.state.monitors.get(desk.monitor.monitor_id)?.state.config.former_regions ?? {}),
    ).toHaveLength(100);
    expect(desk.refusal('r250')).toBeNull();
  });

  test('unknown to the controller gets no response and loses nothing', () => {
    const desk = new Desk();
    expect(desk.take(batchOf(desk.results(1, 1)), 'p', 'unseen')).toBe('unknown_region');
    expect({ entry: desk.flush(), acknowledged: desk.acknowledged }).toEqual({ entry: null, acknowledged: [] });
  });
});

describe('the maximum age of a result', () => {
  test('is set by the plan of the monitor\'s organization', () => {
    const desk = new Desk();
    const brief = configOf({ monitor_id: idIn(SHARD, 1), organization_id: 'brief' });
    desk.owner.noteConfigs([brief], 0);
    desk.flush();
    desk.now.wall = HOUR + RETENTION_MS / 2;
    expect([desk.refusal('eu'), desk.refusal('eu', brief)]).toEqual([null, 'too_old']);
  });
});

describe('the limits', () => {
  test('put at most 1,000 results into an entry; the others wait', () => {
    const desk = new Desk();
    for (let first = 1; first <= 2500; first += 100) desk.range(first, first + 99);
    expect([desk.flush(), desk.flush(), desk.flush()].map((entry) => Desk.seqs(entry).length)).toEqual([
      1000, 1000, 500,
    ]);
    expect(desk.flush()).toBeNull();
  });

  test('stop accepting and acknowledging at 4,000 queued results', () => {
    const desk = new Desk();
    desk.change({ interval_ms: 1000 });
    for (let first = 1; first <= 6000; first += 100) desk.range(first, first + 99);
    let total = 0;
    for (let entry = desk.flush(); entry; entry = desk.flush()) total += Desk.seqs(entry).length;
    expect(total).toBe(4000);
    expect(Math.max(...desk.acknowledged)).toBe(4000);
    desk.range(4001, 4100);
    expect(Desk.seqs(desk.flush())).toHaveLength(100);
  });

  test('send one response to a repeated batch', () => {
    const desk = new Desk();
    for (let attempt = 0; attempt < 50; attempt += 1) desk.range(1, 3);
    desk.flush();
    expect(desk.acknowledged).toEqual([3]);
  });

  test('skip a configuration that is already journaled or pending', () => {
    const desk = new Desk();
    desk.owner.noteConfigs([desk.monitor], 0);
    expect(desk.flush()).toBeNull();
    const changed = { ...desk.monitor, revision: 2 };
    desk.owner.noteConfigs([changed], 0);
    desk.owner.nextEntry(desk.now.wall);
    desk.owner.noteConfigs([changed], 0);
    desk.flush();
    expect(desk.flush()).toBeNull();
  });
});

describe('the urgency of an entry', () => {
  function deskWithResult(): Desk {
    const desk = new Desk();
    desk.range(1, 1);
    desk.flush();
    return desk;
  }

  test('a success after another one waits up to a second', () => {
    const desk = deskWithResult();
    desk.range(2, 2);
    expect(desk.owner.isUrgent).toBe(false);
    expect(desk.owner.waitingSince).toBe(0);
  });

  test.each([
    ['a failure', { outcome: 'failure' }], ['a recheck', { reason: 'confirm' }],
  ] as [string, Partial<CheckResult>][])('%s is urgent', (_name, overrides) => {
    const desk = deskWithResult();
    desk.take(batchOf(desk.results(2, 2, overrides)));
    expect(desk.owner.isUrgent).toBe(true);
  });

  test('the first result of a region is urgent', () => {
    const desk = new Desk();
    desk.range(1, 1);
    expect(desk.owner.isUrgent).toBe(true);
  });
});

describe('a probe with a wrong clock', () => {
  test.each([
    ['fast', 3_600_000], ['slow', -3_600_000],
  ])('has its times corrected before they are journaled (%s)', (probe, off) => {
    const desk = new Desk();
    desk.take(batchOf(desk.results(
      1, 2, { started_at: HOUR + 5000 + off, scheduled_at: HOUR + 4000 + off, outcome: 'failure' },
    )), probe);
    const entry = desk.owner.nextEntry(desk.now.wall)?.entry as JournalEntry;
    const [taken] = entry.batches;
    expect(taken).toMatchObject({ late: [], refused: [] });
    for (const { results } of [
      taken?.batch ?? { results: [] }, decodeBatch(taken?.bytes ?? new Uint8Array()),
    ]) {
      expect(results.map((result) => [result.seq, result.started_at, result.scheduled_at])).toEqual([
        [1, HOUR + 5000, HOUR + 4000], [2, HOUR + 5000, HOUR + 4000],
      ]);
    }
  });
});

describe('lateness', () => {
  test('is decided when the entry is written, by its configuration', () => {
    const desk = new Desk();
    desk.take(batchOf([
      ...desk.results(1, 1, { started_at: HOUR - 120_000 }), ...desk.results(2, 2, { started_at: HOUR }),
    ]));
    desk.owner.noteConfigs([{ ...desk.monitor, revision: 2, interval_ms: 3_600_000 }], 0);
    expect(desk.flush()?.batches[0]?.late).toEqual([]);
    desk.owner.noteConfigs([{ ...desk.monitor, revision: 3, interval_ms: 10_000 }], 0);
    desk.take(batchOf([...desk.results(3, 3, { started_at: HOUR - 60_000 }), ...desk.results(4, 4)]));
    expect(desk.flush()?.batches[0]?.late).toEqual([3]);
  });

  test('is read from the entry, not from the current configuration', () => {
    const desk = new Desk();
    desk.take(batchOf(desk.results(1, 1, { started_at: HOUR - 100_000 })));
    const entry = desk.owner.nextEntry(desk.now.wall)?.entry as JournalEntry;
    const { state } = desk.owner.state.monitors.get(desk.monitor.monitor_id) ?? {};
    if (!state) throw new Error('no monitor');
    const later = new ShardState(SHARD, { n: 1, lanes: [], taken_at: 0 }, [
      {
        monitor_id: desk.monitor.monitor_id, shard: SHARD, position: 99, outbox: [],
        state: { ...state, config: { ...desk.monitor, interval_ms: 5000 } },
      },
    ]);
    later.apply(entry);
    expect([...(later.monitors.get(desk.monitor.monitor_id)?.hours ?? [])].flatMap(
      (rows) => rows.after(0),
    ).map(({ late }) => late))
      .toEqual([false]);
  });
});
