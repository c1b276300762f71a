import { z } from 'zod';
import { errorType } from '../../../shared/contracts/result.ts';
import { bookWatched, HOUR_MS } from '../../verdicts/booking-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { RecentResult } from './periods.ts';
import { fillGap } from '../hours/rollup.ts';

const status = z.enum(['up', 'down', 'degraded', 'paused', 'unknown']);
const instant = z.number().nullable();

/** What the owner of a shard knows of a monitor and no document tells yet; also the answer between controllers. */
export const openMonitor = z.object({
  monitor_id: z.string(),
  live: z.object({
    status,
    since: z.number(),
    last_check_at: instant,
    last_success_at: instant,
    last_failure_at: instant,
    last_heartbeat_at: instant.optional(),
    open_incident: z.object({
      id: z.string(), started_at: z.number(), severity: z.enum(['critical', 'major', 'minor', 'warning']), type: errorType,
      failure_count: z.number().optional(),
    }).nullable(),
    regions: z.array(z.object({
      region: z.string(), status, reason: z.string().nullable(), last_check_at: instant,
      response_time_ms: z.number().nullable(), probe_id: z.string().nullable(),
    })),
  }),
  /** Another one whenever the owner has written rollups of the monitor; absent when it was not asked. */
  written: z.string().optional(),
  /** Hours that are not, or not wholly, in rollups. `first_entry` is null when no results wait, `times` when none is booked. */
  hours: z.array(z.object({
    hour: z.number(),
    first_entry: z.number().nullable(),
    counts: z.object({ total: z.number(), failed: z.number(), missed: z.number(), time_sum: z.number(), time_count: z.number() }),
    times: z.tuple([z.number(), z.number(), z.number()]).nullable(),
  })),
});
export type OpenMonitor = z.infer<typeof openMonitor>;

export const openAnswer = z.object({
  monitors: z.array(openMonitor),
  recent: z.array(z.object({
    monitor_id: z.string(), success: z.boolean(), response_time_ms: z.number().nullable(), status_code: z.number().nullable(), checked_at: z.number(),
  })),
});
export type OpenAnswer = z.infer<typeof openAnswer>;

export const openRequest = z.object({ monitor_ids: z.array(z.string()).max(2000), recent: z.int().min(0).max(100) });

/** The owner's knowledge of one monitor, its time booked up to `now`. `writer`: the owner's token; null for a document alone. */
export function toOpenMonitor(monitorId: string, cell: LiveMonitor, now: number, writer: string | null): OpenMonitor {
  const state = bookWatched(cell.state, now);
  const open = state.outage ?? state.slow;
  const hours = new Set([...cell.hours.keys(), ...Object.keys(state.booked).map(Number)]);
  return {
    monitor_id: monitorId,
    ...(writer === null ? {} : { written: `${writer}/${cell.writes}` }),
    live: {
      status: state.status, since: state.since, last_check_at: state.last_check_at,
      last_success_at: state.last_success_at, last_failure_at: state.last_failure_at,
      ...(state.heartbeat ? { last_heartbeat_at: state.heartbeat.last_at } : {}),
      open_incident: open === null ? null : {
        id: open.incident_id, started_at: open.started_at, severity: open.severity, type: open.type, failure_count: open.failure_count,
      },
      regions: Object.entries(state.regions).map(([region, view]) => ({
        region, status: view.verdict === 'up' && view.degraded ? 'degraded' : view.verdict, reason: view.reason ?? view.error?.message ?? null,
        last_check_at: view.last_at, response_time_ms: view.response_time_ms, probe_id: view.probe_id,
      })),
    },
    hours: [...hours].sort((a, b) => a - b).map((hour) => ({
      hour, first_entry: cell.hours.get(hour)?.firstEntry ?? null,
      counts: { ...(cell.hours.get(hour)?.counts ?? { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 }) },
      times: withLate(state.booked[hour] ?? null, cell.hours.get(hour)?.late ?? null, state.config.interval_ms),
    })),
  };
}

/** The times of an hour with what came late, an interval each. */
function withLate(booked: HourTimes | null, late: HourTimes | null, intervalMs: number): HourTimes | null {
  if (late === null) return booked;
  const times: HourTimes = booked === null ? [0, 0, 0] : [...booked];
  for (const column of [0, 1, 2] as const) fillGap(times, column, late[column] * intervalMs);
  return times;
}

/** The newest results of a monitor that are still in the owner's memory, newest first. */
export function recentOf(monitorId: string, cell: LiveMonitor, limit: number): RecentResult[] {
  const newest = Math.max(...cell.hours.keys(), 0);
  const rows = [newest, newest - HOUR_MS].flatMap((hour) => cell.hours.get(hour)?.after(0) ?? []);
  return rows
    .filter((row) => row.outcome !== 'missed')
    .sort((a, b) => b.started_at - a.started_at)
    .slice(0, limit)
    .map((row) => ({
      monitor_id: monitorId, success: row.outcome === 'success', response_time_ms: row.response_time_ms, status_code: row.status_code, checked_at: row.started_at,
    }));
}
