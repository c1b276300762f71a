import type { CheckResult } from '../../../shared/contracts/result.ts';
import { derivedId } from '../../../shared/ids.ts';
import type { JournalEntry } from '../journal/journal-store.ts';
import type { FailedItem } from '../state/entry-step.ts';
import type { LanePosition } from '../state/records.ts';

/** Rejected input with its reason. */
export interface DeadLetter {
  id: string;
  reason: DeadLetterReason;
  shard: number;
  region: string;
  probe_id: string;
  epoch: string | null;
  seq: number | null;
  monitor_id: string | null;
  /** The beginning of the result as JSON, or of the unreadable bytes. */
  content: string;
  at: number;
}

export type DeadLetterReason =
  | 'unreadable' | 'unknown_monitor' | 'foreign_shard' | 'foreign_organization' | 'foreign_region'
  | 'not_assigned' | 'future' | 'too_old' | 'too_many' | 'too_many_epochs' | 'hour_full' | 'rule_failed';

/** Limit of stored characters of a result. */
const MAX_CONTENT_LENGTH = 4096;
/** Limit of stored bytes of an unreadable message. */
const MAX_UNREADABLE_BYTES = 1024;

/** The dead letter of an unreadable message. The same message always has the same id. */
export function unreadableLetter(
  shard: number, message: { region: string; probe_id: string; bytes: Uint8Array }, nowWall: number,
): DeadLetter {
  const content = Buffer.from(message.bytes.subarray(0, MAX_UNREADABLE_BYTES)).toString('base64');
  return {
    id: derivedId('unreadable', message.probe_id, content), reason: 'unreadable', shard,
    region: message.region, probe_id: message.probe_id, epoch: null, seq: null, monitor_id: null, content,
    at: nowWall,
  };
}

/** The dead letter of results that exceeded the block of their hour. */
export function cutLetter(
  shard: number, { monitor_id, hour, count }: { monitor_id: string; hour: number; count: number }, at: number,
): DeadLetter {
  return {
    id: derivedId('cut', monitor_id, hour), reason: 'hour_full', shard, region: '', probe_id: '', epoch: null,
    seq: null, monitor_id, content: JSON.stringify({ hour, count }), at,
  };
}

/** The dead letter of an item for which a rule threw. */
export function failedLetter(
  entry: Pick<JournalEntry, 'shard' | 'n' | 'taken_at'>, { monitor_id, item, fresh }: FailedItem,
): DeadLetter {
  if (fresh) return letterOf(entry.shard, fresh, fresh.epoch, fresh.result, 'rule_failed', entry.taken_at);
  const content = JSON.stringify(item).slice(0, MAX_CONTENT_LENGTH);
  return {
    id: derivedId('item', entry.shard, entry.n, monitor_id, content), reason: 'rule_failed',
    shard: entry.shard, region: '', probe_id: '', epoch: null, seq: null, monitor_id, content,
    at: entry.taken_at,
  };
}

/** The dead letter of a probe that lost `lanes` through an entry. */
export function epochsLetter(
  entry: Pick<JournalEntry, 'shard' | 'n' | 'taken_at' | 'batches'>, probeId: string, lanes: LanePosition[],
): DeadLetter {
  const { shard, n, taken_at: at } = entry;
  const region = entry.batches.find((batch) => batch.probe_id === probeId)?.region ?? '';
  return {
    id: derivedId('epochs', shard, n, probeId), reason: 'too_many_epochs', shard, region, probe_id: probeId,
    epoch: null, seq: null, monitor_id: null, content: JSON.stringify(lanes).slice(0, MAX_CONTENT_LENGTH), at,
  };
}

/** The dead letter of one result. The same result always has the same id. */
export function letterOf(
  shard: number, source: { region: string; probe_id: string }, epoch: string, result: CheckResult,
  reason: DeadLetterReason, at: number,
): DeadLetter {
  return {
    id: derivedId('result', source.probe_id, epoch, shard, result.seq), reason, shard, epoch, at,
    region: source.region, probe_id: source.probe_id, seq: result.seq, monitor_id: result.monitor_id,
    content: JSON.stringify(result).slice(0, MAX_CONTENT_LENGTH),
  };
}
