import { grouped } from '../../../shared/grouped.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { ONCE_AN_HOUR, TokenBuckets } from '../../../shared/token-buckets.ts';
import { probeOfLane } from '../../../shared/contracts/result.ts';
import type { JournalEntry } from '../journal/journal-store.ts';
import { isCrowdedOut } from '../state/shard-state.ts';
import type { LanePosition } from '../state/records.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { epochsLetter } from './dead-letter.ts';

export interface LostLanesDeps {
  clock: Clock;
  log: Log;
  deadLetters: Pick<DeadLetterBox, 'put'>;
}

/**
 * Reports probes that start epochs faster than an honest one can, by a count, a dead letter per entry and a
 * warning per hour. Idle lanes are dropped silently.
 */
export class LostLanes {
  readonly #deps: LostLanesDeps;
  readonly #warnings = new TokenBuckets(ONCE_AN_HOUR);
  /** Lanes reported since the start. */
  count = 0;

  constructor(deps: LostLanesDeps) {
    this.#deps = deps;
  }

  report(entry: JournalEntry, dropped: Required<LanePosition>[]): void {
    const { clock, deadLetters, log } = this.#deps;
    const lost = dropped.filter((lane) => isCrowdedOut(lane.moved_at, entry.taken_at));
    this.count += lost.length;
    for (const [probe, lanes] of grouped(lost, ({ lane }) => probeOfLane(lane))) {
      deadLetters.put([epochsLetter(entry, probe, lanes)]);
      if (!this.#warnings.take(probe, 1, clock.monotonic())) continue;
      log.warn({ probe_id: probe, shard: entry.shard }, 'a probe starts too many epochs; dropping the oldest');
    }
  }
}
