import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QueuedDelivery } from '../../../controller/delivery/delivery.ts';
import {
  initialQueue, nextInQueue, MAX_CONCURRENT_ATTEMPTS, type QueueEffect, type QueueMessage, type QueueState, type AttemptOutcome,
} from '../../../controller/delivery/queue-rules.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const item = (id: string, line: string, readyAt = 0): QueuedDelivery => ({ id, line, readyAt });

/** Applies messages to a queue that has just been loaded. */
function from(
  items: QueuedDelivery[], messages: QueueMessage[] = [], now = 1000,
): { state: QueueState; effects: QueueEffect[] } {
  let { state } = initialQueue();
  let effects: readonly QueueEffect[] = [];
  for (const message of [
    { kind: 'loaded', wakes: 1, items, failingSince: null, isGone: false } as const, ...messages,
  ]) {
    ({ state, effects = [] } = nextInQueue(state, message, now));
  }
  return { state, effects: [...effects] };
}

const done = (id: string): QueueMessage => ({ kind: 'attempted', id, outcome: { kind: 'sent', durationMs: 5 } });

describe('a delivery queue', () => {
  test('attempts one delivery first, and more concurrently after a fast response', () => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => item(id, `m-${id}`));
    expect(from(items).effects).toEqual([{ kind: 'attempt', id: 'a', pool: 'fast' }]);
    expect(from(items, [done('a')]).effects.map((effect) => effect.kind === 'attempt' && effect.id)).toEqual([
      'b', 'c', 'd', 'e',
    ]);
  });

  test('continues one by one in the slow pool after a slow response or a failed attempt', () => {
    const items = [item('a', 'm1'), item('b', 'm2'), item('c', 'm3')];
    for (const outcome of [
      { kind: 'sent', durationMs: 5000 }, { kind: 'failed' }, { kind: 'retry', readyAt: 99_000 },
    ] as AttemptOutcome[]) {
      expect(from(items, [{ kind: 'attempted', id: 'a', outcome }]).effects).toEqual([
        { kind: 'attempt', id: 'b', pool: 'slow' },
      ]);
    }
  });

  test('ends or postpones all deliveries of one digest together', () => {
    const items = [item('a', 'm1'), item('b', 'm2'), item('c', 'm3'), item('d', 'm4', 9000)];
    const sent: AttemptOutcome = { kind: 'sent', durationMs: 5, also: ['b', 'c'] };
    expect(from(items, [{ kind: 'attempted', id: 'a', outcome: sent }]).state.items.map(({ id }) => id)).toEqual(['d']);
    const refused: AttemptOutcome = { kind: 'retry', readyAt: 8000, also: ['b', 'c'] };
    const { state, effects } = from(items, [{ kind: 'attempted', id: 'a', outcome: refused }]);
    expect(state.items.map(({ readyAt }) => readyAt)).toEqual([8000, 8000, 8000, 9000]);
    expect(effects).toMatchObject([{ kind: 'settle', dueAt: 8000 }]);
  });

  test('does not send a digest early when its receiver recovers', () => {
    const items = [item('a', 'm1'), item('retry', 'm2', 500_000), { ...item('digest', 'm3', 900_000), notBefore: 900_000 }];
    const { state } = from([], [
      { kind: 'loaded', wakes: 1, items, failingSince: 1000, isGone: false }, done('a'),
    ], 200_000);
    expect(state.items.map(({ readyAt }) => readyAt)).toEqual([200_000, 900_000]);
  });

  test('sends no delivery before an older one of the same monitor', () => {
    const items = [item('down', 'm1', 5000), item('up', 'm1'), item('other', 'm2')];
    expect(from(items).effects).toEqual([{ kind: 'attempt', id: 'other', pool: 'fast' }]);
    expect(from(items, [done('other')]).effects).toEqual([
      { kind: 'settle', wakes: 1, dueAt: 5000, deliveredAt: 1000, isGone: false },
    ]);
  });

  test('sends no delivery before an older one that another controller holds', () => {
    const items = [item('down', 'm1'), item('up', 'm1')];
    expect(from(items, [{ kind: 'attempted', id: 'down', outcome: { kind: 'lost' } }]).effects).toEqual([
      { kind: 'load' },
    ]);
  });

  test('attempts all deliveries of a deleted destination early, so that they end', () => {
    const { state } = initialQueue();
    const { effects } = nextInQueue(
      state, { kind: 'loaded', wakes: 1, items: [item('a', 'm1', 99_000)], failingSince: null, isGone: true },
      0,
    );
    expect(effects).toEqual([{ kind: 'attempt', id: 'a', pool: 'fast' }]);
  });

  test('reports the recovery of its destination once, and brings retries forward after an outage', () => {
    const { state } = initialQueue();
    const items = [item('a', 'm1'), item('b', 'm2', 500_000), item('c', 'm3', 600_000)];
    const after = (failingSince: number) => {
      const loaded =
        nextInQueue(state, { kind: 'loaded', wakes: 1, items, failingSince, isGone: false }, 100_000).state;
      return nextInQueue(loaded, done('a'), 100_000);
    };
    expect(after(40_000).effects).toEqual([
      { kind: 'recovered', at: 100_000 }, { kind: 'attempt', id: 'b', pool: 'fast' },
      { kind: 'attempt', id: 'c', pool: 'fast' },
    ]);
    expect(after(40_001).effects).toEqual([
      { kind: 'recovered', at: 100_000 },
      { kind: 'settle', wakes: 1, dueAt: 500_000, deliveredAt: 100_000, isGone: false },
    ]);
    expect(nextInQueue(after(40_000).state, done('b'), 100_001).effects).toEqual([]);
  });

  test('counts a final failure as a failure of the destination', () => {
    const items = [item('a', 'm1'), item('b', 'm2')];
    expect(from(items, [{ kind: 'attempted', id: 'a', outcome: { kind: 'failed' } }, done('b')]).effects[0]).toEqual({
      kind: 'recovered', at: 1000,
    });
    expect(
      from(items, [{ kind: 'attempted', id: 'a', outcome: { kind: 'dropped' } }, done('b')]).effects[0],
    ).toMatchObject({ kind: 'settle' });
  });

  test('reloads before it becomes idle if it was woken meanwhile', () => {
    const wake = { kind: 'wake' } as const;
    expect(from([item('a', 'm1')], [wake, done('a')]).effects).toEqual([{ kind: 'load' }]);
    expect(from([], [wake, { kind: 'settled', isAccepted: true }]).effects).toEqual([{ kind: 'load' }]);
    expect(from([], [{ kind: 'settled', isAccepted: false }]).effects).toEqual([{ kind: 'load' }]);
    expect(from([], [{ kind: 'settled', isAccepted: true }])).toMatchObject({
      state: { phase: 'idle' }, effects: [],
    });
    expect(from([], [{ kind: 'settled', isAccepted: true }, wake]).effects).toEqual([{ kind: 'load' }]);
  });
});

