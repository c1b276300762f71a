import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Link } from '../../../probe/link.ts';
import { BusError } from '../../../shared/bus-error.ts';
import { systemClock } from '../../../shared/time.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { natsVersions } from '../../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../../helpers/nats-server.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { until } from '../../helpers/until.ts';
import { silent } from '../../unit/probe/spool/open-spool.ts';
import { connectController, makeProbeUser, type ProbeUser } from '../probe-user.ts';

/** A connection to the server that can drop all data without closing. */
class SwallowingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isSwallowing = false;
  connections = 0;

  constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      this.connections += 1;
      const upstream = connectTcp(target);
      for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
        this.#sockets.add(from);
        const isOld = this.connections;
        from.on('data', (chunk) => {
          if (!this.isSwallowing || isOld > 1) to.write(chunk);
          else from.pause();
        });
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
      }
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

interface Line {
  msg: string;
  reason: string;
  retry_in_ms: number;
}

const isRefusal = (line: Line): boolean => line.msg === 'NATS rejects this probe';

describe.each(fewOrAll(natsVersions().slice(0, 1), natsVersions()))('the link on the %s server', (version) => {
  let nats: TestNats;
  let user: ProbeUser;
  const cleanups: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    nats = await startNats({ version });
    user = makeProbeUser('eu', 'p1');
    await nats.setUsers([user.entry]);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await nats.stop();
  });

  function open(url = nats.url, seed = user.seed): { link: Link; changes: boolean[] } {
    const link = new Link({
      url, seed, probeId: user.id, clock: systemClock, log: silent, random: Math.random, pingIntervalMs: 200,
    });
    const changes: boolean[] = [];
    link.onChange((isConnected) => changes.push(isConnected));
    link.start();
    cleanups.push(() => link.stop());
    return { link, changes };
  }

  test('sends requests, responds to requests, and reports a missing response', async () => {
    const { link } = open();
    await until(() => link.isConnected);
    const { nc } = await connectController(nats.url, nats.controllerSeed);
    cleanups.push(() => nc.close());
    nc.subscribe(
      'sync.eu.p1',
      { callback: (_error, message) => void message.respond(Buffer.from(`re ${message.string()}`)) },
    );
    nc.subscribe('results.>', { callback: () => undefined });
    await nc.flush();
    expect(Buffer.from(await link.request('sync.eu.p1', Buffer.from('hello'), 60_000)).toString()).toBe(
      're hello',
    );
    await expect(link.request('results.03.eu.p1', Buffer.from('x'), 100)).rejects.toMatchObject({
      failure: 'timeout',
    });
    link.subscribe(
      'run.eu.p1', (payload, respond) => respond?.(Buffer.from(`done ${Buffer.from(payload).toString()}`)),
    );
    await until(
      async () => (await nc.request('run.eu.p1', 'it', { timeout: 10_000 })).string() === 'done it',
    );
  });

  test('detects and replaces a connection that loses all data', async () => {
    const { hostname: host, port } = new URL(nats.url);
    const proxy = new SwallowingProxy({ host, port: Number(port) });
    cleanups.push(() => proxy.close());
    const { link, changes } = open(await proxy.listen());
    expect(await link.isResponsive(60_000)).toBe(false);
    await until(() => link.isConnected);
    expect(await link.isResponsive(60_000)).toBe(true);
    proxy.isSwallowing = true;
    expect(await link.isResponsive(50)).toBe(false);
    for (let round = 0; round < 20; round += 1) link.publish('beat.eu.p1', Buffer.alloc(100_000));
    await until(() => changes.length === 3, { what: 'it has reconnected' });
    expect(changes).toEqual([true, false, true]);
    expect(proxy.connections).toBe(2);
  });

  test('waits for a server that does not know it yet, and resubscribes after each disconnect', async () => {
    const unknownUser = makeProbeUser('eu', 'p1');
    const { link } = open(nats.url, unknownUser.seed);
    const received: string[] = [];
    link.subscribe('assign.eu.p1', (payload) => received.push(Buffer.from(payload).toString()));
    await expect(link.request('sync.eu.p1', Buffer.alloc(0), 100)).rejects.toBeInstanceOf(BusError);
    await nats.setUsers([unknownUser.entry]);
    await until(() => link.isConnected);
    await nats.restart();
    await until(() => link.isConnected);
    const { nc } = await connectController(nats.url, nats.controllerSeed);
    cleanups.push(() => nc.close());
    await until(() => {
      nc.publish('assign.eu.p1', 'news');
      return received.length > 0;
    });
  });

  /** A link whose delays pass on a simulated clock, and its log. */
  function openOn(clock: SimulatedClock): { link: Link; lines: Line[] } {
    const lines: Line[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
    const link = new Link({
      url: nats.url, seed: user.seed, probeId: user.id, clock, log, random: () => 0.5, pingIntervalMs: 200,
    });
    link.start();
    cleanups.push(() => link.stop());
    return { link, lines };
  }

  /** The delays after the next `count` refusals; lets each one pass. */
  async function refusals(clock: SimulatedClock, lines: Line[], count: number): Promise<number[]> {
    const waits: number[] = [];
    const seen = lines.filter(isRefusal).length;
    while (waits.length < count) {
      const line = await until(() => lines.filter(isRefusal)[seen + waits.length], { what: 'a refusal' });
      expect(line.reason).toBe('AUTHORIZATION_VIOLATION');
      waits.push(line.retry_in_ms);
      await clock.advance(line.retry_in_ms);
    }
    return waits;
  }

  test('a refused probe waits longer each time, up to 5 minutes, and logs the reason each time', async () => {
    await nats.setUsers([]);
    const clock = new SimulatedClock();
    const { link, lines } = openOn(clock);
    expect(await refusals(clock, lines, 12)).toEqual(
      [375, 750, 1500, 3000, 6000, 12_000, 24_000, 48_000, 96_000, 192_000, 225_000, 225_000],
    );
    await nats.setUsers([user.entry]);
    await until(async () => {
      await clock.advance(300_000);
      return link.isConnected;
    });
  });

  test('a revoked probe waits longer each time, and starts over after a stable connection', async () => {
    const clock = new SimulatedClock();
    const { link, lines } = openOn(clock);
    for (let round = 0; round < 2; round += 1) {
      await until(() => link.isConnected);
      await clock.advance(10_000);
      await nats.setUsers([]);
      expect(await refusals(clock, lines, 3)).toEqual([375, 750, 1500]);
      expect(link.isConnected).toBe(false);
      await nats.setUsers([user.entry]);
      await until(async () => {
        await clock.advance(300_000);
        return link.isConnected;
      });
    }
  });

  test('a probe whose server is down keeps retrying without growing delays', async () => {
    const clock = new SimulatedClock();
    await nats.kill9();
    const { link, lines } = openOn(clock);
    const attempts = async (maxAttempts: number) => {
      for (let at = 0; at < maxAttempts; at += 1) {
        await until(() => clock.pending > 0, { what: 'it waits' });
        await clock.advance(750);
      }
    };
    await attempts(20);
    expect(lines.filter(isRefusal)).toEqual([]);
    expect(lines.filter((line) => line.msg === 'waiting for NATS')).toHaveLength(1);
    await nats.restart();
    await until(async () => {
      await clock.advance(750);
      return link.isConnected;
    });
    // From now on, nats.js reconnects by itself, on the real clock.
    await nats.restart();
    await until(() => lines.filter((line) => line.msg === 'NATS link up').length === 2);
  });
});
