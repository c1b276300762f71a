import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EXAMINE_CAPABILITY, examineOrder, type Examination } from '../../shared/contracts/examination.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { FIRST, failing, SECOND, seen, silent, TARGET } from '../helpers/examinations.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const REGIONS = ['osaka', 'paris'] as const;
type Region = (typeof REGIONS)[number];
const SUMMARY = 'Only from Osaka: path breaks after 198.51.100.7; reachable from Paris.';

let rig: ControllerRig;
let client: MongoClient;
let receiver: Receiver;
const probes = {} as Record<Region, TestProbe>;
let beats: NodeJS.Timeout;
let epochs = 0;
/** What each region finds out; null: it does not respond. */
let found: Record<Region, Examination | null>;
/** Regions that were asked, in order. */
let asked: Region[] = [];

const broken = silent('Osaka', [FIRST, SECOND, null]).examination;
const good = seen('Paris').examination;
const beat = () => REGIONS.forEach((region) => probes[region].beat({ capabilities: ['http', EXAMINE_CAPABILITY] }));

beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' });
  client = await MongoClient.connect(rig.store.url);
  receiver = await startReceiver();
  for (const region of REGIONS) {
    const name = region === 'osaka' ? 'Osaka' : 'Paris';
    await rig.session.ok('POST', '/api/regions', { id: region, name, city: name, country: 'X' });
    probes[region] = await rig.probe(region, { session: rig.session, region });
    await probes[region].follow();
    listen(region);
  }
  beat();
  beats = setInterval(beat, 1000);
  await rig.session.ok('POST', '/api/integrations', {
    name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url },
  });
});
afterAll(async () => {
  clearInterval(beats);
  await client?.close();
  await rig?.stop();
  await receiver?.close();
});
beforeEach(() => {
  found = { osaka: broken, paris: good };
  asked = [];
});

function listen(region: Region): void {
  const probe = probes[region];
  probe.nats.subscribe(subjects.run(region, probe.enrolment?.probe_id ?? ''), {
    callback: (_error, message) => {
      const order = examineOrder.safeParse(probe.open(message.data));
      if (!order.success) return;
      asked.push(region);
      const { monitor_id } = order.data.examine;
      const examination = found[region] && { ...found[region], monitor_id };
      if (examination) message.respond(JSON.stringify({ v: 1, examination }));
    },
  });
}

async function createMonitor(name: string): Promise<string> {
  const { monitor: { id } } = await rig.session.ok<Loose>('POST', '/api/monitors', {
    name, type: 'HTTP', target: `http://${TARGET}/`, interval_seconds: 60, monitoring_regions: REGIONS,
    confirmation_policy: { regions: 'any', retries: 0 },
  });
  await until(() => REGIONS.every((region) => probes[region].held.has(id)), { what: 'it is assigned' });
  for (const region of REGIONS) await report(id, true, region);
  return id;
}

async function report(id: string, isUp: boolean, region: Region = 'osaka'): Promise<void> {
  epochs += 1;
  const letters = lettersOf(probes[region], `epoch-${epochs}`, [checked(id, Date.now(), isUp)]);
  await postAll(letters, (all) => all);
}

const incidentsOf = async (id: string): Promise<Loose[]> =>
  (await rig.session.ok<Loose>('GET', `/api/incidents?check_id=${id}`)).incidents;
const diagnosisOf = async (id: string): Promise<Loose> => {
  const incident = await until(async () => {
    const [latest] = await incidentsOf(id);
    return latest?.diagnosis ? latest : null;
  }, { what: 'the incident has a diagnosis' });
  const { diagnosis } = await rig.session.ok<Loose>('GET', `/api/incidents/${incident.id}/diagnosis`);
  return { ...diagnosis, incident };
};
const alertsAbout = (id: string, event = 'monitor.down') => receiver.requests
  .map(({ body }) => JSON.parse(body.toString()) as Loose)
  .filter((payload) => payload.monitor?.id === id && payload.event === event);
const alertAbout = (id: string, event?: string): Promise<Loose> =>
  until(() => alertsAbout(id, event)[0], { what: 'the alert arrives' });

test('the failing probe and one that sees the target up examine it, and the alert begins with what they found', async () => {
  const id = await createMonitor('Shop');
  await report(id, false);
  const { incident, message } = await alertAbout(id);
  expect(incident.diagnosis).toEqual({ classification: 'path', summary: SUMMARY });
  expect(message.split('\n')[0]).toBe(`Shop is down. ${SUMMARY}`);
  expect(asked.toSorted()).toEqual(['osaka', 'paris']);
  const { incident: shown, ...diagnosis } = await diagnosisOf(id);
  expect(shown.diagnosis).toEqual(incident.diagnosis);
  expect(diagnosis).toMatchObject({
    classification: 'path', summary: SUMMARY,
    decided_by: [expect.stringContaining('Osaka: the check fails'), 'Paris: the check succeeds.'],
    regions: [
      {
        region: 'osaka', sees: 'down', addresses: [TARGET], families: { ipv4: 'down', ipv6: 'absent' }, tls: null,
        path: [{ address: FIRST }, { address: SECOND }, { ttl: 3, address: null, rtt_ms: null }],
      },
      { region: 'paris', sees: 'up', families: { ipv4: 'up', ipv6: 'absent' } },
    ],
  });
  const metrics = await (await fetch(`${rig.controller.url}/metrics`)).text();
  expect(metrics).toMatch(/farwatch_examinations_asked_total 2\n/);
});

