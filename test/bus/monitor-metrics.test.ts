import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Loose } from '../helpers/api-client.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { scrape, type Scrape } from '../helpers/scrape.ts';
import { shardMap } from '../helpers/shard-map.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { BARE_FACTS } from '../helpers/tls-facts.ts';
import { until } from '../helpers/until.ts';
import { configOf, resultOf } from '../unit/results/build.ts';

const HOUR_MS = 3_600_000;
const EXPIRES_AT = 1_900_000_000_000;

let rig: ControllerRig;
let probe: TestProbe;
let other: ApiSession;
const seqs = new Map<number, number>();

beforeAll(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  probe = await rig.probe('one');
  probe.beat();
  await probe.follow();
  other = await new ApiSession(rig.controller.url).begin('other@example.com');
  const mongo = checkedMongo(rig.store.url);
  await mongo.db.collection('users').updateMany({}, { $set: { email_verified: true } });
  await mongo.close();
  await other.ok('POST', '/api/regions', { id: 'theirs', name: 'Theirs', city: 'There', country: 'FR' });
  await rig.probe('secret', { session: other, region: 'theirs' });
});
afterAll(() => rig?.stop());

async function keyOf(session: ApiSession, projectIds?: string[]): Promise<string> {
  const body = { name: 'prometheus', scope: 'read_write', ...(projectIds ? { project_ids: projectIds } : {}) };
  return (await session.ok<{ key: string }>('POST', '/api/auth/api-keys', body)).key;
}

/** Reads the metrics as Prometheus does. */
const read = (key: string, url = rig.controller.url) => scrape(url, { authorization: `Bearer ${key}` });

