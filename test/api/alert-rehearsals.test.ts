import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { newId } from '../../shared/ids.ts';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { storeDecisions, storeHistory, storeResults, type StoredOutage } from '../helpers/stored-history.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let tenant: Tenant;
/** A full hour, a day ago. */
let t0: number;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  t0 = hourOf(app.clock.now()) - DAY_MS;
});

async function createMonitor(name: string, change: object = {}): Promise<string> {
  const { status, data, text } = await tenant.writeKey.post('/api/monitors', {
    name, type: 'HTTP', target: 'https://192.0.2.7/', interval_seconds: 60, timeout_ms: 10_000,
    confirmation_policy: { regions: 'majority', retries: 1, recoveries: 0 }, ...change,
  });
  if (status !== 201) throw new Error(text);
  return data.monitor.id;
}

const ownedMonitor = (id: string) => (
  { monitor_id: id, organization_id: tenant.organizationId, project_id: tenant.projectId }
);

const history = (id: string, outages: StoredOutage[], features: string[] = []) => (
  storeHistory(app.controller.stores, { ...ownedMonitor(id), features }, t0, outages)
);

const simulate = (body: object = {}, by = tenant.writeKey) =>
  by.post('/api/alerts/simulate', { from: t0, to: t0 + 5 * HOUR_MS, ...body });

async function simulated(body: object = {}): Promise<Loose> {
  const { status, data, text } = await simulate(body);
  if (status !== 200) throw new Error(text);
  return data;
}

const kindsOf = (alerts: Loose[]): string[] => alerts.map(({ kind }) => kind);
const minutesOf = (alerts: Loose[]): number[] => alerts.map(({ at }) => Math.floor((at - t0) / MINUTE_MS));

