import { afterAll, beforeAll, expect, test } from 'vitest';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { EventClient } from '../helpers/event-client.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { shardMap } from '../helpers/shard-map.ts';

interface ProbeView {
  status: string;
  reason: string | null;
  quarantine: { reason: string; since: string } | null;
}

interface RegionsView {
  reason: string | null;
  regions: { region: string; status: string; reason: string | null }[];
}

const clock = new WarpClock();
let rig: ControllerRig;
let probes: Record<'bad' | 'good' | 'other' | 'third', TestProbe>;
let beats: NodeJS.Timeout;
let epochs = 0;
/** The epochs whose beats alternate under the identity of the bad probe. */
let lives = ['one'];
let turn = 0;

beforeAll(async () => {
  rig = await startControllerRig({}, undefined, undefined, { clock });
  await rig.session.ok('POST', '/api/regions', { id: 'oslo', name: 'Oslo', city: 'Oslo', country: 'NO' });
  await rig.session.ok('POST', '/api/regions', { id: 'rome', name: 'Rome', city: 'Rome', country: 'IT' });
  const oslo = { session: rig.session, region: 'oslo' };
  probes = {
    bad: await rig.probe('bad', oslo), good: await rig.probe('good', oslo), other: await rig.probe('other'),
    third: await rig.probe('third', { session: rig.session, region: 'rome' }),
  };
  for (const probe of Object.values(probes)) await probe.follow();
  const beat = () => {
    const sent_at = clock.now();
    turn += 1;
    probes.bad.beat({ sent_at, epoch: lives[turn % lives.length] as string });
    for (const probe of [probes.good, probes.other, probes.third]) probe.beat({ sent_at });
  };
  beats = setInterval(beat, 250);
  await is('bad', 'online');
});
afterAll(async () => {
  clearInterval(beats);
  await rig?.stop();
});

const idOf = (name: keyof typeof probes): string => probes[name].enrolment?.probe_id ?? '';
const read = async (name: keyof typeof probes) =>
  (await rig.session.ok<{ probe: ProbeView }>('GET', `/api/probes/${idOf(name)}`)).probe;
const is = (name: keyof typeof probes, status: string) =>
  until(async () => (await read(name)).status === status, { what: `${name} is ${status}` });

/** By default only in Oslo, where one vote is enough. */
async function createMonitor(name: string, change: object = {}): Promise<string> {
  const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60, monitoring_regions: ['oslo'],
    confirmation_policy: { regions: 'any', retries: 0 }, ...change,
  });
  await until(() => Object.values(probes).some(({ held }) => held.has(id)), { what: 'it is assigned' });
  return id;
}

async function report(probe: TestProbe, id: string, isUp: boolean): Promise<void> {
  epochs += 1;
  const results = [checked(id, clock.now(), isUp)];
  await postAll(lettersOf(probe, `epoch-${epochs}`, results), (letters) => letters);
}

const statusOf = async (id: string): Promise<string> => (await rig.session.ok<{
  monitor: { runtimeStatus: string };
}>('GET', `/api/monitors/${id}`)).monitor.runtimeStatus;
const incidentsOf = async (id: string) =>
  (await rig.session.ok<{ incidents: unknown[] }>('GET', `/api/incidents?check_id=${id}`)).incidents;

