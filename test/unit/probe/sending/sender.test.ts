import { createLog } from '../../../../shared/log.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Sender } from '../../../../probe/sending/sender.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { MemorySpool, Owner, type MemoryLane } from './memory-spool.ts';
import { SimulatedBus, type Fate } from './simulated-bus.ts';

/** Twice the windows of a fresh lane, of one that was fresh until just now, and of one from an older epoch. */
const MAX_PENDING_PER_SHARD = 2 * (16 + 16 + 4);

const CALM: Fate = { isDelivered: true, hasResponse: true, delayMs: 1, againAfterMs: null };

function build(shards = [0, 1, 2]) {
  const clock = new SimulatedClock();
  const bus = new SimulatedBus(clock);
  const spool = new MemorySpool(shards);
  const owner = new Owner(() => clock.now());
  bus.respond = (_subject, payload) => owner.take(payload);
  let turn = 0;
  const random = (): number => ((turn = (turn * 1103515245 + 12345) % 2 ** 31) / 2 ** 31);
  const sender = new Sender<MemoryLane>({
    bus, spool, clock, log: createLog('test', 'silent'), random, region: 'eu', probeId: 'p',
  });
  sender.start();
  const add = (shard: number, count: number): void => {
    spool.fresh(shard).synced += count;
    sender.kick();
  };
  return { clock, bus, spool, owner, sender, add };
}

