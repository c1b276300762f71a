import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { settled } from '../helpers/settled.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

interface Heartbeat {
  id: string;
  heartbeat_token: string;
}

interface Incident {
  id: string;
  status: string;
  started_at: string;
}

const MINUTE_S = 60;
const STEP_S = fewOrAll(15, 1);
/** Longer than another incident may take to open, beyond its 5 minutes. */
const GRACE_S = 45;

let [rig, mongo, hook, clock] = [] as unknown as [ControllerRig, Mongo, Receiver, WarpClock];

beforeAll(async () => {
  clock = new WarpClock();
  hook = await startReceiver();
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, undefined, undefined, { clock });
  mongo = checkedMongo(rig.store.url);
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
});
afterAll(async () => {
  await mongo?.close();
  await rig?.stop();
  await hook?.close();
});

/** Advances time in steps of seconds, with real time for due work after each. */
async function advanceSeconds(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= STEP_S) {
    clock.warp(Math.min(left, STEP_S) * 1000);
    await settled(mongo, rig.commands);
  }
}

const advanceUntil = (what: string, isReached: () => Promise<boolean> | boolean) => until(async () => {
  await advanceSeconds(STEP_S);
  return isReached();
}, { what, everyMs: 0 });

async function heartbeat(): Promise<Heartbeat> {
  const body = { name: `Job ${randomUUID()}`, type: 'HEARTBEAT', heartbeat_interval: 86_400, grace_period: 60 };
  return (await rig.session.ok<{ monitor: Heartbeat }>('POST', '/api/monitors', body)).monitor;
}

const ping = (one: Heartbeat, path = '') =>
  fetch(`${rig.controller.url}/api/heartbeat/${one.heartbeat_token}${path}`, { method: 'POST' });
const incidentsOf = async ({ id }: Heartbeat): Promise<Incident[]> =>
  (await rig.session.ok<{ incidents: Incident[] }>('GET', `/api/incidents?check_id=${id}`)).incidents;
const openIncidentsOf = async (one: Heartbeat) => (await incidentsOf(one)).filter(({ status }) => status === 'open');
const alertsOf = ({ id }: Heartbeat) => hook.requests
  .map(({ body }) => JSON.parse(body.toString('utf8')) as { event: string; monitor: { id: string }; incident: Incident })
  .filter(({ monitor }) => monitor.id === id);

/** A heartbeat whose job has failed, with its incident. */
async function failed(): Promise<{ job: Heartbeat; first: Incident }> {
  const job = await heartbeat();
  await ping(job, '/fail');
  await advanceUntil('the outage is alerted', () => alertsOf(job).length === 1);
  const [first] = await openIncidentsOf(job);
  return { job, first: first as Incident };
}

const resolve = ({ id }: Incident) => rig.session.ok('PUT', `/api/incidents/${id}/status`, { status: 'resolved' });