test('an alert is sent without a diagnosis that takes longer, which is then shown, without another alert', async () => {
  found.paris = null;
  const id = await createMonitor('Slow');
  await report(id, false);
  const { incident, message } = await alertAbout(id);
  expect([incident.diagnosis, message.split('\n')[0]]).toEqual([null, 'Slow is down.']);
  expect(await diagnosisOf(id)).toMatchObject({
    classification: 'unknown', summary: 'Down from Osaka; no probe in another network could examine the target.',
  });
  await report(id, true);
  expect((await alertAbout(id, 'monitor.up')).incident.diagnosis).toMatchObject({ classification: 'unknown' });
  expect(alertsAbout(id)).toHaveLength(1);
}, 30_000);

test('another incident within 10 minutes shows the same diagnosis, after a restart and on request', async () => {
  const id = await createMonitor('Flaky');
  await report(id, false);
  const first = await diagnosisOf(id);
  await report(id, true);
  await until(async () => (await incidentsOf(id))[0]?.status === 'resolved', { what: 'the incident is resolved' });
  await rig.restart(async () => undefined);
  asked = [];
  beat();
  await report(id, false);
  await until(async () => (await incidentsOf(id)).length === 2, { what: 'another incident' });
  const second = await diagnosisOf(id);
  expect(second.incident.id).not.toBe(first.incident.id);
  expect(second.diagnosed_at).toBe(first.diagnosed_at);
  const { diagnosis } = await rig.session.ok<Loose>('POST', `/api/monitors/${id}/diagnose`);
  expect(diagnosis.diagnosed_at).toBe(first.diagnosed_at);
  expect(asked).toEqual([]);
}, 60_000);

test('an incident gets its diagnosis after a crash between storing it and adding it to the incident', async () => {
  const id = await createMonitor('Crashed');
  await report(id, false);
  const before = await diagnosisOf(id);
  await rig.restart(async () => {
    const incidents = client.db().collection<{ _id: string }>('incidents');
    await incidents.updateOne({ _id: before.incident.id }, { $unset: { diagnosis: '' } });
  });
  const { incident, ...diagnosis } = await diagnosisOf(id);
  expect(incident.id).toBe(before.incident.id);
  expect(diagnosis).toMatchObject({ classification: 'path', summary: SUMMARY, diagnosed_at: before.diagnosed_at });
}, 60_000);

test('a request on a healthy monitor says so, and leaves the next failure its examination', async () => {
  found.osaka = seen('Osaka').examination;
  const id = await createMonitor('Healthy');
  const { diagnosis } = await rig.session.ok<Loose>('POST', `/api/monitors/${id}/diagnose`);
  expect(diagnosis).toMatchObject({
    classification: 'unknown', summary: 'The target responds from Osaka and Paris, so there is nothing to diagnose.',
  });
  expect((await rig.session.ok<Loose>('POST', `/api/monitors/${id}/diagnose`)).diagnosis).toEqual(diagnosis);
  expect(asked).toHaveLength(2);
  found.osaka = broken;
  await report(id, false);
  expect(await diagnosisOf(id)).toMatchObject({ classification: 'path', summary: SUMMARY });
});

test('an unknown diagnosis becomes an edge when another target behind it is examined', async () => {
  const cutOff = (label: string, routers: (string | null)[], address: string) => silent(label, routers, address).examination;
  found = { osaka: cutOff('Osaka', [FIRST, null], TARGET), paris: cutOff('Paris', [SECOND, null], TARGET) };
  const one = await createMonitor('One');
  await report(one, false);
  expect(await diagnosisOf(one)).toMatchObject({ classification: 'unknown' });
  found = { osaka: cutOff('Osaka', [FIRST, null], '203.0.113.8'), paris: cutOff('Paris', [SECOND, null], '203.0.113.8') };
  const other = await createMonitor('Other');
  await report(other, false);
  const summary = '2 targets in 203.0.113.0/24 stopped responding within 90 s, and so did their networks.';
  expect(await diagnosisOf(other)).toMatchObject({ classification: 'edge', summary });
  await until(async () => (await diagnosisOf(one)).classification === 'edge', { what: 'the first is refined' });
  expect(alertsAbout(one)).toHaveLength(1);
}, 60_000);

test('a probe that cannot examine is not asked, and an invalid response is none', async () => {
  found.osaka = { ...failing('Osaka', { type: 'timeout', message: '' }).examination, connections: [{}] as never };
  const id = await createMonitor('Invalid');
  await report(id, false);
  expect(await diagnosisOf(id)).toMatchObject({
    summary: 'The target failed, but responded when it was examined from Paris.', regions: [{ region: 'paris' }],
  });
  expect(await client.db().collection('diagnoses').countDocuments({ monitor_id: id })).toBe(1);
});
