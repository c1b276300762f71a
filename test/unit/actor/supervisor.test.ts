import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../../../shared/actor/actor.ts';
import { Supervisor, type Failure } from '../../../shared/actor/supervisor.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

type Message = { note: string; work?: () => void | Promise<void> };

interface WorldOptions {
  start?: (name: string, life: number) => Promise<void>;
  started?: (name: string, life: number) => void;
  close?: () => Promise<void>;
  restarts?: (error: unknown) => boolean;
}

function makeWorld(options: WorldOptions = {}) {
  const clock = new SimulatedClock();
  const notes: string[] = [];
  const failures: Failure<string>[] = [];
  const lives = new Map<string, number>();
  const supervisor = new Supervisor<string, Message>({
    clock, capacity: 10, firstDelayMs: 100, maxDelayMs: 1000,
    start: async (name): Promise<Behaviour<Message>> => {
      const life = (lives.get(name) ?? 0) + 1;
      lives.set(name, life);
      await options.start?.(name, life);
      return {
        receive: ({ note, work }) => {
          notes.push(`${name}${life} ${note}`);
          return work?.();
        },
        close: options.close ?? (() => Promise.resolve()),
      };
    },
    onFailure: (failure) => {
      failures.push(failure);
      return options.restarts?.(failure.error) ?? true;
    },
    onStarted: (name) => {
      notes.push(`${name} started`);
      options.started?.(name, lives.get(name) ?? 0);
    },
    onEnded: (name) => notes.push(`${name} ended`),
  });
  return { clock, notes, failures, supervisor };
}

const broken = (): never => {
  throw new Error('broken');
};

describe('a failing actor', () => {
  test('is restarted without affecting the others', async () => {
    const { clock, notes, failures, supervisor } = makeWorld();
    for (const name of ['a', 'b']) supervisor.start(name);
    await clock.advance(0);
    const [first] = [supervisor.get('a')];
    first?.send({ note: 'bad', work: broken });
    first?.send({ note: 'dropped' });
    supervisor.get('b')?.send({ note: 'well' });
    await clock.advance(99);
    expect(supervisor.get('a')).toBeUndefined();
    expect(supervisor.get('b')?.isRunning).toBe(true);
    await clock.advance(1);
    supervisor.get('a')?.send({ note: 'again' });
    await clock.advance(0);
    expect(notes).toEqual([
      'a started', 'b started', 'a1 bad', 'a ended', 'b1 well', 'a started', 'a2 again',
    ]);
    expect(failures).toEqual([{ name: 'a', error: new Error('broken'), hadStarted: true, restartInMs: 100 }]);
    expect(first?.send({ note: 'of a former life' })).toBe(false);
  });

  test('doubles the delay after each consecutive failure, up to a limit, and resets it after a long run', async () => {
    const { clock, failures, supervisor } = makeWorld();
    supervisor.start('a');
    const fail = async (): Promise<void> => {
      await clock.advance(0);
      supervisor.get('a')?.send({ note: 'bad', work: broken });
      await clock.advance(999);
      await clock.advance(0);
    };
    for (let count = 0; count < 5; count += 1) {
      await clock.advance(1);
      await fail();
    }
    expect(failures.map(({ restartInMs }) => restartInMs)).toEqual([100, 200, 400, 800, 1000]);
    await clock.advance(5000);
    await fail();
    expect(failures.at(-1)?.restartInMs).toBe(100);
  });

  test('is retried when its start fails, without being reported as started', async () => {
    const { clock, notes, failures, supervisor } = makeWorld({
      start: (_name, life) => (life < 3 ? Promise.reject(new Error('no database')) : Promise.resolve()),
    });
    supervisor.start('a');
    await clock.advance(300);
    expect(notes).toEqual(['a started']);
    expect(failures.map(({ restartInMs }) => restartInMs)).toEqual([100, 200]);
  });

  test('is retried when the started callback throws', async () => {
    const { clock, notes, failures, supervisor } = makeWorld({ started: (_name, life) => (life === 1 ? broken() : undefined) });
    supervisor.start('a');
    await clock.advance(100);
    expect(notes).toEqual(['a started', 'a ended', 'a started']);
    expect(failures).toMatchObject([{ name: 'a', hadStarted: true }]);
  });

  test('stays stopped if its supervisor decides so, and can be started again by name', async () => {
    const { clock, notes, supervisor } = makeWorld({ restarts: () => false });
    supervisor.start('a');
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'bad', work: broken });
    await clock.advance(10_000);
    expect(supervisor.size).toBe(0);
    supervisor.start('a');
    await clock.advance(0);
    expect(notes.at(-1)).toBe('a started');
  });

  test('starts its next run only after the cleanup of the last one', async () => {
    const { clock, notes, supervisor } =
      makeWorld({ close: () => sleep(clock, 500).then(() => void notes.push('let go')) });
    supervisor.start('a');
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'bad', work: broken });
    await clock.advance(600);
    expect(notes).toEqual(['a started', 'a1 bad', 'a ended', 'let go', 'a started']);
  });
});

describe('stopping', () => {
  test("waits for the actor's cleanup", async () => {
    const { clock, notes, supervisor } = makeWorld({ close: () => sleep(clock, 50) });
    supervisor.start('a');
    await clock.advance(0);
    const stopped = supervisor.stop('a').then(() => notes.push('stopped'));
    await clock.advance(49);
    expect(notes).toEqual(['a started', 'a ended']);
    await clock.advance(1);
    await stopped;
    expect(supervisor.size).toBe(0);
  });

  test('cancels a pending restart and an unfinished start', async () => {
    const { clock, notes, supervisor } =
      makeWorld({ start: (name) => (name === 'slow' ? sleep(clock, 50) : Promise.resolve()) });
    supervisor.start('a');
    supervisor.start('slow');
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'bad', work: broken });
    await clock.advance(1);
    await supervisor.stopAll();
    await clock.advance(1000);
    expect(notes).toEqual(['a started', 'a1 bad', 'a ended']);
    expect(clock.pending).toBe(0);
  });

  test('all actors prevents new ones from starting', async () => {
    const { clock, notes, supervisor } = makeWorld({ close: () => sleep(clock, 50) });
    supervisor.start('a');
    await clock.advance(0);
    const stopped = supervisor.stopAll();
    supervisor.start('b');
    await clock.advance(50);
    await stopped;
    supervisor.start('a');
    await clock.advance(0);
    expect(notes).toEqual(['a started', 'a ended']);
  });
});
