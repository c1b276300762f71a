import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActorContext, ActorDefinition, ActorRef, Supervision } from '../../../shared/actor/actor.ts';
import { ActorSystem, type FailureReport } from '../../../shared/actor/system.ts';
import { SimulatedClock } from '../../../shared/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

type Job = (context: ActorContext<Message>) => Promise<Message | void> | Message | void;
type Message = { note: string; fail?: 'transition' | 'effect' | 'late effect'; jobs?: Job[] };

function makeWorld() {
  const clock = new SimulatedClock();
  const failures: FailureReport[] = [];
  const escalations: FailureReport[] = [];
  const system = new ActorSystem({ clock, onFailure: (report) => failures.push(report), onEscalation: (report) => escalations.push(report) });
  const notes: string[] = [];
  const worker = (name: string, more: Partial<ActorDefinition<number, Message, Job>> = {}): ActorDefinition<number, Message, Job> => ({
    initial: () => {
      notes.push(`${name} starts`);
      return { state: 0 };
    },
    transition: (count, message) => {
      if (message.fail === 'transition') throw new Error(message.note);
      notes.push(`${name} ${message.note} ${count}`);
      const failing: Job[] = message.fail === 'effect' ? [() => {
        throw new Error(message.note);
      }] : message.fail === 'late effect' ? [async (context) => {
        await sleep(context.clock, 5);
        throw new Error(message.note);
      }] : [];
      return { state: count + 1, effects: [...(message.jobs ?? []), ...failing] };
    },
    perform: (job, context) => job(context),
    ...more,
  });
  return { clock, system, failures, escalations, notes, worker };
}

/** A worker whose first effect is to spawn the given children. */
function parentOf(world: ReturnType<typeof makeWorld>, name: string, children: Record<string, Partial<Supervision>>, refs: Record<string, ActorRef<Message>>) {
  return world.worker(name, {
    initial: () => ({
      state: 0,
      effects: [(context) => {
        for (const [child, supervision] of Object.entries(children)) refs[child] = context.spawn(world.worker(child), { name: child, supervision });
      }],
    }),
    childFailed: (path, error) => ({ note: `lost ${path} to ${(error as Error).message}` }),
  });
}

const steady: Partial<Supervision> = { onFailure: 'restart', firstDelayMs: 100, maxDelayMs: 1000, maxRestarts: 3, withinMs: 60_000 };