describe('a simulation of alerts', () => {
  test('returns the alerts of today twice if the request changes nothing', async () => {
    const id = await createMonitor('Shop');
    await history(id, [[70, 80], [200, 203]]);
    const { alerts, actual, missed } = await simulated();
    expect(alerts).toEqual(actual);
    expect(missed).toEqual([]);
    expect(kindsOf(alerts)).toEqual(['down', 'up', 'down', 'up']);
    expect(minutesOf(alerts)).toEqual([71, 80, 201, 203]);
    expect(alerts[0]).toEqual({ at: expect.any(Number), monitor_id: id, cause_id: null, kind: 'down' });
  });

  test('replays another confirmation policy, and lists the outages that it never tells of', async () => {
    const id = await createMonitor('Shop');
    await history(id, [[70, 80], [200, 203]]);
    const { alerts, actual, missed } = await simulated({ confirmation_policy: { retries: 5 } });
    expect(minutesOf(alerts)).toEqual([75, 80]);
    expect(actual).toHaveLength(4);
    expect(missed).toEqual([{ monitor_id: id, from: t0 + 200 * MINUTE_MS, to: expect.any(Number) }]);
    expect(Math.round((missed[0].to - missed[0].from) / MINUTE_MS)).toBe(3);
  });

  test('delays, repeats and drops as an integration would', async () => {
    const id = await createMonitor('Shop');
    await history(id, [[70, 100], [200, 203]]);
    const delayed = await simulated({ destination: { delay_minutes: 5, reminder_minutes: 10 } });
    expect(kindsOf(delayed.alerts)).toEqual(['down', 'reminder', 'reminder', 'up']);
    expect(minutesOf(delayed.alerts)).toEqual([76, 86, 96, 100]);
    expect(delayed.missed).toHaveLength(1);
    const filter = { severities: ['warning'] };
    expect(await simulated({ destination: { filter } })).toMatchObject({ alerts: [], missed: [{}, {}] });
    const noon = new Date(t0 + 190 * MINUTE_MS);
    const time = (minutes: number) => new Date(noon.getTime() + minutes * MINUTE_MS).toISOString().slice(11, 16);
    const hours = { timezone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: time(0), to: time(60), outside: 'drop' };
    const { alerts } = await simulated({ destination: { hours } });
    expect(minutesOf(alerts)).toEqual([201, 203]);
  });

  test('holds alerts of monitors whose dependency is down, unless told otherwise', async () => {
    const router = await createMonitor('Router');
    const shop = await createMonitor('Shop', { depends_on: [router] });
    await history(router, [[70, 90]]);
    await history(shop, [[70, 90]]);
    const { alerts } = await simulated({ monitor_ids: [shop] });
    expect(alerts).toEqual([]);
    const free = await simulated({ monitor_ids: [shop], depends_on: false });
    expect(kindsOf(free.alerts)).toEqual(['down', 'up']);
    expect(free.actual).toEqual([]);
    expect((await simulated()).actual).toHaveLength(2);
  });

  test('groups the outages of one address', async () => {
    const { features } = app.controller.stores;
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      const id = await createMonitor(name);
      const common = ['address:192.0.2.7'];
      await history(id, [[70, 90]], common);
      await features.save({ ...ownedMonitor(id), features: common, position: 1 });
    }
    const { alerts, actual, missed } = await simulated({ grouping: 'auto' });
    expect(actual).toHaveLength(8);
    expect(kindsOf(alerts).filter((kind) => kind === 'down').length).toBeLessThan(4);
    expect(alerts.every(({ cause_id }: Loose) => cause_id === alerts[0].cause_id && cause_id !== null)).toBe(true);
    expect(missed).toEqual([]);
  });

  test('knows people who ended incidents, and pauses', async () => {
    const id = await createMonitor('Shop');
    const { stores, stores: { statusHistory } } = app.controller;
    await storeResults(stores.hours, id, t0, [[70, 80], [200, 203]]);
    await storeDecisions(stores, ownedMonitor(id), t0, [[70, 80]]);
    const of = { ...ownedMonitor(id), incident_id: null };
    await statusHistory.add({ ...of, id: 'p', from: 'up', to: 'paused', at: t0 + 190 * MINUTE_MS, reason: 'paused' });
    await statusHistory.add({ ...of, id: 'r', from: 'paused', to: 'unknown', at: t0 + 210 * MINUTE_MS, reason: 'resumed' });
    const { actual, alerts } = await simulated({ confirmation_policy: { retries: 2 } });
    expect([minutesOf(actual), minutesOf(alerts)]).toEqual([[71, 80], [72, 80]]);
  });

  test('changes nothing', async () => {
    const before = await app.db.collection('audit_log').countDocuments();
    expect((await simulate()).status).toBe(200);
    expect(await app.db.collection('audit_log').countDocuments()).toBe(before);
    expect((await simulate({}, app.client)).status).toBe(401);
  });

  test.each([
    ['from', { from: 0 }], ['from', { from: Date.now() + DAY_MS }],
    ['from', { from: Date.now() - 91 * DAY_MS, to: Date.now() }],
    ['monitor_ids', { monitor_ids: [] }], ['confirmation_policy.retries', { confirmation_policy: { retries: 9 } }],
    ['grouping', { grouping: 'on' }], ['destination.delay_minutes', { destination: { delay_minutes: -1 } }],
  ])('refuses a wrong %s', async (path, body) => {
    const { status, error } = await simulate({ to: undefined, ...body });
    expect([status, error.code, error.details[0].path.join('.')]).toEqual([400, 'VALIDATION_ERROR', path]);
  });

  test('knows no monitor or group of others', async () => {
    const [own, other] = [await createMonitor('Shop'), await newTenant(app)];
    expect((await simulate({ monitor_ids: [own] })).status).toBe(200);
    const foreign = await simulate({ monitor_ids: [own] }, other.writeKey);
    expect([foreign.status, foreign.error.code]).toEqual([404, 'MONITOR_NOT_FOUND']);
    const filter = { destination: { filter: { monitor_ids: [own] } } };
    expect((await simulate(filter, other.writeKey)).status).toBe(404);
  });

  test('takes at most 90 days and 100 monitors', async () => {
    const now = app.clock.now();
    expect((await simulate({ from: now - 90 * DAY_MS, to: now })).status).toBe(200);
    for (let at = 0; at < 3; at += 1) await createMonitor(`Shop ${at}`);
    const doc = await app.db.collection('monitors').findOne({ organization_id: tenant.organizationId });
    await app.db.collection<{ _id: string }>('monitors').insertMany(
      Array.from({ length: 98 }, () => ({ ...doc, _id: newId(now) })),
    );
    const { status, error } = await simulate();
    expect([status, error.details[0].path]).toEqual([400, ['monitor_ids']]);
  });
});
