import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Loose } from '../helpers/api-client.ts';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { EventClient } from '../helpers/event-client.ts';
import { startReceiver } from '../helpers/receiver.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

const REGIONS = ['berlin', 'dallas', 'paris'] as const;
type Region = (typeof REGIONS)[number];

/** Shorter than the leases of shards. */
const STEP_MS = 2000;
/** Between two steps, real time: long enough for requests and their responses, and for a beat. */
const EVERY_MS = 200;

const clock = new WarpClock();
let rig: ControllerRig;
const probes = {} as Record<Region, TestProbe>;
let beats: NodeJS.Timeout;
let epochs = 0;
/** The response of berlin, which has none of the monitors, when it is asked as a witness; null for none. */
let berlinVote: 'up' | 'down' | null = null;
/** Regions whose probe does not beat. */
const silent = new Set<Region>();
/** Monitors that berlin was asked about. */
let requested: string[] = [];

beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, undefined, undefined, { clock });
  for (const region of REGIONS) {
    await rig.session.ok('POST', '/api/regions', { id: region, name: region, city: region, country: 'X' });
    probes[region] = await rig.probe(region, { session: rig.session, region });
    await probes[region].follow();
  }
  const { berlin } = probes;
  berlin.nats.subscribe(subjects.run('berlin', berlin.enrolment?.probe_id ?? ''), {
    callback: (_error, message) => {
      const { assignment } = berlin.openRun(message.data);
      requested.push(assignment.monitor_id);
      if (berlinVote === null) return;
      const result = checked(assignment.monitor_id, clock.now(), berlinVote === 'up');
      message.respond(JSON.stringify({ v: 1, result }));
    },
  });
  const beat = () => REGIONS.filter((region) => !silent.has(region))
    .forEach((region) => probes[region].beat({ sent_at: clock.now() }));
  beats = setInterval(beat, EVERY_MS);
  await until(async () => (await rig.session.ok<{ probes: { status: string }[] }>('GET', '/api/probes'))
    .probes.filter(({ status }) => status === 'online').length >= REGIONS.length, { what: 'all are online' });
});
afterAll(async () => {
  clearInterval(beats);
  await rig?.stop();
});
beforeEach(() => {
  berlinVote = null;
  requested = [];
});

/** Lets time pass in steps until `isMet`. */
const pass = (isMet: () => Promise<boolean> | boolean, what: string) => until(async () => {
  if (await isMet()) return true;
  clock.warp(STEP_MS);
  return false;
}, { what, everyMs: EVERY_MS });

/** A monitor in paris and dallas, which paris has seen up; dallas never reports. */
async function createMonitor(name: string, policy: string | number = 'majority'): Promise<string> {
  const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60,
    monitoring_regions: ['paris', 'dallas'], confirmation_policy: { regions: policy, retries: 0 },
  });
  await pass(() => probes.paris.held.has(id) && probes.dallas.held.has(id), 'it is assigned');
  await report(id, true);
  return id;
}

async function report(id: string, isUp: boolean, probe = probes.paris): Promise<void> {
  epochs += 1;
  await postAll(
    lettersOf(probe, `epoch-${epochs}`, [checked(id, clock.now(), isUp)]), (letters) => letters,
  );
}

const statusOf = async (id: string): Promise<string> => (await rig.session.ok<{
  monitor: { runtimeStatus: string };
}>('GET', `/api/monitors/${id}`)).monitor.runtimeStatus;
const incidentsOf = async (id: string) => (await rig.session.ok<{
  incidents: { id: string; status: string }[];
}>('GET', `/api/incidents?check_id=${id}`)).incidents;
const isOpen = async (id: string) => (await incidentsOf(id))[0]?.status === 'open';
const opens = (id: string) => until(() => isOpen(id), { what: 'the incident is open' });
const opensLater = (id: string) => pass(() => isOpen(id), 'the incident is open');

test('the only reporting region decides as soon as a witness agrees', async () => {
  const id = await createMonitor('confirmed');
  berlinVote = 'down';
  await report(id, false);
  await opens(id);
  expect(requested).toEqual([id]);
  const incident = (await incidentsOf(id))[0]?.id ?? '';
  const { votes, verdict } = await until(async () => {
    const recorded = await rig.session.ok<{ votes: Loose[]; verdict: string | null }>(
      'GET', `/api/incidents/${incident}/votes`,
    );
    return recorded.verdict === null ? null : recorded;
  }, { what: 'the votes are recorded' });
  expect(verdict).toBe('down');
  const cast = votes.map(({ region, vote, weight, engine }) => [region, vote, weight, engine]);
  expect(cast).toEqual([
    ['dallas', 'none', 'silent', null], ['paris', 'down', 'counted', 'test'],
    ['berlin', 'down', 'counted', 'test'],
  ]);
  const { actual, incidents } = await rig.session.ok<Loose>('POST', `/api/monitors/${id}/simulate`, {
    from: new Date(clock.now() - 60_000).toISOString(), confirmation_policy: { regions: 'any' },
  });
  expect(actual).toMatchObject([{ started_at: incidents[0].started_at, votes: [{}, {}, { region: 'berlin' }] }]);
});

