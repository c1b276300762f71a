import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { MonitorLive } from '../results/reading/live.ts';
import type { PeriodStats } from '../results/reading/periods.ts';
import type { listedMonitorView, listStats, monitorStatsAnswer, monitorView } from './answers.ts';
import { timeoutMs, type MonitorDoc } from './monitor.ts';
import { nextCheckAt, runtimeStatus } from './rules.ts';
import { CHECK_TYPES } from './settings/registry.ts';

export type IncidentStatus = 'open' | 'acknowledged' | 'resolved' | 'closed';

/** What is known of a monitor beside its document. */
export interface MonitorFacts {
  live: MonitorLive | null;
  stats: PeriodStats | null;
  /** Of the live state's open incident; null when it has none or a person has closed it. */
  incidentStatus: IncidentStatus | null;
  groupName?: string | undefined;
}

type MonitorView = z.input<typeof monitorView>;
type ListStats = z.input<typeof listStats>;

/** A monitor as the read of one shows it: one that is not active reads `paused`. */
export function viewMonitor(doc: MonitorDoc, live: MonitorLive | null): MonitorView {
  return viewFields(doc, live, { runtimeStatus: runtimeStatus(doc, live) });
}

/** A monitor as the list shows it. */
export function viewListedMonitor(doc: MonitorDoc, facts: MonitorFacts, now: number): z.input<typeof listedMonitorView> {
  const last = facts.live?.last_check_at ?? facts.stats?.last_check_at ?? null;
  const next = nextCheckAt(doc, facts.live?.regions.length ?? 1, now);
  const stats = viewListStats(facts, now);
  return viewFields(doc, facts.live, {
    runtimeStatus: health(doc, facts.live),
    last_check_at: last === null ? undefined : Math.floor(last / 1000),
    next_check_at: next === null ? undefined : Math.floor(next / 1000),
    stats: stats ?? undefined,
    group_name: facts.groupName,
  });
}

/** Null when there is no uptime to tell. */
export function viewStats(doc: MonitorDoc, facts: MonitorFacts, now: number): z.input<typeof monitorStatsAnswer> | null {
  const { stats, live } = facts;
  if (stats === null || stats.uptime_percentage === null) return null;
  const incident = openIncident(facts, now);
  return {
    uptime_percentage: stats.uptime_percentage,
    avg_response_time: stats.avg_response_time ?? 0,
    total_checks: stats.total_checks,
    failed_checks: stats.failed_checks,
    last_check_at: latest(stats.last_check_at, live?.last_check_at),
    last_success_at: latest(stats.last_success_at, live?.last_success_at),
    last_failure_at: latest(stats.last_failure_at, live?.last_failure_at),
    runtime_status: health(doc, live),
    current_incident:
      incident === null
        ? null
        : { id: incident.id, started_at: incident.startedAt, downtime_minutes: incident.downtimeMinutes, status: incident.status, severity: incident.severity },
  };
}

function viewListStats(facts: MonitorFacts, now: number): ListStats | null {
  const { stats, live } = facts;
  if (stats === null || stats.uptime_percentage === null) return null;
  return {
    uptime: stats.uptime_percentage,
    averageResponseTime: stats.avg_response_time ?? 0,
    totalChecks: stats.total_checks,
    failedChecks: stats.failed_checks,
    lastChecked: isoTime(latest(stats.last_check_at, live?.last_check_at)),
    lastFailureAt: latest(stats.last_failure_at, live?.last_failure_at),
    lastSuccessAt: latest(stats.last_success_at, live?.last_success_at),
    currentIncident: openIncident(facts, now),
  };
}

function openIncident(facts: MonitorFacts, now: number): ListStats['currentIncident'] {
  const open = facts.live?.open_incident ?? null;
  const status = facts.incidentStatus;
  if (open === null || (status !== 'open' && status !== 'acknowledged')) return null;
  const downtimeMinutes = Math.max(0, Math.floor((now - open.started_at) / 60_000));
  return { id: open.id, startedAt: isoTime(open.started_at), downtimeMinutes, status, severity: open.severity };
}

/** Lists and statistics know no `paused`: what is not checked is unknown. */
function health(doc: MonitorDoc, live: MonitorLive | null): 'up' | 'down' | 'degraded' | 'unknown' {
  const status = runtimeStatus(doc, live);
  return status === 'paused' ? 'unknown' : status;
}

function latest(one: number | null | undefined, other: number | null | undefined): number | null {
  const known = [one, other].filter((at): at is number => typeof at === 'number');
  return known.length === 0 ? null : Math.round(Math.max(...known));
}

/**
 * Begins with fields that are written out: to add to a copy of so wide an object costs a hidden class for
 * each.
 */
function viewFields<More>(doc: MonitorDoc, live: MonitorLive | null, more: More): Omit<MonitorView, 'runtimeStatus'> & More {
  const lastPing = doc.type === 'HEARTBEAT' ? live?.last_heartbeat_at : null;
  return {
    id: doc._id,
    organization_id: doc.organization_id,
    created_by: doc.created_by,
    name: doc.name,
    type: doc.type,
    target: doc.target,
    interval_seconds: doc.interval_seconds,
    status: doc.status,
    configState: doc.status,
    created_at: Math.floor(doc.created_at / 1000),
    updated_at: Math.floor(doc.updated_at / 1000),
    timeout_ms: timeoutMs(doc),
    confirmation_policy: doc.confirmation_policy,
    ...more,
    ssl_monitoring: doc.ssl_monitoring ?? undefined,
    domain_monitoring: doc.domain_monitoring ?? undefined,
    group_id: doc.group_id ?? undefined,
    notification_target_ids: doc.notification_target_ids.length === 0 ? undefined : doc.notification_target_ids,
    last_heartbeat_at: typeof lastPing === 'number' ? Math.floor(lastPing / 1000) : undefined,
    ...CHECK_TYPES[doc.type].view(doc),
  };
}