test('a probe whose identity two processes use loses its vote and its monitors, and gets both back', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, (_, at) => createMonitor(`monitor ${at}`)));
  const id = ids.find((one) => probes.bad.held.has(one)) as string;
  await report(probes.bad, id, true);
  await until(async () => (await statusOf(id)) === 'up', { what: 'it is up' });
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'events' });
  const events = await EventClient.open(rig.controller.url, { 'x-api-key': key });

  lives = ['one', 'two'];
  const seen = await until(async () => (await read('bad')).quarantine, { what: 'the quarantine' });
  expect(seen.reason).toBe('Two processes use this identity; stop the older one (epoch one)');
  expect(Date.parse(seen.since)).toBeGreaterThan(clock.now() - 60_000);
  expect(await read('bad')).toMatchObject({ status: 'quarantined', reason: seen.reason });
  await events.next('probe', ({ id: probe, status }) => probe === idOf('bad') && status === 'quarantined');
  await until(() => probes.bad.held.size === 0 && ids.every((one) => probes.good.held.has(one)), {
    what: 'the other probe of the region has its monitors',
  });

  // Checks that were in progress when the monitor moved.
  await report(probes.bad, id, false);
  expect(await statusOf(id)).toBe('up');
  expect(await incidentsOf(id)).toEqual([]);
  const { results } = await rig.session.ok<{ results: { probe_id: string; outcome: string }[] }>(
    'GET', `/api/monitors/${id}/results`,
  );
  expect(results.filter(({ outcome }) => outcome === 'failure')).toMatchObject([{ probe_id: idOf('bad') }]);
  // The votes of the probe that has them now count.
  await report(probes.good, id, false);
  await until(async () => (await incidentsOf(id)).length === 1, { what: 'the incident' });

  lives = ['two'];
  await rig.restart(async () => undefined);
  await is('bad', 'quarantined');
  expect((await read('bad')).quarantine).toEqual(seen);
  // In steps too short for the probe to count as dead.
  await until(async () => {
    clock.warp(10_000);
    return (await read('bad')).status === 'online';
  }, { what: 'the quarantine ends', everyMs: 1500 });
  expect((await read('bad')).quarantine).toBeNull();
  await until(() => probes.bad.held.size > 0, { what: 'it has monitors again' });
});

test('with two controllers, a probe that contradicts most other regions keeps its monitors and loses its vote', async () => {
  const second = await rig.another();
  await until(async () => (await fetch(`${second.url}/readyz`)).ok, { what: 'two controllers share the shards' });
  const everywhere = {
    interval_seconds: 3600, monitoring_regions: ['local', 'oslo', 'rome'],
    confirmation_policy: { regions: 'majority', retries: 0 },
  };
  // One of each shard, so that neither controller sees ten of them by itself.
  const byShard = new Map<number, string>();
  for (let at = 0; byShard.size < 12; at += 1) {
    const id = await createMonitor(`everywhere ${at}`, everywhere);
    byShard.set(shardMap.of(id), id);
  }
  const ids = [...byShard.values()];
  const { other, ...others } = probes;
  await until(() => ids.every((id) => other.held.has(id) && probes.third.held.has(id)), { what: 'assigned' });
  await Promise.all(ids.map(async (id) => {
    const holders = [other, ...Object.values(others).filter(({ held }) => held.has(id))];
    await Promise.all(holders.map((probe) => report(probe, id, true)));
  }));
  await Promise.all(ids.map((id) => report(other, id, false)));
  await until(async () => {
    // Shorter than the leases of shards.
    clock.warp(2500);
    return (await read('other')).quarantine;
  }, { what: 'the quarantine', everyMs: 150 });
  expect((await read('other')).reason).toMatch(
    /^It reports \d\d of \d\d monitors down that are up in most other regions$/,
  );
  expect(ids.every((id) => other.held.has(id))).toBe(true);
  const fresh = await createMonitor('nobody votes', { monitoring_regions: ['local'] });
  const views = () => Promise.all([rig.session, rig.session.at(second.url)].map(
    (session) => session.ok<RegionsView>('GET', `/api/monitors/${fresh}/regions`),
  ));
  await until(async () => (await views()).every(({ regions }) => regions[0]?.reason === 'quarantined'), {
    what: 'both controllers know of the quarantine',
  });
  await report(other, fresh, false);
  const nobody = {
    reason: 'No region has a vote', regions: [{ region: 'local', status: 'unknown', reason: 'quarantined' }],
  };
  expect(await views()).toMatchObject([nobody, nobody]);
  expect((await Promise.all(ids.map(incidentsOf))).flat()).toEqual([]);
});
