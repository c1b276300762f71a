import { describe, expect, test } from 'vitest';
import { Actor } from '../../../shared/actor/actor.ts';
import { ActorError } from '../../../shared/actor/actor-ref.ts';
import { createLog } from '../../../shared/log.ts';
import type { JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import { JournalWriter, type JournalMessage } from '../../../controller/results/shards/journal-writer.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

/** Shards that always have an entry, and the resulting inserts, each as a list of its shards. */
class Desk {
  readonly clock = new SimulatedClock();
  readonly inserts: { at: number; shards: number[] }[] = [];
  readonly writer = new JournalWriter({
    clock: this.clock, log: createLog('test', 'silent'),
    stores: {
      journal: { insert: async (entries: JournalEntry[]) => {
        this.inserts.push({ at: this.clock.monotonic(), shards: entries.map(({ shard }) => shard) });
        return entries.map(() => 'written' as const);
      } },
      snapshots: { numbers: async () => new Map() },
    },
    deadLetters: { storeNow: async () => undefined },
    onInsertFailed: () => undefined,
  });

  shard(shard: number): Actor<JournalMessage> {
    const actor = new Actor<JournalMessage>({
      clock: this.clock, capacity: 10, onEnded: () => undefined,
      start: () => ({ receive: (message) => {
        if (message.kind === 'inserted') return message.respond();
        message.respond({ entry: { shard } as JournalEntry, letters: [] });
      } }),
    });
    actor.begin();
    return actor;
  }
}

test('entries due shortly after one another share one insert', async () => {
  const desk = new Desk();
  for (let shard = 0; shard < 16; shard += 1) desk.writer.schedule(desk.shard(shard), 1000 + shard);
  await desk.clock.advance(5000);
  expect(desk.inserts).toEqual([{ at: 1000, shards: Array.from({ length: 16 }, (_, shard) => shard) }]);
});

test('an urgent entry is written at once, without changing when others are due', async () => {
  const desk = new Desk();
  desk.writer.schedule(desk.shard(1), 1000);
  desk.writer.schedule(desk.shard(2), 0);
  await desk.clock.advance(5000);
  expect(desk.inserts).toEqual([{ at: 0, shards: [2] }, { at: 1000, shards: [1] }]);
});

describe('a shard that does not take the outcome of its entry', () => {
  const insertsAfter = async (reason: ActorError['reason']) => {
    const desk = new Desk();
    const shard = desk.shard(1);
    let asked = 0;
    desk.writer.schedule({
      ask: <R>(request: (respond: (value: R) => void) => JournalMessage): Promise<R> =>
        ((asked += 1) === 2 ? Promise.reject(new ActorError(reason)) : shard.ask(request)),
    }, 0);
    await desk.clock.advance(5000);
    return desk.inserts;
  };

  test.each(['full', 'timeout'] as const)('is given the entry again if it is busy (%s)', async (reason) => {
    expect(await insertsAfter(reason)).toEqual([{ at: 0, shards: [1] }, { at: 200, shards: [1] }]);
  });

  test('is forgotten if it has ended', async () => {
    expect(await insertsAfter('ended')).toEqual([{ at: 0, shards: [1] }]);
  });
});
