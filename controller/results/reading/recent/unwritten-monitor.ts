import { z } from 'zod';
import { accountMonitored, HOUR_MS } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import { isInMaintenance } from '../../../verdicts/time-accounting/maintenance-rules.ts';
import type { MonitorConfig } from '../../../verdicts/monitor-config.ts';
import type { HourTimes, MonitorState } from '../../../verdicts/monitor-state.ts';
import { rowsOf, type HourRows } from '../../hours/hour-rows.ts';
import { fillGap, type Totals } from '../../hours/rollup.ts';
import { DEGRADED, isFilling, noCounts, outcomeOf, timesColumn } from '../../hours/row-layout.ts';
import type { LiveMonitor } from '../../state/live-monitor.ts';
import { recentResult, viewRecent, type RecentResult } from '../periods.ts';
import { errorType } from '../../../../shared/contracts/result.ts';
import { statusOfRegion } from '../../../verdicts/votes/region-rules.ts';

const status = z.enum(['up', 'down', 'degraded', 'paused', 'unknown']);
const instant = z.number().nullable();

/** A monitor as its shard's owner sees it. Timestamps are Unix ms. */
const monitorLive = z.object({
  status,
  since: z.number(),
  in_maintenance: z.boolean(),
  last_check_at: instant,
  last_success_at: instant,
  last_failure_at: instant,
  /** Heartbeats only: the latest ping that reported the end of a job. */
  last_heartbeat_at: instant.optional(),
  /** The incident of the outage, otherwise of the slow period. */
  open_incident: z.object({
    id: z.string(),
    started_at: z.number(),
    severity: z.enum(['critical', 'major', 'minor', 'warning']),
    type: errorType,
    /** Failures so far. */
    failure_count: z.number(),
  }).nullable(),
  regions: z.array(z.object({
    region: z.string(),
    status,
    /** Why it is not up. */
    reason: z.string().nullable(),
    last_check_at: instant,
    response_time_ms: z.number().nullable(),
    probe_id: z.string().nullable(),
  })),
});
export type MonitorLive = z.infer<typeof monitorLive>;

/** `now`: Unix ms. */
export function viewLive(state: MonitorState, now: number): MonitorLive {
  const open = state.outage ?? state.slow;
  return {
    status: state.status, since: state.since, in_maintenance: isInMaintenance(state.config, now),
    last_check_at: state.last_check_at,
    last_success_at: state.last_success_at, last_failure_at: state.last_failure_at,
    ...(state.heartbeat ? { last_heartbeat_at: state.heartbeat.last_at } : {}),
    open_incident: open === null ? null : {
      id: open.incident_id, started_at: open.started_at, severity: open.severity, type: open.type,
      failure_count: open.failure_count,
    },
    regions: Object.entries(state.regions).map(([region, seen]) => ({
      region, status: statusOfRegion(seen), reason: seen.reason ?? seen.error?.message ?? null,
      last_check_at: seen.last_at, response_time_ms: seen.response_time_ms, probe_id: seen.probe_id,
    })),
  };
}

const times = z.tuple([z.number(), z.number(), z.number()]);

/** A monitor's data that is not in a document yet. Sent between controllers. */
export const unwrittenMonitor = z.object({
  monitor_id: z.string(),
  live: monitorLive,
  /** Changes whenever the owner writes rollups of the monitor. */
  written: z.string(),
  /**
   * Hours that are not in rollups. `first_entry` and `last_entry` are null without unwritten results, `times`
   * without accounted time.
   */
  hours: z.array(z.object({
    hour: z.number(),
    first_entry: z.number().nullable(),
    last_entry: z.number().nullable(),
    counts: z.object({
      total: z.number(), failed: z.number(), missed: z.number(), time_sum: z.number(), time_count: z.number(),
    }),
    times: times.nullable(),
    /** The maintenance part of these times; absent without any. */
    maintenance: times.optional(),
  })),
});
export type UnwrittenMonitor = z.infer<typeof unwrittenMonitor>;

export const unwrittenResponse = z.object({
  monitors: z.array(unwrittenMonitor),
  recent: z.array(recentResult),
});
export type UnwrittenResponse = z.infer<typeof unwrittenResponse>;

export const unwrittenRequest = z.object({
  monitor_ids: z.array(z.string()).max(2000), recent: z.int().min(0).max(100),
});

export const liveResponse = z.array(unwrittenMonitor.pick({ monitor_id: true, live: true }));
export const liveRequest = unwrittenRequest.pick({ monitor_ids: true });

/** A monitor with time accounted up to `now`. `writer` is the owner's token. */
export function toUnwrittenMonitor(
  id: string, monitor: LiveMonitor, now: number, writer: string,
): UnwrittenMonitor {
  const state = accountMonitored(monitor.state, now);
  const accountedHours = Object.keys(state.accounted).map(Number);
  const hours = new Set([...monitor.hours.map(({ hour }) => hour), ...accountedHours]);
  return {
    monitor_id: id,
    written: `${writer}/${monitor.writes}`,
    live: viewLive(state, now),
    hours: [...hours].sort((a, b) => a - b).map((hour) => {
      const rows = rowsOf(monitor, hour);
      const counts = { ...(rows?.counts ?? noCounts()) };
      const entries = { first_entry: rows?.firstEntry ?? null, last_entry: rows?.lastEntry ?? null };
      return { hour, ...entries, counts, ...timesOf(state, hour, rows) };
    }),
  };
}

/** The accounted times of an hour, with those of its late results. */
function timesOf(
  { config, accounted, maintained }: MonitorState, hour: number, rows: HourRows | undefined,
): Pick<UnwrittenMonitor['hours'][number], 'times' | 'maintenance'> {
  if (!accounted[hour] && !rows?.late) return { times: null };
  const maintenanceTimes: HourTimes = [...(maintained?.[hour] ?? [0, 0, 0])];
  const whole: Pick<Totals, 'times' | 'maintenance'> = {
    times: [...(accounted[hour] ?? [0, 0, 0])],
    maintenance: { accounted: maintenanceTimes, times: maintenanceTimes },
  };
  if (rows?.late) {
    fillGap(whole, { all: rows.late, maintenance: lateIn(config, rows) }, config.interval_ms);
  }
  const hasMaintenance = maintenanceTimes.some((ms) => ms > 0);
  return { times: whole.times, ...(hasMaintenance ? { maintenance: maintenanceTimes } : {}) };
}

/** Late results in maintenance, by status. */
function lateIn(config: MonitorConfig, rows: HourRows): HourTimes {
  const late: HourTimes = [0, 0, 0];
  if (!config.maintenance?.length) return late;
  const columns = rows.columns(0);
  for (let at = 0; at < columns.length; at += 1) {
    const flags = columns.flags[at] as number;
    if (!isFilling(flags) || !isInMaintenance(config, columns.started[at] as number)) continue;
    late[timesColumn(outcomeOf(flags), (flags & DEGRADED) !== 0)] += 1;
  }
  return late;
}

/** A monitor's newest results that are still in the owner's memory, newest first. */
export function recentOf(id: string, monitor: LiveMonitor, limit: number): RecentResult[] {
  const newest = Math.max(...monitor.hours.map(({ hour }) => hour), 0);
  const rows = [newest, newest - HOUR_MS].flatMap((hour) => rowsOf(monitor, hour)?.after(0) ?? []);
  const checks = rows.filter((row) => row.outcome !== 'missed').sort((a, b) => b.started_at - a.started_at);
  return checks.slice(0, limit).map((row) => viewRecent(id, row));
}
