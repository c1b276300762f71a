import type { PastIncident } from '../incidents/past-incident.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { StatusChange } from '../verdicts/monitor-state.ts';
import { regionSilentAfterMs } from '../verdicts/votes/region-rules.ts';
import type { Fact } from './monitor-rehearsal.ts';

/** What was decided about a monitor, or what a person did to it, at `at` (Unix ms) at the latest. */
export type Decision = { at: number } & (
  /** `incident`: the one that the change opened or ended. `isExact`: it was decided at `at`, not before. */
  | { kind: 'move'; change: StatusChange; incident: PastIncident | null; isExact: boolean }
  | { kind: 'reopen'; incident: PastIncident }
  | { kind: 'fact'; fact: Fact }
);

interface Past {
  config: MonitorConfig;
  /** In order of their instants. */
  changes: readonly StatusChange[];
  incidents: readonly PastIncident[];
  facts: readonly Fact[];
}

/** The decisions of the past, in their order. */
export function decisionsOf({ config, changes, incidents, facts }: Past): Decision[] {
  const known = new Map(incidents.map((one) => [one.id, one]));
  const [first] = changes;
  const moves = first ? [first, ...chained(changes.slice(1), first.to)] : [];
  // Of an outage that only late results showed, the rules keep no more than when it ended.
  const decided = moves.filter(({ to, incident_id }) => to !== 'down' || !known.get(incident_id ?? '')?.late);
  const firstOf = new Map(moves.toReversed().map((change) => [change.incident_id, change]));
  const decisions = decided.map((change): Decision & { kind: 'move' } => {
    const { to, incident_id: id } = change;
    // Without data the status is unknown, and the outage continues when data arrives.
    const isContinued = to === 'down' && firstOf.get(id) !== change;
    const incident = isContinued ? null : known.get(id ?? '') ?? null;
    const exactAt = recordedAt(change, incident);
    const latest = Math.min(latestOf(change, config), nextOpenedAt(incidents, known.get(id ?? '')));
    return { kind: 'move', at: exactAt ?? latest, change, incident, isExact: exactAt !== null };
  });
  // Nothing was decided after what followed from it.
  for (let index = decisions.length - 2; index >= 0; index -= 1) {
    const one = decisions[index] as Decision;
    one.at = Math.min(one.at, (decisions[index + 1] as Decision).at);
  }
  const reopened = incidents.filter(({ id, late }) => !late && firstOf.get(id)?.to !== 'down');
  const others = [
    ...reopened.map((incident): Decision => ({ kind: 'reopen', at: incident.opened_at, incident })),
    ...facts.filter(({ kind }) => kind !== 'pause' && kind !== 'resume').map((fact): Decision => ({ kind: 'fact', at: fact.at, fact })),
  ];
  return [...decisions, ...others].sort((one, other) => one.at - other.at);
}

/** Changes of the status, in order: those of one instant follow from each other. */
function chained(changes: readonly StatusChange[], status: StatusChange['to']): StatusChange[] {
  const left = changes.filter(({ from, to }) => from !== to);
  const found: StatusChange[] = [];
  let current = status;
  while (left[0] !== undefined) {
    const { at } = left[0];
    const next = left.findIndex((one) => one.at === at && one.from === current);
    const [change] = left.splice(Math.max(0, next), 1) as [StatusChange];
    found.push(change);
    current = change.to;
  }
  return found;
}

/** When a change was decided according to its incident, Unix ms; null if that does not tell. */
function recordedAt({ to, from, at }: StatusChange, incident: PastIncident | null): number | null {
  if (to === 'paused' || from === 'paused') return at;
  if (incident === null) return null;
  if (to === 'down') return incident.opened_at;
  const { ended } = incident;
  return to !== 'unknown' && ended && !ended.by_hand ? ended.changed_at : null;
}

/** The latest instant at which a change can have been decided, Unix ms. */
function latestOf({ at }: StatusChange, config: MonitorConfig): number {
  const { interval_ms: intervalMs, recoveries = 0 } = config;
  return at + regionSilentAfterMs(config) + recoveries * intervalMs;
}

/** When the next incident of the same outage opened, Unix ms. Changes since then name that one. */
function nextOpenedAt(all: readonly PastIncident[], incident: PastIncident | undefined): number {
  if (!incident?.ended?.by_hand) return Infinity;
  const { started_at, opened_at } = incident;
  const later = all.filter((one) => one.started_at === started_at && one.opened_at > opened_at);
  return Math.min(...later.map((one) => one.opened_at));
}

/** The first change may tell of an outage that began before it, Unix ms. */
export function startOf({ change: { to, at }, incident }: Decision & { kind: 'move' }): number {
  return to === 'down' && incident ? Math.min(at, incident.started_at) : at;
}
