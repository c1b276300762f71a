import fc from 'fast-check';
import type { Db } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../../controller/access/tenant.ts';
import { AppError } from '../../controller/errors/app-error.ts';
import { MAX_LEVELS, type GroupDoc } from '../../controller/groups/group.ts';
import { GroupStore } from '../../controller/groups/store.ts';
import { RemovalStore, TreeStore } from '../../controller/groups/tree-store.ts';
import type { TreeDeps } from '../../controller/groups/deps.ts';
import { findSuccessors } from '../../controller/groups/verbs/change-tree.ts';
import { changeGroup, createGroup, deleteGroup } from '../../controller/groups/verbs/write-group.ts';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import { groupSizes } from '../../controller/monitors/counts/count-rules.ts';
import { CountStore } from '../../controller/monitors/counts/count-store.ts';
import { MonitorCounts } from '../../controller/monitors/counts/counts.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import { loadPlans } from '../../controller/plans/plans.ts';
import { Quota } from '../../controller/plans/quota.ts';
import { UsageStore } from '../../controller/plans/usage-store.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { monitorDoc } from '../helpers/fleet-rig.ts';
import { Killed, killableDatabase } from '../helpers/killable-database.ts';
import { withCheckedMongo } from './with-mongo.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { shardMap } from '../helpers/shard-map.ts';

const mongo = withCheckedMongo();
const log = createLog('test', 'silent');

beforeAll(async () => {
  const indexed = [
    new MonitorStore(mongo.db, shardMap), new CountStore(mongo.db), new GroupStore(mongo.db, systemClock),
    new RemovalStore(mongo.db),
  ];
  await Promise.all(indexed.map((each) => each.ensureIndexes()));
});

/** A controller on a database that may fail; its clock is `agedMs` ahead. */
function controllerOn(db: Db, agedMs = 0): TreeDeps {
  const clock = { ...systemClock, now: () => Date.now() + agedMs };
  const quota = new Quota({
    usage: new UsageStore(db), plans: loadPlans(null), clock, organizations: { find: async () => null },
      defaultPlan: 'scale', count: {},
  });
  const monitors = new MonitorStore(db, shardMap);
  const groups = new GroupStore(db, clock);
  const removals = new RemovalStore(db);
  const lookup = {
    names: groups.names.bind(groups),
    successors: (tenant: Tenant, ids: string[]) => findSuccessors({ groups, removals }, tenant, ids),
  };
  return {
    groups, trees: new TreeStore(db), removals,
    monitors: { monitors, quota, groups: lookup, notifyOwners: () => undefined, log }, onGroupChanged: () => undefined,
  };
}

let serial = 0;

/** A project with the groups a > b > c, each with a monitor, and d at the top. */
class Project {
  readonly ctx: ProjectContext;
  readonly ids = new Map<string, string>();

  constructor() {
    const actor = {
      kind: 'session', userId: 'u', email: 'e', name: 'n', isOperator: false, isVerified: true,
      sessionId: 's',
    } as const;
    const tenant = { organizationId: newId(Date.now()), projectId: `project-${++serial}` };
    this.ctx = { requestId: 'r', address: 'ip:a', clientAddress: '192.0.2.1', now: Date.now(), actor, tenant, role: 'admin' };
  }

  static async make(): Promise<Project> {
    const project = new Project();
    const healthy = controllerOn(mongo.db);
    for (const [name, parent] of [['a', null], ['b', 'a'], ['c', 'b'], ['d', null]] as const) {
      const group = await createGroup(
        healthy, project.ctx, { name, parent_group_id: parent === null ? null : project.id(parent) },
      );
      project.ids.set(name, group._id);
      await project.addMonitor(group._id);
    }
    return project;
  }

  id(name: string): string {
    return this.ids.get(name) ?? 'none';
  }

  async addMonitor(group_id: string): Promise<void> {
    const { organizationId: organization_id, projectId: project_id } = this.ctx.tenant;
    const { revision: _revision, check_revision: _check, search_text: _text, ...doc } =
      monitorDoc(++serial, { _id: newId(Date.now()), organization_id, project_id, group_id });
    await new MonitorStore(mongo.db, shardMap).insert(doc);
  }

