import { MongoClient, type Collection } from 'mongodb';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EvidenceDoc } from '../../controller/evidence/evidence.ts';
import { MAX_PER_MONITOR } from '../../controller/evidence/rules.ts';
import { MAX_EVIDENCE_BYTES } from '../../shared/contracts/evidence.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { evidenceMessage, noResponseEvidence } from '../helpers/evidence.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { QueryPlans } from '../helpers/query-plans.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const MINUTE_MS = 60_000;
const plans = new QueryPlans();
const lines: string[] = [];
let database: Awaited<ReturnType<typeof startMongoProxy>>;
let rig: ControllerRig;
let client: MongoClient;
let stored: Collection<EvidenceDoc>;
const probes = new Map<string, TestProbe>();

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  rig = await startControllerRig({}, plans.take, log, {
    throughProxy: async (url) => (database = await startMongoProxy(url)).url,
  });
  client = await MongoClient.connect(rig.store.url);
  stored = client.db().collection<EvidenceDoc>('evidence');
  await rig.session.ok('POST', '/api/regions', { id: 'eu', name: 'Europe', city: 'Oslo', country: 'NO' });
  for (const region of ['local', 'eu']) {
    const probe = await rig.probe(region, { session: rig.session, region });
    probe.beat();
    await probe.follow();
    probes.set(region, probe);
  }
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
  await database?.close();
});

const probeOf = (region: string) => probes.get(region) as TestProbe;

async function create(regions = ['local', 'eu']): Promise<string> {
  const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', {
    name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60, monitoring_regions: regions,
  });
  for (const region of regions) {
    await until(() => probeOf(region).held.has(monitor.id), { what: 'the probe has it' });
  }
  return monitor.id;
}

function send(region: string, message: object | string): void {
  const { nats, enrolment: response } = probeOf(region);
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  nats.publish(subjects.evidence(region, response?.probe_id as string), body);
}

async function read(id: string): Promise<Loose[]> {
  return (await rig.session.ok<Loose>('GET', `/api/monitors/${id}/evidence?limit=50`)).evidence;
}

const reads = (id: string, instants: number[]) => until(async () => {
  const found = await read(id);
  return JSON.stringify(found.map((one) => one.checked_at)) === JSON.stringify(instants) && found;
}, { what: `the evidence of ${instants.join(', ')}` });

/** Pieces of evidence with this outcome since the controller started. */
async function countOf(outcome: string, url = rig.controller.url): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^farwatch_evidence_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text);
  return Number(line?.[1]);
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

async function expectRefusal(outcome: string, sending: () => void, times = 1): Promise<void> {
  const before = await countOf(outcome);
  sending();
  await until(async () => (await countOf(outcome)) === before + times, { what: outcome });
}

test('evidence of two regions is stored once each, with the region and probe of the subject', async () => {
  const id = await create();
  const now = Date.now();
  const message = { probe_id: 'somebody-else', region: 'elsewhere', ...evidenceMessage(id, now) };
  for (let time = 0; time < 3; time += 1) send('local', message);
  send('eu', noResponseEvidence(id, now - 1000));
  await reads(id, [now, now - 1000]);
  send('local', message);
  send('eu', evidenceMessage(id, now + 1));
  const [, local, eu] = await reads(id, [now + 1, now, now - 1000]);
  expect(local).toMatchObject({
    region: 'local', probe_id: probeOf('local').enrolment?.probe_id, body_excerpt: 'Back soon',
    last_good: { checked_at: now - MINUTE_MS, status_line: 'HTTP/1.1 200 OK' },
  });
  expect(eu).toMatchObject({ region: 'eu', probe_id: probeOf('eu').enrolment?.probe_id, last_good: null });
});

