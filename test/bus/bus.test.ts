import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { BusMessage } from '../../controller/platform/bus/bus-port.ts';
import { BusError } from '../../shared/bus-error.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { ensureRawStream, maintainRawStream } from '../../controller/platform/bus/raw-stream.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

const log = createLog('test', 'silent');

describe.each(natsVersions())('the bus on nats-server %s', (version) => {
  let nats: TestNats;
  const open: NatsBus[] = [];
  const bus = async () => {
    const connected = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'test', log });
    open.push(connected);
    return connected;
  };
  beforeAll(async () => {
    nats = await startNats({ version, jetStream: true });
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  afterAll(() => nats.stop());

  test('delivers a request to a subscriber and the reply back', async () => {
    const [one, other] = [await bus(), await bus()];
    other.subscribe('ask.01.x', (message) => message.respond(`got ${Buffer.from(message.data).toString()}`));
    const response = await until(() => one.request('ask.01.x', 'hello', { timeoutMs: 1000 }).catch(() => null));
    expect(Buffer.from(response).toString()).toBe('got hello');
  });

  test('gives a queue group\'s message to one member', async () => {
    const [one, other, sender] = [await bus(), await bus(), await bus()];
    let count = 0;
    let seen = 0;
    for (const member of [one, other]) {
      member.subscribe('q.x', () => (count += 1), { queue: 'g' });
      member.subscribe('q.>', () => (seen += 1));
    }
    await until(() => {
      sender.publish('q.probe', '');
      return seen >= 2;
    });
    for (let at = 0; at < 50; at += 1) sender.publish('q.x', '');
    await until(() => count >= 50);
    expect(count).toBe(50);
  });

  test('distinguishes a timeout from a missing subscriber', async () => {
    const one = await bus();
    one.subscribe('ask.02.mute', () => undefined);
    await expect(one.request('ask.02.mute', '', { timeoutMs: 100 })).rejects.toMatchObject({
      failure: 'timeout',
    });
    const failure =
      await one.request('ask.02.nobody', '', { timeoutMs: 60_000 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BusError);
    expect(failure).toMatchObject({ failure: 'no_responders' });
  });

  test('survives handlers that throw or reject, and counts their errors', async () => {
    const one = await bus();
    let calls = 0;
    one.subscribe('x.throws', () => {
      calls += 1;
      throw new Error('bug');
    });
    const rejecting: (message: BusMessage) => unknown = () => {
      calls += 1;
      return Promise.reject(new Error('bug later'));
    };
    one.subscribe('x.rejects', rejecting);
    one.publish('x.throws', '1');
    one.publish('x.rejects', '1');
    one.publish('x.throws', '2');
    await until(() => calls === 3 && one.stats().handlerErrors === 3);
    expect(one.isConnected).toBe(true);
  });

  test('reconnects after the server was killed, with its subscriptions, and drops messages published meanwhile', async () => {
    const one = await bus();
    const got: string[] = [];
    let returns = 0;
    one.subscribe('y.x', (message) => got.push(Buffer.from(message.data).toString()));
    one.onReconnect(() => (returns += 1));
    await nats.kill9();
    await until(() => !one.isConnected);
    one.publish('y.x', 'lost');
    await expect(one.request('y.y', '', { timeoutMs: 100 })).rejects.toMatchObject({
      failure: 'disconnected',
    });
    expect(one.stats().dropped).toBe(1);
    await nats.restart();
    await until(() => one.isConnected && returns === 1);
    one.publish('y.x', 'after');
    await until(() => got.includes('after'));
    expect(got).toEqual(['after']);
  });

  test('waits for a server that is not running yet', async () => {
    await nats.kill9();
    const pending = bus();
    await nats.restart();
    expect((await pending).isConnected).toBe(true);
  });

  test('closes while the server is down', async () => {
    const one = await bus();
    const subscription = one.subscribe('z', () => undefined);
    await nats.kill9();
    await Promise.all([subscription.stop(), one.close()]);
    await nats.restart();
  });

  test("rejects a message above the server's size limit and stays connected", async () => {
    const one = await bus();
    one.publish('big', new Uint8Array(2_000_000));
    expect(one.stats().dropped).toBe(1);
    await expect(one.request('big', new Uint8Array(2_000_000), { timeoutMs: 500 })).rejects.toThrow(
      /payload/i,
    );
    expect(one.isConnected).toBe(true);
  });

  test('detects a server that stopped reading, bounds the messages waiting for it, and reconnects when it continues', async () => {
    const one =
      await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'test', log, pingIntervalMs: 500 });
    open.push(one);
    process.kill(nats.pid(), 'SIGSTOP');
    try {
      const chunk = new Uint8Array(500_000);
      for (let at = 0; at < 400; at += 1) one.publish('flood', chunk);
      expect(one.stats().dropped).toBeGreaterThan(300);
      await expect(one.request('flood', chunk, { timeoutMs: 100 })).rejects.toMatchObject({
        failure: 'disconnected',
      });
      await until(() => !one.isConnected, { what: 'the stale connection is detected' });
    } finally {
      process.kill(nats.pid(), 'SIGCONT');
    }
    await until(() => one.isConnected, { what: 'it is connected again' });
    const dropped = one.stats().dropped;
    one.publish('small', 'x');
    expect(one.stats().dropped).toBe(dropped);
  });

  test('creates the stream RAW, corrects it, and creates it again after NATS lost its data', async () => {
    const one = await bus();
    expect(await ensureRawStream(one, 1_000_000)).toBe(true);
    expect(await ensureRawStream(one, 2_000_000)).toBe(true);
    const info = async () => (await one.jetStream()).streams.info('RAW');
    expect((await info()).config).toMatchObject({
      max_bytes: 2_000_000, max_age: 3_600_000_000_000, discard: 'old', storage: 'file', subjects: ['raw.>'],
    });
    one.publish('raw.o.p.m.r', '{}');
    await until(async () => (await info()).state.messages === 1);
    const wanted = () => [{ name: 'subscriber-1', filter: 'raw.o.>' }];
    const consumers = { wanted, reloadWanted: async () => wanted() };
    const keeper = maintainRawStream({ bus: one, consumers, log, clock: systemClock, maxBytes: 2_000_000 });
    keeper.start();
    await nats.restart({ wipe: true });
    await until(async () => (await info().catch(() => null))?.config.max_bytes === 2_000_000);
    const listed = async () => (await one.jetStream()).consumers.list('RAW').next().catch(() => []);
    await until(async () => (await listed())[0]?.config.filter_subject === 'raw.o.>');
    await keeper.stop();
  });

  test('a stream that no longer stores messages is recreated, and a working one is kept', async () => {
    const one = await bus();
    const clock = new WarpClock();
    const wanted = () => [{ name: 'subscriber-1', filter: 'raw.o.>' }];
    const consumers = { wanted, reloadWanted: async () => wanted() };
    const keeper = maintainRawStream({ bus: one, consumers, log, clock });
    const { streams, consumers: readers } = await one.jetStream();
    const last = async () => (await streams.info('RAW')).state.last_seq;
    await keeper.run();
    one.publish('raw.o.p.m.r', 'kept');
    await until(async () => (await last()) > 1, { what: 'the mark and the result are stored' });
    for (let iteration = 0; iteration < 4; iteration += 1) {
      const before = await last();
      clock.warp(30_000);
      await keeper.run();
      await until(async () => (await last()) > before, { what: 'another mark is stored' });
    }
    const { created, config } = await streams.info('RAW');
    // As after a full disk, it stores nothing and reports no error.
    await streams.update('RAW', Object.assign(config, { sealed: true }));
    for (let iteration = 0; iteration < 3; iteration += 1) {
      expect((await streams.info('RAW')).created).toBe(created);
      clock.warp(30_000);
      await keeper.run();
    }
    expect((await streams.info('RAW')).created).not.toBe(created);
    one.publish('raw.o.p.m.r', 'new');
    await until(async () => (await readers.info('RAW', 'subscriber-1')).num_pending === 1);
    await keeper.stop();
  });
});

test.each([
  ['a server', {}],
  ['an account', {
    jetStream: true, configure: (config: string) => config.replace('jetstream: enabled', ''),
  }],
])('%s without JetStream has no stream, and nothing else fails', async (_name, options) => {
  const nats = await startNats(options);
  const one = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'test', log });
  expect(await ensureRawStream(one)).toBe(false);
  await one.close();
  await nats.stop();
});

test('a credentials file without credentials is rejected', async () => {
  await expect(
    connectBus({ url: 'nats://127.0.0.1:1', creds: import.meta.filename, name: 'test', log }),
  ).rejects.toThrow(/neither/);
});
