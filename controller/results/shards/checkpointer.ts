import { sleep } from '../../../shared/time.ts';
import type { CheckpointPart } from '../state/records.ts';
import type { ShardParts } from './shard-parts.ts';

/** From one checkpoint of a shard to the next. Its next owner replays as many before it takes results. */
export const CHECKPOINT_RESULTS = 100_000;
/** Monitors captured without yielding: takes a millisecond or two. */
const PART_MONITORS = 200;
/** A monitor that is being written is tried again. */
const RETRY_MS = 1000;
const MAX_ATTEMPTS = 30;

/**
 * Writes checkpoints of a shard with many results. They spare its next owner the replay of the hour: results
 * change states whose documents are written once an hour.
 */
export class Checkpointer {
  readonly #parts: Pick<ShardParts, 'deps' | 'context' | 'state'>;
  /** Results that were applied before the last checkpoint. */
  #covered = 0;
  #writing: Promise<void> | null = null;

  constructor(parts: Pick<ShardParts, 'deps' | 'context' | 'state'>) {
    this.#parts = parts;
  }

  /** `results`: applied by this instance of the shard so far. */
  writeIfDue(results: number): void {
    const { deps: { log, checkpointResults }, state: { shard } } = this.#parts;
    if (this.#writing || results - this.#covered < checkpointResults) return;
    this.#covered = results;
    this.#writing = this.#write().catch((error: unknown) => {
      log.warn({ err: error, shard }, 'could not write a checkpoint');
    }).finally(() => {
      this.#writing = null;
    });
  }

  /** Call when the run has ended: resolves when nothing more is written. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  /** Each monitor is captured after the entry at which it begins, with its own position. */
  async #write(): Promise<void> {
    const { deps: { clock, stores }, context: { signal }, state } = this.#parts;
    let left = [...state.monitors.keys()];
    const writer = await stores.checkpoints.begin(state.shard, {
      n: state.n, taken_at: state.takenAt, lanes: [...state.lanes],
      pings: [...state.pings].map(([id, n]) => ({ id, n })),
    });
    for (let attempt = 0; left.length > 0; attempt += 1) {
      if (attempt > 0) await sleep(clock, RETRY_MS);
      const waiting: string[] = [];
      for (let at = 0; at < left.length; at += PART_MONITORS) {
        if (signal.aborted) return;
        const part = this.#capture(left.slice(at, at + PART_MONITORS), waiting);
        if (part.length > 0) await writer.add(part);
      }
      if (waiting.length > 0 && attempt === MAX_ATTEMPTS) return;
      left = waiting;
    }
    if (!signal.aborted) await writer.finish();
  }

  /** Effects of `waiting` monitors are not carried out yet. */
  #capture(ids: string[], waiting: string[]): CheckpointPart {
    const part: CheckpointPart = [];
    for (const id of ids) {
      const monitor = this.#parts.state.monitors.get(id);
      if (!monitor) continue;
      const { queued, unsavedFrom: unsaved_from, position, state } = monitor;
      if (queued > 0) waiting.push(id);
      else part.push({ monitor_id: id, position, unsaved_from, state });
    }
    return part;
  }
}