test('a monitor has at most 50 pieces, and a flooding region does not displace another', async () => {
  const id = await create();
  const start = Date.now() - 10 * MINUTE_MS;
  for (let at = 0; at < 3; at += 1) send('eu', evidenceMessage(id, start + at));
  await until(async () => (await read(id)).length === 3, { what: 'the evidence of one region' });
  for (let at = 0; at < 70; at += 1) send('local', evidenceMessage(id, start + 1000 + at));
  const newest = Array.from({ length: 47 }, (_, at) => start + 1069 - at);
  await reads(id, [...newest, start + 2, start + 1, start]);
  expect(await stored.countDocuments({ monitor_id: id })).toBe(MAX_PER_MONITOR);
});

test('invalid evidence is rejected, counted by reason, and not stored', async () => {
  const [ours, others] = [await create(['local']), await create(['eu'])];
  const gone = await create(['local']);
  const now = Date.now();
  const before = await stored.countDocuments({});
  await rig.session.ok('DELETE', `/api/monitors/${gone}`);
  await expectRefusal('not_assigned', () => send('local', evidenceMessage(others, now)));
  await expectRefusal('unknown_monitor', () => send('local', evidenceMessage(gone, now)));
  await expectRefusal('unknown_monitor', () => send('local', evidenceMessage(newId(now), now)));
  await expectRefusal('future', () => send('local', evidenceMessage(ours, now + 5 * MINUTE_MS)));
  await expectRefusal('too_old', () => send('local', evidenceMessage(ours, now - 900 * 86_400_000)));
  await expectRefusal('unreadable', () => {
    send('local', '{');
    send('local', { ...evidenceMessage(ours, now), headers: [['a', 'b']] });
    send('local', { ...evidenceMessage(ours, now), v: 2 });
    send('local', `${JSON.stringify(evidenceMessage(ours, now))}${' '.repeat(MAX_EVIDENCE_BYTES)}`);
  }, 4);
  expect(await stored.countDocuments({})).toBe(before);
});

test('a flooding probe is limited to its rate, and others are not affected', async () => {
  const id = await create();
  const now = Date.now();
  for (let at = 0; at < 1000; at += 1) send('local', '{');
  send('eu', evidenceMessage(id, now));
  await reads(id, [now]);
  const exceeded = async () => {
    const text = await (await fetch(`${rig.controller.url}/metrics`)).text();
    return Number(/^farwatch_probe_rate_exceeded_total\{subject="evidence"\} (\d+)$/m.exec(text)?.[1]);
  };
  await until(async () => (await exceeded()) > 800, { what: 'what exceeds the rate is counted' });
});

test('each piece is processed by one of several controllers', async () => {
  const other = await rig.another();
  const id = await create();
  const now = Date.now();
  const urls = [rig.controller.url, other.url];
  const storedCounts = () => Promise.all(urls.map((url) => countOf('kept', url)));
  const before = await storedCounts();
  const instants = Array.from({ length: 40 }, (_, at) => now - at);
  for (const at of instants) send('eu', evidenceMessage(id, at));
  await reads(id, instants);
  // They count after the write.
  const more = await until(async () => {
    const counts = (await storedCounts()).map((count, index) => count - (before[index] as number));
    return sum(counts) >= 40 && counts;
  }, { what: 'all are counted' });
  expect(sum(more)).toBe(40);
  expect(Math.min(...more)).toBeGreaterThan(0);
});

test('evidence that arrives while the database is down is stored afterwards', async () => {
  const id = await create();
  const now = Date.now();
  const notYet = 'could not write evidence; it will be retried';
  database.drop();
  send('eu', evidenceMessage(id, now));
  await until(() => lines.some((line) => line.includes(notYet)), { what: 'a write has failed' });
  send('eu', evidenceMessage(id, now + 1));
  database.heal();
  await reads(id, [now + 1, now]);
});

test('writes and reads of evidence use an index', () => {
  expect(plans.collections).toContain('evidence');
  expect(plans.collectionScans().filter((shape) => shape.startsWith('evidence'))).toEqual([]);
});
