import { beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { ReceivedEvidence } from '../../../controller/evidence/evidence.ts';
import { EvidenceQueue } from '../../../controller/evidence/evidence-queue.ts';
import { evidenceMessage } from '../../helpers/evidence.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

let clock: SimulatedClock;
let queue: EvidenceQueue;
let written: number[][];
let isAway: boolean;
let warnings: number;

beforeEach(() => {
  clock = new SimulatedClock();
  [written, isAway, warnings] = [[], false, 0];
  queue = new EvidenceQueue({
    clock, log: pino({}, { write: () => void (warnings += 1) }),
    write: async (batch) => {
      if (isAway) throw new Error('the database is away');
      written.push(batch.map(({ at }) => at));
    },
  });
});

function received(at: number, size = 100): ReceivedEvidence {
  const from = { region: 'eu', probeId: 'one' };
  return { from, message: evidenceMessage('monitor', at), size, at, shiftMs: 0 };
}

const put = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => queue.put(received(from + index)));

describe('evidence', () => {
  test('is written in batches of 100 every 250 ms, without a timer while the queue is empty', async () => {
    expect(clock.pending).toBe(0);
    put(250);
    await clock.advance(249);
    expect(written).toEqual([]);
    await clock.advance(1);
    expect(written.map((batch) => batch.length)).toEqual([100]);
    await clock.advance(500);
    expect(written.map((batch) => batch.length)).toEqual([100, 100, 50]);
    expect(written.flat()).toEqual(Array.from({ length: 250 }, (_, index) => index));
    expect(clock.pending).toBe(0);
    put(1, 999);
    await clock.advance(250);
    expect(written.at(-1)).toEqual([999]);
  });

  test('waits in order and without loss while writes fail, with one log entry', async () => {
    isAway = true;
    put(3);
    await clock.advance(60_000);
    put(2, 3);
    isAway = false;
    await clock.advance(2000);
    expect(written.flat()).toEqual([0, 1, 2, 3, 4]);
    expect(warnings).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('beyond 1,000 messages or 8 MB is dropped until there is room again', async () => {
    isAway = true;
    expect(put(1001).map(Number).reduce((sum, each) => sum + each)).toBe(1000);
    isAway = false;
    await clock.advance(250);
    expect(put(101, 2000).filter(Boolean)).toHaveLength(100);
    await clock.advance(60_000);
    expect(written.flat()).toHaveLength(1100);
    const large = () => queue.put(received(1, 4 * 1_048_576));
    expect([large(), large(), queue.put(received(1, 1))]).toEqual([true, true, false]);
    await clock.advance(250);
    expect([large(), large(), large()]).toEqual([true, true, false]);
  });

  test('queued at a stop is written first', async () => {
    put(150);
    const stopped = queue.stop();
    expect(put(1)).toEqual([false]);
    await clock.advance(250);
    await stopped;
    expect(written.map((batch) => batch.length)).toEqual([100, 50]);
  });

  test('that cannot be written at a stop is dropped', async () => {
    isAway = true;
    put(150);
    await clock.advance(10_000);
    const stopped = queue.stop();
    await clock.advance(2000);
    await stopped;
    expect(written).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
