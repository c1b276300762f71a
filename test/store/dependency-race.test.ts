import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import { findCycle } from '../../controller/monitors/dependencies/cycle-rules.ts';
import { DependencyChangeStore } from '../../controller/monitors/dependencies/store.ts';
import type { MonitorWriteDeps } from '../../controller/monitors/deps.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { monitorInputs } from '../../controller/monitors/schema.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import { createMonitor, updateMonitor } from '../../controller/monitors/verbs/write-monitor.ts';
import { loadPlans } from '../../controller/plans/plans.ts';
import { Quota } from '../../controller/plans/quota.ts';
import { UsageStore } from '../../controller/plans/usage-store.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { withConcurrentWrite } from '../helpers/concurrent-write.ts';
import { importMonitors } from '../helpers/import-monitors.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

const NAMES = ['A', 'B', 'C', 'D'] as const;
const item = (name: string) => ({ name, type: 'TCP', target: 'shop.example:443', interval_seconds: 60 });
const wish = (name: string) => monitorInputs(30).create.parse(item(name));

let store: TestMongo;
let mongo: Mongo;
beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
  await new MonitorStore(mongo.db, shardMap).ensureIndexes();
});
afterAll(async () => {
  await mongo.close();
  await store.stop();
});

function controllerOn(db: Db): MonitorWriteDeps {
  return {
    monitors: new MonitorStore(db, shardMap), dependencyChanges: new DependencyChangeStore(db),
    quota: new Quota({
      usage: new UsageStore(db), plans: loadPlans(null), clock: systemClock,
      organizations: { find: async () => null }, defaultPlan: 'scale', count: {},
    }),
    groups: { names: async () => new Map(), successors: async () => new Map() },
    regions: { unknownRegions: async () => [], cities: async () => new Map() },
    destinations: { unknownDestinations: async () => [] },
    notifyOwners: () => undefined, minIntervalSeconds: 30, log: createLog('test', 'silent'),
    variables: { list: async () => [], keep: async () => undefined },
  };
}

/** A project with four monitors. */
async function project() {
  const actor = {
    kind: 'session', userId: 'u', email: 'e', name: 'n', isOperator: false, isVerified: true, sessionId: 's',
  } as const;
  const ctx: ProjectContext = {
    requestId: 'r', address: 'ip:a', clientAddress: '192.0.2.1', now: Date.now(), actor,
    tenant: { organizationId: newId(Date.now()), projectId: newId(Date.now()) }, role: 'admin',
  };
  const deps = controllerOn(mongo.db);
  const ids = new Map<string, string>();
  for (const name of NAMES) ids.set(name, (await createMonitor(deps, ctx, wish(name)))._id);
  const idOf = (name: string) => ids.get(name) as string;
  return {
    ctx, idOf,
    link: (from: string, to: string[], by = deps) => updateMonitor(by, ctx, idOf(from), { depends_on: to.map(idOf) }),
    /** The stored dependencies by id. */
    edges: async () => {
      const docs = await mongo.db.collection<MonitorDoc>('monitors')
        .find({ project_id: ctx.tenant.projectId }).toArray();
      return new Map(docs.map((doc) => [doc._id, doc.depends_on]));
    },
  };
}

async function expectNoCycle({ edges }: Awaited<ReturnType<typeof project>>): Promise<void> {
  const stored = await edges();
  expect(findCycle(stored.keys(), (id) => stored.get(id) ?? [])).toBeNull();
}

test.each(['dependency_changes', 'monitors'])(
  'a dependency that another request adds right before a write to %s is part of the cycle check', async (collection) => {
    const it = await project();
    await it.link('B', ['C']);
    let other: unknown = null;
    const meanwhile = () => it.link('C', ['A']).catch((error: unknown) => {
      other = error;
    });
    const racing = controllerOn(withConcurrentWrite(mongo.db, collection, meanwhile));
    const outcome = await it.link('A', ['B'], racing).catch((error: unknown) => error);
    expect([outcome, other].filter((one) => one instanceof Error).map(String)).toEqual([
      expect.stringMatching(/cycle: (A → B → C → A|C → A → B → C)/),
    ]);
    await expectNoCycle(it);
  },
);

test('of many requests that would form cycles together, those that are accepted form none', async () => {
  const it = await project();
  const pairs = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to] as const));
  const outcomes = await Promise.allSettled(pairs.map(([from, to]) => it.link(from, [to])));
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
  await expectNoCycle(it);
});

test('a request that never ended blocks no dependency for longer than ten minutes', async () => {
  const it = await project();
  const { tenant, now } = it.ctx;
  const changes = new DependencyChangeStore(mongo.db);
  const { revision } = await changes.read(tenant);
  const monitors = [{ monitor_id: it.idOf('B'), depends_on: [it.idOf('A')] }];
  await changes.replace(tenant, revision, [{ token: 'crashed', expires_at: now + 600_000, monitors }]);
  await expect(it.link('A', ['B'])).rejects.toThrow('cycle: A → B → A');
  it.ctx.now += 600_001;
  await it.link('A', ['B']);
  expect((await changes.read(tenant)).pending).toEqual([]);
});

test('an import may reverse a dependency, and is never stored as a cycle', async () => {
  const it = await project();
  await it.link('A', ['B']);
  const deps = controllerOn(mongo.db);
  const items = [{ ...item('B'), depends_on: ['A'] }, { ...item('A'), depends_on: [] }];
  await importMonitors(mongo.db, deps, it.ctx, items);
  const edges = await it.edges();
  expect([edges.get(it.idOf('A')), edges.get(it.idOf('B'))]).toEqual([[], [it.idOf('A')]]);
});
