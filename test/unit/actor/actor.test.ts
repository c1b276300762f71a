import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Actor, type ActorContext, type Behaviour } from '../../../shared/actor/actor.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

type Message = { note: string; work?: (
  context: ActorContext<Message>,
) => void | Promise<void>; respond?: (value: string) => void };

function makeActor(
  options: { capacity?: number; start?: () => Promise<void>; close?: () => Promise<void> } = {},
) {
  const clock = new SimulatedClock();
  const notes: string[] = [];
  const ends: unknown[] = [];
  const behaviour = (context: ActorContext<Message>): Behaviour<Message> => ({
    receive: ({ note, work, respond }) => {
      notes.push(note);
      respond?.(`re: ${note}`);
      return work?.(context);
    },
    close: async () => {
      await options.close?.();
      notes.push('closed');
    },
  });
  const actor = new Actor<Message>({
    clock, capacity: options.capacity ?? 10,
    start: (context) => (options.start ? options.start().then(() => behaviour(context)) : behaviour(context)),
    onEnded: (error) => ends.push(error),
  });
  return { clock, actor, notes, ends };
}

const settled = (clock: SimulatedClock) => clock.advance(0);

describe('a mailbox', () => {
  test('delivers messages one at a time, in order, and never while the sender runs', async () => {
    const { actor, clock, notes } = makeActor();
    actor.begin();
    actor.send({ note: 'one', work: async () => {
      await sleep(clock, 10);
      notes.push('one is done');
    } });
    actor.send({ note: 'two' });
    expect(notes).toEqual([]);
    await clock.advance(10);
    expect(notes).toEqual(['one', 'one is done', 'two']);
  });

  test('rejects messages when full, and accepts them again when there is room', async () => {
    const { actor, clock, notes } = makeActor({ capacity: 2 });
    actor.begin();
    expect(['a', 'b', 'c'].map((note) => actor.send({ note }))).toEqual([true, true, false]);
    await settled(clock);
    expect(actor.send({ note: 'd' })).toBe(true);
    await settled(clock);
    expect(notes).toEqual(['a', 'b', 'd']);
  });

  test('accepts messages from its own actor even when full', async () => {
    const { actor, clock, notes } = makeActor({ capacity: 1 });
    actor.begin();
    actor.send({ note: 'a', work: (context) => {
      for (const note of ['b', 'c', 'd']) context.enqueue({ note });
    } });
    await settled(clock);
    expect(notes).toEqual(['a', 'b', 'c', 'd']);
  });

  test('lets timers fire between the turns of a permanently busy actor', async () => {
    const { actor, clock, notes } = makeActor({ capacity: 1000 });
    actor.begin();
    let left = 500;
    const again = (context: ActorContext<Message>): void => {
      if ((left -= 1) > 0) context.enqueue({ note: 'again', work: again });
    };
    actor.send({ note: 'again', work: again });
    await Promise.resolve();
    await Promise.resolve();
    expect(notes.length).toBeLessThan(100);
    await clock.advance(1);
    expect(notes).toHaveLength(500);
  });

  test('queues messages that arrive while the actor starts', async () => {
    const { actor, clock, notes } = makeActor({ start: () => Promise.resolve() });
    actor.begin();
    expect(actor.isRunning).toBe(false);
    actor.send({ note: 'early' });
    await settled(clock);
    expect(actor.isRunning).toBe(true);
    expect(notes).toEqual(['early']);
  });

  test('preserves order and limit for any mix of sends and pauses', async () => {
    await fc.assert(fc.asyncProperty(fc.array(
      fc.record({ pauseMs: fc.nat(3), workMs: fc.nat(3) }), { maxLength: 60 },
    ), async (steps) => {
      const { actor, clock, notes } = makeActor({ capacity: 5 });
      actor.begin();
      const taken: string[] = [];
      for (const [index, { pauseMs, workMs }] of steps.entries()) {
        const work = workMs === 0 ? undefined : () => sleep(clock, workMs);
        if (actor.send({ note: String(index), ...(work ? { work } : {}) })) taken.push(String(index));
        expect(actor.waiting).toBeLessThanOrEqual(5);
        await clock.advance(pauseMs);
      }
      await clock.advance(1000);
      expect(notes).toEqual(taken);
    }));
  });
});