describe('an actor that fails', () => {
  for (const fail of ['transition', 'effect', 'late effect'] as const) {
    test(`in its ${fail} is reported once and starts anew with the rest of its mailbox`, async () => {
      const { clock, system, failures, notes, worker } = makeWorld();
      const ref = system.spawn(worker('a'), { name: 'a', supervision: steady });
      ref.send({ note: 'one' });
      ref.send({ note: 'bad', fail });
      ref.send({ note: 'two' });
      await clock.advance(50);
      expect(notes.filter((note) => !note.includes('bad'))).toEqual(['a starts', 'a one 0']);
      expect(ref.send({ note: 'three' })).toBe(true);
      await clock.advance(200);
      expect(notes.filter((note) => !note.includes('bad'))).toEqual(['a starts', 'a one 0', 'a starts', 'a two 0', 'a three 1']);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatchObject({ path: 'a', decision: 'restart', error: new Error('bad') });
    });
  }

  test('waits longer each time, up to a limit, then escalates', async () => {
    const { clock, system, failures, escalations, worker } = makeWorld();
    const ref = system.spawn(worker('a'), { name: 'a', supervision: { ...steady, maxRestarts: 5 } });
    for (let count = 0; count < 6; count += 1) {
      ref.send({ note: 'bad', fail: 'transition' });
      await clock.advance(2000);
    }
    const delays = failures.map((report) => report.restartInMs);
    expect(delays.length).toBe(6);
    [100, 200, 400, 800, 1000].forEach((baseMs, index) => {
      expect(delays[index]).toBeGreaterThanOrEqual(baseMs);
      expect(delays[index]).toBeLessThanOrEqual(baseMs * 1.25);
    });
    expect(failures[5]).toMatchObject({ decision: 'escalate' });
    expect(escalations).toEqual([failures[5]]);
    expect(ref.send({ note: 'too late' })).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('forgets restarts that are long past', async () => {
    const { clock, system, failures, worker } = makeWorld();
    const ref = system.spawn(worker('a'), { name: 'a', supervision: { ...steady, maxRestarts: 1 } });
    for (let count = 0; count < 4; count += 1) {
      ref.send({ note: 'bad', fail: 'transition' });
      await clock.advance(61_000);
    }
    expect(failures.map((report) => report.decision)).toEqual(['restart', 'restart', 'restart', 'restart']);
  });

  test('loses its timers and its children, and the work under way is told to end', async () => {
    const world = makeWorld();
    const { clock, system, notes } = world;
    const refs: Record<string, ActorRef<Message>> = {};
    let signal: AbortSignal | undefined;
    const parent = system.spawn(world.worker('p', {
      ...parentOf(world, 'p', { c: steady }, refs), effectsAtOnce: 2,
    }), { name: 'p', supervision: steady });
    parent.send({ note: 'set', jobs: [(context) => {
      context.after('x', 50, { note: 'timer of a former life' });
    }, async (context) => {
      signal = context.signal;
      await sleep(context.clock, 20);
      return { note: 'answer of a former life' };
    }] });
    parent.send({ note: 'bad', fail: 'transition' });
    const child = refs['c'] as ActorRef<Message>;
    expect(child.path).toBe('p/c');
    await clock.advance(0);
    expect(signal?.aborted).toBe(true);
    expect(child.send({ note: 'anyone?' })).toBe(false);
    await clock.advance(1000);
    expect(refs['c']).not.toBe(child);
    expect(refs['c']?.send({ note: 'anyone?' })).toBe(true);
    expect(notes.join()).not.toContain('former life');
  });

  test('does not wait for ever for work of its former life, nor mistakes its end for its own', async () => {
    const { clock, system, failures, notes, worker } = makeWorld();
    const ref = system.spawn(worker('a', { effectsAtOnce: 3 }), { name: 'a', supervision: steady });
    const slow = (note: string, delayMs: number): Job => async (context) => {
      await sleep(context.clock, delayMs);
      if (note === 'broken') throw new Error('of a former life');
      return { note };
    };
    ref.send({ note: 'work', jobs: [slow('former', 6000)] });
    ref.send({ note: 'work', jobs: [slow('broken', 6000)], fail: 'effect' });
    await clock.advance(5500);
    expect(notes.filter((note) => note === 'a starts')).toHaveLength(2);
    ref.send({ note: 'work', jobs: [slow('own', 1000)] });
    await clock.advance(600);
    expect(ref.isIdle).toBe(false);
    await clock.advance(1000);
    expect(notes.at(-1)).toBe('a own 1');
    expect(notes.join()).not.toContain('former');
    expect(failures).toHaveLength(1);
    expect(ref.isIdle).toBe(true);
  });

  test('and is not to be restarted is gone, and its parent hears of it', async () => {
    const world = makeWorld();
    const refs: Record<string, ActorRef<Message>> = {};
    world.system.spawn(parentOf(world, 'p', { c: { onFailure: 'stop' } }, refs), { name: 'p' });
    refs['c']?.send({ note: 'bad', fail: 'transition' });
    await world.clock.advance(10);
    expect(world.notes).toContain('p lost p/c to bad 0');
    expect(refs['c']?.send({ note: 'x' })).toBe(false);
    expect(world.failures.map(({ path, decision }) => `${path} ${decision}`)).toEqual(['p/c stop']);
  });

  test('takes its parent along when it escalates, and comes back with it; siblings too', async () => {
    const world = makeWorld();
    const refs: Record<string, ActorRef<Message>> = {};
    world.system.spawn(parentOf(world, 'p', { c: { onFailure: 'escalate' }, d: steady }, refs), { name: 'p', supervision: steady });
    refs['c']?.send({ note: 'bad', fail: 'transition' });
    await world.clock.advance(1000);
    expect(world.failures.map(({ path, decision }) => `${path} ${decision}`)).toEqual(['p/c escalate', 'p restart']);
    expect(world.notes).toEqual(['c starts', 'd starts', 'c starts', 'd starts']);
  });

  test('does not bring down a neighbour, for any sequence of good and bad messages', async () => {
    const kind = fc.constantFrom<Message['fail']>(undefined, undefined, 'transition', 'effect', 'late effect');
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b'), kind), { maxLength: 40 }), async (steps) => {
      const { clock, system, failures, notes, worker } = makeWorld();
      const policy = { ...steady, maxRestarts: 1000 };
      const refs = { a: system.spawn(worker('a'), { name: 'a', supervision: policy }), b: system.spawn(worker('b'), { name: 'b', supervision: policy }) };
      for (const [index, [name, fail]] of steps.entries()) {
        expect(refs[name as 'a' | 'b'].send({ note: `<${index}>`, ...(fail ? { fail } : {}) })).toBe(true);
      }
      await clock.advance(200_000);
      expect(failures.length).toBe(steps.filter(([, fail]) => fail).length);
      for (const [index, [name, fail]] of steps.entries()) {
        expect(notes.filter((note) => note.startsWith(`${name} <${index}>`))).toHaveLength(fail === 'transition' ? 0 : 1);
      }
      for (const name of ['a', 'b'] as const) expect(refs[name].isIdle).toBe(true);
    }), { numRuns: 60 });
  });
});

