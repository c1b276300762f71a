import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { batchResponse, type CheckResult, type ResultBatch } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { scrape } from '../helpers/scrape.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
let probe: TestProbe;
let client: MongoClient;
let monitorId = '';

beforeAll(async () => {
  rig = await startControllerRig();
  client = await MongoClient.connect(rig.store.url);
  probe = await rig.probe('hostile');
  const { monitor } = await rig.session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors',
    { name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60 },
  );
  monitorId = monitor.id;
  await probe.follow();
  await until(() => probe.held.has(monitorId), { what: 'its assignment' });
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
});

test('the documentation lists exactly the metrics that exist, of Farwatch and of monitors', async () => {
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'Prometheus', scope: 'read' });
  const documentation = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const [, ofMonitors = '', ofFarwatch = ''] = documentation.split('\n## ');
  const own = await (await fetch(`${rig.controller.url}/metrics`)).text();
  const { text } = await scrape(rig.controller.url, { authorization: `Bearer ${key}` });
  for (const [section, metrics] of [[ofFarwatch, own], [ofMonitors, text]] as const) {
    const named = [...section.matchAll(/^\| `(farwatch_\w+)`/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(
      [...metrics.matchAll(/^# TYPE (farwatch_\w+)/gm)].map(([, name]) => name).toSorted(),
    );
  }
});

const shard = () => shardMap.of(monitorId);
const letters = (filter: Document = {}): Promise<Document[]> =>
  client.db().collection('dead_letters').find(filter).toArray();
const countLetters = (): Promise<number> => client.db().collection('dead_letters').countDocuments();

function resultOf(seq: number, change: Partial<CheckResult> = {}): CheckResult {
  return {
    seq, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: Date.now(),
    started_at: Date.now(), response_time_ms: 5,
    outcome: 'success', degraded: false, status_code: 200, error: null, missed: null, timings: null,
    remote_address: null, tls: null, detail: null, ...change,
  };
}

function batchOf(epoch: string, results: CheckResult[]): ResultBatch {
  return {
    epoch, engine: 'test', first: (results[0] as CheckResult).seq, last: (results.at(-1) as CheckResult).seq,
    results, dropped: [],
  };
}

function json(batch: ResultBatch, change: object = {}): string {
  return JSON.stringify({
    v: 1, epoch: batch.epoch, engine: batch.engine, results: batch.results, ...change,
  });
}

/** Sends as the probe to a shard; resolves to the watermark of the response. */
async function send(data: Uint8Array | string, toShard = shard()): Promise<number> {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const response =
    await probe.nats.request(subjects.results(toShard, region_id, probe_id), data, { timeout: 60_000 });
  return batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark;
}

function throwAway(data: Uint8Array | string, toShard = shard()): void {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  probe.nats.publish(subjects.results(toShard, region_id, probe_id), data);
}

async function totalChecks(): Promise<number> {
  const { monitors } = await rig.session.ok<{ monitors: { id: string; stats?: { totalChecks: number } }[] }>(
    'GET', '/api/monitors',
  );
  return monitors.find((one) => one.id === monitorId)?.stats?.totalChecks ?? 0;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${rig.controller.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

test('valid results are accepted and acknowledged', async () => {
  expect(await send(encodeBatch(batchOf('good', [resultOf(1), resultOf(2)])))).toBe(2);
  await until(async () => (await totalChecks()) === 2);
});

test('a rejected result with a readable position becomes a dead letter, and the lane continues after it', async () => {
  expect(
    await send(encodeBatch(batchOf('lane', [resultOf(1), resultOf(2, { monitor_id: newId(Date.now()) })]))),
  ).toBe(2);
  expect(await letters({ epoch: 'lane', seq: 2 })).toHaveLength(1);

  expect(
    await send(encodeBatch(batchOf('lane', [resultOf(3, { started_at: Date.now() + 86_400_000 })]))),
  ).toBe(3);
  expect(await letters({ epoch: 'lane', seq: 3 })).toMatchObject([
    { reason: 'future', probe_id: probe.enrolment?.probe_id, region: 'local' },
  ]);

  expect(await send(encodeBatch(batchOf('lane', [resultOf(4, { scheduled_at: 1, started_at: 1 })])))).toBe(4);
  expect(await letters({ epoch: 'lane', seq: 4 })).toMatchObject([{ reason: 'too_old' }]);

  const badSchema = json(batchOf('lane', [{ ...resultOf(5), outcome: 'perfect' as 'success' }]));
  expect(await send(badSchema)).toBe(5);
  expect(await letters({ reason: 'unreadable' })).toHaveLength(1);

  expect(await send(encodeBatch(batchOf('lane', [resultOf(6)])))).toBe(6);
  await until(async () => (await totalChecks()) === 4, { what: 'only the two sound ones are counted' });
});

test('an unknown monitor and a monitor of another shard get different reasons', async () => {
  let unknownMonitor = newId(Date.now());
  while (shardMap.of(unknownMonitor) !== shard()) unknownMonitor = newId(Date.now());
  expect(await send(encodeBatch(batchOf('apart', [resultOf(1, { monitor_id: unknownMonitor })])))).toBe(1);
  expect(await letters({ epoch: 'apart' })).toMatchObject([
    { reason: 'unknown_monitor', monitor_id: unknownMonitor, seq: 1 },
  ]);

  const other = (shard() + 1) % shardMap.count;
  expect(await send(encodeBatch(batchOf('apart', [resultOf(1)])), other)).toBe(1);
  expect(await letters({ epoch: 'apart', shard: other })).toMatchObject([
    { reason: 'foreign_shard', monitor_id: monitorId },
  ]);
});

test('region and probe in a body are ignored: the subject identifies the sender', async () => {
  const forged = batchOf('forged', [resultOf(1)]);
  expect(await send(json({
    ...forged,
    results: forged.results.map((result) => ({ ...result, region: 'elsewhere', probe_id: 'somebody' })),
  }, { region: 'elsewhere' })))
    .toBe(1);
  const { regions } = await rig.session.ok<{ regions: { id: string }[] }>('GET', '/api/regions');
  expect(regions.map((region) => region.id)).toEqual(['local']);
  const states = await client.db().collection('monitor_states').find({}).toArray();
  expect(JSON.stringify(states)).not.toContain('elsewhere');
});

test('a thousand invalid messages become dead letters with reasons, and valid traffic continues', async () => {
  const before = {
    letters: await countLetters(), checks: await totalChecks(),
    rssMb: process.memoryUsage().rss / 2 ** 20,
  };
  for (let at = 0; at < 1000; at += 1) {
    const kinds = [
      `{"v":1,"epoch":"bad-${at}","results":[`, randomBytes(65_536), `[${at}]`, JSON.stringify({ v: 2, at }),
      // An empty epoch, because one in sixteen hundred random batches parses as a position in a lane and gets a
      // response.
      Buffer.concat([Buffer.from([1, 0]), randomBytes(300)]),
    ];
    throwAway(kinds[at % kinds.length] as string | Uint8Array, at % shardMap.count);
    if (at % 100 === 0) {
      expect(await send(encodeBatch(batchOf('beside', [resultOf(1 + at / 100)])))).toBe(1 + at / 100);
    }
  }
  await probe.nats.flush();
  await until(
    async () => await countLetters() - before.letters === 1000,
    { what: 'all garbage is stored as dead letters' },
  );
  expect(new Set((await letters({ epoch: null })).map((letter) => letter['reason'] as string))).toEqual(
    new Set(['unreadable']),
  );
  await until(
    async () => (await totalChecks()) === before.checks + 10, { what: 'the good ones are counted' },
  );
  expect(process.memoryUsage().rss / 2 ** 20 - before.rssMb).toBeLessThan(300);
});

test('beyond 2,000 an hour, the dead letters of one sender are counted and not stored', async () => {
  const had = await countLetters();
  for (let at = 0; at < 2500; at += 1) throwAway(`rubbish ${at}`);
  await probe.nats.flush();
  await until(
    async () => (await metric('farwatch_dead_letters_omitted_total')) === had + 2500 - 2000,
    { what: 'the rest is counted' },
  );
  await until(async () => await countLetters() === 2000, { what: 'the first are kept' });
  expect(await send(encodeBatch(batchOf('after', [resultOf(1)])))).toBe(1);
  expect(await metric('farwatch_dead_letters_total')).toBe(had + 2500);
});

test('the controller sent only commands of the closed list', () => {
  expect(rig.commands.seen).toBeGreaterThan(100);
  rig.commands.verify();
});