  groups(): Promise<GroupDoc[]> {
    return mongo.db.collection<GroupDoc>('groups').find({ project_id: this.ctx.tenant.projectId }).toArray();
  }

  monitors(): Promise<MonitorDoc[]> {
    return mongo.db.collection<MonitorDoc>('monitors').find({ project_id: this.ctx.tenant.projectId })
      .toArray();
  }

  /** The visible groups by name, with the names of their parents. */
  async shape(): Promise<Record<string, string | null>> {
    const all = await this.groups();
    const nameOf = new Map(all.map((group) => [group._id, group.name]));
    return Object.fromEntries(all.filter((group) => group.pending_since === undefined).map(
      (group) => [group.name, nameOf.get(group.parent_group_id ?? '') ?? null],
    ));
  }

  /** Always true: every group reaches the top within the allowed levels, and names are unique. */
  async expectSound(): Promise<void> {
    const all = (await this.groups()).filter((group) => group.pending_since === undefined);
    const parents = new Map(all.map((group) => [group._id, group.parent_group_id]));
    expect(new Set(all.map((group) => group.name)).size).toBe(all.length);
    for (const { _id } of all) {
      let levels = 0;
      for (let at: string | null = _id; at !== null &&
        levels <= MAX_LEVELS; at = parents.get(at) ?? null, levels += 1) {
        expect(parents.has(at), 'a missing parent').toBe(true);
      }
      expect(levels, 'a cycle, or too many levels').toBeLessThanOrEqual(MAX_LEVELS);
    }
  }

  /** Expects no monitor in a deleted group. */
  async expectHoused(): Promise<{ visible: Set<string>; homes: string[] }> {
    const visible = new Set(
      (await this.groups()).filter((group) => group.pending_since === undefined).map((group) => group._id),
    );
    const homes =
      (await this.monitors()).map((monitor) => monitor.group_id ?? null).filter((id) => id !== null);
    expect(homes.filter((id) => !visible.has(id)), 'monitors in deleted groups').toEqual([]);
    return { visible, homes };
  }

  /**
   * After one more change by a healthy controller: no unfinished change is left, and the counts are right.
   */
  async expectSettled(): Promise<void> {
    const healthy = controllerOn(mongo.db);
    const scratch = await createGroup(healthy, this.ctx, { name: `scratch ${++serial}` });
    await deleteGroup(healthy, this.ctx, scratch._id);
    await this.expectSound();
    expect(await healthy.removals.list(this.ctx.tenant, Date.now())).toEqual([]);
    expect((await healthy.trees.read(this.ctx.tenant)).step).toBeNull();
    const { visible, homes } = await this.expectHoused();
    const counts = groupSizes(await new MonitorCounts({
      store: new CountStore(mongo.db), clock: systemClock, log,
    }).read(this.ctx.tenant), [...visible]);
    for (const id of visible) expect(counts.get(id) ?? 0).toBe(homes.filter((home) => home === id).length);
  }
}

type Act = (deps: TreeDeps, project: Project) => Promise<unknown>;

const acts: Record<string, { act: Act; done: Record<string, string | null> }> = {
  'a creation at the top': {
    act: (deps, { ctx }) => createGroup(deps, ctx, { name: 'n' }),
    done: { a: null, b: 'a', c: 'b', d: null, n: null },
  },
  'a creation under another': {
    act: (deps, { ctx, ids }) => createGroup(deps, ctx, { name: 'n', parent_group_id: ids.get('b') }),
    done: { a: null, b: 'a', c: 'b', d: null, n: 'b' },
  },
  'a move with a new name': { act: (deps, { ctx, ids }) => changeGroup(
    deps, ctx, ids.get('b') ?? '', { name: 'b2', parent_group_id: ids.get('d') },
  ), done: { a: null, b2: 'd', c: 'b2', d: null } },
  'a move to the top': {
    act: (deps, { ctx, ids }) => changeGroup(deps, ctx, ids.get('c') ?? '', { parent_group_id: null }),
    done: { a: null, b: 'a', c: null, d: null },
  },
  'a new name': {
    act: (deps, { ctx, ids }) => changeGroup(deps, ctx, ids.get('a') ?? '', { name: 'a2' }),
    done: { a2: null, b: 'a2', c: 'b', d: null },
  },
  'a deletion': {
    act: (deps, { ctx, ids }) => deleteGroup(deps, ctx, ids.get('b') ?? ''),
    done: { a: null, c: 'a', d: null },
  },
  'a deletion at the top': {
    act: (deps, { ctx, ids }) => deleteGroup(deps, ctx, ids.get('a') ?? ''),
    done: { b: null, c: 'b', d: null },
  },
};

