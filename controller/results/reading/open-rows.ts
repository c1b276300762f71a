import { z } from 'zod';
import { shardOf } from '../../../shared/ids.ts';
import { errorType, missedReason, timings } from '../../../shared/contracts/result.ts';
import { shardQuestion, type ShardQuestions } from '../shards/shard-questions.ts';
import type { StoredResult } from '../hours/stored-result.ts';

/** Results in one answer: some 150 kB as JSON. */
const ROWS_AT_ONCE = 500;

const asked = z.object({ monitor_id: z.string(), hour: z.number(), skip: z.int().min(0) });

const row: z.ZodType<StoredResult> = z.object({
  region: z.string(), probe_id: z.string(), scheduled_at: z.number(), started_at: z.number(), outcome: z.enum(['success', 'failure', 'missed']),
  degraded: z.boolean(), reason: z.enum(['schedule', 'confirm', 'manual']), attempt: z.number(), late: z.boolean(),
  response_time_ms: z.number().nullable(), status_code: z.number().nullable(), error: z.object({ type: errorType, message: z.string() }).nullable(),
  missed: z.object({ reason: missedReason, count: z.number() }).nullable(), timings: timings.nullable(),
});

/** `hours` are all that the owner holds results of; `rows` those of the hour that was asked for. */
const answered = z.object({ hours: z.array(z.number()), rows: z.array(row) });

/** Results of an hour that are in no block yet. */
export const openRowsQuestion = shardQuestion({
  name: 'rows',
  asked,
  answered,
  fromMemory: ({ state }, { monitor_id, hour, skip }) => {
    const hours = state.monitors.get(monitor_id)?.hours;
    return { hours: [...(hours?.keys() ?? [])], rows: hours?.get(hour)?.after(0).slice(skip, skip + ROWS_AT_ONCE) ?? [] };
  },
});

/** Hours of a monitor that its owner holds results of; none when it does not answer. */
export async function openHours(owners: ShardQuestions, monitorId: string): Promise<number[]> {
  return (await owners.ask(shardOf(monitorId), openRowsQuestion, { monitor_id: monitorId, hour: -1, skip: 0 }))?.hours ?? [];
}

/** What the owner holds of an hour. What is written meanwhile may be missing: it is in the block of whoever reads that afterwards. */
export async function openRows(owners: ShardQuestions, monitorId: string, hour: number): Promise<StoredResult[]> {
  const rows: StoredResult[] = [];
  for (;;) {
    const answer = await owners.ask(shardOf(monitorId), openRowsQuestion, { monitor_id: monitorId, hour, skip: rows.length });
    if (answer === null) return rows;
    rows.push(...answer.rows);
    if (answer.rows.length < ROWS_AT_ONCE) return rows;
  }
}
