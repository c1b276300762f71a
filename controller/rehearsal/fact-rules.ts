import type { PastIncident } from '../incidents/past-incident.ts';
import type { MaintenanceRange } from '../verdicts/monitor-config.ts';
import type { StatusChange } from '../verdicts/monitor-state.ts';
import type { Fact } from './monitor-rehearsal.ts';

/** What users did to a monitor, in order. `changes` are status changes, oldest first. */
export function factsOf(changes: readonly StatusChange[], incidents: readonly PastIncident[]): Fact[] {
  const facts: Fact[] = changes.flatMap(({ from, to, at }): Fact[] => {
    if (to === 'paused' && from !== 'paused') return [{ at, kind: 'pause' }];
    return from === 'paused' && to !== 'paused' ? [{ at, kind: 'resume' }] : [];
  });
  for (const { acknowledged_at, ended } of incidents) {
    if (acknowledged_at !== null) facts.push({ at: acknowledged_at, kind: 'acknowledge' });
    if (ended?.by_hand) facts.push({ at: ended.at, kind: 'end_by_hand' });
  }
  return facts.sort((one, other) => one.at - other.at);
}

/**
 * The maintenance of a monitor according to its status history, in order; ongoing maintenance lasts until
 * `until`, Unix ms. `known` are occurrences of windows that still exist: the history does not say whether
 * alerts were held, so windows deleted since are assumed to have held them.
 */
export function maintenanceOf(
  changes: readonly StatusChange[], known: readonly MaintenanceRange[], until: number,
): MaintenanceRange[] {
  const ranges: MaintenanceRange[] = [];
  let from: number | null = null;
  const close = (at: number) => {
    if (from === null || at <= from) return;
    const start = from;
    const overlapping = known.filter((one) => one.from < at && one.until > start);
    const holds_alerts = overlapping.length === 0 || overlapping.some((one) => one.holds_alerts);
    ranges.push({ from: start, until: at, holds_alerts });
    from = null;
  };
  for (const [index, { at, in_maintenance, reason, to }] of changes.entries()) {
    // A change applied before the end may have a later time. Only the first one implies an earlier start.
    if (in_maintenance && (index === 0 || reason === 'maintenance began')) from ??= at;
    else if (reason === 'maintenance ended') close(at);
    // After the pause, so that held alerts are not sent before it.
    else if (to === 'paused') close(at + 1);
  }
  const ongoing = known.filter((one) => from !== null && one.from <= until && one.until > until);
  close(Math.max(until, ...ongoing.map((one) => one.until)));
  return ranges;
}
