import { grouped } from '../../shared/grouped.ts';

/** An outage with an alert at `notified_at`. Unix ms; `until` is null while it is ongoing. */
export interface NotifiedOutage {
  monitor_id: string;
  from: number;
  until: number | null;
  notified_at: number;
}

export interface MissedOutage {
  monitor_id: string;
  from: number;
  to: number;
}

/** Outages with an alert from `from` on in `actual` and none in `simulated`. `to` ends the ongoing ones. */
export function missedOutages(
  actual: readonly NotifiedOutage[], simulated: readonly NotifiedOutage[],
  { from, to }: { from: number; to: number },
): MissedOutage[] {
  const byMonitor = grouped(simulated, (one) => one.monitor_id);
  const isNotified = (outage: NotifiedOutage) => (byMonitor.get(outage.monitor_id) ?? []).some((one) => (
    one.from <= (outage.until ?? Infinity) && outage.from <= (one.until ?? Infinity)
  ));
  return actual.filter((one) => one.notified_at >= from && !isNotified(one))
    .map((one) => ({ monitor_id: one.monitor_id, from: one.from, to: Math.min(to, one.until ?? to) }))
    .sort((one, other) => one.from - other.from);
}
