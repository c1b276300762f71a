import { newSecret } from '../../../shared/ids.ts';
import type { Tenant } from '../../access/tenant.ts';
import { validationError } from '../../http/input/validation.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { findCycle, type DependencyNode } from './cycle-rules.ts';
import type { NewDependencies } from './store.ts';

type CycleDeps = Pick<MonitorWriteDeps, 'monitors' | 'dependencyChanges' | 'log'>;

/** All changes to the dependencies of a project contend. */
const MAX_ATTEMPTS = 100;
/** Longer than a request can run. */
const EXPIRES_AFTER_MS = 600_000;

interface PlannedDependencies extends NewDependencies {
  name: string;
  /** Where the request has them. */
  path: (string | number)[];
}

/**
 * Runs `write`, which stores these dependencies. Until then, other requests treat them as stored, so that no
 * two requests form a cycle. Throws VALIDATION_ERROR with the names along a cycle, before it writes, and
 * CONFLICT if concurrent changes keep winning.
 */
export async function writeWithoutCycle<T>(
  deps: CycleDeps, { tenant, now }: Pick<ProjectContext, 'tenant' | 'now'>, planned: PlannedDependencies[],
  write: () => Promise<T>,
): Promise<T> {
  if (planned.every(({ depends_on }) => depends_on.length === 0)) return write();
  const token = newSecret();
  const monitors = planned.map(({ monitor_id, depends_on }) => ({ monitor_id, depends_on }));
  const own = { token, expires_at: now + EXPIRES_AFTER_MS, monitors };
  const { dependencyChanges: changes, log } = deps;
  await retryOnConflict('The dependencies are', async () => {
    const { revision, pending } = await changes.read(tenant);
    const current = pending.filter(({ expires_at }) => expires_at > now);
    await refuseCycle(deps, tenant, planned, current.flatMap((one) => one.monitors));
    return (await changes.replace(tenant, revision, [...current, own])) || null;
  }, MAX_ATTEMPTS);
  try {
    return await write();
  } finally {
    await retryOnConflict('The dependencies are', async () => {
      const { revision, pending } = await changes.read(tenant);
      return (await changes.replace(tenant, revision, pending.filter((one) => one.token !== token))) || null;
    }, MAX_ATTEMPTS).catch((error: unknown) => {
      log.warn({ err: error, project_id: tenant.projectId }, 'dependencies stay reserved for some minutes');
    });
  }
}

/**
 * Throws VALIDATION_ERROR with the names along a cycle. `pending` are dependencies that other requests are
 * about to write.
 */
export async function refuseCycle(
  { monitors }: Pick<CycleDeps, 'monitors'>, tenant: Tenant, planned: PlannedDependencies[],
  pending: NewDependencies[] = [],
): Promise<void> {
  const nodes = new Map<string, DependencyNode>();
  for (const { monitor_id: _id, name, depends_on } of planned) nodes.set(_id, { _id, name, depends_on });
  const pendingOf = (id: string) =>
    pending.filter(({ monitor_id }) => monitor_id === id).flatMap((one) => one.depends_on);
  const dependenciesOf = (id: string) => [...(nodes.get(id)?.depends_on ?? []), ...pendingOf(id)];
  const seen = new Set(nodes.keys());
  for (let ids = [...seen]; ids.length > 0;) {
    const next = new Set(ids.flatMap(dependenciesOf).filter((id) => !seen.has(id)));
    ids = [...next];
    for (const id of ids) seen.add(id);
    for (const node of await monitors.dependencies(tenant, ids)) nodes.set(node._id, node);
  }
  const cycle = findCycle(planned.map(({ monitor_id }) => monitor_id), dependenciesOf);
  if (cycle === null) return;
  const names = cycle.map((id) => nodes.get(id)?.name ?? id);
  const path = planned.find(({ monitor_id }) => cycle.includes(monitor_id))?.path ?? [];
  throw validationError([{ code: 'custom', path, message: `Would form a cycle: ${names.join(' → ')}` }]);
}
