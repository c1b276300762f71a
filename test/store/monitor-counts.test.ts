import type { Tenant } from '../../controller/access/tenant.ts';
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { recount, type Counts } from '../../controller/monitors/counts/count-rules.ts';
import { CountStore } from '../../controller/monitors/counts/count-store.ts';
import { MonitorCounts } from '../../controller/monitors/counts/counts.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import type { MonitorChange } from '../../controller/monitors/monitor-change.ts';
import { MonitorStore, restoreMonitor } from '../../controller/monitors/store.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { monitorDoc } from '../helpers/fleet-rig.ts';
import { Killed, killableDatabase } from '../helpers/killable-database.ts';
import { withCheckedMongo } from './with-mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

const mongo = withCheckedMongo();
let monitors: MonitorStore;
const log = createLog('test', 'silent');

beforeAll(async () => {
  monitors = new MonitorStore(mongo.db, shardMap);
  await monitors.ensureIndexes();
  await new CountStore(mongo.db).ensureIndexes();
});

const countsOn = (db: Db) => new MonitorCounts({ store: new CountStore(db), clock: systemClock, log });
const healthy = () => countsOn(mongo.db);

let serial = 0;
const newTenant = (): Tenant => ({ organizationId: newId(Date.now()), projectId: `project-${++serial}` });

/** The settings must match the type, because a change compares check settings. */
const TCP: Partial<MonitorDoc> = {
  type: 'TCP', target: '127.0.0.1:9', http: null,
  tcp: { port: 9, protocol: 'generic', protocol_validation: null, tls: null, send: null, expect: null },
};

async function insert(tenant: Tenant, change: Partial<MonitorDoc> = {}): Promise<MonitorDoc> {
  const { revision: _revision, check_revision: _check, search_text: _text, ...doc } = monitorDoc(++serial, {
    _id: newId(Date.now()), organization_id: tenant.organizationId, project_id: tenant.projectId, ...change,
  });
  return (await monitors.insert(doc)) as MonitorDoc;
}

/** Repeats a change that lost against a concurrent one. */
async function change(tenant: Tenant, id: string, to: MonitorChange): Promise<void> {
  for (;;) {
    const seen = await monitors.find(tenant, id);
    if (seen === null || (await monitors.change(seen, to)) !== null) return;
  }
}

/** Counts all monitors of the project. */
async function counted(tenant: Tenant): Promise<Counts> {
  const docs =
    await mongo.db.collection<MonitorDoc>('monitors').find({ project_id: tenant.projectId }).toArray();
  return recount(
    { cells: {}, regions: {}, groups: {} }, docs.map((doc) => ({ ...restoreMonitor(doc), counted: null })),
  ).counts;
}

async function expectExact(tenant: Tenant): Promise<void> {
  const { cells, regions, groups } = await healthy().read(tenant);
  expect({ cells, regions, groups }).toEqual(await counted(tenant));
}

test('counts are by type, status, region and group, without deleted monitors', async () => {
  const tenant = newTenant();
  const counts = healthy();
  expect(await counts.read(tenant)).toMatchObject({ cells: {}, regions: {}, groups: {} });
  const first = await insert(tenant, { monitoring_regions: ['eu', 'us'], group_id: 'g1' });
  await insert(tenant, { type: 'HEARTBEAT', status: 'paused', group_id: 'g1' });
  await insert(tenant, TCP);
  await insert(newTenant());
  expect(await counts.read(tenant)).toMatchObject({
    cells: { 'HTTP active': 1, 'HEARTBEAT paused': 1, 'TCP active': 1 }, regions: { eu: 1, us: 1 },
    groups: { g1: { 'HTTP active': 1, 'HEARTBEAT paused': 1 } },
  });
  await change(tenant, first._id, { deleted_at: 1 });
  expect(await counts.read(tenant)).toMatchObject({
    cells: { 'HEARTBEAT paused': 1, 'TCP active': 1 }, regions: {}, groups: { g1: { 'HEARTBEAT paused': 1 } },
  });
});

