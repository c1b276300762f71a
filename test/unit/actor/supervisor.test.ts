import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../../../shared/actor/actor-ref.ts';
import { superviseOne } from '../../../probe/supervise-one.ts';
import { Supervisor, type Failure } from '../../../shared/actor/supervisor.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

type Message = { kind?: string; note: string; work?: () => void | Promise<void> };

interface WorldOptions {
  start?: (name: string, life: number) => Promise<void>;
  started?: (name: string, life: number) => void;
  close?: () => Promise<void>;
  restarts?: (error: unknown) => boolean;
  /** From 0 to 1; the longest delays by default. */
  random?: number;
}

/** A log, and its lines. */
function makeLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: {}, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

function makeWorld(options: WorldOptions = {}) {
  const clock = new SimulatedClock();
  const { log, lines } = makeLog();
  const notes: string[] = [];
  const failures: Failure<string>[] = [];
  const lives = new Map<string, number>();
  const supervisor = new Supervisor<string, Message>({
    kind: 'test', clock, log, random: () => options.random ?? 1, capacity: 10, firstDelayMs: 100, maxDelayMs: 1000,
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
  return { clock, lines, notes, failures, supervisor };
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

  test.each([[0, 50], [0.5, 75]])('waits for a random part of the delay (%d)', async (random, restartInMs) => {
    const { clock, notes, failures, supervisor } = makeWorld({ random });
    supervisor.start('a');
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'bad', work: broken });
    await clock.advance(restartInMs - 1);
    expect(notes.at(-1)).toBe('a ended');
    await clock.advance(1);
    expect(notes.at(-1)).toBe('a started');
    expect(failures).toMatchObject([{ restartInMs }]);
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

describe('figures', () => {
  test('count restarts and messages for full mailboxes, and show the fullest mailbox', async () => {
    const { clock, supervisor } = makeWorld();
    for (const name of ['a', 'b']) supervisor.start(name);
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'bad', work: broken });
    await clock.advance(100);
    expect(supervisor.counts).toEqual({ restarts: 1, refused: 0, slow: 0 });
    const [first, second] = [supervisor.get('a'), supervisor.get('b')];
    second?.send({ note: 'one' });
    for (let count = 0; count < 12; count += 1) first?.send({ note: 'many' });
    expect(supervisor.mailboxDepth).toBe(10);
    await expect(first?.ask(() => ({ note: 'why' }))).rejects.toMatchObject({ reason: 'full' });
    expect(supervisor.counts).toEqual({ restarts: 1, refused: 3, slow: 0 });
    await supervisor.stopAll();
    first?.send({ note: 'to an ended run' });
    expect([supervisor.counts.refused, supervisor.mailboxDepth]).toEqual([3, 0]);
  });
});

describe('the watchdog', () => {
  test('logs and counts a message that is in work for 10 s, once', async () => {
    const { clock, lines, supervisor } = makeWorld();
    supervisor.start('a');
    await clock.advance(0);
    supervisor.get('a')?.send({ kind: 'short', note: '1', work: () => sleep(clock, 9000) });
    supervisor.get('a')?.send({ kind: 'long', note: '2', work: () => sleep(clock, 60_000) });
    await clock.advance(18_000);
    expect(supervisor.counts.slow).toBe(0);
    await clock.advance(60_000);
    expect(supervisor.counts.slow).toBe(1);
    expect(lines).toEqual([
      { level: 40, kind: 'test', actor: 'a', message: 'long', forMs: 11_000, msg: 'an actor is slow to handle a message' },
    ]);
  });

  test('logs a message that blocks the process for 1 s', async () => {
    const { clock, lines, supervisor } = makeWorld();
    supervisor.start('a');
    await clock.advance(0);
    const block = (ms: number) => () => {
      clock.setTimer(ms, () => undefined);
      clock.step();
    };
    for (const ms of [900, 900, 1000]) supervisor.get('a')?.send({ kind: `${ms}`, note: '', work: block(ms) });
    await clock.advance(0);
    expect(lines).toMatchObject([{ message: '1000', forMs: 1000 }]);
    expect(supervisor.counts.slow).toBe(1);
  });

  test('sets no timer while no message waits for anything', async () => {
    const { clock, supervisor } = makeWorld();
    supervisor.start('a');
    await clock.advance(0);
    supervisor.get('a')?.send({ note: 'quick' });
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    supervisor.get('a')?.send({ note: 'waits', work: () => sleep(clock, 10) });
    await clock.advance(5000);
    expect(clock.pending).toBe(0);
    supervisor.get('a')?.send({ note: 'waits', work: () => sleep(clock, 10) });
    await clock.advance(20);
    await supervisor.stopAll();
    expect(clock.pending).toBe(0);
  });
});

test('a failed release of resources is logged and does not prevent the next run', async () => {
  const { clock, lines, notes, supervisor } = makeWorld({ close: () => Promise.reject(new Error('stuck')) });
  supervisor.start('a');
  await clock.advance(0);
  supervisor.get('a')?.send({ note: 'bad', work: broken });
  await clock.advance(100);
  expect(notes).toEqual(['a started', 'a1 bad', 'a ended', 'a started']);
  expect(lines).toMatchObject([
    { level: 50, kind: 'test', actor: 'a', err: { message: 'stuck' }, msg: 'an actor could not release its resources' },
  ]);
});

test('the only actor of a kind is restarted until it is stopped, and each failure is logged', async () => {
  const clock = new SimulatedClock();
  const { log, lines } = makeLog();
  const notes: string[] = [];
  const only = superviseOne<Message>({
    kind: 'only', clock, log, random: () => 1, capacity: 10, firstDelayMs: 100, maxDelayMs: 1000,
    failureMessage: 'the only one failed',
    start: () => ({
      receive: ({ note, work }) => {
        notes.push(note);
        return work?.();
      },
      close: () => void notes.push('closed'),
    }),
  });
  only.send({ note: 'before the start' });
  only.start();
  only.send({ note: 'bad', work: broken });
  await clock.advance(99);
  only.send({ note: 'between two runs' });
  await clock.advance(1);
  only.send({ note: 'again' });
  await clock.advance(0);
  await only.stop();
  only.start();
  only.send({ note: 'after the stop' });
  await clock.advance(1000);
  expect(notes).toEqual(['bad', 'closed', 'again', 'closed']);
  expect(lines).toMatchObject([{ err: { message: 'broken' }, msg: 'the only one failed' }]);
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