describe('the sender', () => {
  test('sends each lane once, in order, when nothing fails', async () => {
    const { clock, bus, spool, owner, add } = build();
    for (const shard of spool.shards) add(shard, 500);
    await clock.advance(2000);
    for (const shard of spool.shards) expect(spool.fresh(shard).watermark).toBe(500);
    expect(bus.requests).toBe(150);
    expect(owner.taken).toHaveLength(150);
  });

  test('keeps at most sixteen batches of a lane in flight', async () => {
    const { clock, bus, spool, owner, add } = build([0]);
    bus.fate = () => ({ ...CALM, delayMs: 400 });
    add(0, 1000);
    await clock.advance(60_000);
    expect(bus.maxInFlight).toBe(16);
    expect(spool.fresh(0).watermark).toBe(1000);
    expect(owner.taken).toHaveLength(100);
  });

  test('sends at most two windows of a lane without a response, whatever is lost', async () => {
    const { clock, bus, spool, add } = build([0]);
    let turn = 0;
    bus.fate = () => ({ ...CALM, isDelivered: (turn += 1) % 5 !== 0 });
    add(0, 5000);
    await clock.advance(1000);
    expect(bus.maxInFlight).toBe(32);
    await clock.advance(300_000);
    expect(bus.maxInFlight).toBe(32);
    expect(spool.fresh(0).watermark).toBe(5000);
  });

  test('sends no batch again while a busy owner takes longer than before to respond', async () => {
    const { clock, bus, spool, add } = build([0]);
    bus.fate = () => ({ ...CALM, delayMs: 1500 });
    add(0, 10);
    await clock.advance(20_000);
    const before = bus.requests;
    for (let second = 0; second < 60; second += 1) {
      add(0, 10);
      await clock.advance(1000);
    }
    await clock.advance(10_000);
    expect({ watermark: spool.fresh(0).watermark, requests: bus.requests - before })
      .toEqual({ watermark: 610, requests: 60 });
  });

  test('never gives up, with delays that grow to half a minute', async () => {
    const { clock, bus, spool, add } = build([0]);
    bus.fate = () => ({ ...CALM, isDelivered: false });
    add(0, 100);
    await clock.advance(600_000);
    expect(bus.requests).toBeGreaterThan(20);
    expect(bus.requests).toBeLessThan(60);
    bus.fate = () => CALM;
    await clock.advance(35_000);
    expect(spool.fresh(0).watermark).toBe(100);
  });

  test('resumes immediately on reconnect', async () => {
    const { clock, bus, spool, add } = build([0, 1]);
    bus.fate = () => ({ ...CALM, isDelivered: false });
    add(0, 100);
    add(1, 100);
    await clock.advance(120_000);
    bus.connect(false);
    await clock.advance(10_000);
    bus.fate = () => CALM;
    bus.connect(true);
    await clock.advance(200);
    expect([spool.fresh(0).watermark, spool.fresh(1).watermark]).toEqual([100, 100]);
  });

  test('sends nothing without a connection', async () => {
    const { clock, bus, add } = build([0]);
    bus.connect(false);
    add(0, 100);
    await clock.advance(60_000);
    expect(bus.requests).toBe(0);
  });

  test('retries an owner that accepts nothing at growing intervals, and delivers everything once it accepts', async () => {
    const { clock, bus, spool, owner, add } = build([0]);
    owner.isTaking = false;
    add(0, 100);
    await clock.advance(300_000);
    expect(bus.requests).toBeLessThan(60);
    owner.isTaking = true;
    await clock.advance(31_000);
    expect(spool.fresh(0).watermark).toBe(100);
  });

  test('reports trimmed results to an owner that lost acknowledged ones, and sends the rest', async () => {
    const { clock, spool, owner, bus, add } = build([0]);
    add(0, 40);
    await clock.advance(100);
    owner.watermarks.set('1/0', 15);
    add(0, 10);
    await clock.advance(5000);
    expect(spool.fresh(0).watermark).toBe(50);
    expect(owner.taken.filter((content) => content.trimmed)).toMatchObject([{ first: 16, last: 40 }]);
    expect(bus.requests).toBeLessThan(20);
  });

  test('sends fresh results in another epoch after an outage, without waiting for the backlog', async () => {
    const { clock, bus, spool, owner, add } = build([0]);
    add(0, 10);
    await clock.advance(100);
    bus.connect(false);
    add(0, 50_000);
    await clock.advance(3_600_000);
    bus.fate = () => ({ ...CALM, delayMs: 250 });
    bus.connect(true);
    await clock.advance(1500);
    expect(spool.epoch).toBe(2);
    const addedAt = clock.now();
    add(0, 1);
    await clock.advance(2000);
    const fresh = owner.taken.find((content) => content.epoch === '2');
    expect((fresh as { atMs: number }).atMs - addedAt).toBeLessThanOrEqual(251);
    await clock.advance(3_600_000);
    expect(owner.watermarks.get('1/0')).toBe(50_010);
    expect(spool.lanes().filter((lane) => !spool.isFresh(lane))).toEqual([]);
  });

  test('does not delay other shards when one has no owner', async () => {
    const { clock, bus, spool, owner, add } = build([0, 1]);
    bus.respond = (subject, payload) => (subject.startsWith('results.00') ? null : owner.take(payload));
    add(0, 5000);
    add(1, 5000);
    await clock.advance(5000);
    expect(spool.fresh(0).watermark).toBe(0);
    expect(spool.fresh(1).watermark).toBe(5000);
  });

  test('waits a limited time for batches in flight when it stops', async () => {
    const { clock, bus, spool, sender, add } = build([0]);
    add(0, 50);
    let isStopped = false;
    const stopped = sender.stop(3000).then(() => (isStopped = true));
    await clock.advance(1000);
    expect({ isStopped, watermark: spool.fresh(0).watermark }).toEqual({ isStopped: true, watermark: 50 });
    await stopped;
    const other = build([0]);
    other.bus.fate = () => ({ ...CALM, isDelivered: false });
    other.add(0, 50);
    let hasEnded = false;
    void other.sender.stop(3000).then(() => (hasEnded = true));
    await other.clock.advance(2900);
    expect(hasEnded).toBe(false);
    await other.clock.advance(200);
    expect(hasEnded).toBe(true);
    expect(bus.isConnected).toBe(true);
  });

  test('delivers every number once and in order, whatever is lost, late, duplicated or disconnected', async () => {
    const fate = fc.record({
      isDelivered: fc.boolean(), hasResponse: fc.boolean(),
      delayMs: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5000 })),
      againAfterMs: fc.option(fc.integer({ min: 1, max: 4000 })),
    });
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('add' as const), shard: fc.nat(2), amount: fc.integer({ min: 1, max: 300 }),
      }),
      fc.record({
        kind: fc.constantFrom('wait' as const, 'cut' as const, 'pause' as const), shard: fc.constant(0),
        amount: fc.integer({ min: 1, max: 60_000 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(
        fate, { minLength: 1, maxLength: 30 },
      ), fc.array(step, { maxLength: 20 }), async (fates, steps) => {
        const { clock, bus, spool, owner, add } = build();
        let turn = 0;
        bus.fate = () => fates[turn++ % fates.length] as Fate;
        const issued = new Map<string, number>();
        for (const { kind, shard, amount } of steps) {
          if (kind === 'add') {
            add(shard, amount);
            const { epoch } = spool.fresh(shard);
            issued.set(`${epoch}/${shard}`, (issued.get(`${epoch}/${shard}`) ?? 0) + amount);
          } else if (kind === 'cut') {
            bus.connect(false);
            await clock.advance(amount);
            bus.connect(true);
          } else if (kind === 'pause') {
            owner.isTaking = false;
            await clock.advance(amount);
            owner.isTaking = true;
          } else {
            await clock.advance(amount);
          }
        }
        bus.fate = () => CALM;
        await clock.advance(120_000);
        expect(Object.fromEntries(owner.watermarks)).toMatchObject(Object.fromEntries(issued));
        expect(spool.lanes().every((lane) => lane.watermark === lane.synced)).toBe(true);
        expect(owner.taken.some((content) => content.trimmed)).toBe(false);
        expect(bus.maxInFlight).toBeLessThanOrEqual(spool.shards.length * MAX_PENDING_PER_SHARD);
      }),
      { numRuns: 40 },
    );
  });
});