test('the next count finishes one that was killed, at any write', async () => {
  for (const isSent of [false, true]) {
    for (let at = 0; at < 6; at += 1) {
      const tenant = newTenant();
      const first = await insert(tenant, { group_id: 'g1' });
      await healthy().read(tenant);
      await change(tenant, first._id, { status: 'paused', group_id: 'g2' });
      await insert(tenant, { type: 'DNS', monitoring_regions: ['eu'] });
      await countsOn(killableDatabase(mongo.db, at, isSent)).settle(tenant).catch(
        (error: unknown) => expect(error).toBeInstanceOf(Killed),
      );
      await change(tenant, first._id, { status: 'active', monitoring_regions: ['eu', 'us'] });
      await countsOn(killableDatabase(mongo.db, at, isSent)).settle(tenant).catch(
        (error: unknown) => expect(error).toBeInstanceOf(Killed),
      );
      await change(tenant, first._id, { deleted_at: 1 });
      await expectExact(tenant);
    }
  }
});

test('monitors stored before counts existed are counted', async () => {
  const tenant = newTenant();
  const { projectId: project_id, organizationId: organization_id } = tenant;
  const old =
    [1, 2, 3].map(() => monitorDoc(++serial, { _id: newId(Date.now()), organization_id, project_id }));
  await mongo.db.collection<MonitorDoc>('monitors').insertMany(old);
  await insert(tenant, TCP);
  expect((await healthy().read(tenant)).cells).toEqual({ 'HTTP active': 3, 'TCP active': 1 });
});

test('a read includes every write that ended before it, also during concurrent writes and counts', async () => {
  const tenant = newTenant();
  const readers = [healthy(), healthy(), healthy()];
  let ended = 0;
  const writer = async () => {
    for (let iteration = 0; iteration < 20; iteration += 1) {
      await insert(tenant);
      ended += 1;
      const minimum = ended;
      const { cells } = await (readers[iteration % 3] as MonitorCounts).read(tenant);
      expect(cells['HTTP active']).toBeGreaterThanOrEqual(minimum);
    }
  };
  await Promise.all([writer(), writer(), writer()]);
  expect((await healthy().read(tenant)).cells).toEqual({ 'HTTP active': 60 });
  await expectExact(tenant);
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const), type: fc.constantFrom('HTTP' as const, 'TCP' as const),
    group: fc.constantFrom('g1', 'g2'),
  }),
  fc.record({
    kind: fc.constant('status' as const), of: fc.nat(5),
    to: fc.constantFrom('active' as const, 'paused' as const, 'disabled' as const),
  }),
  fc.record({ kind: fc.constant('group' as const), of: fc.nat(5), to: fc.constantFrom('g1', 'g2', 'g3') }),
  fc.record({ kind: fc.constant('regions' as const), of: fc.nat(5), to: fc.subarray(['eu', 'us', 'ap']) }),
  fc.record({ kind: fc.constant('delete' as const), of: fc.nat(5) }),
  fc.record({ kind: fc.constant('count' as const), killedAt: fc.nat(4), isSent: fc.boolean() }),
);

test('counts end equal to the monitors after concurrent writes and kills', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(
      fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 },
    ), async (cycles) => {
      const tenant = newTenant();
      const ids: string[] = [];
      for (const together of cycles) {
        await Promise.all(together.map(async (one) => {
          if (one.kind === 'insert') {
            return void ids.push(
              (await insert(tenant, { ...(one.type === 'TCP' ? TCP : {}), group_id: one.group }))._id,
            );
          }
          if (one.kind === 'count') {
            return countsOn(killableDatabase(mongo.db, one.killedAt, one.isSent)).settle(tenant).catch(() => undefined);
          }
          const id = ids[one.of];
          if (id === undefined) return undefined;
          if (one.kind === 'status') return change(tenant, id, { status: one.to });
          if (one.kind === 'group') return change(tenant, id, { group_id: one.to });
          if (one.kind === 'regions') return change(tenant, id, { monitoring_regions: one.to });
          return change(tenant, id, { deleted_at: 1 });
        }));
      }
      await expectExact(tenant);
    }),
    { numRuns: 20 },
  );
});