describe('an outage that continues after a user has resolved its incident', () => {
  test('opens another incident 5 minutes later, and alerts once, on an idle controller', async () => {
    const { job, first } = await failed();
    await advanceSeconds(2 * MINUTE_S);
    await resolve(first);
    const resolvedAt = clock.now();
    await advanceUntil('another incident is open', async () => (await openIncidentsOf(job)).length === 1);
    const afterMs = clock.now() - resolvedAt;
    expect(afterMs).toBeGreaterThanOrEqual(5 * MINUTE_S * 1000);
    expect(afterMs).toBeLessThan((5 * MINUTE_S + GRACE_S) * 1000);
    await advanceUntil('it is alerted', () => alertsOf(job).length === 2);
    const [again] = await openIncidentsOf(job);
    expect(alertsOf(job)[1]).toMatchObject({ event: 'monitor.down', incident: { id: again?.id } });
    expect(again?.started_at).toBe(first.started_at);
    await advanceSeconds(6 * MINUTE_S);
    expect(await incidentsOf(job)).toHaveLength(2);
    await ping(job);
    await advanceUntil('it is resolved', async () => (await openIncidentsOf(job)).length === 0);
    await advanceUntil('its end is alerted', () => alertsOf(job).length === 3);
    expect(alertsOf(job)[2]).toMatchObject({ event: 'monitor.up', incident: { id: again?.id } });
    expect(await mongo.db.collection('incidents').countDocuments({ unjournaled: { $gte: 0 } })).toBe(0);
  });

  test('is one outage when compared with a simulated policy', async () => {
    const probe = await rig.probe('only');
    await probe.follow();
    const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: 'http://shop.example/', interval_seconds: MINUTE_S,
      confirmation_policy: { regions: 'any', retries: 0 },
    });
    const advanceWithBeats = (what: string, isReached: () => Promise<boolean> | boolean) => advanceUntil(what, () => {
      probe.beat({ sent_at: clock.now() });
      return isReached();
    });
    await advanceWithBeats('the monitor is assigned', () => probe.held.has(id));
    let epochs = 0;
    const report = async (isUp: boolean) => {
      epochs += 1;
      await postAll(lettersOf(probe, `epoch-${epochs}`, [checked(id, clock.now(), isUp)]), (letters) => letters);
    };
    const incidents = async () => (await rig.session.ok<{ incidents: Incident[] }>(
      'GET', `/api/incidents?check_id=${id}`,
    )).incidents;
    const from = clock.now();
    await report(false);
    await advanceWithBeats('an incident is open', async () => (await incidents()).length === 1);
    const [first] = await incidents();
    await resolve(first as Incident);
    for (let minute = 0; minute < 5; minute += 1) {
      const until = clock.now() + MINUTE_S * 1000;
      await advanceWithBeats('a minute is over', () => clock.now() >= until);
      await report(false);
    }
    await advanceWithBeats('another incident is open', async () => (await incidents()).length === 2);
    const actual = async () => (await rig.session.ok<{ actual: Record<string, unknown>[] }>(
      'POST', `/api/monitors/${id}/simulate`, { from, to: clock.now(), confirmation_policy: {} },
    )).actual;
    const started_at = Date.parse(first?.started_at ?? '');
    expect(await actual()).toMatchObject([{ started_at, resolved_at: null, votes: [{ vote: 'down' }] }]);
    const upAt = clock.now();
    await report(true);
    await advanceWithBeats('it is resolved', async () => (await incidents()).every(({ status }) => status === 'resolved'));
    expect(await actual()).toMatchObject([{ started_at, resolved_at: upAt, votes: [{ vote: 'down' }] }]);
  });

  test('opens none when the monitor recovers or is paused in time', async () => {
    const [recovering, paused] = [await failed(), await failed()];
    for (const { first } of [recovering, paused]) await resolve(first);
    await advanceSeconds(MINUTE_S);
    await ping(recovering.job);
    await rig.session.ok('POST', `/api/monitors/${paused.job.id}/pause`);
    await advanceSeconds(5 * MINUTE_S + GRACE_S);
    for (const { job } of [recovering, paused]) expect(await incidentsOf(job)).toHaveLength(1);
  });

  test('opens one incident after a restart during which it became due', async () => {
    const { job, first } = await failed();
    await resolve(first);
    await rig.restart(async () => clock.warp(10 * MINUTE_S * 1000));
    await advanceUntil('another incident is open', async () => (await openIncidentsOf(job)).length === 1);
    await advanceUntil('it is alerted', () => alertsOf(job).length === 2);
    await rig.restart(async () => undefined);
    await advanceSeconds(2 * MINUTE_S);
    expect([await incidentsOf(job), alertsOf(job)].map(({ length }) => length)).toEqual([2, 2]);
  });

  // Last, because the other controller then keeps its share.
  test('opens one incident if another controller takes over the shard', async () => {
    const all: Awaited<ReturnType<typeof failed>>[] = [];
    while (new Set(all.map(({ job }) => shardMap.of(job.id))).size < 4) all.push(await failed());
    for (const { first } of all) await resolve(first);
    await advanceSeconds(MINUTE_S);
    const other = await rig.another();
    await until(async () => (await fetch(`${other.url}/readyz`)).status === 200, { what: 'the other has its share' });
    for (const { job } of all) {
      await advanceUntil('another incident is open', async () => (await openIncidentsOf(job)).length === 1);
      await advanceUntil('it is alerted', () => alertsOf(job).length === 2);
    }
    await advanceSeconds(MINUTE_S);
    for (const { job } of all) {
      expect([await incidentsOf(job), alertsOf(job)].map(({ length }) => length)).toEqual([2, 2]);
    }
  });
});
