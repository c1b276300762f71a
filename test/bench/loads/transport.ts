import { connect, Empty, nkeyAuthenticator, StorageType } from 'nats';
import { readFileSync } from 'node:fs';
import { decodeJson } from '../../../shared/contracts/bytes.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { batchResponse, laneName } from '../../../shared/contracts/result.ts';
import { shardOfSubject, subjects } from '../../../shared/contracts/subjects.ts';
import { createLog } from '../../../shared/log.ts';
import { systemClock } from '../../../shared/time.ts';
import { effectiveLimits } from '../../../controller/http/limits/server-limits.ts';
import { acceptUpgrade } from '../../../controller/http/responses/web-sockets.ts';
import { createHttpServer } from '../../../controller/http/server/server.ts';
import { BusRelay } from '../../../controller/platform/bus/bus-relay.ts';
import { EntryBuilder } from '../../../controller/results/intake/entry-builder.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { Link } from '../../../probe/link.ts';
import { byShard, configOf, monitorIds, resultMaker } from './results.ts';
import { passTime } from '../../helpers/pass-time.ts';
import { limitsOf } from '../../helpers/take-limits.ts';

interface Wire {
  url: string;
  seedFile: string;
  count: number;
}

/** Where the owner's process carries NATS over a WebSocket, or null. */
interface RelayPort {
  relayPort?: number;
}

const EPOCH = '0199bench';
const WINDOW = 8;
const MONITORS = 10_000;
/** The product's response timeout. */
const RESPONSE_TIMEOUT_MS = 2000;
const RESULT_BYTES = 40;
/** Results of a lane available at once. A probe has few, because it packs them as they arrive. */
const PREPARED = 1000;

function seedOf({ seedFile }: Wire): Buffer {
  return Buffer.from(readFileSync(seedFile, 'utf8').trim());
}

async function open(wire: Wire) {
  return connect({
    servers: wire.url, authenticator: nkeyAuthenticator(seedOf(wire)),
    maxReconnectAttempts: -1, reconnectTimeWait: 50,
  });
}

/** Connects like a probe. */
async function openLink(wire: Wire): Promise<Link> {
  const link = new Link({
    url: wire.url, seed: seedOf(wire), probeId: 'probe', clock: systemClock, log: createLog('bench', 'silent'),
    random: Math.random,
  });
  link.start();
  await new Promise<void>((resolve) => link.onChange((isConnected) => isConnected && resolve()));
  return link;
}

