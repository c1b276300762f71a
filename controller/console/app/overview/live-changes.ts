import type { Monitor } from './monitor.ts';

/** The effect of an event on the list: none, a new value, or a possible change of order. */
export type Change = 'none' | 'shown' | 'arranged';

interface ResultEvent {
  checked_at: number;
  outcome: 'success' | 'failure' | 'missed';
  response_time_ms: number | null;
}

/** Applies a check result unless a later one is known. */
export function applyResult(monitor: Monitor, { checked_at: at, outcome, response_time_ms: ms }: ResultEvent): Change {
  if (outcome === 'missed' || at < (monitor.last_check_at ?? 0)) return 'none';
  monitor.last_check_at = at;
  if (ms !== null) monitor.response_time_ms = ms;
  return 'shown';
}

interface StateEvent {
  status: Monitor['runtimeStatus'];
  previous_status: Monitor['runtimeStatus'];
  in_maintenance: boolean;
  at: number;
}

/**
 * Applies a state change, or the start or end of maintenance, unless a later change is known. A monitor that leaves
 * `paused` becomes active.
 */
export function applyState(monitor: Monitor, event: StateEvent): Change {
  const { status, at } = event;
  if (at < (monitor.since ?? 0)) return 'none';
  if (status !== event.previous_status) monitor.since = at;
  monitor.in_maintenance = event.in_maintenance;
  if (status === 'paused') {
    if (monitor.status === 'active') monitor.status = 'paused';
    monitor.runtimeStatus = 'paused';
    return 'arranged';
  }
  monitor.status = 'active';
  monitor.runtimeStatus = status;
  if (status === 'up') monitor.down_region_ids = [];
  return 'arranged';
}

interface RegionEvent {
  region: string;
  status: string;
}

/** Applies a region's vote. */
export function applyRegion(monitor: Monitor, { region, status }: RegionEvent): Change {
  const others = monitor.down_region_ids.filter((id) => id !== region);
  monitor.down_region_ids = status === 'down' ? [...others, region].sort() : others;
  if (monitor.region_ids.includes(region)) return 'shown';
  monitor.region_ids = [...monitor.region_ids, region];
  return 'arranged';
}

interface IncidentEvent {
  id: string;
  status: string;
  severity: NonNullable<Monitor['incident']>['severity'];
  started_at: string;
  /** Null if checks opened it. */
  created_by: string | null;
}

/** Applies an incident: shown while open. One that checks opened takes precedence over a manual one. */
export function applyIncident(monitor: Monitor, event: IncidentEvent): Change {
  const { id, status, severity, started_at: start, created_by: author } = event;
  if (monitor.incident !== null && monitor.incident.id !== id && author !== null) return 'none';
  if (status === 'open' || status === 'acknowledged') {
    monitor.incident = { id, severity, status, started_at: Date.parse(start) };
  } else if (monitor.incident?.id === id) monitor.incident = null;
  return 'shown';
}
