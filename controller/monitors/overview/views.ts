import type { z } from 'zod';
import type { ProjectRole } from '../../access/tenant.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import { percentOf, type MonitoredTime } from '../../results/reading/daily-uptimes.ts';
import { RECENT_HOURS } from '../../results/reading/recent/recent-hours.ts';
import { DAY_MS, HOUR_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { OverviewDoc } from '../list/list-store.ts';
import { isInMaintenance, runtimeStatus, shownTarget } from '../monitor.ts';
import { cursorOf, type monitorOverview, type overviewResponse } from './responses.ts';
import { OVERVIEW_DAYS, type OverviewFacts } from './verbs.ts';

type View = z.input<typeof monitorOverview>;

const MONTH_DAYS = 30;

/** Conceals the token of a heartbeat from roles that may not see credentials. */
export function viewOverviewMonitor(
  { doc, facts }: { doc: OverviewDoc; facts: OverviewFacts }, role: ProjectRole,
): View {
  const { _id: id, name, type, status, interval_seconds, group_id, tags, created_at } = doc;
  const { live, hours, days } = facts;
  const regions = live?.regions ?? [];
  return {
    id, name, type, target: shownTarget(doc, role), status, runtimeStatus: runtimeStatus(doc, live),
    since: live === null ? null : Math.floor(live.since), in_maintenance: isInMaintenance(doc, live),
    interval_seconds, group_id: group_id ?? null, tags, created_at,
    region_ids: regions.map(({ region }) => region),
    down_region_ids: regions.flatMap((one) => (one.status === 'down' ? [one.region] : [])),
    last_check_at: live?.last_check_at ?? null,
    response_time_ms: latestTime(regions),
    incident: viewIncident(facts),
    ...(hours === null ? {} : {
      uptime_24h: uptimeOver(hours), hours: hours.map(floored),
      response_times: hours.map(({ response_time_ms: ms }) => (ms === null ? null : Math.round(ms))),
    }),
    ...(days === null ? {} : {
      uptime_30d: uptimeOver(days.slice(-MONTH_DAYS)), uptime_90d: uptimeOver(days), days: days.map(floored),
    }),
  };
}

/** The page without its monitors. `docs` has one more than `limit` if there is another page. */
export function viewOverviewPage(
  docs: readonly OverviewDoc[], limit: number, total: number, now: number,
): Omit<z.input<typeof overviewResponse>, 'monitors'> {
  const last = docs.length > limit ? docs[limit - 1] : undefined;
  return {
    total_count: total, next_cursor: last === undefined ? null : cursorOf(last),
    first_hour: hourOf(now) - (RECENT_HOURS - 1) * HOUR_MS,
    first_day: now - (now % DAY_MS) - (OVERVIEW_DAYS - 1) * DAY_MS,
  };
}

function viewIncident({ incident }: OverviewFacts): View['incident'] {
  if (incident === null) return null;
  const { id, severity, status, started_at } = incident;
  return { id, severity, status, started_at: Math.floor(started_at) };
}

/** Response time of the region that checked last. */
function latestTime(regions: MonitorLive['regions']): number | null {
  let latest: MonitorLive['regions'][number] | null = null;
  for (const one of regions) {
    const isLater = (one.last_check_at ?? 0) >= (latest?.last_check_at ?? 0);
    if (one.response_time_ms !== null && isLater) latest = one;
  }
  return latest?.response_time_ms ?? null;
}

function uptimeOver(times: readonly MonitoredTime[]): number | null {
  const sum = { up: 0, monitored: 0 };
  for (const { up, monitored } of times) {
    sum.up += up;
    sum.monitored += monitored;
  }
  return floored(sum);
}

/** Rounds down to two decimals, so that an incomplete uptime never shows as 100 %. */
function floored(time: MonitoredTime): number | null {
  const percent = percentOf(time);
  return percent === null ? null : Math.floor(percent * 100) / 100;
}
