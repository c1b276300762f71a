import type { Tenant } from '../../accounts/tenant.ts';
import type { OpenIncident } from '../../incidents/incident.ts';
import type { MonitorLive } from '../../results/reading/recent/monitor-live.ts';
import type { MonitorDeps } from '../deps.ts';

/**
 * The current incident of each monitor that has one, by the monitor's id: the open one of its own checks, or
 * else the latest open one that was made for it through the API. Takes what is known of each monitor.
 */
export async function currentIncidents(
  { readers: { incidents } }: MonitorDeps, tenant: Tenant, monitors: ReadonlyMap<string, MonitorLive | null>,
): Promise<Map<string, OpenIncident>> {
  if (monitors.size === 0) return new Map();
  const own = [...monitors.values()].flatMap((live) => live?.open_incident?.id ?? []);
  const [open, manual] = await Promise.all([
    incidents.openAmong(tenant, own), incidents.openManualFor(tenant, [...monitors.keys()]),
  ]);
  const byId = new Map(open.map((incident) => [incident.id, incident]));
  // The latest come first, and of two with the same key a map keeps the last.
  const byMonitor = new Map(manual.reverse().map((incident) => [incident.monitor_id, incident]));
  return new Map([...monitors].flatMap(([id, live]) => {
    const current = byId.get(live?.open_incident?.id ?? '') ?? byMonitor.get(id);
    return current === undefined ? [] : [[id, current] as const];
  }));
}
