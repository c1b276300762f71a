import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes } from '../../controller/verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { spansByResults } from '../helpers/uptime-by-results.ts';
import { rowsOf } from './check-results.ts';
import type { Reference } from './reference.ts';
import type { World } from './world.ts';

/**
 * I6: recomputes the hours' times from stored results only and compares them with the rollups. Covers monitors in one region with
 * results in order and in time. Skips hours near gaps or late results.
 */
export function checkUptime(world: World, references: Reference[]): { violations: string[]; hours: number } {
  const violations: string[] = [];
  let hours = 0;
  for (const reference of references) {
    for (const [id, rows] of rowsOf(world, reference.state, false)) {
      const configs = world.history.get(id) ?? [];
      if (configs.length !== 1 || configs[0]?.monitoring_regions.length !== 1 && world.probes.length !== 1) {
        continue;
      }
      const config = configs[0] as MonitorConfig;
      const times = timesOf(config, rows);
      for (const hour of wholeHours(config, rows)) {
        const rollup = world.db.hours.get(`${id}:${hour / HOUR_MS}`)?.rollup;
        if (!rollup) continue;
        hours += 1;
        const wanted = times.get(hour) ?? [0, 0, 0];
        if (!isDeepStrictEqual(wanted, rollup.times)) {
          violations.push(
            `I6: hour ${new Date(hour).toISOString()} of ${id} has ${rollup.times}, by its results ${wanted}`,
          );
        }
      }
    }
  }
  return { violations: violations.slice(0, 5), hours };
}

/** Hours that results cover without gaps or late results, with a margin of over an interval on both sides. */
function wholeHours(config: MonitorConfig, rows: StoredResult[]): number[] {
  const sorted = [...rows].sort((a, b) => a.started_at - b.started_at);
  const first = sorted[0]?.started_at ?? 0;
  const last = sorted.at(-1)?.started_at ?? 0;
  const found: number[] = [];
  const marginMs = 3 * config.interval_ms;
  for (let hour = Math.ceil((first + marginMs) / HOUR_MS) * HOUR_MS; hour + HOUR_MS +
    marginMs < last; hour += HOUR_MS) {
    const around =
      sorted.filter((row) => row.started_at > hour - marginMs && row.started_at < hour + HOUR_MS + marginMs);
    const isWhole = around.every((row, at) => at === 0 ||
      row.started_at - (around[at - 1] as StoredResult).started_at <= config.interval_ms * 1.5);
    if (isWhole && around.every((row) => !row.late && row.outcome !== 'missed')) found.push(hour);
  }
  return found;
}

/** Ms up, degraded and down, by hour. */
function timesOf(config: MonitorConfig, rows: StoredResult[]): Map<number, HourTimes> {
  const times = new Map<number, HourTimes>();
  for (const { from, until, column: of } of spansByResults(rows, config)) {
    for (let hour = from - (from % HOUR_MS); hour < until; hour += HOUR_MS) {
      const previous = times.get(hour) ?? [0, 0, 0];
      previous[of] += Math.min(until, hour + HOUR_MS) - Math.max(from, hour);
      times.set(hour, previous);
    }
  }
  return times;
}