test('the only reporting region does not decide if a witness sees the monitor up', async () => {
  const id = await createMonitor('contradicted');
  const control = await createMonitor('control');
  berlinVote = 'up';
  await report(id, false);
  await until(() => requested.includes(id), { what: 'berlin is asked' });
  // By the time the control has a minority verdict, the other monitor would have one, too.
  berlinVote = null;
  await report(control, false);
  await until(() => requested.includes(control), { what: 'berlin is asked about the control' });
  await opensLater(control);
  expect(await incidentsOf(id)).toEqual([]);
});

test('a region whose probes are offline cannot outvote others with old results', async () => {
  const id = await createMonitor('left alone');
  await report(id, true, probes.dallas);
  silent.add('dallas');
  await pass(async () => (await rig.session.ok<{ probes: Loose[] }>('GET', '/api/probes'))
    .probes.some(({ region_id: region, status }) => region === 'dallas' && status === 'offline'), 'dallas is offline');
  berlinVote = 'down';
  await report(id, false);
  await opens(id);
  expect(await rig.session.ok('GET', `/api/monitors/${id}/regions`)).toMatchObject({
    regions: [{ region: 'dallas', status: 'unknown', reason: 'no_live_probe' }, { region: 'paris', status: 'down' }],
  });
  silent.clear();
});

test('a monitor that needs two votes is unknown while one region reports, and opens no incident', async () => {
  const id = await createMonitor('two of two', 2);
  const control = await createMonitor('control of two');
  await report(id, false);
  await report(control, false);
  await opensLater(control);
  expect(await statusOf(id)).toBe('unknown');
  expect(await incidentsOf(id)).toEqual([]);
  expect(requested).not.toContain(id);
  expect(await rig.session.ok('GET', `/api/monitors/${id}/regions`)).toMatchObject({
    reason: '2 votes are needed, but only 1 can be counted',
    regions: [{ region: 'dallas', status: 'unknown', reason: null }, { region: 'paris', status: 'down' }],
  });
});

test('regions in one network share one vote, also in a simulation of another policy', async () => {
  const id = await createMonitor('one network', 2);
  await report(id, true, probes.dallas);
  const setNetwork = (asn: number | null) => Promise.all(['paris', 'dallas'].map((region) => rig.session.ok(
    'PATCH', `/api/probes/${probes[region as Region].enrolment?.probe_id}`, { asn },
  )));
  const regions = () => rig.session.ok<Loose>('GET', `/api/monitors/${id}/regions`);
  const incidents = async (policy: string) => (await rig.session.ok<Loose>(
    'POST', `/api/monitors/${id}/simulate`, { from: clock.now() - 60_000, confirmation_policy: { regions: policy } },
  ))['incidents'];
  await report(id, false);
  expect(await incidents('all')).toEqual([]);
  expect(await incidents('any')).toHaveLength(1);
  await setNetwork(64_512);
  await until(async () => (await regions())['reason'] === '2 votes are needed, but only 1 can be counted', {
    what: 'both share one vote',
  });
  // One of them sees it up.
  expect(await incidents('any')).toEqual([]);
  await setNetwork(null);
});

test('a single region that is down appears in live events and alerts destinations that opted in, without an incident', async () => {
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'live' });
  const stream = await EventClient.open(rig.controller.url, { 'x-api-key': key });
  const receiver = await startReceiver();
  const { integration } = await rig.session.ok<Loose>('POST', '/api/integrations', {
    name: 'regions', type: 'webhook', config: { url: receiver.url }, is_default: true,
    events: ['monitor.region_degraded', 'monitor.down'],
  });
  const id = await createMonitor('partly down');
  await report(id, true, probes.dallas);
  await report(id, false);
  const { data } = await stream.next('monitor.region', ({ monitor_id: of }) => of === id);
  expect(data).toMatchObject({ region: 'paris', status: 'down', previous_status: 'up', reason: 'Status 503' });
  await report(id, true, probes.dallas);
  const alert = await until(() => receiver.requests[0], { what: 'the alert arrives' });
  expect(JSON.parse(String(alert.body))).toMatchObject({ event: 'monitor.region_degraded', incident: null });
  expect(await incidentsOf(id)).toEqual([]);
  const replay = (body: object) => rig.session.ok<Loose>('POST', `/api/monitors/${id}/simulate`, {
    from: clock.now() - 60_000, ...body,
  });
  const any = await replay({ confirmation_policy: { regions: 'any' } });
  expect(any).toMatchObject({
    incidents: [{ resolved_at: null, votes: [{ region: 'dallas', vote: 'up' }, { region: 'paris', vote: 'down' }] }],
    actual: [],
  });
  expect(any['since']).toBeGreaterThan(clock.now() - 60_000);
  expect(await replay({ confirmation_policy: {} })).toMatchObject({ incidents: [], actual: [] });
  await rig.session.ok('DELETE', `/api/integrations/${integration.id}`);
  stream.close();
  await receiver.close();
});
