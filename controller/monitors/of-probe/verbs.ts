import { notFound } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import type { MonitorDeps } from '../deps.ts';
import type { SearchableMonitor } from '../list/list-store.ts';
import { type MonitorDoc, searchText } from '../monitor.ts';
import type { ProbeMonitorsInput } from './responses.ts';

interface ProbeMonitors {
  /** One page, by name. `live` is null if no shard owner has the monitor's state yet. */
  monitors: { doc: MonitorDoc; live: MonitorLive | null }[];
  /** Number of matching monitors of the project. */
  total: number;
  /** Number of monitors of other projects and organizations, regardless of the search. */
  others: number;
}

/**
 * The project's monitors that are assigned to the probe. Throws RESOURCE_NOT_FOUND for a probe that is gone
 * or in another organization's region, SERVICE_UNAVAILABLE while too many requests wait.
 */
export function listMonitorsOfProbe(
  deps: MonitorDeps, { tenant }: ProjectContext, probeId: string, input: ProbeMonitorsInput,
): Promise<ProbeMonitors> {
  return deps.turns.run(tenant.organizationId, async () => {
    const assigned = await deps.assigned(tenant.organizationId, probeId);
    if (assigned === null) throw notFound('Probe');
    const own = await deps.lists.searchTexts(tenant, assigned.ids);
    const wanted = searchText(input.search);
    const found = own.filter(({ search_text: text }) => text.includes(wanted)).sort(byText);
    const ids = found.slice(input.offset, input.offset + input.limit).map(({ _id }) => _id);
    const [docs, states] = await Promise.all([
      deps.monitors.findMany(tenant, ids), deps.readers.live.states(ids),
    ]);
    const docOf = new Map(docs.map((doc) => [doc._id, doc]));
    const monitors = ids.flatMap((id) => {
      const doc = docOf.get(id);
      return doc === undefined ? [] : [{ doc, live: states.get(id) ?? null }];
    });
    return { monitors, total: found.length, others: Math.max(0, assigned.total - own.length) };
  });
}

/** Sorts by name, because the text starts with the lower-case name. */
function byText(one: SearchableMonitor, other: SearchableMonitor): number {
  if (one.search_text !== other.search_text) return one.search_text < other.search_text ? -1 : 1;
  return one._id < other._id ? -1 : 1;
}
