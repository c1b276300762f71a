import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import { canSeeCredentials, type ProjectRole } from '../access/tenant.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import type { PeriodStats } from '../results/reading/periods.ts';
import type {
  listedMonitorView, listStats, monitorStatsResponse, monitorView, settingsResponse,
} from './responses.ts';
import { isInMaintenance, type MonitorDoc, runtimeStatus, shownTarget, timeoutMs } from './monitor.ts';
import type { OpenIncident } from './ports.ts';
import { nextCheckAt } from './slot-rules.ts';
import { CHECK_TYPES, type TypeView } from './settings/registry.ts';

/** Facts about a monitor that are not in its document. */
export interface MonitorFacts {
  live: MonitorLive | null;
  stats: PeriodStats | null;
  /** The current incident. */
  incident: OpenIncident | null;
  groupName?: string | undefined;
}

type MonitorView = z.input<typeof monitorView>;
type ListStats = z.input<typeof listStats>;
type StatsView = z.input<typeof monitorStatsResponse>;

/** Conceals credentials from roles that may not see them. */
export function viewMonitor(doc: MonitorDoc, live: MonitorLive | null, role: ProjectRole): MonitorView {
  return viewFields(doc, live, role, {
    runtimeStatus: runtimeStatus(doc, live), in_maintenance: isInMaintenance(doc, live),
  });
}

/** Conceals credentials from roles that may not see them. */
export function viewListedMonitor(
  doc: MonitorDoc, facts: MonitorFacts, { now, role }: { now: number; role: ProjectRole },
): z.input<typeof listedMonitorView> {
  const { live, stats } = facts;
  const next = nextCheckAt(doc, live?.regions.length ?? 1, now);
  return viewFields(doc, live, role, {
    runtimeStatus: healthOf(doc, live), in_maintenance: isInMaintenance(doc, live),
    last_check_at: toSeconds(live?.last_check_at ?? stats?.last_check_at),
    next_check_at: toSeconds(next),
    stats: viewListStats(doc, facts, now),
    group_name: facts.groupName,
  });
}

/** Null if there is no uptime to show. */
export function viewStats(doc: MonitorDoc, facts: MonitorFacts, now: number): StatsView | null {
  const { stats, live } = facts;
  if (stats === null || stats.uptime_percentage === null) return null;
  const { uptime_percentage, avg_response_time, total_checks, failed_checks } = stats;
  return {
    uptime_percentage, avg_response_time: avg_response_time ?? 0, total_checks, failed_checks,
    last_check_at: latest(stats.last_check_at, live?.last_check_at),
    last_success_at: latest(stats.last_success_at, live?.last_success_at),
    last_failure_at: latest(stats.last_failure_at, live?.last_failure_at),
    runtime_status: healthOf(doc, live), in_maintenance: isInMaintenance(doc, live),
    current_incident: viewIncident(facts, now),
  };
}

function viewListStats(doc: MonitorDoc, facts: MonitorFacts, now: number): ListStats | undefined {
  const stats = viewStats(doc, facts, now);
  if (stats === null) return undefined;
  const { current_incident: incident } = stats;
  return {
    uptime: stats.uptime_percentage, averageResponseTime: stats.avg_response_time,
    totalChecks: stats.total_checks, failedChecks: stats.failed_checks,
    lastChecked: isoTime(stats.last_check_at),
    lastFailureAt: stats.last_failure_at, lastSuccessAt: stats.last_success_at,
    currentIncident: incident && {
      id: incident.id, startedAt: incident.started_at, downtimeMinutes: incident.downtime_minutes,
      status: incident.status, severity: incident.severity,
    },
  };
}

function viewIncident({ incident }: MonitorFacts, now: number): StatsView['current_incident'] {
  if (incident === null) return null;
  const { id, started_at: startedAt, severity, status } = incident;
  const minutes = Math.max(0, Math.floor((now - startedAt) / 60_000));
  return { id, started_at: isoTime(startedAt), downtime_minutes: minutes, status, severity };
}

