import type { Document } from 'mongodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openRetention } from '../../controller/wiring/retention.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { loadPlans, type PlanName } from '../../controller/plans/plans.ts';
import { HourStore } from '../../controller/results/hours/hour-store.ts';
import { openStores, type Stores } from '../../controller/wiring/stores.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { rollupOf } from '../../controller/results/hours/rollup.ts';
import { SweepStore } from '../../controller/retention/store.ts';
import type { RetentionSweeper } from '../../controller/retention/sweeper.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';
import { storedOf } from '../unit/results/build.ts';
import { withCheckedMongo } from './with-mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 2025-10-09T10:17:00Z. */
const NOW = Date.UTC(2025, 9, 9, 10, 17);
const TODAY = Date.UTC(2025, 9, 9);
const plans = loadPlans(null);

const mongo = withCheckedMongo();
let db: Mongo['db'];
let stores: Stores;
let clock: SimulatedClock;
let sweeper: RetentionSweeper;

beforeAll(async () => {
  db = mongo.db;
  stores = await openStores(db, systemClock, shardMap);
});
beforeEach(async () => {
  for (const name of [
    'rollups_1h', 'rollups_1d', 'status_changes', 'incidents', 'incident_updates', 'incident_comments',
    'audit_entries', 'dead_letters', 'freed_subdomains', 'evidence', 'ping_history',
    'target_changes', 'markers', 'diagnoses', 'diagnosis_turns', 'monitors', 'organizations', 'projects', 'retention',
  ]) {
    await rows(name).deleteMany({});
  }
  clock = new SimulatedClock(NOW);
  sweeper = newSweeper();
});

const sweeps = () => new SweepStore(db);
const rows = (name: string) => db.collection<{ _id: string } & Document>(name);
const idsOf = async (name: string): Promise<string[]> =>
  (await rows(name).find({}).sort({ _id: 1 }).toArray()).map((doc) => doc._id);

function newSweeper(ownsShard: (shard: number) => boolean = () => true): RetentionSweeper {
  return openRetention({ stores, clock, log: createLog('test', 'silent'), ownsShard, shardMap }, {
    limitsOf: async (id) => plans[(await stores.accounts.organizations.find(id))?.plan ?? 'free'],
  });
}

async function whileTimePasses(work: Promise<void>): Promise<void> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  await until(async () => {
    await clock.advance(100);
    return isDone;
  }, { what: 'a run' });
}

async function sweepOnce(of = sweeper): Promise<void> {
  await whileTimePasses(of.run());
}

async function addOrganization(id: string, plan: PlanName): Promise<void> {
  await rows('organizations').insertOne({ _id: id, name: id, plan, created_at: 1 });
  await rows('projects').insertOne({
    _id: `${id}-project`, organization_id: id, name: 'Default', is_default: true, created_at: 1,
  });
}

async function addMonitor(id: string, organizationId: string, change: Document = {}): Promise<void> {
  await rows('monitors').insertOne({
    _id: id, organization_id: organizationId, project_id: `${organizationId}-project`,
    created_at: NOW - 1000 * DAY_MS, deleted_at: null, ...change,
  });
}

/** Adds a result at noon that many days ago, with its hour, its day and a status change. */
async function addHistory(monitorId: string, days: number[]): Promise<void> {
  const hours = new HourStore(db);
  const at = (day: number): number => TODAY - day * DAY_MS + 12 * HOUR_MS;
  await hours.write(days.map((day) => {
    const result = ResultColumns.of([storedOf({ scheduled_at: at(day), started_at: at(day) })]);
    return {
      monitor_id: monitorId, hour: at(day), position: 1, rows: result,
      rollup: rollupOf(result, [HOUR_MS, 0, 0], 60_000),
    };
  }));
  await hours.rollDays(
    days.map((day) => ({ monitor_id: monitorId, day: TODAY - day * DAY_MS, position: 1 })),
  );
  await rows('status_changes').insertMany(
    days.map((day) => ({ _id: `${monitorId}-${day}`, monitor_id: monitorId, at: at(day) })),
  );
}

/** The days that still have their results, hours, daily counts and status changes. */
async function left(
  monitorId: string, days: number[],
): Promise<Record<'results' | 'hours' | 'days' | 'changes', number[]>> {
  const hours = new Map(
    (await rows('rollups_1h').find({}).toArray()).map((doc) => [doc._id, doc['results'] !== undefined]),
  );
  const [wholeDays, changes] = [new Set(await idsOf('rollups_1d')), new Set(await idsOf('status_changes'))];
  const hourId = (day: number): string => `${monitorId}:${(TODAY - day * DAY_MS) / HOUR_MS + 12}`;
  return {
    results: days.filter(
      (day) => hours.get(hourId(day)) === true,
    ), hours: days.filter((day) => hours.has(hourId(day))),
    days: days.filter((day) => wholeDays.has(`${monitorId}:${TODAY / DAY_MS - day}`)),
    changes: days.filter((day) => changes.has(`${monitorId}-${day}`)),
  };
}

