import type { Tenant } from '../../access/tenant.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import type { MonitorDeps } from '../deps.ts';
import type { OpenIncident } from '../ports.ts';

/**
 * Current incidents by monitor id: the open one of the monitor's checks, or else the latest open one created
 * through the API.
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
  // Reversed, because the latest come first and a map keeps the last entry for a key.
  const byMonitor = new Map(manual.reverse().map((incident) => [incident.monitor_id, incident]));
  return new Map([...monitors].flatMap(([id, live]) => {
    const current = byId.get(live?.open_incident?.id ?? '') ?? byMonitor.get(id);
    return current === undefined ? [] : [[id, current] as const];
  }));
}
