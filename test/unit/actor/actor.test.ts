import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ask, type ActorContext, type ActorDefinition } from '../../../shared/actor/actor.ts';
import { ActorSystem, type FailureReport } from '../../../shared/actor/system.ts';
import { AppError } from '../../../shared/errors.ts';
import { SimulatedClock } from '../../../shared/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

function makeSystem() {
  const clock = new SimulatedClock();
  const failures: FailureReport[] = [];
  const escalations: FailureReport[] = [];
  const system = new ActorSystem({ clock, onFailure: (report) => failures.push(report), onEscalation: (report) => escalations.push(report) });
  return { clock, system, failures, escalations };
}

/** Notes what it is told; an effect is a function of the context. */
type Job = (context: ActorContext<Told>) => Promise<Told | void> | Told | void;
type Told = { note: string; jobs?: Job[] };

const notebook = (notes: string[], more: Partial<ActorDefinition<number, Told, Job>> = {}): ActorDefinition<number, Told, Job> => ({
  initial: () => ({ state: 0 }),
  transition: (count, message) => {
    notes.push(message.note);
    return { state: count + 1, effects: message.jobs ?? [] };
  },
  perform: (job, context) => job(context),
  ...more,
});

describe('an actor', () => {
  test('handles nothing before the sender has gone on, and everything in order', async () => {
    const { clock, system } = makeSystem();
    const notes: string[] = [];
    const ref = system.spawn(notebook(notes), { name: 'a' });
    for (const note of ['1', '2', '3']) expect(ref.send({ note })).toBe(true);
    expect(notes).toEqual([]);
    await clock.advance(0);
    expect(notes).toEqual(['1', '2', '3']);
  });

  test('takes the next message only after the effects of the last, and what they gave back comes first', async () => {
    const { clock, system } = makeSystem();
    const notes: string[] = [];
    const ref = system.spawn(notebook(notes), { name: 'a' });
    const job = (name: string, delayMs: number): Job => async (context) => {
      notes.push(`begin ${name}`);
      await sleep(context.clock, delayMs);
      notes.push(`end ${name}`);
      return { note: `after ${name}` };
    };
    ref.send({ note: '1', jobs: [job('slow', 20), job('quick', 1)] });
    ref.send({ note: '2' });
    await clock.advance(100);
    expect(notes).toEqual(['1', 'begin slow', 'end slow', 'begin quick', 'end quick', 'after slow', 'after quick', '2']);
  });

  test('with more effects at once takes messages while there is room', async () => {
    const { clock, system } = makeSystem();
    const notes: string[] = [];
    const ref = system.spawn(notebook(notes, { effectsAtOnce: 2 }), { name: 'a' });
    const wait: Job = async (context) => {
      await sleep(context.clock, 10);
    };
    for (const note of ['1', '2', '3']) ref.send({ note, jobs: [wait] });
    await clock.advance(5);
    expect(notes).toEqual(['1', '2']);
    expect(ref.waiting).toBe(1);
    expect(ref.isIdle).toBe(false);
    await clock.advance(20);
    expect(notes).toEqual(['1', '2', '3']);
    expect(ref.isIdle).toBe(true);
  });

  test('has one timer per key, and can cancel it', async () => {
    const { clock, system } = makeSystem();
    const notes: string[] = [];
    const ref = system.spawn(notebook(notes), { name: 'a' });
    ref.send({ note: 'set', jobs: [(context) => {
      context.after('x', 10, { note: 'replaced' });
      context.after('x', 20, { note: 'x' });
      context.after('y', 10, { note: 'cancelled' });
      context.cancel('y');
    }] });
    await clock.advance(100);
    expect(notes).toEqual(['set', 'x']);
  });

  test('answers a question, and a question that is not answered in time or not taken ends with an error', async () => {
    const { clock, system } = makeSystem();
    type Question = { text: string; answer: (value: number) => void };
    const ref = system.spawn<number, Question, Question>({
      initial: () => ({ state: 0 }),
      transition: (count, question) => ({ state: count + 1, effects: [question] }),
      perform: ({ text, answer }) => (text === 'hello' ? answer(5) : undefined),
    }, { name: 'a' });
    const put = (text: string) => (answer: (value: number) => void): Question => ({ text, answer });
    const answered = ask(ref, clock, 100, put('hello'));
    const silent = expect(ask(ref, clock, 100, put('?'))).rejects.toThrow('a did not answer within 100 ms');
    await clock.advance(200);
    await expect(answered).resolves.toBe(5);
    await silent;
    expect(clock.pending).toBe(0);
    await system.stop(0);
    await expect(ask(ref, clock, 100, put('hello'))).rejects.toBeInstanceOf(AppError);
    expect(clock.pending).toBe(0);
  });

  test('keeps order and bounds whatever is sent, whenever, and however long its effects take', async () => {
    const arrival = fc.record({ waitMs: fc.integer({ min: 0, max: 5 }), workMs: fc.option(fc.integer({ min: 0, max: 5 })) });
    await fc.assert(fc.asyncProperty(
      fc.array(arrival, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 3 }),
      async (arrivals, capacity, effectsAtOnce) => {
        const { clock, system } = makeSystem();
        const seen: number[] = [];
        const taken: number[] = [];
        let underWay = 0;
        let mostUnderWay = 0;
        const ref = system.spawn<null, { index: number; workMs: number | null }, number>({
          initial: () => ({ state: null }),
          transition: (state, message) => {
            seen.push(message.index);
            return { state, effects: message.workMs === null ? [] : [message.workMs] };
          },
          perform: async (workMs) => {
            underWay += 1;
            mostUnderWay = Math.max(mostUnderWay, underWay);
            await sleep(clock, workMs);
            underWay -= 1;
          },
          mailbox: { capacity, overflow: 'reject' },
          effectsAtOnce,
        }, { name: 'a' });
        for (const [index, { waitMs, workMs }] of arrivals.entries()) {
          await clock.advance(waitMs);
          if (ref.send({ index, workMs })) taken.push(index);
          expect(ref.waiting).toBeLessThanOrEqual(capacity);
        }
        await clock.advance(1000);
        expect(seen).toEqual(taken);
        expect(ref.lost).toBe(arrivals.length - taken.length);
        expect(mostUnderWay).toBeLessThanOrEqual(effectsAtOnce);
        expect(ref.isIdle).toBe(true);
      },
    ), { numRuns: 100 });
  });

  test('leaves the event loop its turn, and its neighbours theirs, under a flood', async () => {
    const { clock, system } = makeSystem();
    const order: string[] = [];
    const flooded: ActorDefinition<null, string, never> = {
      initial: () => ({ state: null }),
      transition: (state, message) => {
        order.push(message);
        return { state };
      },
      perform: () => undefined,
      mailbox: { capacity: 30_000, overflow: 'reject' },
    };
    const loud = system.spawn(flooded, { name: 'loud' });
    const quiet = system.spawn(flooded, { name: 'quiet' });
    for (let count = 0; count < 25_000; count += 1) loud.send('loud');
    quiet.send('quiet');
    await Promise.resolve();
    await Promise.resolve();
    expect(order.indexOf('quiet')).toBeLessThan(100);
    expect(order.length).toBeLessThan(11_000);
    await clock.advance(1);
    expect(order.length).toBe(25_001);
  });
});
