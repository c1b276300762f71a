import { DAY_MS, HOUR_MS, hourOf } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourStore } from '../../hours/hour-store.ts';
import { ResultColumns } from '../../hours/result-columns.ts';
import { steps } from '../../hours/rollup.ts';
import type { StoredResult } from '../../hours/stored-result.ts';
import type { ShardQueries } from '../../shards/shard-queries.ts';
import { unwrittenHours, unwrittenRows } from '../recent/unwritten-rows.ts';
import { uniteResults } from './result-order.ts';

/** Hours per read: some 100 kB for three regions that check once a minute. */
const HOURS_PER_READ = 48;

export interface StoredHour {
  /** Its start, Unix ms. */
  hour: number;
  columns: ResultColumns;
}

export interface StoredHoursDeps {
  owners: ShardQueries;
  rollups: Pick<HourStore, 'columns'>;
}

/** Reads all results of a monitor, hour by hour. */
export class StoredHours {
  readonly #deps: StoredHoursDeps;

  constructor(deps: StoredHoursDeps) {
    this.#deps = deps;
  }

  /**
   * The hours with results from that of `from` to that of `to` (Unix ms), in order. Reads from the owner
   * before blocks, so that results written meanwhile are included.
   */
  async *of(monitorId: string, from: number, to: number): AsyncGenerator<StoredHour> {
    const { owners, rollups } = this.#deps;
    const unwritten = new Set(await unwrittenHours(owners, monitorId));
    const end = Math.min(hourOf(to) + HOUR_MS, hourOf(from) + 100 * DAY_MS);
    for (const first of steps(hourOf(from), end, HOURS_PER_READ * HOUR_MS)) {
      const hours = steps(first, Math.min(end, first + HOURS_PER_READ * HOUR_MS), HOUR_MS);
      const held = new Map<number, StoredResult[]>();
      for (const hour of hours.filter((one) => unwritten.has(one))) {
        held.set(hour, await unwrittenRows(owners, monitorId, hour));
      }
      const found = await rollups.columns(hours.map((hour) => ({ monitor_id: monitorId, hour })));
      const written = new Map(found.map(({ hour, columns }) => [hour, columns]));
      for (const hour of hours) {
        const columns = united(held.get(hour), written.get(hour));
        if (columns !== undefined) yield { hour, columns };
      }
    }
  }
}

function united(
  unwritten: StoredResult[] | undefined, written: ResultColumns | undefined,
): ResultColumns | undefined {
  if (unwritten === undefined) return written;
  return ResultColumns.of(uniteResults(unwritten, written?.rows() ?? []).reverse());
}
