import { z } from 'zod';
import { shardQuery, type ShardQueries } from '../../shards/shard-queries.ts';
import { storedResult, type StoredResult } from '../../hours/stored-result.ts';
import { rowsOf } from '../../hours/hour-rows.ts';

/** Results per response: about 150 kB as JSON. */
const ROWS_PER_PAGE = 500;

/** `hours`: all hours with unwritten results; `rows`: those of the requested hour. */
const rowsResponse = z.object({ hours: z.array(z.number()), rows: z.array(storedResult) });

/** Results of an hour that are in no block yet. */
export const unwrittenRowsQuery = shardQuery({
  name: 'rows',
  needsHours: true,
  params: z.object({
    monitor_id: z.string(), hour: z.number(), skip: z.int().min(0), after: z.int().min(0).optional(),
  }),
  response: rowsResponse,
  fromMemory: ({ state }, { monitor_id, hour, skip, after = 0 }) => {
    const monitor = state.monitors.get(monitor_id);
    if (!monitor) return { hours: [], rows: [] };
    const rows = rowsOf(monitor, hour)?.after(after).slice(skip, skip + ROWS_PER_PAGE) ?? [];
    return { hours: monitor.hours.map((other) => other.hour), rows };
  },
});

/**
 * Hours of a monitor with unwritten results.
 * @throws AppError SERVICE_UNAVAILABLE if the owner does not respond.
 */
export async function unwrittenHours(owners: ShardQueries, monitorId: string): Promise<number[]> {
  const params = { monitor_id: monitorId, hour: -1, skip: 0 };
  return (await owners.request(owners.shardMap.of(monitorId), unwrittenRowsQuery, params)).hours;
}

/**
 * The owner's results of an hour from journal entries after `after`. Results written meanwhile may be
 * missing; a block read later includes them.
 * @throws AppError SERVICE_UNAVAILABLE if the owner does not respond.
 */
export async function unwrittenRows(
  owners: ShardQueries, monitorId: string, hour: number, after = 0,
): Promise<StoredResult[]> {
  const rows: StoredResult[] = [];
  for (;;) {
    const params = { monitor_id: monitorId, hour, skip: rows.length, after };
    const page = await owners.request(owners.shardMap.of(monitorId), unwrittenRowsQuery, params);
    rows.push(...page.rows);
    if (page.rows.length < ROWS_PER_PAGE) return rows;
  }
}
