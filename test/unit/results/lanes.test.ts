import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../shared/log.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { limitsOf } from '../../helpers/take-limits.ts';
import type { DeadLetter } from '../../../controller/results/dead-letters/dead-letter.ts';
import { LostLanes } from '../../../controller/results/dead-letters/lost-lanes.ts';
import { EntryBuilder } from '../../../controller/results/intake/entry-builder.ts';
import { UnjournaledLanes } from '../../../controller/results/intake/pending-batches.ts';
import type { JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import { Lanes, LANES_PER_PROBE, ShardState } from '../../../controller/results/state/shard-state.ts';
import { batchOf, configOf, HOUR, resultOf } from './build.ts';

const SHARD = 2;

function namesOf(lanes: Lanes): string[] {
  return [...lanes].map(({ lane }) => lane);
}

describe('the lanes of a probe in a shard', () => {
  test('are bounded: the least recently moved lane is dropped first', () => {
    const lanes = new Lanes();
    lanes.move('other/e', 9, 1);
    for (let at = 0; at < LANES_PER_PROBE; at += 1) expect(lanes.move(`p/${at}`, 1, at)).toBeNull();
    lanes.move('p/0', 2, 100);
    expect(lanes.move('p/new', 1, 101)).toEqual({ lane: 'p/1', position: 1, moved_at: 1 });
    expect([lanes.position('p/0'), lanes.position('p/1'), lanes.position('other/e')]).toEqual([2, 0, 9]);
    expect(namesOf(lanes)).toHaveLength(LANES_PER_PROBE + 1);
  });

  test('never move back, and restart at 1 once dropped', () => {
    const lanes = new Lanes([{ lane: 'p/e', position: 5, moved_at: 7 }, { lane: 'p/f', position: 1, moved_at: 3 }]);
    lanes.move('p/e', 4, 6);
    expect([...lanes]).toEqual([
      { lane: 'p/f', position: 1, moved_at: 3 }, { lane: 'p/e', position: 5, moved_at: 7 },
    ]);
    lanes.forget('p/e');
    lanes.forget('p/e');
    lanes.forget('q/e');
    expect(namesOf(lanes)).toEqual(['p/f']);
  });

  test('are the same for every reader of the journal, from any snapshot on', () => {
    const moves = fc.array(fc.tuple(fc.constantFrom('p', 'q'), fc.integer({ min: 0, max: 80 })), { maxLength: 400 });
    fc.assert(fc.property(moves, fc.nat(400), (all, cut) => {
      const whole = new Lanes();
      let other = new Lanes();
      all.forEach(([probe, epoch], at) => {
        whole.move(`${probe}/${epoch}`, at + 1, 1000 - at);
        other.move(`${probe}/${epoch}`, at + 1, 1000 - at);
        if (at === cut) other = new Lanes(structuredClone([...other]));
      });
      expect([...other].sort(byName)).toEqual([...whole].sort(byName));
      for (const probe of ['p/', 'q/']) {
        const of = (lanes: Lanes): string[] => namesOf(lanes).filter((lane) => lane.startsWith(probe));
        expect(of(other)).toEqual(of(whole));
      }
    }), { numRuns: 50 });
  });
});

function byName(a: { lane: string }, b: { lane: string }): number {
  return a.lane < b.lane ? -1 : 1;
}

/** A shard with one monitor, and a probe that starts one epoch after another. */
class Desk {
  readonly monitor = configOf({ shard: SHARD });
  readonly owner = new EntryBuilder(new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []), 'w', limitsOf(1e15));
  readonly acknowledged = new Map<string, number>();
  #now = HOUR;

  constructor() {
    this.owner.noteConfigs([this.monitor], 0);
    this.flush();
  }

  send(epoch: string, first = 1, probe = 'p'): void {
    const batch = batchOf([resultOf(this.monitor, { seq: first, started_at: this.#now })], { epoch });
    this.owner.take({
      region: 'eu', probe_id: probe, bytes: encodeBatch(batch),
      acknowledge: (watermark) => this.acknowledged.set(epoch, watermark),
    }, { wall: this.#now, monotonic: 0 });
  }

  flush(afterMs = 1000): { entry: JournalEntry; dropped: string[]; fresh: number } {
    this.#now += afterMs;
    const next = this.owner.nextEntry(this.#now);
    if (!next) throw new Error('nothing to write');
    const { dropped, fresh } = this.owner.state.apply(next.entry);
    this.owner.settled();
    return { entry: next.entry, dropped: dropped.map(({ lane }) => lane), fresh: fresh.length };
  }
}

describe('unjournaled batches', () => {
  test('belong to at most as many lanes of a probe as the state keeps; further ones get no response', () => {
    const desk = new Desk();
    for (let at = 0; at < 1000; at += 1) desk.send(`e${at}`);
    desk.send('e', 1, 'q');
    expect(desk.acknowledged.size).toBe(0);
    const { entry, dropped } = desk.flush();
    expect(entry.lanes.map(({ lane }) => lane)).toEqual(
      [...Array.from({ length: LANES_PER_PROBE }, (_, at) => `p/e${at}`), 'q/e'],
    );
    expect(dropped).toEqual([]);
    expect(desk.acknowledged.size).toBe(LANES_PER_PROBE + 1);
    expect(new Set(desk.acknowledged.values())).toEqual(new Set([1]));
    desk.send('e999');
    expect(desk.flush().dropped).toEqual(['p/e0']);
  });

  test('keep their lane while the state drops it, so a repeat is recorded once', () => {
    const desk = new Desk();
    desk.send('old');
    desk.flush();
    for (let at = 0; at < LANES_PER_PROBE - 1; at += 1) desk.send(`e${at}`);
    desk.flush();
    desk.send('new');
    const next = desk.owner.nextEntry(HOUR);
    // In transit while the current entry drops its lane.
    desk.send('old', 2);
    const { dropped } = desk.owner.state.apply(next?.entry as JournalEntry);
    expect(dropped.map(({ lane }) => lane)).toEqual(['p/old']);
    desk.owner.settled();
    desk.send('old', 2);
    expect(desk.flush().fresh).toBe(1);
    expect(desk.acknowledged.get('old')).toBe(2);
  });

  test('count a lane until the journal has all of it', () => {
    const lanes = new UnjournaledLanes();
    for (let at = 0; at < LANES_PER_PROBE; at += 1) lanes.set(`p/${at}`, 1);
    lanes.set('p/0', 2);
    lanes.settle('p/0', 1);
    expect([lanes.hasRoom('p/0'), lanes.hasRoom('p/new'), lanes.hasRoom('q/new')]).toEqual([true, false, true]);
    lanes.settle('p/0', 2);
    expect([lanes.hasRoom('p/new'), lanes.get('p/0')]).toEqual([true, undefined]);
  });
});

describe('a probe that loses lanes', () => {
  test('is reported if they moved seconds before: one dead letter per entry, one warning per hour', async () => {
    const clock = new SimulatedClock();
    const letters: DeadLetter[] = [];
    const warnings: object[] = [];
    const log = { ...createLog('test', 'silent'), warn: (fields: object) => void warnings.push(fields) };
    const lost = new LostLanes({
      clock, log: log as ReturnType<typeof createLog>, deadLetters: { put: (some) => void letters.push(...some) },
    });
    const entry = {
      shard: SHARD, n: 5, taken_at: HOUR, batches: [{ probe_id: 'p', region: 'eu' }],
    } as JournalEntry;
    const droppedAt = (movedAt: number) => [
      { lane: 'p/a', position: 1, moved_at: movedAt }, { lane: 'p/b', position: 1, moved_at: movedAt },
    ];
    lost.report(entry, droppedAt(HOUR - 60_000));
    expect([lost.count, letters.length, warnings.length]).toEqual([0, 0, 0]);
    lost.report(entry, droppedAt(HOUR - 1000));
    lost.report({ ...entry, n: 6 }, droppedAt(HOUR - 1000));
    expect([lost.count, letters.length, warnings.length]).toEqual([4, 2, 1]);
    expect(letters[0]).toMatchObject({
      reason: 'too_many_epochs', shard: SHARD, probe_id: 'p', region: 'eu', at: HOUR,
      content: expect.stringContaining('"p/b"') as string,
    });
    lost.report(entry, droppedAt(HOUR - 1000));
    expect(letters[2]?.id).toBe(letters[0]?.id);
    await clock.advance(3_600_000);
    lost.report(entry, droppedAt(HOUR - 1000));
    expect(warnings).toHaveLength(2);
  });
});
