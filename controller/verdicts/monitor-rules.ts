import type { CheckResult } from '../../shared/contracts/result.ts';
import { trackCertificate, warnOfDomainExpiry } from './notices/expiry-rules.ts';
import {
  accountBelated, accountGap, accountHour, accountCertain, accountMonitored, lateHistory,
} from './time-accounting/time-accounting-rules.ts';
import { holdFlaps, instantOf, withholdAlerts } from './notices/held-alert-rules.ts';
import {
  applyDue, applyOverdue, applyPing, applyUnmonitored, heartbeatAfterConfig, startCountdown,
} from './status/heartbeat-rules.ts';
import { reportSighting } from './features/sighting-rules.ts';
import { attachFeatures, recordAddress, reportFeatures } from './features/feature-rules.ts';
import { reportLateOutages } from './status/late-outage-rules.ts';
import { beginMaintenance, endMaintenance, mergeMaintenance } from './time-accounting/maintenance-rules.ts';
import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import type { MonitorItem, MonitorState, Outage, RegionState, ResultItem } from './monitor-state.ts';
import { MonitorStep, type ItemPlace } from './monitor-step.ts';
import {
  alertSlow, applyNoData, countFailure, decide, decideAfterLostVote, moveStatus, needsMoreVotes,
  resolveNoData, type Move,
} from './status/status-rules.ts';
import { isAssigned } from './votes/quorum-rules.ts';
import {
  reportRegionChanges, afterResult, isOfCurrentCheck, isOutvotedDown, carryOverAssigned, NEW_REGION,
  recordFormerRegions, regionSilentAfterMs, withoutVote,
} from './votes/region-rules.ts';
import { recordManualEnd, reopen } from './status/reopen-rules.ts';

/** The state of a monitor without any results. */
export function newMonitorState(config: MonitorConfig): MonitorState {
  const { changed_at: since, status } = config;
  const heartbeat = startCountdown(config);
  return {
    config, status: status === 'active' ? 'unknown' : 'paused', since, regions: {}, witnesses: null,
    minority_accepted: false, outage: null,
    last_check_at: null, last_success_at: null, last_success_ms: null, last_failure_at: null,
    accounted_until: since, accounted: {}, maintained: null, unrolled_day: null,
    slow: null, flaps: null, domain_warning: null, certificate: null, addresses: null, no_data_since: null,
    maintenance_since: null, withheld: null, late: null,
    ...(heartbeat ? { heartbeat } : {}),
  };
}

/** No result is late before this. */
export const LATE_AFTER_MS = 60_000;

/**
 * Results dated further ahead of their entry do not affect the verdict; they would suppress all later ones
 * until then. Twice the clock error (30 s) above which a probe's timestamps are corrected.
 */
export const MAX_AHEAD_MS = 60_000;

/**
 * True if a result arrived too late to affect the verdict: more than two intervals and more than a minute
 * after it started. Such a result still repairs history.
 */
export function isLate(config: MonitorConfig, startedAt: number, takenAt: number): boolean {
  return takenAt - startedAt > Math.max(2 * config.interval_ms, LATE_AFTER_MS);
}

/** True if a result, or its slot, is dated so far ahead that a clock must be wrong. */
export function isAhead(result: Pick<CheckResult, 'scheduled_at' | 'started_at'>, takenAt: number): boolean {
  return Math.max(result.scheduled_at, result.started_at) - takenAt > MAX_AHEAD_MS;
}

/**
 * Applies one journal item to a monitor. A pure function, so a journal replay yields the same state and the
 * same effects under the same ids.
 */
export function applyItem(
  before: MonitorState, item: MonitorItem, place: ItemPlace,
): Pick<MonitorStep, 'state' | 'effects' | 'omitted'> {
  const step = new MonitorStep(before, place);
  applyToStatus(step, item);
  reportRegionChanges(step, instantOf(item) ?? before.since);
  resolveNoData(step);
  applySecondaryRules(step, item);
  attachFeatures(step);
  const { state, effects, omitted } = step;
  return { state, effects, omitted };
}

/**
 * Applies the rules for slow responses, certificates, expiry, maintenance, flapping, late outages, features
 * and sightings. Leaves the state unchanged if none applies. None of them reads the last check's time or
 * measurements.
 */
export function applySecondaryRules(step: MonitorStep, item: MonitorItem): void {
  alertSlow(step);
  if (step.state.certificate !== null || (item.kind === 'result' && item.result.tls)) trackCertificate(step, item);
  if (item.kind !== 'result') warnOfDomainExpiry(step, item);
  withholdAlerts(step, item);
  holdFlaps(step, item);
  const hasLateResults = lateHistory(step.state).found.length > 0 || (item.kind === 'result' && item.late);
  if (hasLateResults) reportLateOutages(step, item);
  recordAddress(step, item);
  reportFeatures(step, item);
  if (item.kind === 'result' && (item.result.facts || item.result.tls)) reportSighting(step, item);
}

