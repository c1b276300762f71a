import { z } from 'zod';
import { bookWatched, HOUR_MS } from '../../verdicts/booking-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import { fillGap } from '../hours/rollup.ts';
import { noCounts } from '../hours/row-layout.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import { monitorLive, viewLive } from './live.ts';
import { recentResult, viewRecent, type RecentResult } from './periods.ts';

/** What a shard's owner knows about a monitor and no document has yet; sent between controllers. */
export const openMonitor = z.object({
  monitor_id: z.string(),
  live: monitorLive,
  /** Changes whenever the owner writes rollups of the monitor; owners of earlier versions do not send it. */
  written: z.string().optional(),
  /**
   * Hours that rollups lack. `first_entry` and `last_entry` are null if no results wait, `times` if no time
   * is booked; owners of earlier versions send no `last_entry`.
   */
  hours: z.array(z.object({
    hour: z.number(),
    first_entry: z.number().nullable(),
    last_entry: z.number().nullable().optional(),
    counts: z.object({
      total: z.number(), failed: z.number(), missed: z.number(), time_sum: z.number(), time_count: z.number(),
    }),
    times: z.tuple([z.number(), z.number(), z.number()]).nullable(),
  })),
});
export type OpenMonitor = z.infer<typeof openMonitor>;

export const openAnswer = z.object({ monitors: z.array(openMonitor), recent: z.array(recentResult) });
export type OpenAnswer = z.infer<typeof openAnswer>;

export const openRequest = z.object({
  monitor_ids: z.array(z.string()).max(2000), recent: z.int().min(0).max(100),
});

/** A monitor with its time booked up to `now`. `writer` is the owner's token. */
export function toOpenMonitor(id: string, monitor: LiveMonitor, now: number, writer: string): OpenMonitor {
  const state = bookWatched(monitor.state, now);
  const hours = new Set([...monitor.hours.keys(), ...Object.keys(state.booked).map(Number)]);
  return {
    monitor_id: id,
    written: `${writer}/${monitor.writes}`,
    live: viewLive(state),
    hours: [...hours].sort((a, b) => a - b).map((hour) => {
      const rows = monitor.hours.get(hour);
      const times = withLate(state.booked[hour] ?? null, rows?.late ?? null, state.config.interval_ms);
      const counts = { ...(rows?.counts ?? noCounts()) };
      const entries = { first_entry: rows?.firstEntry ?? null, last_entry: rows?.lastEntry ?? null };
      return { hour, ...entries, counts, times };
    }),
  };
}

/** The times of an hour and those of its late results. */
function withLate(booked: HourTimes | null, late: HourTimes | null, intervalMs: number): HourTimes | null {
  if (late === null) return booked;
  const times: HourTimes = booked === null ? [0, 0, 0] : [...booked];
  fillGap(times, late, intervalMs);
  return times;
}

/** A monitor's newest results that are still in the owner's memory, newest first. */
export function recentOf(id: string, { hours }: LiveMonitor, limit: number): RecentResult[] {
  const newest = Math.max(...hours.keys(), 0);
  const rows = [newest, newest - HOUR_MS].flatMap((hour) => hours.get(hour)?.after(0) ?? []);
  const checks = rows.filter((row) => row.outcome !== 'missed').sort((a, b) => b.started_at - a.started_at);
  return checks.slice(0, limit).map((row) => viewRecent(id, row));
}
