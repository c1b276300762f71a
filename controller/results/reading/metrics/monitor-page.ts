import { z } from 'zod';
import { isInMaintenance } from '../../../verdicts/time-accounting/maintenance-rules.ts';
import type { RegionState, MonitorState } from '../../../verdicts/monitor-state.ts';
import { statusOfRegion } from '../../../verdicts/votes/region-rules.ts';
import type { RegionCounts } from './check-counts.ts';

/** In place of a number that is unknown or does not apply. */
export const NONE = -1;

/** Places of a monitor's numbers: times in s, shares from 0 to 1; the first three are places in `texts`. */
export const FIELD = {
  type: 0, project: 1, group: 2, up: 3, inMaintenance: 4, lastCheck: 5, certificateExpiry: 6, domainExpiry: 7,
  uptime24h: 8, uptime30d: 9, regions: 10,
} as const;
/** The number of regions is the last of them. */
export const MONITOR_FIELDS = 11;
/** Places of the numbers of each of its regions, which follow; `region` is a place in `texts`. */
export const REGION_FIELD = { region: 0, up: 1, responseTime: 2, success: 3, failure: 4, missed: 5 } as const;
export const REGION_FIELDS = 6;

/**
 * What metrics need of some monitors of a shard, sent between controllers. Numbers in one list take a fifth
 * of the memory of objects.
 */
export const monitorPage = z.object({
  /** Token of the shard's instance, because places do not outlast it. */
  writer: z.string(),
  /** Where the next page begins; null on the last one. */
  next: z.int().nullable(),
  /** Monitors whose uptimes are still being read. */
  pending: z.int(),
  ids: z.array(z.string()),
  names: z.array(z.string()),
  texts: z.array(z.string()),
  numbers: z.array(z.number()),
});
export type MonitorPage = z.infer<typeof monitorPage>;

interface MonitorMeasures {
  /** Uptimes of the last 24 hours and 30 days, from 0 to 1; NONE if unknown. */
  uptimes: readonly [day: number, month: number];
  countsOf(region: string): RegionCounts;
}

/** Collects monitors into a page. */
export class PageBuilder {
  readonly ids: string[] = [];
  readonly names: string[] = [];
  readonly numbers: number[] = [];
  readonly #places = new Map<string, number>();

  get texts(): string[] {
    return [...this.#places.keys()];
  }

  /** `now`: Unix ms. */
  add(state: MonitorState, now: number, { uptimes, countsOf }: MonitorMeasures): void {
    const { config, status, last_check_at: lastCheck } = state;
    const isActive = config.status === 'active';
    const regions = Object.keys(state.regions);
    this.ids.push(config.monitor_id);
    this.names.push(config.name);
    this.numbers.push(
      this.#placeOf(config.type), this.#placeOf(config.project_id),
      config.group_id ? this.#placeOf(config.group_id) : NONE,
      isActive ? upOf(status) : NONE, isActive && isInMaintenance(config, now) ? 1 : 0,
      secondsOf(lastCheck), secondsOf(certificateExpiryOf(state)), secondsOf(config.domain_expires_at),
      uptimes[0], uptimes[1], regions.length,
    );
    for (const name of regions) {
      const region = state.regions[name] as RegionState;
      const up = isActive ? upOf(statusOfRegion(region)) : NONE;
      const { response_time_ms: ms } = region;
      const { success, failure, missed } = countsOf(name);
      this.numbers.push(
        this.#placeOf(name), up, up === NONE || ms === null ? NONE : Math.round(ms * 10) / 10_000,
        success, failure, missed,
      );
    }
  }

  #placeOf(text: string): number {
    const place = this.#places.get(text) ?? this.#places.size;
    this.#places.set(text, place);
    return place;
  }
}

function upOf(status: MonitorState['status']): number {
  if (status === 'up' || status === 'degraded') return 1;
  return status === 'down' ? 0 : NONE;
}

function secondsOf(ms: number | null): number {
  return ms === null ? NONE : Math.round(ms) / 1000;
}

/** The earliest expiry among the certificates that regions see, Unix ms. */
function certificateExpiryOf({ certificate }: MonitorState): number | null {
  let earliest: number | null = null;
  for (const { expires_at: at } of certificate?.seen ?? []) {
    if (at !== null && (earliest === null || at < earliest)) earliest = at;
  }
  return earliest;
}
