/** An outage that a message told of at `told_at`. Unix ms; `until` is null while it is ongoing. */
export interface ToldOutage {
  monitor_id: string;
  from: number;
  until: number | null;
  told_at: number;
}

export interface MissedOutage {
  monitor_id: string;
  from: number;
  to: number;
}

/** The outages that `actual` tells of from `from` on and `simulated` never does. `to` ends the ongoing ones. */
export function missedOutages(
  actual: readonly ToldOutage[], simulated: readonly ToldOutage[], { from, to }: { from: number; to: number },
): MissedOutage[] {
  const byMonitor = byMonitorOf(simulated);
  const isTold = (outage: ToldOutage) => (byMonitor.get(outage.monitor_id) ?? []).some((one) => (
    one.from <= (outage.until ?? Infinity) && outage.from <= (one.until ?? Infinity)
  ));
  return actual.filter((one) => one.told_at >= from && !isTold(one))
    .map((one) => ({ monitor_id: one.monitor_id, from: one.from, to: Math.min(to, one.until ?? to) }))
    .sort((one, other) => one.from - other.from);
}

/** In their order. */
export function byMonitorOf<T extends { monitor_id: string }>(all: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const known = found.get(one.monitor_id);
    if (known) known.push(one);
    else found.set(one.monitor_id, [one]);
  }
  return found;
}