describe('a request', () => {
  test('resolves to its response', async () => {
    const { actor } = makeActor();
    actor.begin();
    await expect(actor.ask((respond) => ({ note: 'why', respond }))).resolves.toBe('re: why');
  });

  test.each([
    ['its handling ends without a response', (actor: Actor<Message>) => actor.ask(() => ({ note: 'why' }))],
    ['its handling fails', (actor: Actor<Message>) => actor.ask(
      () => ({ note: 'why', work: () => Promise.reject(new Error('broken')) }),
    )],
    ['the actor ends before its turn', (actor: Actor<Message>) => {
      actor.send({ note: 'bad', work: () => {
        throw new Error('broken');
      } });
      return actor.ask((respond) => ({ note: 'why', respond }));
    }],
    ['the actor has ended', async (actor: Actor<Message>) => {
      await actor.stop();
      return actor.ask((respond) => ({ note: 'why', respond }));
    }],
    ['the mailbox is full', (actor: Actor<Message>) => {
      for (let count = 0; count < 10; count += 1) actor.send({ note: 'full' });
      return actor.ask((respond) => ({ note: 'why', respond }));
    }],
  ] as [string, (actor: Actor<Message>) => Promise<unknown>][])('is rejected when %s', async (_when, request) => {
    const { actor } = makeActor();
    actor.begin();
    await expect(request(actor)).rejects.toThrow('the actor has ended, or its mailbox is full');
  });
});

describe('an actor run', () => {
  test.each([
    ['a throw', () => {
      throw new Error('broken');
    }],
    ['a rejection', () => Promise.reject(new Error('broken'))],
    [
      'background work that fails',
      (context: ActorContext<Message>) => context.fail(new Error('broken')),
    ],
  ] as [string, NonNullable<Message['work']>][])('that ends with %s drops waiting messages, cancels timers and is reported once', async (_how, work) => {
    const { actor, clock, notes, ends } = makeActor();
    actor.begin();
    actor.send({ note: 'timer', work: (context) => context.after('later', 50, { note: 'too late' }) });
    actor.send({ note: 'bad', work });
    actor.send({ note: 'dropped' });
    await clock.advance(100);
    expect(notes).toEqual(['timer', 'bad', 'closed']);
    expect(ends).toEqual([new Error('broken')]);
    expect(actor.send({ note: 'too late' })).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('finishes the current message when stopped, then its cleanup', async () => {
    const { actor, clock, notes, ends } = makeActor({ close: () => sleep(clock, 5) });
    actor.begin();
    actor.send({ note: 'long', work: async ({ signal }) => {
      await sleep(clock, 20);
      notes.push(`aborted ${signal.aborted}`);
    } });
    actor.send({ note: 'dropped' });
    await clock.advance(1);
    const stopped = actor.stop().then(() => notes.push('stopped'));
    await clock.advance(30);
    await stopped;
    expect(notes).toEqual(['long', 'aborted true', 'closed', 'stopped']);
    expect(ends).toEqual([undefined]);
  });

  test('accepts no more messages after it ends itself', async () => {
    const { actor, clock, notes, ends } = makeActor();
    actor.begin();
    actor.send({ note: 'last', work: (context) => context.finish() });
    actor.send({ note: 'dropped' });
    await settled(clock);
    expect(notes).toEqual(['last', 'closed']);
    expect(ends).toEqual([undefined]);
  });

  test('closes a behaviour that arrives after it was stopped', async () => {
    const { actor, clock, notes } = makeActor({ start: () => sleep(clock, 10) });
    actor.begin();
    await actor.stop();
    await clock.advance(10);
    expect(notes).toEqual(['closed']);
  });

  test('ends when its start fails', async () => {
    const { actor, clock, ends } = makeActor({ start: () => Promise.reject(new Error('cannot start')) });
    actor.begin();
    await settled(clock);
    expect(ends).toEqual([new Error('cannot start')]);
  });
});

test('a timer with the same key replaces the pending one', async () => {
  const { actor, clock, notes } = makeActor();
  actor.begin();
  actor.send({ note: 'set', work: (context) => {
    context.after('look', 10, { note: 'first' });
    context.after('look', 20, { note: 'second' });
  } });
  await clock.advance(30);
  expect(notes).toEqual(['set', 'second']);
});
