import type { ProjectContext } from '../../http/routing/route.ts';
import type { IncidentDeps } from '../../incidents/deps.ts';
import { findIncident } from '../../incidents/verbs/read-incidents.ts';
import { loadMonitor } from '../../monitors/verbs/read-monitors.ts';
import type { MonitorLookup } from '../evidence.ts';
import { MAX_PER_MONITOR, spanOf } from '../rules.ts';
import type { EvidenceStore } from '../store.ts';

export interface EvidenceDeps extends Pick<IncidentDeps, 'incidents'> {
  evidence: EvidenceStore;
  monitors: MonitorLookup;
}

/** A monitor's evidence, newest first. Throws MONITOR_NOT_FOUND. */
export async function readMonitorEvidence(
  deps: EvidenceDeps, ctx: ProjectContext, id: string, limit: number,
) {
  await loadMonitor(deps, ctx, id);
  return deps.evidence.newest(ctx.tenant, id, limit);
}

/** The stored evidence of an incident, newest first; none if it has no monitor. Throws RESOURCE_NOT_FOUND. */
export async function readIncidentEvidence(deps: EvidenceDeps, ctx: ProjectContext, id: string) {
  const incident = await findIncident(deps, ctx, id);
  const { check_id: monitorId } = incident;
  if (monitorId === null) return [];
  // Includes deleted monitors, whose evidence and incidents outlive them.
  const [monitor] = await deps.monitors.findByIds([monitorId]);
  const span = spanOf(incident, (monitor?.interval_seconds ?? 0) * 1000, ctx.now);
  return deps.evidence.newest(ctx.tenant, monitorId, MAX_PER_MONITOR, span);
}
