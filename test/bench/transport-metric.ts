import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { cpuMs } from './cpu.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { startWorker } from './run-worker.ts';

/** When NATS is killed after the first result was sent, ms. */
const KILL_AFTER_MS = 700;

interface Taken {
  taken: number;
  duplicates?: number;
}

/**
 * CPU of all processes per result over the controller's WebSocket, against a direct connection: from the probe to the
 * owner, without the owner's journal, which costs the same in both cases.
 */
export const busOverWebSocket: Metric = async ({ outdir, rounds, scale }) => {
  const nats = await startNats();
  const cost: Record<'relayed' | 'direct', number[]> = { relayed: [], direct: [] };
  const relayPort = await freePort();
  const load = { take: 'takeBatches', publish: 'publishBatches', count: Math.round(640_000 * scale) };
  const measure = async (more: object): Promise<number> => {
    const before = cpuMs([nats.pid()]);
    const { rate, taken } = await send(outdir, nats, { ...load, ...more });
    return 1e6 / rate + ((cpuMs([nats.pid()]) - before) * 1000) / taken;
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      cost.direct.push(await measure({}));
      cost.relayed.push(await measure({ relayPort }));
    }
    return [print({
      metric: 'bus', what: 'CPU per result over the WebSocket, against a direct connection', ours: cost.relayed,
      theirs: cost.direct, unit: 'µs', floor: { max: 1.3 },
    })];
  } finally {
    await nats.stop();
  }
};

/**
 * Results per client CPU second, from probe to owner, against messages of one and of a hundred results. Then NATS is
 * killed while sending.
 */
export const transport: Metric = async ({ outdir, rounds, scale }) => {
  const nats = await startNats({ jetStream: true });
  const rates: Record<'ours' | 'single' | 'hundred', number[]> = { ours: [], single: [], hundred: [] };
  const count = (full: number): number => Math.round(full * scale);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const ours = { take: 'takeBatches', publish: 'publishBatches', count: count(640_000) };
      const bare = { take: 'takeEach', publish: 'publishEach' };
      rates.ours.push((await send(outdir, nats, ours)).rate);
      rates.single.push((await send(outdir, nats, { ...bare, count: count(60_000), perMessage: 1 })).rate);
      rates.hundred.push((await send(outdir, nats, { ...bare, count: count(640_000), perMessage: 100 })).rate);
    }
    const killed = await send(outdir, nats, {
      take: 'takeBatches', publish: 'publishBatches', count: count(1_000_000),
      during: async () => {
        await passTime(KILL_AFTER_MS);
        await nats.kill9();
        await nats.restart();
      },
    });
    const what = 'results per client CPU second, against messages of';
    return [
      print({
        metric: '7', what: `${what} one result`, ours: rates.ours, theirs: rates.single, unit: '/s',
        floor: { min: 15 },
      }),
      print({ metric: '7', what: `${what} 100 results`, ours: rates.ours, theirs: rates.hundred, unit: '/s' }),
      print({
        metric: '7', what: `lost or doubled of ${killed.sent} results while NATS is killed`,
        ours: [killed.sent - killed.taken + 2 * killed.doubled], theirs: null, unit: '', limit: { max: 0 },
      }),
    ];
  } finally {
    await nats.stop();
  }
};

interface Sending {
  take: string;
  publish: string;
  count: number;
  perMessage?: number;
  /** Where the taker's process carries NATS over a WebSocket to the publisher. */
  relayPort?: number;
  /** Called once results are being sent. */
  during?(): Promise<void>;
}

async function send(
  outdir: string, nats: TestNats, { take, publish, during, ...load }: Sending,
): Promise<{ rate: number; sent: number; taken: number; doubled: number }> {
  const wire = { url: nats.url, seedFile: nats.controllerCreds, ...load };
  const taker = startWorker<Taken>(outdir, take, wire, 1);
  await taker.ready;
  const { relayPort } = load;
  const url = relayPort === undefined ? nats.url : `ws://127.0.0.1:${relayPort}/api/bus`;
  const publisher = startWorker<{ sent: number }>(outdir, publish, { ...wire, url });
  if (during) {
    await publisher.ready;
    await during();
  }
  const [published, { figures, cpuMs: takerMs }] = await Promise.all([publisher.outcome, taker.outcome]);
  const { taken, duplicates = 0 } = figures;
  return {
    rate: taken / ((published.cpuMs + takerMs) / 1000), sent: published.figures.sent, taken, doubled: duplicates,
  };
}