/** Lists and statistics show `unknown` instead of `paused`. */
function healthOf(doc: MonitorDoc, live: MonitorLive | null): StatsView['runtime_status'] {
  const status = runtimeStatus(doc, live);
  return status === 'paused' ? 'unknown' : status;
}

function latest(...instants: (number | null | undefined)[]): number | null {
  const defined = instants.filter((at) => typeof at === 'number');
  return defined.length === 0 ? null : Math.round(Math.max(...defined));
}

function toSeconds(atMs: number | null | undefined): number | undefined {
  return typeof atMs === 'number' ? Math.floor(atMs / 1000) : undefined;
}

/** Starts with literal fields, because V8 would create a hidden class for each copy of so wide an object. */
function viewFields<More>(
  doc: MonitorDoc, live: MonitorLive | null, role: ProjectRole, more: More,
): Omit<MonitorView, 'runtimeStatus' | 'in_maintenance'> & More {
  const { _id: id, organization_id, created_by, name, type, interval_seconds, status } = doc;
  const { confirmation_policy, is_inverted, notification_target_ids: targets } = doc;
  return {
    id, organization_id, created_by, managed_by: doc.managed_by ?? null, name, type,
    target: shownTarget(doc, role), interval_seconds, status, configState: status,
    created_at: Math.floor(doc.created_at / 1000),
    updated_at: Math.floor(doc.updated_at / 1000),
    timeout_ms: timeoutMs(doc),
    confirmation_policy, is_inverted,
    ...more,
    ssl_monitoring: doc.ssl_monitoring ?? undefined,
    domain_monitoring: doc.domain_monitoring ?? undefined,
    runbook_url: doc.runbook_url ?? undefined, alert_severity: doc.alert_severity ?? undefined,
    group_id: doc.group_id ?? undefined,
    notification_target_ids: targets.length === 0 ? undefined : targets,
    depends_on: doc.depends_on.length === 0 ? undefined : doc.depends_on,
    last_heartbeat_at: toSeconds(type === 'HEARTBEAT' ? live?.last_heartbeat_at : null),
    ...CHECK_TYPES[type].view(doc, !canSeeCredentials(role)),
  };
}

type SettingsView = z.input<typeof settingsResponse>['settings'];

/**
 * All user settings of a monitor, with its group and dependencies in `references`. Includes unset fields, so
 * that an import clears them. Omits the token of a heartbeat, because it allows pings.
 */
export function viewSettings<References extends object>(
  doc: MonitorDoc, references: References, isConcealed: boolean,
): Omit<SettingsView, 'group_id' | 'depends_on'> & References {
  const view = CHECK_TYPES[doc.type].view(doc, isConcealed) as TypeView;
  const { port: _port, heartbeat_token: _token, last_heartbeat_at: _ping, ...settings } = view;
  const { name, type, target, interval_seconds, timeout_ms, status, http, heartbeat, ssl_monitoring } = doc;
  const { domain_monitoring, confirmation_policy, is_inverted, notification_target_ids } = doc;
  const { runbook_url, alert_severity, tags, monitoring_regions } = doc;
  return {
    name, type, ...(type === 'HEARTBEAT' ? {} : { target }), interval_seconds, timeout_ms, status,
    ...references,
    ...settings,
    ...(http && {
      slow_response_threshold_ms: http.slow_response_threshold_ms,
      slow_response_action: http.slow_response_action, auth: view.auth ?? null,
      body: http.body === null ? '' : view.body,
    }),
    ...(heartbeat && {
      heartbeat_interval: heartbeat.interval_seconds, heartbeat_schedule: heartbeat.schedule,
      heartbeat_timezone: heartbeat.timezone, max_runtime_seconds: heartbeat.max_runtime_seconds,
    }),
    ssl_monitoring, domain_monitoring, confirmation_policy, is_inverted, runbook_url, alert_severity,
    notification_target_ids, tags, monitoring_regions,
  };
}

/** `done` is a past participle, such as `paused`. */
export function viewBulk(ids: string[], done: string) {
  const message = `${ids.length} ${ids.length === 1 ? 'monitor' : 'monitors'} ${done}`;
  return { affected_count: ids.length, monitor_ids: ids, message };
}
