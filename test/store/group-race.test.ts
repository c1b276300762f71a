import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GroupStore } from '../../controller/groups/store.ts';
import { RemovalStore, TreeStore } from '../../controller/groups/tree-store.ts';
import type { TreeDeps } from '../../controller/groups/deps.ts';
import { findSuccessors, resumeRemovals } from '../../controller/groups/verbs/change-tree.ts';
import { createGroup, deleteGroup } from '../../controller/groups/verbs/write-group.ts';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import { DependencyChangeStore } from '../../controller/monitors/dependencies/store.ts';
import type { MonitorWriteDeps } from '../../controller/monitors/deps.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { monitorInputs } from '../../controller/monitors/schema.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import {
  assignToGroup, changeGroupMonitors, changeInBulk,
} from '../../controller/monitors/verbs/bulk-monitors.ts';
import { createMonitor, updateMonitor } from '../../controller/monitors/verbs/write-monitor.ts';
import { loadPlans } from '../../controller/plans/plans.ts';
import { Quota } from '../../controller/plans/quota.ts';
import { UsageStore } from '../../controller/plans/usage-store.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { withConcurrentWrite } from '../helpers/concurrent-write.ts';
import { importMonitors } from '../helpers/import-monitors.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

const MINUTE_MS = 60_000;
const item = (name: string) => ({ name, type: 'TCP', target: 'shop.example:443', interval_seconds: 60 });
const wish = (name: string, group_id?: string) => monitorInputs(30).create.parse({ ...item(name), group_id });

let store: TestMongo;
let mongo: Mongo;

beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
  const indexed =
    [new MonitorStore(mongo.db, shardMap), new GroupStore(mongo.db, systemClock), new RemovalStore(mongo.db)];
  await Promise.all(indexed.map((each) => each.ensureIndexes()));
});
afterAll(async () => {
  await mongo.close();
  await store.stop();
});

/**
 * The write path of a controller on this database. All regions and destinations of monitors exist.
 */
function controllerOn(db: Db): { writer: MonitorWriteDeps; tree: TreeDeps } {
  const groups = new GroupStore(db, systemClock);
  const removals = new RemovalStore(db);
  const writer: MonitorWriteDeps = {
    monitors: new MonitorStore(db, shardMap), dependencyChanges: new DependencyChangeStore(db),
    quota: new Quota({
      usage: new UsageStore(db), plans: loadPlans(null), clock: systemClock, organizations: { find: async () => null },
      defaultPlan: 'scale',
      count: {},
    }),
    groups: {
      names: (tenant, ids) => groups.names(tenant, ids),
      successors: (tenant, ids) => findSuccessors({ groups, removals }, tenant, ids),
    },
    regions: { unknownRegions: async () => [], cities: async () => new Map() },
    destinations: { unknownDestinations: async () => [] },
    notifyOwners: () => undefined, minIntervalSeconds: 30, log: createLog('test', 'silent'),
    variables: { list: async () => [], keep: async () => undefined },
  };
  const tree = { groups, trees: new TreeStore(db), removals, monitors: writer, onGroupChanged: () => undefined };
  return { writer, tree };
}

/** A project with the groups outer > inner and other; other has a monitor. */
async function project() {
  const actor = {
    kind: 'session', userId: 'u', email: 'e', name: 'n', isOperator: false, isVerified: true, sessionId: 's',
  } as const;
  const ctx: ProjectContext = {
    requestId: 'r', address: 'ip:a', clientAddress: '192.0.2.1', now: Date.now(), actor,
    tenant: { organizationId: newId(Date.now()), projectId: newId(Date.now()) }, role: 'admin',
  };
  const { writer, tree } = controllerOn(mongo.db);
  const outer = (await createGroup(tree, ctx, { name: 'outer' }))._id;
  const inner = (await createGroup(tree, ctx, { name: 'inner', parent_group_id: outer }))._id;
  const other = (await createGroup(tree, ctx, { name: 'other' }))._id;
  const monitor = (await createMonitor(writer, ctx, wish('old', other)))._id;
  const homes = async () => {
    const docs = await mongo.db.collection<MonitorDoc>('monitors').find({ project_id: ctx.tenant.projectId })
      .sort({ _id: 1 })
      .toArray();
    return docs.map((doc) => doc.group_id ?? null);
  };
  return { ctx, tree, outer, inner, other, monitor, homes };
}
type Project = Awaited<ReturnType<typeof project>>;

const writes: Record<string, (deps: MonitorWriteDeps, project: Project) => Promise<unknown>> = {
  'a creation': (deps, { ctx, inner }) => createMonitor(deps, ctx, wish('new', inner)),
  'a change': (deps, { ctx, inner, monitor }) => updateMonitor(deps, ctx, monitor, { group_id: inner }),
  'a bulk move': (deps, { ctx, inner, monitor }) => changeInBulk(
    deps, ctx, { action: 'move', monitor_ids: [monitor], group_id: inner },
  ),
  'an assignment': (deps, { ctx, inner, monitor }) => assignToGroup(deps, ctx, [monitor], inner),
  'a move of a group\'s monitors': (deps, { ctx, inner, other }) => changeGroupMonitors(
    deps, ctx, other, { action: 'move', group_id: inner },
  ),
  'an import of a new monitor': (deps, { ctx }) => importMonitors(mongo.db, deps, ctx, [{ ...item('new'), group: 'inner' }]),
  'an import of an existing monitor': (deps, { ctx }) => importMonitors(mongo.db, deps, ctx, [{ ...item('old'), group: 'inner' }]),
};

test.each(
  Object.entries(writes),
)('%s into a group that is deleted just before the write ends in the parent of that group', async (
  _name, write,
) => {
  const it = await project();
  const { ctx, tree, outer, inner, other } = it;
  await write(controllerOn(withConcurrentWrite(mongo.db, 'monitors', () => deleteGroup(tree, ctx, inner))).writer, it);
  const homes = await it.homes();
  expect(homes).toContain(outer);
  expect(homes.filter((id) => id !== other && id !== outer)).toEqual([]);
});

test.each(
  Object.entries(writes),
)('%s into a group that is deleted together with its parent ends in no group', async (_name, write) => {
  const it = await project();
  const { ctx, tree, outer, inner, other } = it;
  const meanwhile = () => deleteGroup(tree, ctx, inner).then(() => deleteGroup(tree, ctx, outer));
  await write(controllerOn(withConcurrentWrite(mongo.db, 'monitors', meanwhile)).writer, it);
  const homes = await it.homes();
  expect(homes).toContain(null);
  expect(homes.filter((id) => id !== other && id !== null)).toEqual([]);
});

test('a monitor written into a deleted group moves out ten minutes after the deletion', async () => {
  const it = await project();
  const { ctx, tree, outer, inner, monitor } = it;
  await deleteGroup(tree, ctx, inner);
  const [seen] = await new MonitorStore(mongo.db, shardMap).findMany(ctx.tenant, [monitor]);
  await new MonitorStore(mongo.db, shardMap).change(seen as MonitorDoc, { group_id: inner });
  await resumeRemovals(tree, ctx.now + 9 * MINUTE_MS);
  expect(await it.homes()).toEqual([inner]);
  await resumeRemovals(tree, ctx.now + 10 * MINUTE_MS);
  expect(await it.homes()).toEqual([outer]);
  expect(
    await mongo.db.collection('group_removals').countDocuments({ project_id: ctx.tenant.projectId }),
  ).toBe(0);
});
