import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { probeOfLane } from '../../../shared/contracts/result.ts';
import type { JournalEntry } from '../journal/journal-entry.ts';
import { isCrowdedOut } from '../state/lane-rules.ts';
import type { LanePosition } from '../state/records.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { epochsLetter } from './dead-letter.ts';

/** A probe is warned of once in this time. */
const WARN_EVERY_MS = 3_600_000;
/** Probes remembered; beyond it, all are warned of again. */
const PROBES = 1000;

export interface LostLanesDeps {
  clock: Clock;
  log: Log;
  deadLetters: Pick<DeadLetterBox, 'put'>;
}

/**
 * Reports probes that begin epochs faster than an honest one can: with a count, a dead letter per entry, and
 * a warning per hour. Lanes that had been still for a while are dropped without a word.
 */
export class LostLanes {
  readonly #deps: LostLanesDeps;
  /** When each probe was last warned of, monotonic ms. */
  readonly #warnedAt = new Map<string, number>();
  /** Lanes reported since the start. */
  count = 0;

  constructor(deps: LostLanesDeps) {
    this.#deps = deps;
  }

  report(entry: JournalEntry, dropped: Required<LanePosition>[]): void {
    const byProbe = new Map<string, LanePosition[]>();
    for (const lane of dropped) {
      if (!isCrowdedOut(lane.moved_at, entry.taken_at)) continue;
      const probe = probeOfLane(lane.lane);
      const lanes = byProbe.get(probe);
      if (lanes) lanes.push(lane);
      else byProbe.set(probe, [lane]);
      this.count += 1;
    }
    for (const [probe, lanes] of byProbe) {
      this.#deps.deadLetters.put([epochsLetter(entry, probe, lanes)]);
      this.#warn(entry.shard, probe);
    }
  }

  #warn(shard: number, probe: string): void {
    const now = this.#deps.clock.monotonic();
    if (now - (this.#warnedAt.get(probe) ?? -Infinity) < WARN_EVERY_MS) return;
    if (this.#warnedAt.size >= PROBES) this.#warnedAt.clear();
    this.#warnedAt.set(probe, now);
    this.#deps.log.warn({ probe_id: probe, shard }, 'a probe begins too many epochs: its oldest are dropped');
  }
}
