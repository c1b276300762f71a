import { z } from 'zod';

/** How far the spool's contents cover the schedule. */
export const coverage = z.object({
  /** Unix ms: every slot due up to here has its result in the spool, except those in `open`. */
  until: z.number(),
  /** Monitor and due time of slots up to `until` without a result yet. */
  open: z.array(z.tuple([z.string(), z.number()])),
});
export type Coverage = z.infer<typeof coverage>;

/**
 * A mark in the log: coverage as of everything written before it, changed watermarks, ends of lanes that have
 * grown, and started lanes.
 */
const mark = z.object({
  coverage: coverage.nullable(),
  trims: z.array(z.tuple([z.string(), z.number(), z.number()])),
  /** The last number of each lane, so that covered numbers without a frame are recognized as lost. */
  ends: z.array(z.tuple([z.string(), z.number(), z.number()])),
  /** All lanes possibly sent without an acknowledgement on disk, by epoch and shard. */
  started: z.array(z.tuple([z.string(), z.number()])),
});
export type Mark = z.infer<typeof mark>;

export function encodeMark(value: Mark): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** Null if the bytes are not a mark. */
export function decodeMark(bytes: Uint8Array): Mark | null {
  try {
    return mark.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return null;
  }
}
