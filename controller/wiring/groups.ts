import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import { configurationRoutes } from '../import-export/routes.ts';
import type { GroupDeps } from '../groups/deps.ts';
import { groupRoutes } from '../groups/routes.ts';
import { GroupStore } from '../groups/store.ts';
import { RemovalStore, TreeStore } from '../groups/tree-store.ts';
import { findHeirs, resumeRemovals } from '../groups/verbs/change-tree.ts';
import type { Route } from '../http/route.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { GroupLookup } from '../monitors/ports.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';

export interface Groups {
  store: GroupStore;
  lookup: GroupLookup;
  over(monitors: MonitorDeps): { routes: Route[]; start(): void; stop(): Promise<void> };
}

/** How often deleted groups are looked for whose monitors have not all moved on. */
const LOOK_EVERY_MS = 600_000;

/** Groups, put together over the monitors in them; with both, documents that hold them. */
export async function openGroups(db: Mongo['db'], clock: Clock): Promise<Groups> {
  const groups = new GroupStore(db, clock);
  const trees = new TreeStore(db);
  const removals = new RemovalStore(db);
  await Promise.all([groups.ensureIndexes(), removals.ensureIndexes()]);
  return {
    store: groups,
    lookup: { names: (tenant, ids) => groups.names(tenant, ids), heirs: (tenant, ids) => findHeirs({ groups, removals }, tenant, ids) },
    over: (monitors) => {
      const deps: GroupDeps = { groups, trees, removals, monitors };
      return { routes: [...groupRoutes(deps), ...configurationRoutes(deps)], ...clearing(deps, clock, monitors.log) };
    },
  };
}

function clearing(deps: GroupDeps, clock: Clock, log: Log): { start(): void; stop(): Promise<void> } {
  const rounds = new Rounds({
    clock, everyMs: LOOK_EVERY_MS,
    round: async () => {
      await resumeRemovals(deps, clock.now());
      return false;
    },
    onFailed: (error) => log.warn({ err: error }, 'a deleted group was not cleared'),
  });
  return {
    start: () => {
      rounds.start();
      rounds.look();
    },
    stop: () => rounds.stop(),
  };
}
