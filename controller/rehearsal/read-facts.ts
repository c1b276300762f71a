import { grouped } from '../../shared/grouped.ts';
import type { Tenant } from '../access/tenant.ts';
import type { PastIncident } from '../incidents/past-incident.ts';
import { occurrencesFrom } from '../maintenance/recurrence.ts';
import type { WindowDoc } from '../maintenance/window.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { CheckRunner } from '../monitors/ports.ts';
import { toMonitorConfig } from '../monitors/settings/registry.ts';
import type { MaintenanceRange } from '../verdicts/monitor-config.ts';
import type { StatusChange } from '../verdicts/monitor-state.ts';
import { factsOf, maintenanceOf } from './fact-rules.ts';
import type { MonitorFacts } from './monitor-rehearsal.ts';

/** Data that rehearsals need besides results. Instants are Unix ms. */
export interface FactReaders {
  runner: Pick<CheckRunner, 'assignedOf'>;
  changes: {
    /** From `from` until before `to`, oldest first, and the last one before them. */
    between(monitorId: string, from: number, to: number, limit: number): Promise<StatusChange[]>;
  };
  incidents: {
    /** As `IncidentStore.ofChecksBetween`. */
    ofChecksBetween(
      organizationId: string, span: { since: number; from: number; to: number }, limit: number,
    ): Promise<PastIncident[]>;
  };
  windows: { ofMonitors(ids: string[]): Promise<Map<string, WindowDoc[]>> };
  features: {
    of(monitorIds: string[]): Promise<Map<string, readonly string[]>>;
    counts(organizationId: string, features: readonly string[]): Promise<Map<string, number>>;
    total(organizationId: string): Promise<number>;
  };
  /** As in `noDataAt`, ms. */
  noDataAfterMs: number;
}

/** Maximum status changes per monitor: one every two minutes for 90 days. */
const MAX_CHANGES = 65_000;
/** Maximum incidents of the organization. */
const MAX_INCIDENTS = 20_000;
/** Maximum occurrences of a window. */
const MAX_OCCURRENCES = 1000;
/** Incidents that started earlier before the time range are not read. */
const MAX_OUTAGE_MS = 90 * 86_400_000;

export interface RehearsalFacts {
  monitors: Map<string, MonitorFacts>;
  /** Incidents of other monitors of the organization, which may share a cause with those. */
  others: PastIncident[];
  population: { having: Map<string, number>; total: number };
}

/** What happened to these monitors and others of the organization from `from` to `to` (Unix ms). */
export async function readFacts(
  readers: FactReaders, { organizationId }: Pick<Tenant, 'organizationId'>, docs: readonly MonitorDoc[],
  { from, to }: { from: number; to: number },
): Promise<RehearsalFacts> {
  const ids = docs.map(({ _id }) => _id);
  const span = { since: from - MAX_OUTAGE_MS, from, to };
  const [incidents, windows, features, total] = await Promise.all([
    readers.incidents.ofChecksBetween(organizationId, span, MAX_INCIDENTS),
    readers.windows.ofMonitors(ids), readers.features.of(ids), readers.features.total(organizationId),
  ]);
  const own = grouped(incidents.filter(({ type }) => type !== 'slow_response'), (one) => one.monitor_id);
  const monitors = new Map<string, MonitorFacts>();
  for (const doc of docs) {
    const { _id: id } = doc;
    const [changes, present] = await Promise.all([
      readers.changes.between(id, from, to, MAX_CHANGES), readers.runner.assignedOf(doc),
    ]);
    const past = own.get(id) ?? [];
    const maintenance = maintenanceOf(changes, occurrencesOf(windows.get(id) ?? [], from, to), to);
    monitors.set(id, {
      config: { ...toMonitorConfig(doc, undefined, maintenance), ...present },
      changes, facts: factsOf(changes, past), features: features.get(id) ?? [], incidents: past,
      noDataAfterMs: readers.noDataAfterMs,
    });
  }
  const others = incidents.filter((one) => !monitors.has(one.monitor_id) && one.features.length > 0);
  const known = new Set([...features.values(), ...others.map((one) => one.features)].flat());
  for (const { config: { depends_on = [], group_id } } of monitors.values()) {
    for (const one of depends_on) known.add(`dependency:${one}`);
    if (group_id) known.add(`group:${group_id}`);
  }
  const having = await readers.features.counts(organizationId, [...known]);
  return { monitors, others, population: { having, total } };
}

function occurrencesOf(windows: readonly WindowDoc[], from: number, to: number): MaintenanceRange[] {
  return windows.flatMap((window) => {
    const ranges: MaintenanceRange[] = [];
    for (const { starts_at, ends_at } of occurrencesFrom(window, from)) {
      if (starts_at >= to || ranges.length === MAX_OCCURRENCES) break;
      ranges.push({ from: starts_at, until: ends_at, holds_alerts: window.suppress_alerts });
    }
    return ranges;
  });
}
