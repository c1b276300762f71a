import type { MonitorPast } from './incidents/ports.ts';
import type { MongoHourStore } from './results/hour-store.ts';
import type { MongoStatusHistory } from './results/status-history-store.ts';

/** Of a long outage only the last day is looked through. */
const LOOK_BACK_MS = 86_400_000;

/** What is written of a monitor's past: its status changes, and its results once their hour is over. */
export function timelinePast(stores: { hours: MongoHourStore; history: MongoStatusHistory }): MonitorPast {
  return {
    statusSpans: async (monitorId, before, limit) => {
      const { changes } = await stores.history.before(monitorId, before, limit);
      return changes.map(({ to, at, reason, incident_id }) => ({ status: to, from: at, reason, incident_id }));
    },
    results: async (monitorId, { from, to, limit }) => {
      const rows = await stores.hours.results(monitorId, Math.max(from, to - LOOK_BACK_MS), to);
      const within = rows.filter((row) => row.started_at >= from && row.started_at < to);
      return { results: within.sort((one, other) => other.started_at - one.started_at).slice(0, limit) };
    },
  };
}
