import type { Tenant } from '../../access/tenant.ts';
import type { ValidationIssue } from '../../http/input/validation.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import type { MonitorItem } from '../schema.ts';

type Monitors = Pick<MonitorWriteDeps, 'monitors'>;

/** Monitors per query. */
const BATCH_SIZE = 500;

/** Names by id. Omits deleted monitors. */
export async function namesOf(
  { monitors }: Monitors, tenant: Tenant, ids: string[],
): Promise<Map<string, string>> {
  const left = [...new Set(ids)];
  const names = new Map<string, string>();
  while (left.length > 0) {
    const page = await monitors.summaries(tenant, left.splice(0, BATCH_SIZE));
    for (const [id, { name }] of page) names.set(id, name);
  }
  return names;
}

/** Monitors of the project with any of these names. */
export async function findByNames(
  { monitors }: Monitors, tenant: Tenant, names: string[],
): Promise<MonitorDoc[]> {
  const found: MonitorDoc[] = [];
  for (let at = 0; at < names.length; at += BATCH_SIZE) {
    found.push(...(await monitors.findByNames(tenant, names.slice(at, at + BATCH_SIZE))));
  }
  return found;
}

interface ImportedMonitor {
  item: MonitorItem;
  /** The id that it has or gets. */
  id: string;
  current: MonitorDoc | null;
}

/**
 * The ids that each monitor will depend on; undefined if the document leaves that as it is. If several
 * monitors have a name, prefers one that the monitor depends on, then those in the document, then the oldest.
 */
export async function resolveDependencies(deps: Monitors, tenant: Tenant, imported: ImportedMonitor[]) {
  const issues: ValidationIssue[] = [];
  const names = new Set(imported.flatMap(({ item }) => item.depends_on ?? []));
  const inDocument = new Set(imported.map(({ id }) => id));
  const others = (await findByNames(deps, tenant, [...names])).filter(({ _id }) => !inDocument.has(_id))
    .sort((one, other) => one.created_at - other.created_at || (one._id < other._id ? -1 : 1));
  const idsByName = new Map([...names].map((name) => [name, [] as string[]]));
  for (const { item, id } of imported) idsByName.get(item.name)?.push(id);
  for (const { name, _id } of others) idsByName.get(name)?.push(_id);
  const resolved = imported.map(({ item, id: ownId, current }, at) => item.depends_on?.flatMap((name) => {
    const ids = idsByName.get(name) ?? [];
    const kept = ids.find((id) => current?.depends_on.includes(id));
    const found = kept ?? ids.find((id) => id !== ownId) ?? ids[0];
    if (found !== undefined) return [found];
    issues.push({ code: 'custom', path: ['monitors', at, 'depends_on'], message: `Unknown monitor: ${name}` });
    return [];
  }));
  return { resolved, issues };
}
