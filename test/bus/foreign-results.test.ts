import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { batchResponse, type CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
let client: MongoClient;
let victim: ApiSession;
/** In the shared region, in the victim's own, and in someone else's. */
let shared: TestProbe;
let own: TestProbe;
let thief: TestProbe;

beforeAll(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  client = await MongoClient.connect(rig.store.url);
  victim = await new ApiSession(rig.controller.url).begin('victim@example.com');
  const other = await new ApiSession(rig.controller.url).begin('thief@example.com');
  await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
  await victim.ok('POST', '/api/regions', { id: 'victims', name: 'Own', city: 'Here', country: 'DE' });
  await other.ok('POST', '/api/regions', { id: 'thiefs', name: 'Foreign', city: 'There', country: 'FR' });
  shared = await rig.probe('shared');
  own = await rig.probe('own', { session: victim, region: 'victims' });
  thief = await rig.probe('thief', { session: other, region: 'thiefs' });
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
});

async function createMonitor(name: string, regions: string[]): Promise<string> {
  const body = {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300,
    ...(regions.length > 0 ? { monitoring_regions: regions } : {}),
  };
  const { monitor } = await victim.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body);
  await isPlaced(monitor.id);
  return monitor.id;
}

/** Its owner knows the monitor, and its probes have it. */
async function isPlaced(monitorId: string): Promise<void> {
  await until(async () => (await client.db().collection<{ _id: string; unjournaled?: number }>(
    'monitors',
  ).findOne({ _id: monitorId }))?.unjournaled === undefined, { what: 'the owner knows it' });
}

/** Reports a failure as that probe, in a separate lane; returns the watermark of the response. */
async function report(
  probe: TestProbe, monitorId: string, epoch: string, timeoutMs = 60_000,
): Promise<number> {
  const result: CheckResult = {
    seq: 1, monitor_id: monitorId, assignment_rev: 9, attempt: 1, reason: 'schedule',
    scheduled_at: Date.now(), started_at: Date.now(), response_time_ms: 5,
    outcome: 'failure', degraded: false, status_code: 500, error: { type: 'status_code', message: 'no' },
    missed: null, timings: null, remote_address: null, tls: null, detail: null,
  };
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const bytes = encodeBatch({ epoch, engine: 'test', first: 1, last: 1, results: [result], dropped: [] });
  const response = await probe.nats.request(
    subjects.results(shardMap.of(monitorId), region_id, probe_id), bytes, { timeout: timeoutMs },
  );
  return batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark;
}

const lettersOf = (epoch: string): Promise<Document[]> =>
  client.db().collection('dead_letters').find({ epoch }).toArray();

test('another organization\'s probe has no vote, and its lane continues', async () => {
  const monitorId = await createMonitor('Anywhere', []);
  expect(await report(thief, monitorId, 'foreign')).toBe(1);
  expect(await lettersOf('foreign')).toMatchObject([{
    reason: 'foreign_organization', monitor_id: monitorId, region: 'thiefs', probe_id: thief.enrolment?.probe_id,
    seq: 1,
  }]);
  expect(await report(own, monitorId, 'own')).toBe(1);
  expect(await report(shared, monitorId, 'shared')).toBe(1);
  expect(await lettersOf('own')).toMatchObject([{ reason: 'not_assigned', region: 'victims' }]);
  expect(await lettersOf('shared')).toEqual([]);
  const state = await client.db().collection<{ _id: string }>('monitor_states').findOne({ _id: monitorId });
  expect(JSON.stringify(state)).not.toContain('thiefs');
});

test('a monitor with selected regions ignores other regions, but accepts late results of former ones', async () => {
  const monitorId = await createMonitor('Here', ['victims']);
  expect(await report(shared, monitorId, 'never-asked')).toBe(1);
  expect(await lettersOf('never-asked')).toMatchObject([{ reason: 'foreign_region', region: 'local' }]);
  await victim.ok('PUT', `/api/monitors/${monitorId}`, { monitoring_regions: ['local'] });
  await isPlaced(monitorId);
  expect(await report(own, monitorId, 'backlog')).toBe(1);
  expect(await report(shared, monitorId, 'asked-now')).toBe(1);
  expect([...(await lettersOf('backlog')), ...(await lettersOf('asked-now'))]).toEqual([]);
});

test('a result from an unknown region is counted, and its probe keeps it', async () => {
  const monitorId = await createMonitor('Anywhere else', []);
  await client.db().collection<{ _id: string }>('regions').deleteOne({ _id: 'thiefs' });
  // An only controller polls once a minute for changes not its own; now it reads all regions.
  await rig.session.ok('POST', '/api/regions', { id: 'another', name: 'Another', city: 'Oslo', country: 'NO' });
  const unknownRegionResults = async () => {
    const text = await (await fetch(`${rig.controller.url}/metrics`)).text();
    return Number(/^farwatch_results_unknown_region_total (\d+)$/m.exec(text)?.[1]);
  };
  await until(async () => {
    await expect(report(thief, monitorId, 'stray', 500)).rejects.toThrow('TIMEOUT');
    return (await unknownRegionResults()) > 0;
  }, { what: 'the controller has forgotten the region' });
  expect(await report(shared, monitorId, 'known')).toBe(1);
});
