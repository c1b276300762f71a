import { HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes, StatusChange } from '../../controller/verdicts/monitor-state.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { rowsOf } from './check-results.ts';
import { referenceOf } from './reference.ts';
import { report, settle, type SeedReport } from './run-seed.ts';
import type { StoredIncident } from './simulated-database.ts';
import { MINUTE_MS, START_MS, World } from './world.ts';

const SHARD = 2;
export const INTERVAL_MS = 5 * MINUTE_MS;

const OFFLINE_HOURS = fewOrAll(5, 24);
/** The probe is offline between these two times, Unix ms. */
export const CUT_OFF = { from: START_MS + HOUR_MS, until: START_MS + (1 + OFFLINE_HOURS) * HOUR_MS };
/** Outages of the target: hours after the first time, and length in minutes. */
const OUTAGES = [[OFFLINE_HOURS / 12, 30], [OFFLINE_HOURS / 2.4, 40], [OFFLINE_HOURS / 1.2, 15]] as const;

export interface DayOffline extends Pick<SeedReport, 'violations'> {
  /** Results of the offline probe's scheduled checks, without rechecks. */
  rows: StoredResult[];
  /** Each full hour's accounted time as up, degraded and down, ms. */
  hours: Map<number, HourTimes>;
  outages: { from: number; until: number }[];
  incidentList: StoredIncident[];
  /** Events of incident alerts, and of all other alerts except those of certificates. */
  pages: string[];
  notices: string[];
  statuses: StatusChange[];
}

/** The first region's probe loses the bus for hours, in which its target fails three times. */
export async function aDayOffline(regions: string[]): Promise<DayOffline> {
  const world = new World({ seed: 5, controllers: 1, regions });
  const { monitor_id: id } =
    world.createMonitor({ shard: SHARD, interval_ms: INTERVAL_MS, retries: 1, monitoring_regions: regions });
  const outages = OUTAGES.map(([after, minutes]) => ({
    from: CUT_OFF.from + after * HOUR_MS, until: CUT_OFF.from + after * HOUR_MS + minutes * MINUTE_MS,
  }));
  world.targets.plan(id, outages);
  const probe = world.probes[0] as World['probes'][number];
  world.start();
  await world.run(CUT_OFF.from - START_MS);
  world.network.cutOff.add(probe.probeId);
  await world.run(CUT_OFF.until - CUT_OFF.from);
  world.network.cutOff.clear();
  await world.run(2 * HOUR_MS);
  await settle(world);
  const { state } = referenceOf(world.db, SHARD);
  const alerts = [...world.db.alerts.values()];
  const hours = new Map<number, HourTimes>();
  for (let hour = Math.ceil(CUT_OFF.from / HOUR_MS) * HOUR_MS; hour + HOUR_MS <= CUT_OFF.until; hour += HOUR_MS) {
    hours.set(hour, world.db.hours.get(`${id}:${hour / HOUR_MS}`)?.rollup.times ?? [0, 0, 0]);
  }
  return {
    violations: (await report(world, 5)).violations, outages, hours,
    rows: (rowsOf(world, state).get(id) ?? []).filter(({ probe_id, attempt, started_at: at }) =>
      probe_id === probe.probeId && attempt === 1 && at >= CUT_OFF.from && at < CUT_OFF.until),
    incidentList: [...world.db.incidents.values()],
    pages: alerts.filter(({ incident }) => incident !== null).map(({ event }) => event),
    notices: alerts.filter(({ incident }) => incident === null).map(({ event }) => event)
      .filter((event) => event !== 'monitor.ssl_expiring'),
    statuses: [...world.db.statusChanges.values()].filter(({ at }) => at >= CUT_OFF.from),
  };
}
