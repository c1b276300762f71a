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
  const byMonitor = byMonitorOf(simulated);
  const isNotified = (outage: NotifiedOutage) => (byMonitor.get(outage.monitor_id) ?? []).some((one) => (
    one.from <= (outage.until ?? Infinity) && outage.from <= (one.until ?? Infinity)
  ));
  return actual.filter((one) => one.notified_at >= from && !isNotified(one))
    .map((one) => ({ monitor_id: one.monitor_id, from: one.from, to: Math.min(to, one.until ?? to) }))
    .sort((one, other) => one.from - other.from);
}

/** Groups by monitor and preserves the order. */
export function byMonitorOf<T extends { monitor_id: string }>(all: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const known = found.get(one.monitor_id);
    if (known) known.push(one);
    else found.set(one.monitor_id, [one]);
  }
  return found;
}