describe('stopping', () => {
  test('lets effects in hand finish, forgets what waits, and cancels every timer', async () => {
    const { clock, system, notes, worker } = makeWorld();
    const ref = system.spawn(worker('a'), { name: 'a' });
    const slow = (name: string): Job => async (context) => {
      await sleep(context.clock, 50);
      notes.push(`${name} done`);
      return { note: 'never handled' };
    };
    ref.send({ note: 'work', jobs: [(context) => context.after('x', 1000, { note: 'never' }), slow('first'), slow('second')] });
    ref.send({ note: 'waiting' });
    await clock.advance(10);
    let isStopped = false;
    void system.stop(1000).then(() => {
      isStopped = true;
    });
    expect(ref.send({ note: 'late' })).toBe(false);
    await clock.advance(60);
    expect(isStopped).toBe(false);
    await clock.advance(60);
    expect(isStopped).toBe(true);
    expect(notes).toEqual(['a starts', 'a work 0', 'first done', 'second done']);
    expect(clock.pending).toBe(0);
  });

  test('aborts at the deadline what has not finished', async () => {
    const { clock, system, worker } = makeWorld();
    const ref = system.spawn(worker('a'), { name: 'a' });
    let isAborted = false;
    ref.send({ note: 'work', jobs: [(context) => new Promise<void>(() => {
      context.signal.addEventListener('abort', () => {
        isAborted = true;
      });
    })] });
    await clock.advance(0);
    const stopped = system.stop(100);
    await clock.advance(99);
    expect(isAborted).toBe(false);
    await clock.advance(1);
    await stopped;
    expect(isAborted).toBe(true);
  });

  test('a failed actor that waits for its restart leaves no timer behind', async () => {
    const { clock, system, notes, worker } = makeWorld();
    const ref = system.spawn(worker('a'), { name: 'a', supervision: steady });
    ref.send({ note: 'bad', fail: 'transition' });
    await clock.advance(1);
    await system.stop(100);
    expect(clock.pending).toBe(0);
    await clock.advance(10_000);
    expect(notes).toEqual(['a starts']);
  });

  test('is the parent\'s right alone, and the name is free again afterwards', async () => {
    const world = makeWorld();
    const refs: Record<string, ActorRef<Message>> = {};
    const parent = world.system.spawn(parentOf(world, 'p', { c: steady }, refs), { name: 'p' });
    const stranger = world.system.spawn(world.worker('s'), { name: 's', supervision: { onFailure: 'stop' } });
    const child = refs['c'] as ActorRef<Message>;
    stranger.send({ note: 'try', jobs: [(context) => context.stop(child, 0)] });
    await world.clock.advance(0);
    expect(world.failures[0]?.error).toEqual(new Error('s is not the parent of p/c'));
    expect(child.send({ note: 'x' })).toBe(true);
    parent.send({ note: 'double', jobs: [async (context) => {
      expect(() => context.spawn(world.worker('c'), { name: 'c' })).toThrow('c is already there');
      await Promise.all([context.stop(child, 10), context.stop(child, 10)]);
      context.spawn(world.worker('again'), { name: 'c' });
    }] });
    await world.clock.advance(100);
    expect(child.send({ note: 'x' })).toBe(false);
    expect(world.notes).toContain('again starts');
    expect(world.failures).toHaveLength(1);
  });

  test('nothing can be started afterwards', async () => {
    const { system, worker } = makeWorld();
    await system.stop(0);
    expect(() => system.spawn(worker('a'), { name: 'a' })).toThrow('a: its parent is stopped');
  });
});