/** Applies a change of status that was decided in the past, at an item of the instant `at` (Unix ms). */
export function applyDecided(
  before: MonitorState, move: Move, at: number, place: ItemPlace,
): Pick<MonitorStep, 'state' | 'effects'> {
  const step = new MonitorStep(before, place);
  moveStatus(step, move);
  applySecondaryRules(step, { kind: 'maintenance', at });
  attachFeatures(step);
  return step;
}

function applyToStatus(step: MonitorStep, item: MonitorItem): void {
  switch (item.kind) {
    case 'result': return applyResult(step, item);
    case 'config':
      applyConfig(step, item.config);
      return endMaintenance(step, item.config.changed_at);
    case 'silent': return applySilence(step, item);
    case 'assigned': return applyAssigned(step, item);
    case 'witness': return applyWitness(step, item);
    case 'alone': return acceptMinority(step, item.at);
    case 'no_data': return applyNoData(step);
    case 'ping': return applyPing(step, item.ping);
    case 'overdue': return applyOverdue(step, item.at);
    case 'due': return applyDue(step, item.at);
    case 'unwatched': return applyUnmonitored(step, item.from, item.until);
    case 'maintenance':
      beginMaintenance(step, item.at);
      return endMaintenance(step, item.at);
    case 'manual_end': return recordManualEnd(step, item);
    case 'reopen': return reopen(step, item.at);
    case 'hour': step.state = accountHour(step.state, item.until);
  }
}

function applyResult(step: MonitorStep, item: ResultItem): void {
  const { result, region: name, late } = item;
  const { config, status, since, heartbeat, regions, outage } = step.state;
  // Heartbeats do not depend on probes.
  if (heartbeat) return;
  if (result.outcome === 'missed') return applyMissed(step, item);
  const at = result.started_at;
  const isSuccess = result.outcome === 'success';
  const region = regions[name] ?? NEW_REGION;
  // When several regions check a new monitor at once, the first result changes the status and outdates the
  // others. They too get a vote.
  const isFirstVote = isSuccess && region.last_at === null && outage === null;
  // The status is based on newer evidence. A region's backlog must not reopen a past outage.
  const isOutdated = status !== 'unknown' && at <= since && !isFirstVote;
  const isCurrent = !late && at > (region.last_at ?? 0) && !isOutdated;
  if (!isCurrent || !isOfCurrentCheck(config, result) || !isAssigned(config, name)) {
    const accounted = isBelated(config, item) ? accountBelated(step.state, at, statusOf(result)) : step.state;
    step.state = withResult(accounted, result, regions, outage);
    return;
  }
  const after = afterResult(region, item, config);
  const counted = isSuccess ? withRecovery(outage, region, after) : countFailure(outage);
  step.state = withResult(accountGap(step.state, at), result, { ...regions, [name]: after }, counted);
  const recoveredAt = isSuccess && counted !== outage ? counted?.recovered_at : undefined;
  decide(step, recoveredAt ?? at, isSuccess ? 'check succeeded' : 'check failed');
}

/** The outage after a region that needed several successes is up again, as of the first of them. */
function withRecovery(outage: Outage | null, before: RegionState, after: RegionState): Outage | null {
  const since = after.verdict === 'up' ? before.recovery?.since : undefined;
  if (outage === null || since === undefined || since <= outage.started_at) return outage;
  return { ...outage, recovered_at: Math.max(since, outage.recovered_at ?? 0) };
}

/** True for a result in time that represents its slot, unlike a recheck. */
function isBelated(config: MonitorConfig, { result, region, late }: ResultItem): boolean {
  return !late && result.reason === 'schedule' && isAssigned(config, region);
}

function statusOf({ outcome, degraded }: CheckResult): RuntimeStatus {
  if (outcome === 'failure') return 'down';
  return degraded ? 'degraded' : 'up';
}

/** Written field by field: copying states would otherwise be the controller's largest cost per result. */
function withResult(
  state: MonitorState, result: CheckResult, regions: MonitorState['regions'], outage: Outage | null,
): MonitorState {
  const at = result.started_at;
  const isSuccess = result.outcome === 'success';
  const isLatestSuccess = isSuccess && at >= (state.last_success_at ?? 0);
  return {
    config: state.config, status: state.status, since: state.since, regions,
    witnesses: state.witnesses, minority_accepted: state.minority_accepted, outage,
    last_check_at: latest(state.last_check_at, at),
    last_success_at: isSuccess ? latest(state.last_success_at, at) : state.last_success_at,
    last_success_ms: isLatestSuccess ? result.response_time_ms : state.last_success_ms,
    last_failure_at: isSuccess ? state.last_failure_at : latest(state.last_failure_at, at),
    accounted_until: state.accounted_until, accounted: state.accounted, maintained: state.maintained,
    unrolled_day: state.unrolled_day,
    slow: state.slow, flaps: state.flaps,
    domain_warning: state.domain_warning, certificate: state.certificate, addresses: state.addresses,
    no_data_since: state.no_data_since, maintenance_since: state.maintenance_since,
    withheld: state.withheld, late: state.late,
  };
}