async function create(key: string, change: Loose = {}, projectId?: string): Promise<string> {
  const body = {
    name: 'Shop', type: 'HTTP', target: 'https://127.0.0.1:9/', interval_seconds: 60,
    confirmation_policy: { regions: 'any', retries: 0 }, ...change,
  };
  const response = await fetch(`${rig.controller.url}/api/monitors`, {
    method: 'POST', body: JSON.stringify(body), headers: {
      'content-type': 'application/json', 'x-api-key': key, ...(projectId ? { 'x-project-id': projectId } : {}),
    },
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as Loose).data.monitor.id;
}

async function send(monitorId: string, changes: Partial<CheckResult>[]): Promise<void> {
  await until(() => probe.held.has(monitorId), { what: 'the probe has it' });
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const shard = shardMap.of(monitorId);
  const first = (seqs.get(shard) ?? 0) + 1;
  const last = first + changes.length - 1;
  seqs.set(shard, last);
  const results = changes.map((change, at) => {
    const started_at = Date.now() - changes.length + at;
    return resultOf(configOf({ monitor_id: monitorId }), { seq: first + at, started_at, scheduled_at: started_at, ...change });
  });
  const bytes = encodeBatch({ epoch: 'e', engine: 'test', first, last, results, dropped: [] });
  await probe.nats.request(subjects.results(shard, region_id, probe_id), bytes, { timeout: 60_000 });
}

/** The first scrape of a project starts the counts of its checks. */
async function listed(key: string, ...ids: string[]): Promise<Scrape> {
  return until(async () => {
    const found = await read(key);
    return ids.every((id) => found.matching('in_maintenance', id).length === 1) && found;
  }, { what: 'all monitors are listed' });
}

test('a scrape has the state, regions, checks and expiries of each monitor', async () => {
  const key = await keyOf(rig.session);
  const group = await rig.session.ok<Loose>('POST', '/api/groups', { name: 'A "group"' });
  const up = await create(key, { name: 'back\\slash "quoted"', group_id: group.id });
  const [down, unknown, paused] = [await create(key), await create(key), await create(key)];
  await rig.session.ok('POST', `/api/monitors/${paused}/pause`);
  await listed(key, up, down, unknown, paused);
  const tls = {
    valid: true, expires_at: EXPIRES_AT, issuer: 'CN=CA', subject: 'CN=shop', fingerprint256: 'aa', protocol: 'TLSv1.3',
    ...BARE_FACTS,
  };
  await send(up, [{ outcome: 'missed', missed: { reason: 'overload', count: 3 } }, {}, { response_time_ms: 12.3, tls }]);
  await send(down, [{ outcome: 'failure' }]);
  const labels = `id="${up}",name="back\\\\slash \\"quoted\\"",type="HTTP",project="Default",group="A \\"group\\""`;
  const ofDown = `id="${down}",name="Shop",type="HTTP",project="Default"`;
  const found = await until(async () => {
    const metrics = await read(key);
    const isCounted = metrics.matching('incidents_open', 'major').some(([, value]) => value === 1);
    const isComplete = metrics.value('farwatch_scrape_complete') === 1;
    return isComplete && isCounted && metrics.value(`farwatch_monitor_up{${labels}}`) === 1 && metrics;
  }, { what: 'the results are applied' });
  const at = `${labels},region="local"`;
  expect({
    up: found.value(`farwatch_monitor_up{${labels}}`),
    inRegion: found.value(`farwatch_monitor_region_up{${at}}`),
    responseTime: found.value(`farwatch_monitor_response_time_seconds{${at}}`),
    checks: ['success', 'failure', 'missed'].map((outcome) =>
      found.value(`farwatch_monitor_checks_total{${at},outcome="${outcome}"}`)),
    certificate: found.value(`farwatch_monitor_certificate_expiry_timestamp_seconds{${labels}}`),
    domain: found.matching('domain_expiry'),
    uptime: ['24h', '30d'].map((window) => found.value(`farwatch_monitor_uptime_ratio{${labels},window="${window}"}`)),
    maintenance: found.value(`farwatch_monitor_in_maintenance{${labels}}`),
    isComplete: found.value('farwatch_scrape_complete'),
  }).toEqual({
    up: 1, inRegion: 1, responseTime: 0.0123, checks: [2, 0, 3], certificate: EXPIRES_AT / 1000, domain: [],
    uptime: [1, 1], maintenance: 0, isComplete: 1,
  });
  const checkedAt = found.value(`farwatch_monitor_last_check_timestamp_seconds{${labels}}`) ?? 0;
  expect(Math.abs(checkedAt * 1000 - Date.now())).toBeLessThan(HOUR_MS);
  expect(found.value(`farwatch_monitor_up{${ofDown}}`)).toBe(0);
  expect(found.value(`farwatch_monitor_uptime_ratio{${ofDown},window="24h"}`)).toBe(0);
  expect(found.value(`farwatch_monitor_checks_total{${ofDown},region="local",outcome="failure"}`)).toBe(1);
  for (const id of [unknown, paused]) {
    expect(found.matching('_up{', id)).toEqual([]);
    expect(found.matching('in_maintenance', id).map(([, value]) => value)).toEqual([0]);
  }
  expect(found.matching('farwatch_incidents_open')).toEqual([
    ['farwatch_incidents_open{project="Default",severity="critical"}', 0],
    ['farwatch_incidents_open{project="Default",severity="major"}', 1],
    ['farwatch_incidents_open{project="Default",severity="minor"}', 0],
    ['farwatch_incidents_open{project="Default",severity="warning"}', 0],
  ]);
  expect(found.matching('farwatch_probe_up')).toEqual([['farwatch_probe_up{probe="one",region="local"}', 1]]);
});

test('a monitor in a maintenance window says so, and a deleted one is gone', async () => {
  const key = await keyOf(rig.session);
  const [serviced, deleted] = [await create(key), await create(key)];
  const { projects: [project] } = await rig.session.ok<Loose>('GET', '/api/projects');
  const isoIn = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  await rig.session.ok('POST', `/api/projects/${project.id}/maintenance-windows`, {
    title: 'Move', starts_at: isoIn(-1), ends_at: isoIn(1), monitor_ids: [serviced],
  });
  await listed(key, serviced, deleted);
  await rig.session.ok('DELETE', `/api/monitors/${deleted}`);
  await until(async () => {
    const found = await read(key);
    return found.matching('in_maintenance', serviced)[0]?.[1] === 1 && found.matching(deleted).length === 0;
  }, { what: 'the window and the deletion are known' });
});

test('a key reads the projects that it covers, and nothing of another organization', async () => {
  const { project: second } = await rig.session.ok<Loose>('POST', '/api/projects', { name: 'Second' });
  const [all, limited] = [await keyOf(rig.session), await keyOf(rig.session, [second.id])];
  const [ours, inSecond] = [await create(all), await create(all, {}, second.id)];
  const theirKey = await keyOf(other);
  const theirs = await create(theirKey);
  const [ofAll, ofSecond, ofOther] =
    [await listed(all, ours, inSecond), await listed(limited, inSecond), await listed(theirKey, theirs)];
  expect(ofAll.matching(inSecond, 'project="Second"').length).toBeGreaterThan(0);
  expect(ofAll.matching(theirs)).toEqual([]);
  expect(ofAll.matching('secret')).toEqual([]);
  expect(ofSecond.matching('farwatch_monitor').every(([series]) => series.includes(inSecond))).toBe(true);
  expect(ofSecond.matching('farwatch_incidents_open').every(([series]) => series.includes('Second'))).toBe(true);
  expect(ofOther.matching('farwatch_monitor').every(([series]) => series.includes(theirs))).toBe(true);
  expect(ofOther.matching('farwatch_probe_up').map(([series]) => series).sort()).toEqual([
    'farwatch_probe_up{probe="one",region="local"}', 'farwatch_probe_up{probe="secret",region="theirs"}',
  ]);
});

test('each controller responds for the monitors of all shards', async () => {
  const key = await keyOf(rig.session);
  const ids: string[] = [];
  for (let count = 0; count < 24; count += 1) ids.push(await create(key));
  await listed(key, ...ids);
  const second = await rig.another();
  const mongo = checkedMongo(rig.store.url);
  await until(async () => {
    const leases = await mongo.db.collection<{ _id: string; holder: string }>('leases').find({}).toArray();
    return new Set(leases.flatMap(({ _id, holder }) => (_id.includes(holder) ? [] : [holder]))).size === 2;
  }, { what: 'both controllers own shards' });
  await mongo.close();
  for (const url of [rig.controller.url, second.url]) {
    await until(async () => {
      const found = await read(key, url);
      const isComplete = found.value('farwatch_scrape_complete') === 1;
      return isComplete && ids.every((id) => found.matching('in_maintenance', id).length === 1);
    }, { what: 'all monitors are listed' });
  }
});
