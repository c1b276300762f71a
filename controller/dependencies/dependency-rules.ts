import type { CheckResult } from '../../shared/contracts/result.ts';
import type { RelatedMonitor } from '../monitors/monitor.ts';
import type { MonitorConfig, RuntimeStatus } from '../verdicts/monitor-config.ts';
import { verdictOf } from '../verdicts/votes/quorum-rules.ts';
import { NEW_REGION } from '../verdicts/votes/region-rules.ts';
import type { HeldAlert, HeldBy, HoldChange } from './held-alert.ts';

/** A check of a dependency holds an alert no longer than this, ms. */
export const MAX_CHECK_MS = 60_000;
/** How long a monitor has to recover after its last dependency did, ms. */
export const SETTLE_MS = 60_000;
/** If the recovery is noticed late, the monitor still has this part of that time. */
const MIN_SETTLE_MS = 30_000;
/** How often alerts are decided on, ms: while a check is under way, and while a dependency is down. */
const CHECKING_INTERVAL_MS = 1000;
export const DOWN_INTERVAL_MS = 10_000;

/** An active monitor on which another one depends. */
export interface Dependency extends HeldBy {
  isDown: boolean;
  /** When its status last changed, Unix ms. */
  since: number;
  /** A check that began after the alert has not ended, or has failed and is to be confirmed. */
  isUnderCheck: boolean;
}

/** What is known about the outage of a held alert. `interrupted`: not ongoing now, but perhaps not over. */
export type OutagePhase = 'ongoing' | 'interrupted' | 'over';

/**
 * `hold` names the fields to change; they may have their values already. `wait`: the incident tells whether
 * the outage is over.
 */
export type Decision =
  | { kind: 'send' } | { kind: 'end' } | { kind: 'wait'; due_at: number } | { kind: 'hold'; change: HoldChange };

/** `dependencies` are those that exist and are active. `now` is Unix ms. */
export function decide(
  held: HeldAlert, phase: OutagePhase, dependencies: readonly Dependency[], now: number,
): Decision {
  if (phase === 'over') return { kind: 'end' };
  if (phase === 'interrupted') return { kind: 'wait', due_at: now + DOWN_INTERVAL_MS };
  const isHolding = (one: Dependency) => one.isDown && one.monitor_id === held.held_by?.monitor_id;
  const down = dependencies.find(isHolding) ?? dependencies.find(({ isDown }) => isDown);
  if (!down) return (held.was_down ? afterRecovery : afterChecks)(held, dependencies, now);
  const isDownAgain = held.recovered_at !== undefined;
  return { kind: 'hold', change: {
    held_by: namedAs(down), was_down: true, ...(isDownAgain ? { recovered_at: null } : {}),
    due_at: now + DOWN_INTERVAL_MS,
  } };
}

function afterChecks({ held_at }: HeldAlert, dependencies: readonly Dependency[], now: number): Decision {
  const checked = dependencies.find(({ isUnderCheck }) => isUnderCheck);
  if (!checked || now >= held_at + MAX_CHECK_MS) return { kind: 'send' };
  return { kind: 'hold', change: { held_by: namedAs(checked), due_at: now + CHECKING_INTERVAL_MS } };
}

function afterRecovery(held: HeldAlert, dependencies: readonly Dependency[], now: number): Decision {
  const since = Math.max(held.held_at, ...dependencies.map((one) => one.since));
  const noticedAt = Math.min(now, Math.max(since, now - SETTLE_MS + MIN_SETTLE_MS));
  const { recovered_at = noticedAt } = held;
  const dueAt = recovered_at + SETTLE_MS;
  if (now >= dueAt) return { kind: 'send' };
  // It may go down again meanwhile.
  return { kind: 'hold', change: { recovered_at, due_at: Math.min(dueAt, now + DOWN_INTERVAL_MS) } };
}

function namedAs({ monitor_id, name }: HeldBy): HeldBy {
  return { monitor_id, name };
}

export interface SeenMonitor {
  status: RuntimeStatus;
  since: number;
  open_incident: { id: string } | null;
}

/** What is known of monitors, by id. `live` omits those that no owner knows. */
export interface KnownMonitors {
  monitors: ReadonlyMap<string, RelatedMonitor>;
  live: ReadonlyMap<string, SeenMonitor>;
}

/** `isUnderCheck`: whether a check of a dependency holds the alert, as `DependencyChecks` tells. */
export function decisionOn(
  alert: HeldAlert, { monitors, live }: KnownMonitors, now: number,
  isUnderCheck: (dependencyId: string, isToConfirm: boolean) => boolean,
): Decision {
  const monitor = monitors.get(alert.monitor_id);
  const dependencies = (monitor?.depends_on ?? []).flatMap((id): Dependency[] => {
    const { name, status } = monitors.get(id) ?? {};
    if (name === undefined || status !== 'active') return [];
    const seen = live.get(id);
    const isDown = seen?.status === 'down';
    const isChecked = !alert.was_down && isUnderCheck(id, !isDown);
    return [{ monitor_id: id, name, isDown, since: seen?.since ?? 0, isUnderCheck: isChecked }];
  });
  const phase = phaseOf(alert, monitor?.status === 'active', live.get(alert.monitor_id));
  return decide(alert, phase, dependencies, now);
}

/** `live` is undefined if no owner knows the monitor. */
export function phaseOf(
  { event, incident_id, is_flapping, held_at }: HeldAlert, isActive: boolean, live: SeenMonitor | undefined,
): OutagePhase {
  if (!isActive) return 'over';
  if (!live) return 'ongoing';
  if (is_flapping) return live.status === 'down' ? 'ongoing' : 'interrupted';
  if (event !== 'monitor.no_data') return live.open_incident?.id === incident_id ? 'ongoing' : 'interrupted';
  if (live.status !== 'unknown') return 'interrupted';
  return live.since > held_at ? 'over' : 'ongoing';
}

/** What one region's check found; null if it could not check. */
interface CheckedRegion {
  region: string;
  result: Pick<CheckResult, 'outcome'> | null;
}

/** Whether the monitor would be down, or need more votes, if all rechecks confirmed these checks. */
export function couldBeDown(config: MonitorConfig, runs: readonly CheckedRegion[]): boolean {
  const votes = runs.flatMap(({ region, result }) => {
    if (result === null || result.outcome === 'missed') return [];
    return [[region, { ...NEW_REGION, verdict: result.outcome === 'failure' ? 'down' : 'up' }] as const];
  });
  return ['down', 'short'].includes(verdictOf({ config, regions: Object.fromEntries(votes) }));
}