function latest(previous: number | null, at: number): number {
  return previous === null || at > previous ? at : previous;
}

/**
 * A missed slot is not a vote. After two or more in a row, the region loses its vote. If its probe is
 * overloaded, it keeps an earlier vote for as long as if it were silent: it would otherwise lose and regain
 * it every few seconds, and storing each of these changes would add to the load.
 */
function applyMissed(step: MonitorStep, { result, region: name, late }: ResultItem): void {
  const { config, regions } = step.state;
  const region = regions[name] ?? NEW_REGION;
  const { count, reason } = result.missed ?? { count: 1, reason: 'missed' };
  const unseenMs = result.scheduled_at + (count - 1) * config.interval_ms - (region.last_at ?? 0);
  const keepsVote = reason === 'overload' && !isOutvotedDown(step.state);
  const untilMs = keepsVote ? regionSilentAfterMs(config) : 2 * config.interval_ms;
  if (late || !isOfCurrentCheck(config, result) || unseenMs < untilMs) return;
  step.state = { ...step.state, regions: { ...regions, [name]: withoutVote(region, reason) } };
  decideAfterLostVote(step, result.scheduled_at, reason);
}

function applySilence(step: MonitorStep, item: MonitorItem & { kind: 'silent' }): void {
  const { region: name, at, reason = 'silent' } = item;
  const { config, regions, witnesses } = step.state;
  const region = regions[name];
  if (config.status !== 'active') return;
  if (witnesses?.[name] && witnesses[name].at < at) {
    const { [name]: _stale, ...others } = witnesses;
    step.state = { ...step.state, witnesses: others };
    decideAfterLostVote(step, at, 'no data');
  }
  const isSilent = region && region.verdict !== 'unknown' && (region.last_at ?? 0) < at;
  if (!isSilent) return;
  step.state = { ...step.state, regions: { ...regions, [name]: withoutVote(region, reason) } };
  decideAfterLostVote(step, at, reason === 'silent' ? 'no data' : reason);
}

/** Regions gain or lose their vote as soon as they gain or lose the monitor. */
function applyAssigned(
  step: MonitorStep, { assigned, domains, at }: MonitorItem & { kind: 'assigned' },
): void {
  step.state = { ...step.state, config: { ...step.state.config, assigned, domains } };
  if (!step.state.heartbeat) decideAfterLostVote(step, at, 'assigned regions changed');
}

/** Drops a vote that is stale or no longer needed. */
function applyWitness(
  step: MonitorStep, { region, check_revision: revision, witness }: MonitorItem & { kind: 'witness' },
): void {
  const { config, witnesses } = step.state;
  if (revision < config.check_revision || isAssigned(config, region) || !needsMoreVotes(step.state)) return;
  step.state = { ...step.state, witnesses: { ...witnesses, [region]: witness } };
  decideAfterLostVote(step, witness.at, 'another region was asked');
}

function acceptMinority(step: MonitorStep, at: number): void {
  if (!needsMoreVotes(step.state)) return;
  step.state = { ...step.state, minority_accepted: true };
  decideAfterLostVote(step, at, 'too few regions report');
}

function applyConfig(step: MonitorStep, config: MonitorConfig): void {
  const { config: old, status, outage } = step.state;
  const { changed_at: at } = config;
  if (config.revision < old.revision) return;
  const heartbeat = heartbeatAfterConfig(step.state, config);
  const settled = mergeMaintenance(old, carryOverAssigned(old, recordFormerRegions(old, config)));
  const changes = { config: settled, ...(heartbeat ? { heartbeat } : {}) };
  if (config.status === 'active' && old.status === 'active') {
    // Results of another check prove no more about this one than results after a pause.
    const account = config.check_revision === old.check_revision ? accountCertain : accountMonitored;
    step.state = { ...account(step.state, at), ...changes };
    if (!heartbeat) decide(step, at, 'configuration changed');
    return;
  }
  // An inactive monitor cannot recover, so its incident ends without an alert.
  if (config.status !== 'active' && outage) step.resolve(outage, at);
  const ended = config.status === 'active' ? step.state : { ...step.state, outage: null };
  step.state = { ...accountMonitored(ended, at), ...changes };
  if (config.status !== 'active' && status === 'paused') return;
  step.state = { ...step.state, regions: {} };
  if (config.status === 'active') moveStatus(step, { to: 'unknown', at, reason: 'resumed' });
  else moveStatus(step, { to: 'paused', at, reason: config.status });
}