/** The probe's side: batches of 100 per lane, eight in flight, encoded and sent as in the product. */
export async function publishBatches(
  options: Record<string, unknown>,
): Promise<{ sent: number; cpuMs: number }> {
  const wire = options as unknown as Wire;
  const link = await openLink(wire);
  const shards = [...byShard(monitorIds(MONITORS))];
  const make = resultMaker();
  const perShard = Math.floor(wire.count / shards.length / 100) * 100;
  const at = 1_790_000_000_000;
  // Results are prepared in advance and renumbered, so that only sending is measured.
  const found = shards.map(([, ids]) => Array.from(
    { length: PREPARED }, (_, index) => make(index + 1, ids[index % ids.length] as string, at + index),
  ));
  process.stdout.write('ready\n');
  const before = process.cpuUsage();
  await Promise.all(shards.map(async ([shard], which) => {
    const subject = subjects.results(shard, 'bench', 'probe');
    const inFlight = new Set<Promise<unknown>>();
    for (let seq = 0; seq < perShard; seq += 100) {
      const results = found[which]?.slice(seq % PREPARED, (seq % PREPARED) + 100) ?? [];
      results.forEach((result, nth) => (result.seq = seq + nth + 1));
      const bytes =
        encodeBatch({ epoch: EPOCH, engine: '1', first: seq + 1, last: seq + 100, results, dropped: [] });
      const request: Promise<void> =
        untilAcknowledged(link, subject, bytes, seq + 100).finally(() => inFlight.delete(request));
      inFlight.add(request);
      if (inFlight.size >= WINDOW) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
  }));
  const used = process.cpuUsage(before);
  await link.stop();
  return { sent: perShard * shards.length, cpuMs: (used.user + used.system) / 1000 };
}

/** The product's way from a WebSocket to NATS. */
async function startRelay(url: string, port: number): Promise<void> {
  const log = createLog('bench', 'silent');
  const relay = new BusRelay({ bus: { server: new URL(url).host }, url, clock: systemClock, log });
  const server = createHttpServer({
    handle: (request) => acceptUpgrade(request, { maxFrameBytes: 1_048_576, onOpen: relay.open }),
    refuse: () => ({ headers: {}, body: '' }), upgradeAddress: () => '127.0.0.1', onConnectionRefused: () => undefined,
    clock: systemClock, limits: effectiveLimits(0),
  });
  await server.listen(port, '127.0.0.1');
}

/** Resends a batch until its owner has everything up to `last`, as after a lost connection. */
async function untilAcknowledged(link: Link, subject: string, bytes: Uint8Array, last: number): Promise<void> {
  for (;;) {
    const response = await link.request(subject, bytes, RESPONSE_TIMEOUT_MS).catch(() => null);
    if (response && (decodeJson(batchResponse, response)?.watermark ?? 0) >= last) return;
    await passTime(50);
  }
}

/** The owner's side with a journal that does nothing: decodes, applies the lane rule, responds. */
export async function takeBatches(
  options: Record<string, unknown>,
): Promise<{ taken: number; duplicates: number; cpuMs: number }> {
  const wire = options as unknown as Wire & RelayPort;
  const connection = await open(wire);
  if (wire.relayPort !== undefined) await startRelay(wire.url, wire.relayPort);
  const shards = byShard(monitorIds(MONITORS));
  const perShard = Math.floor(wire.count / shards.size / 100) * 100;
  let taken = 0;
  const at = 1_790_000_000_000;
  const owners = new Map([...shards].map(([shard, ids]) => {
    const owner = new EntryBuilder(new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, []), 'bench', limitsOf(1e15));
    owner.noteConfigs(ids.map((id) => configOf(id, 60_000, at)), 0);
    const configs = owner.nextEntry(at);
    if (configs) owner.state.apply(configs.entry);
    owner.settled();
    return [shard, owner];
  }));
  function settle(owner: EntryBuilder): void {
    for (let next = owner.nextEntry(at); next; next = owner.nextEntry(at)) {
      for (const { batch } of next.entry.batches) taken += batch.results.length;
      for (const { lane, position } of next.entry.lanes) owner.state.lanes.move(lane, position, at);
      owner.state.n = next.entry.n;
      owner.settled();
    }
  }
  // Batches that arrive together are settled together, as in the journal.
  const unsettled = new Set<EntryBuilder>();
  const before = process.cpuUsage();
  await new Promise<void>((resolve) => {
    function settleAll(): void {
      for (const owner of unsettled) settle(owner);
      unsettled.clear();
      if (taken >= perShard * shards.size) setTimeout(resolve, 200);
    }
    connection.subscribe('results.>', {
      callback: (_error, message) => {
        const shard = shardOfSubject(message.subject) as number;
        const owner = owners.get(shard) as EntryBuilder;
        owner.take({
          region: 'bench', probe_id: 'probe', bytes: message.data,
          acknowledge: (watermark) => void message.respond(JSON.stringify({ v: 1, watermark })),
        }, { wall: at, monotonic: 0 });
        if (unsettled.size === 0) setImmediate(settleAll);
        unsettled.add(owner);
      },
    });
    process.stdout.write('ready\n');
  });
  const used = process.cpuUsage(before);
  const positions =
    [...owners.values()].reduce((sum, owner) => sum + owner.state.lanes.position(laneName('probe', EPOCH)), 0);
  await connection.drain();
  return { taken, duplicates: taken - positions, cpuMs: (used.user + used.system) / 1000 };
}

/**
 * Messages of `perMessage` results, each acknowledged by a stream, 256 in flight: how a simple client sends messages
 * reliably. No encoding or decoding.
 */
export async function publishEach(options: Record<string, unknown>): Promise<{ sent: number }> {
  const wire = options as unknown as Wire & { perMessage: number };
  const connection = await open(wire);
  const manager = await connection.jetstreamManager();
  await manager.streams.add({
    name: 'BENCH', subjects: ['bench.result'], storage: StorageType.File, max_bytes: 512 * 1024 * 1024,
  });
  const stream = connection.jetstream();
  const payload = Buffer.alloc(RESULT_BYTES * wire.perMessage, 1);
  const messages = wire.count / wire.perMessage;
  let next = 0;
  await Promise.all(Array.from({ length: 256 }, async () => {
    while (next++ < messages) await stream.publish('bench.result', payload);
  }));
  connection.publish('bench.end', Empty);
  await manager.streams.delete('BENCH');
  await connection.drain();
  return { sent: wire.count };
}

export async function takeEach(options: Record<string, unknown>): Promise<{ taken: number }> {
  const { perMessage, ...wire } = options as unknown as Wire & { perMessage: number };
  const connection = await open(wire);
  let taken = 0;
  await new Promise<void>((resolve) => {
    connection.subscribe('bench.result', { callback: () => (taken += perMessage) });
    connection.subscribe('bench.end', { callback: () => resolve() });
    process.stdout.write('ready\n');
  });
  await connection.drain();
  return { taken };
}
