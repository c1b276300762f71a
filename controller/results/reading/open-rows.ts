import { z } from 'zod';
import { shardOf } from '../../../shared/ids.ts';
import { rowsOf } from '../state/live-monitor.ts';
import { shardQuestion, type ShardQuestions } from '../shards/shard-questions.ts';
import { storedResult, type StoredResult } from '../hours/stored-result.ts';

/** Results in one answer: some 150 kB as JSON. */
const ROWS_AT_ONCE = 500;

/** `hours` are all that the owner has results of; `rows` are those of the hour in question. */
const answered = z.object({ hours: z.array(z.number()), rows: z.array(storedResult) });

/** Results of an hour that are in no block yet. */
export const openRowsQuestion = shardQuestion({
  name: 'rows',
  asked: z.object({
    monitor_id: z.string(), hour: z.number(), skip: z.int().min(0), after: z.int().min(0).optional(),
  }),
  answered,
  fromMemory: ({ state }, { monitor_id, hour, skip, after = 0 }) => {
    const live = state.monitors.get(monitor_id);
    if (!live) return { hours: [], rows: [] };
    const rows = rowsOf(live, hour)?.after(after).slice(skip, skip + ROWS_AT_ONCE) ?? [];
    return { hours: live.hours.map((known) => known.hour), rows };
  },
});

/**
 * Hours of a monitor that its owner has results of.
 * @throws AppError SERVICE_UNAVAILABLE if it does not answer.
 */
export async function openHours(owners: ShardQuestions, monitorId: string): Promise<number[]> {
  const asked = { monitor_id: monitorId, hour: -1, skip: 0 };
  return (await owners.ask(shardOf(monitorId), openRowsQuestion, asked)).hours;
}

/**
 * The owner's results of an hour, of the journal's entries after `after`. Those written meanwhile may be
 * missing: a block read later has them.
 * @throws AppError SERVICE_UNAVAILABLE if it does not answer.
 */
export async function openRows(
  owners: ShardQuestions, monitorId: string, hour: number, after = 0,
): Promise<StoredResult[]> {
  const rows: StoredResult[] = [];
  for (;;) {
    const asked = { monitor_id: monitorId, hour, skip: rows.length, after };
    const answer = await owners.ask(shardOf(monitorId), openRowsQuestion, asked);
    rows.push(...answer.rows);
    if (answer.rows.length < ROWS_AT_ONCE) return rows;
  }
}
