import { notFound } from '../../../shared/errors.ts';
import { searchText } from '../../../shared/search-text.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorLive } from '../../results/reading/recent/monitor-live.ts';
import type { MonitorDeps } from '../deps.ts';
import type { SearchableMonitor } from '../list/list-store.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { ProbeMonitorsInput } from '../of-probe/responses.ts';

interface ProbeMonitors {
  /** The page, in order of name; `live` is null if no shard owner knows the monitor yet. */
  monitors: { doc: MonitorDoc; live: MonitorLive | null }[];
  /** The project's monitors on all pages. */
  total: number;
  /** Monitors of other projects and organizations, whatever was searched for. */
  others: number;
}

/**
 * The project's monitors that a probe has been assigned. Throws RESOURCE_NOT_FOUND for a probe that is gone
 * or in another organization's region, SERVICE_UNAVAILABLE while too many wait for such lists.
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

/** The text begins with the name, in lower case. */
function byText(one: SearchableMonitor, other: SearchableMonitor): number {
  if (one.search_text !== other.search_text) return one.search_text < other.search_text ? -1 : 1;
  return one._id < other._id ? -1 : 1;
}
