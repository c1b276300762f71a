import type { Tenant } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import type { MonitoredTime } from '../../results/reading/daily-uptimes.ts';
import type { RecentHour } from '../../results/reading/recent/recent-hours.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { cellsOf, sumOf } from '../counts/count-rules.ts';
import type { MonitorDeps } from '../deps.ts';
import type { OverviewDoc } from '../list/list-store.ts';
import type { OpenIncident } from '../ports.ts';
import { currentIncidents } from '../verbs/current-incidents.ts';
import type { OverviewInput } from './responses.ts';

/** Includes today. */
export const OVERVIEW_DAYS = 90;
/** Monitors processed before the event loop gets a turn. */
const BATCH_SIZE = 250;

/** Facts that are not in the monitor's document. Hours and days are null unless requested. */
export interface OverviewFacts {
  live: MonitorLive | null;
  incident: OpenIncident | null;
  hours: readonly RecentHour[] | null;
  /** Oldest first; the last one is today. */
  days: readonly MonitoredTime[] | null;
}

interface OverviewPage {
  total: number;
  /** One more than the page if there is another page. */
  docs: OverviewDoc[];
  /** In batches, in the order of the page. */
  facts: AsyncIterable<{ doc: OverviewDoc; facts: OverviewFacts }[]>;
}

/**
 * A page of monitors by creation time, with the facts that an overview shows. Iterating over `facts` throws
 * SERVICE_UNAVAILABLE if hours or days are requested and a shard owner does not respond.
 */
export async function readMonitorOverview(
  deps: MonitorDeps, { tenant, now }: ProjectContext, { ids, limit, cursor: after, include }: OverviewInput,
): Promise<OverviewPage> {
  const [counts, docs] = await Promise.all([
    deps.counts.read(tenant), deps.lists.byCreation(tenant, { ids, after, limit: limit + 1 }),
  ]);
  const wanted = { hours: include.includes('hours'), days: include.includes('days') };
  const facts = factsOf(deps, tenant, docs.slice(0, limit), { ...wanted, now });
  return { total: sumOf(cellsOf(counts.cells)), docs, facts };
}

async function* factsOf(
  deps: MonitorDeps, tenant: Tenant, docs: readonly OverviewDoc[],
  { now, ...wanted }: { hours: boolean; days: boolean; now: number },
) {
  const { readers: { live, overview } } = deps;
  for (let first = 0; first < docs.length; first += BATCH_SIZE) {
    const batch = docs.slice(first, first + BATCH_SIZE);
    const ids = batch.map((doc) => doc._id);
    const needsHours = wanted.hours || wanted.days;
    const recent = needsHours ? await overview.hours.of(ids, now) : null;
    const states = recent === null ? await live.states(ids) : null;
    const dailyTimes = wanted.days ? await overview.days.times(ids, OVERVIEW_DAYS - 1, true, now) : null;
    const stateOf = (id: string) => recent?.get(id)?.live ?? states?.get(id) ?? null;
    const incidents = await currentIncidents(deps, tenant, new Map(ids.map((id) => [id, stateOf(id)])));
    yield batch.map((doc) => {
      const state = stateOf(doc._id);
      const { hours = null } = recent?.get(doc._id) ?? {};
      const days = dailyTimes?.get(doc._id) ?? null;
      return { doc, facts: {
        live: state, incident: incidents.get(doc._id) ?? null, hours: wanted.hours ? hours : null,
        days: days && [...days, todayOf(hours ?? [], now)],
      } };
    });
  }
}

/** Sums the recent hours that belong to today (UTC). */
function todayOf(hours: readonly RecentHour[], now: number): MonitoredTime {
  const count = Math.floor((now % DAY_MS) / HOUR_MS) + 1;
  const today = { up: 0, monitored: 0 };
  for (const { up, monitored } of hours.slice(-count)) {
    today.up += up;
    today.monitored += monitored;
  }
  return today;
}