const AGES = [0, 1, 6, 7, 8, 29, 31, 89, 91, 399, 401, 799, 801, 900];
const younger = (days: number): number[] => AGES.filter((age) => age < days);

test.each(
  [['free', 7, 90], ['pro', 30, 400], ['scale', 90, 800]] as const,
)('the plan %s keeps results for %i days and counts for %i days', async (plan, raw, rollups) => {
  await addOrganization('o', plan);
  await addMonitor('m', 'o');
  await addHistory('m', AGES);
  await sweepOnce();
  // At 10:17, noon of the seventh day is less than seven days ago.
  expect(await left('m', AGES)).toEqual({
    results: AGES.filter((age) => age <= raw), hours: younger(rollups + 1), days: younger(rollups + 1),
    changes: younger(rollups + 1),
  });
});

test('data expires day by day, and at once when the plan shortens its retention', async () => {
  await addOrganization('o', 'pro');
  await addOrganization('other', 'pro');
  for (const [monitor, of] of [['m', 'o'], ['n', 'other']] as const) {
    await addMonitor(monitor, of);
    await addHistory(monitor, AGES);
  }
  await sweepOnce();
  expect((await left('m', AGES)).results).toEqual([0, 1, 6, 7, 8, 29]);
  await clock.advance(27 * HOUR_MS);
  await sweepOnce();
  expect((await left('m', AGES)).results).toEqual([0, 1, 6, 7, 8]);
  await rows('organizations').updateOne({ _id: 'o' }, { $set: { plan: 'free' } });
  await clock.advance(600_000);
  await sweepOnce();
  expect(await left('m', AGES)).toMatchObject({ results: [0, 1], days: [0, 1, 6, 7, 8, 29, 31, 89] });
  expect(await left('n', AGES)).toMatchObject({
    results: [0, 1, 6, 7, 8], days: [0, 1, 6, 7, 8, 29, 31, 89, 91, 399],
  });
});

test('another controller resumes an interrupted run', async () => {
  await addOrganization('o', 'free');
  const ids = Array.from({ length: 120 }, (_, at) => `m${String(at).padStart(3, '0')}`);
  for (const id of ids) {
    await addMonitor(id, 'o');
    await addHistory(id, [1, 8]);
  }
  const withResults = async (): Promise<number> =>
    (await rows('rollups_1h').find({ results: { $exists: true } }).toArray()).length;
  sweeper.trigger();
  await until(
    async () => (await rows('retention').findOne({ _id: 'o' })) !== null, { what: 'the first page is done' },
  );
  await whileTimePasses(sweeper.stop());
  expect(await sweeps().find('o')).toMatchObject({ done: null, run: { after: 'm049' } });
  expect(await withResults()).toBe(120 + 70);
  await rows('rollups_1h').updateOne(
    { _id: `m000:${(TODAY - 8 * DAY_MS) / HOUR_MS + 12}` },
    { $set: { results: 'seen again only in the next round' } },
  );
  await sweepOnce(newSweeper());
  expect(await withResults()).toBe(121);
  expect(await sweeps().find('o')).toMatchObject({
    run: null, done: { raw: Date.UTC(2025, 9, 2, 10) },
  });
  await clock.advance(6 * HOUR_MS);
  await sweepOnce(newSweeper());
  expect(await withResults()).toBe(120);
});

test('only the owner of the organization\'s shard deletes', async () => {
  await addOrganization('o', 'free');
  await addMonitor('m', 'o');
  await addHistory('m', AGES);
  await sweepOnce(newSweeper(() => false));
  expect((await left('m', AGES)).hours).toEqual(AGES);
});

test('a deleted monitor loses its history after a week, and its document with its last incidents', async () => {
  await addOrganization('o', 'free');
  for (const [id, days] of [['recent', 6], ['gone', 8], ['long-gone', 91]] as const) {
    await addMonitor(id, 'o', { deleted_at: NOW - days * DAY_MS });
    await addHistory(id, [5]);
  }
  await addMonitor('unjournaled', 'o', { deleted_at: NOW - 91 * DAY_MS, unjournaled: 3 });
  await addMonitor('uncounted', 'o', { deleted_at: NOW - 91 * DAY_MS, uncounted: 'o-project' });
  await sweepOnce();
  expect(await idsOf('monitors')).toEqual(['gone', 'recent', 'uncounted', 'unjournaled']);
  expect([await idsOf('rollups_1d'), await idsOf('status_changes')]).toEqual([
    [`recent:${TODAY / DAY_MS - 5}`], ['recent-5'],
  ]);
});

