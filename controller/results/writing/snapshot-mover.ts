import type { Clock } from '../../../shared/time.ts';
import type { JournalEntry, JournalStore } from '../journal/journal-store.ts';
import { Lanes, type ShardState } from '../state/shard-state.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** The snapshot moves once it is this many entries behind. */
const SNAPSHOT_ENTRIES = 64;
/**
 * Added to the longest retention before an idle lane is dropped: anything that its probe resends is then too
 * old to be recorded twice. Covers clocks that are hours off.
 */
const MARGIN_MS = 2 * 86_400_000;

export interface SnapshotMoverStores {
  journal: Pick<JournalStore, 'deleteThrough'>;
  snapshots: Pick<SnapshotStore, 'load' | 'numbers' | 'move'>;
}

export interface SnapshotMoverDeps {
  clock: Clock;
  stores: SnapshotMoverStores;
  /** The longest retention of results of any organization, ms. */
  maxRawRetentionMs: number;
  state: ShardState;
}

/** Moves a shard's snapshot up to what is written, and deletes the journal up to it. */
export class SnapshotMover {
  readonly #deps: SnapshotMoverDeps;
  /** Entries after `#next`, with the data for the next snapshots. */
  readonly #entries: { n: number; lanes: JournalEntry['lanes']; takenAt: number; latest: number }[] = [];
  /** The next snapshot: lanes after entry `n`. After a failed write it is ahead of the stored one. */
  readonly #next: { n: number; lanes: Lanes; takenAt: number };
  /** Entry of the stored snapshot. */
  #n: number;

  constructor(deps: SnapshotMoverDeps) {
    const { n, lanes, takenAt } = deps.state;
    this.#deps = deps;
    this.#next = { n, lanes: new Lanes(lanes), takenAt };
    this.#n = n;
  }

  /** Called with each entry after it is applied to the state. */
  applied({ n, lanes, taken_at: takenAt }: JournalEntry): void {
    this.#entries.push({ n, lanes, takenAt, latest: this.#deps.state.takenAt });
  }

  /** True if the snapshot should move to entry `saved`. */
  isDue(saved: number): boolean {
    return saved - this.#n >= SNAPSHOT_ENTRIES;
  }

  /** Moves the snapshot if it is due. `saved`: everything up to this entry is stored. */
  async move(saved: number): Promise<void> {
    const { clock, stores, state, maxRawRetentionMs } = this.#deps;
    // The snapshot passes a ping's entry only after the ping left its collection; otherwise the next owner
    // would not recognize it.
    const firstPing = state.pings.values().next().value ?? Infinity;
    const through = Math.max(this.#next.n, Math.min(saved, firstPing - 1));
    if (!this.isDue(through)) return;
    this.#advance(through);
    const now = clock.now();
    const before = now - maxRawRetentionMs - MARGIN_MS;
    for (const lanes of [this.#next.lanes, state.lanes]) {
      for (const { lane, moved_at: movedAt } of lanes) if (movedAt < before) lanes.forget(lane);
    }
    const { lanes, takenAt } = this.#next;
    await stores.snapshots.move(state.shard, { n: through, lanes: [...lanes], taken_at: takenAt });
    this.#n = through;
    await stores.journal.deleteThrough(state.shard, through);
  }

  #advance(through: number): void {
    let used = 0;
    for (let entry = this.#entries[0]; entry && entry.n <= through; entry = this.#entries[used]) {
      for (const { lane, position } of entry.lanes) this.#next.lanes.move(lane, position, entry.takenAt);
      this.#next.takenAt = entry.latest;
      used += 1;
    }
    this.#entries.splice(0, used);
    this.#next.n = through;
  }
}
