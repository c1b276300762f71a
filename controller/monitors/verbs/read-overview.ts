import type { Tenant } from '../../accounts/tenant.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { OpenIncident } from '../../incidents/incident.ts';
import type { MonitorLive } from '../../results/reading/live.ts';
import type { WatchedTime } from '../../results/reading/past-days.ts';
import type { RecentHour } from '../../results/reading/recent-hours.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/booking-rules.ts';
import { cellsOf, sumOf } from '../counts/count-rules.ts';
import type { MonitorDeps } from '../deps.ts';
import type { OverviewDoc } from '../list/list-store.ts';
import type { OverviewInput } from '../overview/answers.ts';
import { currentIncidents } from './current-incidents.ts';

/** How many days back an overview goes, with today. */
export const OVERVIEW_DAYS = 90;
/** Monitors that are read before others have a turn. */
const AT_ONCE = 250;

/** What is known of a monitor besides its document; hours and days are null unless they were asked for. */
export interface OverviewFacts {
  live: MonitorLive | null;
  incident: OpenIncident | null;
  hours: readonly RecentHour[] | null;
  /** The oldest first; the last one is today. */
  days: readonly WatchedTime[] | null;
}

interface OverviewPage {
  total: number;
  /** One more than the page has, if there are more. */
  docs: OverviewDoc[];
  /** In batches, in the order of the page. */
  facts: AsyncIterable<{ doc: OverviewDoc; facts: OverviewFacts }[]>;
}

/**
 * A page of monitors in order of creation, with the facts that an overview shows.
 * @throws AppError SERVICE_UNAVAILABLE when hours are wanted and their owner does not answer.
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
  for (let first = 0; first < docs.length; first += AT_ONCE) {
    const batch = docs.slice(first, first + AT_ONCE);
    const ids = batch.map((doc) => doc._id);
    const isDeep = wanted.hours || wanted.days;
    const recent = isDeep ? await overview.hours.of(ids, now) : null;
    const states = recent === null ? await live.states(ids) : null;
    const past = wanted.days ? await overview.days.times(ids, OVERVIEW_DAYS - 1, true, now) : null;
    const stateOf = (id: string) => recent?.get(id)?.live ?? states?.get(id) ?? null;
    const incidents = await currentIncidents(deps, tenant, new Map(ids.map((id) => [id, stateOf(id)])));
    yield batch.map((doc) => {
      const state = stateOf(doc._id);
      const { hours = null } = recent?.get(doc._id) ?? {};
      const days = past?.get(doc._id) ?? null;
      return { doc, facts: {
        live: state, incident: incidents.get(doc._id) ?? null, hours: wanted.hours ? hours : null,
        days: days && [...days, todayOf(hours ?? [], now)],
      } };
    });
  }
}

/** Today from those of the recent hours that are in it. */
function todayOf(hours: readonly RecentHour[], now: number): WatchedTime {
  const count = Math.floor((now % DAY_MS) / HOUR_MS) + 1;
  const today = { up: 0, watched: 0 };
  for (const { up, watched } of hours.slice(-count)) {
    today.up += up;
    today.watched += watched;
  }
  return today;
}
