import type { HourStore } from '../../controller/results/hours/hour-store.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { emptyRollup } from '../../controller/results/hours/rollup.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import type { MongoStatusHistory } from '../../controller/results/writing/status-history-store.ts';
import { incidentFromOpening } from '../../controller/incidents/outbox.ts';
import type { IncidentStore } from '../../controller/incidents/store.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { StatusChange } from '../../controller/verdicts/monitor-state.ts';
import { newId } from '../../shared/ids.ts';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';

const MINUTE_MS = 60_000;
const HOURS = 5;

type StoredMonitor = Pick<StatusChange, 'monitor_id' | 'organization_id' | 'project_id'> & { features?: string[] };

interface HistoryStores {
  hours: HourStore;
  statusHistory: Pick<MongoStatusHistory, 'add'>;
  incidents: Pick<IncidentStore, 'insertIfAbsent' | 'markResolved'>;
}

/** Minutes after the start of the history. */
export type StoredOutage = [from: number, to: number];

/** Stores what `storeResults` does, and what the controller decided on that with one retry. */
export async function storeHistory(
  stores: HistoryStores, monitor: StoredMonitor, from: number, outages: StoredOutage[],
): Promise<void> {
  await storeResults(stores.hours, monitor.monitor_id, from, outages);
  await storeDecisions(stores, monitor, from, outages);
}

/** Stores the status changes and incidents of these outages. */
export async function storeDecisions(
  { incidents, statusHistory }: HistoryStores, { features = [], ...monitor }: StoredMonitor, from: number,
  outages: StoredOutage[],
): Promise<void> {
  const change = { ...monitor, incident_id: null, reason: 'check succeeded' };
  await statusHistory.add({ ...change, id: newId(from), from: 'unknown', to: 'up', at: from });
  for (const [first, end] of outages) {
    const [id, started_at, resolved_at] = [newId(from), from + first * MINUTE_MS, from + end * MINUTE_MS + 1000];
    const about = { ...change, incident_id: id };
    await statusHistory.add({ ...about, id: newId(from), from: 'up', to: 'down', at: started_at });
    await statusHistory.add({ ...about, id: newId(from), from: 'down', to: 'up', at: resolved_at });
    await incidents.insertIfAbsent(incidentFromOpening({
      id, monitor: { ...monitor, name: 'Shop', type: 'HTTP' } as MonitorConfig, severity: 'critical',
      type: 'connection_error', error_message: 'refused', affected_regions: ['eu', 'us'], failure_count: 4,
      started_at, features,
    }, started_at + MINUTE_MS + 1050));
    await incidents.markResolved(id, { resolved_at, resolved_by: 'system', updated_at: resolved_at + 50 });
  }
}

/** Stores five hours of checks from three regions once a minute, from a full hour on, with outages. */
export async function storeResults(
  hours: HourStore, monitorId: string, from: number, outages: StoredOutage[],
): Promise<void> {
  const rows = Array.from({ length: HOURS * 60 }, (_, minute) => ['eu', 'us', 'ap'].map((region, at): StoredResult => {
    const isDown = outages.some(([first, end]) => minute >= first && minute < end);
    const started_at = from + minute * MINUTE_MS + at * 1000;
    return {
      region, probe_id: region, scheduled_at: started_at, started_at, outcome: isDown ? 'failure' : 'success',
      degraded: false, reason: 'schedule', attempt: 1, late: false, response_time_ms: 50, status_code: null,
      error: isDown ? { type: 'connection_error', message: 'refused' } : null, missed: null, timings: null,
    };
  })).flat();
  await hours.write(Array.from({ length: HOURS }, (_, index) => {
    const hour = from + index * HOUR_MS;
    const inHour = rows.filter(({ started_at }) => hourOf(started_at) === hour);
    return { monitor_id: monitorId, hour, position: 1, rows: ResultColumns.of(inHour), rollup: emptyRollup() };
  }));
}