interface Stored extends QueuedDelivery {
  isPending: boolean;
}

/** A store and a shell that carry out the effects in random order with random outcomes. */
class World {
  readonly stored: Stored[] = [];
  now = 0;
  wakes = 0;
  dueAt: number | null = null;
  state: QueueState;
  waiting: QueueEffect[];
  sent: string[] = [];

  constructor() {
    const { state, effects = [] } = initialQueue();
    this.state = state;
    this.waiting = [...effects];
  }

  queue(line: string): void {
    this.stored.push({ id: `d${this.stored.length}`, line, readyAt: 0, isPending: true });
    this.wakes += 1;
    this.dueAt = this.now;
  }

  receive(message: QueueMessage): void {
    const { state, effects = [] } = nextInQueue(this.state, message, this.now);
    this.state = state;
    this.waiting.push(...effects);
    this.#check(effects);
  }

  perform(at: number, outcome: number): void {
    const [effect] = this.waiting.splice(at % this.waiting.length, 1) as [QueueEffect];
    if (effect.kind === 'load') {
      this.receive({
        kind: 'loaded', wakes: this.wakes,
        items: this.stored.filter((one) => one.isPending).map((one) => ({ ...one })), failingSince: null,
        isGone: false,
      });
    } else if (effect.kind === 'settle') {
      const isAccepted = effect.wakes === this.wakes;
      if (isAccepted) this.dueAt = effect.dueAt;
      this.receive({ kind: 'settled', isAccepted });
    } else if (effect.kind === 'attempt') this.#attempt(effect.id, outcome);
  }

  #attempt(id: string, outcome: number): void {
    const one = this.stored.find((stored) => stored.id === id) as Stored;
    if (outcome === 0) {
      one.readyAt = this.now + 10_000;
      return this.receive({ kind: 'attempted', id, outcome: { kind: 'retry', readyAt: one.readyAt } });
    }
    if (outcome === 1) return this.receive({ kind: 'attempted', id, outcome: { kind: 'again' } });
    if (outcome === 2) return this.receive({ kind: 'attempted', id, outcome: { kind: 'lost' } });
    one.isPending = false;
    this.sent.push(id);
    this.receive(done(id));
  }

  #check(effects: readonly QueueEffect[]): void {
    const { running } = this.state;
    expect(running.length).toBeLessThanOrEqual(MAX_CONCURRENT_ATTEMPTS);
    expect(new Set(running.map((one) => one.line)).size).toBe(running.length);
    for (const effect of effects) {
      if (effect.kind !== 'attempt') continue;
      const one = this.stored.find((stored) => stored.id === effect.id) as Stored;
      expect(one.isPending && one.readyAt <= this.now).toBe(true);
      const older = this.stored.find((stored) => stored.line === one.line && stored.isPending);
      expect(older?.id).toBe(one.id);
    }
  }
}

test('any sequence of events sends every delivery exactly once, in the order of its monitor', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('queue' as const), monitor: fc.nat(3), isWoken: fc.boolean() }),
    fc.record({ kind: fc.constant('perform' as const), at: fc.nat(5), outcome: fc.nat(6) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 500, 5000, 20_000) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const world = new World();
      const wake = () => world.receive({ kind: 'wake' });
      for (const one of steps) {
        if (one.kind === 'pass') world.now += one.ms;
        else if (one.kind === 'perform' && world.waiting.length > 0) world.perform(one.at, one.outcome);
        else if (one.kind === 'queue') {
          world.queue(`m${one.monitor}`);
          if (one.isWoken) wake();
        }
      }
      for (let iteration = 0; iteration < 1000 && (world.waiting.length > 0 || world.dueAt !== null); iteration += 1) {
        if (world.waiting.length > 0) world.perform(0, 6);
        else {
          world.now += 10_000;
          if (world.dueAt !== null && world.dueAt <= world.now) wake();
        }
      }
      expect(world.stored.filter((one) => one.isPending)).toEqual([]);
      expect(new Set(world.sent).size).toBe(world.stored.length);
      for (const monitor of ['m0', 'm1', 'm2', 'm3']) {
        const queued = world.stored.filter((one) => one.line === monitor).map((one) => one.id);
        expect(world.sent.filter((id) => queued.includes(id))).toEqual(queued);
      }
      expect([world.state.phase, world.dueAt]).toEqual(['idle', null]);
    }),
    { numRuns: fewOrAll(150, 500) },
  );
});
