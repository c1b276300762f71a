import { expect } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { MAX_SEQ } from '../../shared/contracts/result.ts';
import { newId } from '../../shared/ids.ts';
import { droppedBatch, SHARDS, type Attack } from './attack.ts';
import { fault } from './fault.ts';
import { checked } from './sender.ts';
import { repeats, toOutcome } from './tally.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** A probe sends unreadable data and overflowing numbers. */
export function poison(on: { readonly attack: Attack }): void {
  /** The maximum number: a lane at it cannot continue, and sums beyond it are not exact. */
  const END = 2 ** 53 - 1;

  fault('F49', 'a probe sends numbers and ranges that overflow', async () => {
    await Promise.all(SHARDS.map(async (shard) => {
      await on.attack.send(shard, encodeBatch(droppedBatch('end', 1, END - 1)), 500);
      await on.attack.send(shard, encodeBatch(droppedBatch('end', END, END)), 500);
      const json = { v: 1, epoch: 'json', results: [{ seq: END }] };
      await on.attack.send(shard, JSON.stringify(json), 500);
      // The maximum allowed number, then an unreadable body after a readable header.
      expect(await on.attack.send(shard, encodeBatch(droppedBatch('last', 1, MAX_SEQ - 1)))).toBe(MAX_SEQ - 1);
      const spoiled = encodeBatch(droppedBatch('last', MAX_SEQ, MAX_SEQ));
      spoiled[spoiled.length - 2] = 99;
      expect(await on.attack.send(shard, spoiled)).toBe(MAX_SEQ);
    }));
    return toOutcome({ injected: SHARDS.length * 5, ...await on.attack.expectUnharmed('numbers') },
      'all shards take results, also after a restart');
  });

  fault('F50', 'a probe sends a detail nested 40,000 levels deep', async () => {
    const id = await on.attack.bait('Bait');
    const shard = shardMap.of(id);
    const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`;
    const result = { ...checked(id, Date.now(), false), detail: {} };
    const bait = JSON.stringify({ v: 1, epoch: 'deep', engine: 'test', results: [result] });
    // Rejected as unreadable, and the lane continues after it.
    expect(await on.attack.send(shard, bait.replace('"detail":{}', `"detail":${deep}`))).toBe(1);
    await until(async () => (await on.attack.documents('dead_letters', { reason: 'unreadable', shard })).length > 0);
    expect(await on.attack.metric('farwatch_listener_failures_total')).toBe(0);
    return toOutcome({ injected: 1, ...await on.attack.expectUnharmed('deep') }, 'set aside as a dead letter');
  });

  const UNKNOWN = repeats(90, 300);
  const UNREADABLE = 2 * UNKNOWN + UNKNOWN / 3;
  /** Number of messages of each unreadable kind, all different. In total they are below a probe's rate limit. */
  const RUBBISH: [count: number, make: (at: number) => string | Buffer][] = [
    [UNKNOWN, (at) => `{"v":1,"epoch":"poison","results":[${at}`],
    [UNKNOWN, (at) => JSON.stringify({ v: 1, epoch: `poison-${at}`, results: { text: 'none' } })],
    [UNKNOWN / 3, (at) => Buffer.alloc(65_536, `${at} `)],
  ];
  const AT_ONCE = 12;

  fault('F25', `a probe sends ${UNREADABLE + UNKNOWN} poison batches: not JSON, an invalid schema, 64 KiB, unknown monitors`, async () => {
    const letters = (reason: string) => on.attack.documents('dead_letters', { reason, probe_id: on.attack.id });
    const before = (await letters('unreadable')).length;
    const lanes = new Map<number, number>();
    const marks: Promise<[watermark: number | null, seq: number]>[] = [];
    for (let at = 0; at < UNKNOWN; at += 1) {
      for (const [count, make] of RUBBISH) if (at < count) on.attack.sendWithoutWaiting(at % SHARDS.length, make(at));
      const result = checked(newId(Date.now()), Date.now(), false);
      const shard = shardMap.of(result.monitor_id);
      const seq = (lanes.get(shard) ?? 0) + 1;
      lanes.set(shard, seq);
      const batch = { epoch: 'strange', engine: 'test', first: seq, last: seq, dropped: [] };
      const watermarkPromise = on.attack.send(shard, encodeBatch({ ...batch, results: [{ ...result, seq }] }), 60_000);
      marks.push(watermarkPromise.then((watermark) => [watermark, seq]));
      // Only a limited number of one probe's batches may be pending.
      if (at % AT_ONCE === 0) await Promise.all(marks);
    }
    // The lanes continue after each of them.
    for (const [watermark, seq] of await Promise.all(marks)) expect(watermark).toBeGreaterThanOrEqual(seq);
    await until(async () => (await letters('unreadable')).length - before === UNREADABLE, { what: 'dead letters' });
    await until(async () => (await letters('unknown_monitor')).length === UNKNOWN, { what: 'dead letters of unknown monitors' });
    return toOutcome({ injected: UNREADABLE + UNKNOWN, ...await on.attack.expectUnharmed('poison', true) },
      `dead letters: ${UNREADABLE} unreadable, ${UNKNOWN} unknown_monitor`);
  });
}