/** Errors that a repetition may get when the first attempt succeeded. */
const DONE_ALREADY = ['DUPLICATE_NAME', 'RESOURCE_NOT_FOUND'];
const unlessDone = (error: unknown) => expect(DONE_ALREADY).toContain((error as AppError).code);
const unlessKilled = (error: unknown) => expect(error).toBeInstanceOf(Killed);

test.each(
  Object.entries(acts),
)('%s that is killed at any write leaves a sound tree and can be repeated', async (
  _name, { act, done },
) => {
  let wasKilled = true;
  for (let at = 0; wasKilled && at < 40; at += 1) {
    const project = await Project.make();
    wasKilled = false;
    // Killed after write `at` took effect, which equals killed before the next one is sent.
    await act(controllerOn(killableDatabase(mongo.db, at, true)), project).catch((error: unknown) => {
      unlessKilled(error);
      wasKilled = true;
    });
    await project.expectSound();
    // A minute later, when a reserved name has expired.
    await act(controllerOn(mongo.db, 61_000), project).catch(unlessDone);
    expect(await project.shape(), `killed at ${at}`).toEqual(done);
    await project.expectHoused();
    await project.expectSettled();
  }
  expect(wasKilled, 'no attempt succeeded').toBe(false);
});

test('an interrupted change never overrides a later change that succeeded', async () => {
  let wasKilled = true;
  for (let at = 0; wasKilled && at < 40; at += 1) {
    const project = await Project.make();
    const { ctx } = project;
    wasKilled = false;
    await changeGroup(
      controllerOn(killableDatabase(mongo.db, at, true)), ctx, project.id('b'),
      { name: 'early', parent_group_id: project.id('d') },
    ).catch((error: unknown) => {
      unlessKilled(error);
      wasKilled = true;
    });
    await changeGroup(controllerOn(mongo.db), ctx, project.id('b'), { name: 'late' });
    await project.expectSettled();
    expect(
      (await project.groups()).find((group) => group._id === project.id('b'))?.name, `killed at ${at}`,
    ).toBe('late');
  }
});

const place = fc.constantFrom('a', 'b', 'c', 'd');
const life = { killedAt: fc.nat(7), isSent: fc.boolean() };
const step = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const), name: fc.constantFrom('n', 'm'), under: fc.option(place), ...life,
  }),
  fc.record({
    kind: fc.constant('move' as const), of: place, to: fc.option(place),
    name: fc.option(fc.constantFrom('n', 'm', 'o')), ...life,
  }),
  fc.record({ kind: fc.constant('delete' as const), of: place, ...life }),
);

test('the tree stays sound and settles after concurrent changes and kills', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(
      fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 },
    ), async (cycles) => {
      const project = await Project.make();
      const { ctx } = project;
      const idOf = (name: string | null) => (name === null ? null : project.id(name));
      for (const together of cycles) {
        await Promise.all(together.map(async (one) => {
          const deps = controllerOn(killableDatabase(mongo.db, one.killedAt, one.isSent));
          const act = async (): Promise<unknown> => {
            if (one.kind === 'create') {
              return createGroup(deps, ctx, { name: one.name, parent_group_id: idOf(one.under) });
            }
            if (one.kind === 'delete') return deleteGroup(deps, ctx, project.id(one.of));
            return changeGroup(
              deps, ctx, project.id(one.of),
              { parent_group_id: idOf(one.to), ...(one.name === null ? {} : { name: one.name }) },
            );
          };
          await act().catch((error: unknown) => {
            if (!(error instanceof AppError)) unlessKilled(error);
          });
        }));
        await project.expectSound();
      }
      await project.expectSettled();
    }),
    { numRuns: fewOrAll(4, 20) },
  );
});