test('ended incidents with their history and the audit log expire with the counts; open incidents stay', async () => {
  await addOrganization('o', 'free');
  const incident = (id: string, days: number, change: Document = {}): { _id: string } & Document => ({
    _id: id, organization_id: 'o', project_id: 'o-project', status: 'resolved',
    started_at: NOW - days * DAY_MS, updated_at: NOW - days * DAY_MS, ...change,
  });
  await rows('incidents').insertMany([
    incident('new', 89), incident('old', 92), incident('open', 92, { status: 'open' }),
    incident('touched', 92, { updated_at: NOW }), incident('closed', 92, { status: 'closed' }),
    incident('foreign', 92, { organization_id: 'unknown' }),
    ...(['resolved', 'open'] as const).map((status) =>
      incident(`${status} of a deleted project`, 92, { project_id: 'deleted', status })),
    incident('recent of a deleted project', 89, { project_id: 'deleted', status: 'open' }),
  ]);
  await rows('incident_updates').insertMany(
    ['new', 'old', 'open'].map((id) => ({ _id: `update-${id}`, incident_id: id })),
  );
  await rows('incident_comments').insertMany(
    ['new', 'old'].map((id) => ({ _id: `comment-${id}`, incident_id: id })),
  );
  await rows('audit_entries').insertMany(
    [89, 92].map((days) => ({ _id: `audit-${days}`, organization_id: 'o', created_at: NOW - days * DAY_MS })),
  );
  await sweepOnce();
  expect(await idsOf('incidents')).toEqual(['foreign', 'new', 'open', 'recent of a deleted project', 'touched']);
  expect(await idsOf('incident_updates')).toEqual(['update-new', 'update-open']);
  expect(await idsOf('incident_comments')).toEqual(['comment-new']);
  expect(await idsOf('audit_entries')).toEqual(['audit-89']);
});

test.each([
  ['evidence', 'checked_at'], ['ping_history', 'at'], ['target_changes', 'at'],
])('%s expires with the incidents, or a week after its monitor was deleted', async (collection, field) => {
  await addOrganization('o', 'free');
  await addMonitor('m', 'o');
  for (const days of [6, 8, 91]) await addMonitor(`deleted-${days}`, 'o', { deleted_at: NOW - days * DAY_MS });
  const evidence = (monitor_id: string, days: number) =>
    ({ _id: `${monitor_id}: ${days}`, monitor_id, [field]: NOW - days * DAY_MS });
  await rows(collection).insertMany([
    ...[0, 89, 92].map((days) => evidence('m', days)), evidence('deleted-6', 7), evidence('deleted-8', 9),
    evidence('deleted-91', 92), evidence('of-no-organization', 92),
  ]);
  await sweepOnce();
  expect(await idsOf(collection)).toEqual(['deleted-6: 7', 'm: 0', 'm: 89', 'of-no-organization: 92']);
});

test.each([
  ['markers', 'at'], ['diagnoses', 'failed_at'], ['diagnosis_turns', 'at'],
])('%s expire with the incidents, those of deleted monitors and projects too', async (collection, field) => {
  await addOrganization('o', 'free');
  const row = (_id: string, days: number, change: Document = {}) =>
    ({ _id, organization_id: 'o', project_id: 'o-project', [field]: NOW - days * DAY_MS, ...change });
  await rows(collection).insertMany([
    row('new', 89), row('old', 92), row('foreign', 92, { organization_id: 'unknown' }),
    row('of a deleted project', 92, { project_id: 'deleted' }),
  ]);
  await sweepOnce();
  expect(await idsOf(collection)).toEqual(['foreign', 'new']);
});

test('dead letters expire after thirty days, however many there are', async () => {
  await rows('dead_letters').insertMany(
    Array.from({ length: 1203 }, (_, at) => ({ _id: `l${at}`, at: NOW - (at < 3 ? 29 : 31) * DAY_MS })),
  );
  await sweepOnce();
  expect(await idsOf('dead_letters')).toEqual(['l0', 'l1', 'l2']);
});

test('reservations of freed subdomains are removed after thirty days, however many there are', async () => {
  await rows('freed_subdomains').insertMany(Array.from({ length: 1003 }, (_, at) => (
    { _id: `s${at}`, organization_id: 'o', freed_at: NOW - (at < 3 ? 29 : 31) * DAY_MS }
  )));
  await sweepOnce();
  expect(await idsOf('freed_subdomains')).toEqual(['s0', 's1', 's2']);
});
