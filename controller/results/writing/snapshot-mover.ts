import type { Clock } from '../../../shared/time.ts';
import type { JournalEntry } from '../journal/journal-entry.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** The snapshot moves when it is this many entries behind. */
const SNAPSHOT_ENTRIES = 64;
/**
 * A lane that has been still for this much longer than any plan keeps results is forgotten: whatever its
 * probe may send again is too old to be taken twice. Enough for clocks that are hours wrong.
 */
const MARGIN_MS = 2 * 86_400_000;

export interface SnapshotMoverStores {
  journal: Pick<JournalStore, 'deleteThrough'>;
  snapshots: Pick<SnapshotStore, 'load' | 'numbers' | 'move'>;
}

export interface SnapshotMoverDeps {
  clock: Clock;
  stores: SnapshotMoverStores;
  /** The longest that any organization keeps results, ms. */
  longestRawMs: number;
  state: ShardState;
}

/** Moves a shard's snapshot behind what is written, and deletes the journal up to it. */
export class SnapshotMover {
  readonly #deps: SnapshotMoverDeps;
  /** What the next snapshot needs to know of the entries after this one. */
  readonly #entries: { n: number; lanes: [lane: string, position: number][]; taken_at: number }[] = [];
  #lanes: Map<string, number>;
  #n: number;

  constructor(deps: SnapshotMoverDeps) {
    this.#deps = deps;
    this.#lanes = new Map(deps.state.lanes);
    this.#n = deps.state.n;
  }

  /** Called with each entry after the state has applied it. */
  applied(entry: JournalEntry): void {
    this.#entries.push({ n: entry.n, lanes: entry.lanes, taken_at: this.#deps.state.takenAt });
  }

  /** True when the snapshot is worth moving to entry `saved`. */
  isDue(saved: number): boolean {
    return saved - this.#n >= SNAPSHOT_ENTRIES;
  }

  /** Moves the snapshot when it is due. `saved`: everything up to this entry is in documents. */
  async move(saved: number): Promise<void> {
    const { clock, stores, state, longestRawMs } = this.#deps;
    // A ping leaves its collection before the snapshot passes its entry, or the next owner would not know it.
    const firstPing = state.pings.values().next().value ?? Infinity;
    const through = Math.min(saved, firstPing - 1);
    if (!this.isDue(through)) return;
    const lanes = new Map(this.#lanes);
    let used = 0;
    let takenAt: number | undefined;
    for (let next = this.#entries[0]; next && next.n <= through; next = this.#entries[used]) {
      for (const [lane, position] of next.lanes) lanes.set(lane, position);
      takenAt = next.taken_at;
      used += 1;
    }
    const now = clock.now();
    const before = now - longestRawMs - MARGIN_MS;
    const forgotten = (): string[] => [...state.moved].flatMap(([lane, at]) => (at < before ? [lane] : []));
    for (const lane of forgotten()) lanes.delete(lane);
    const moved = Object.fromEntries([...lanes.keys()].map((lane) => [lane, state.moved.get(lane) ?? now]));
    await stores.snapshots.move(
      state.shard, { n: through, lanes: Object.fromEntries(lanes), moved, taken_at: takenAt },
    );
    // Computed again, because one of them may have moved meanwhile.
    for (const lane of forgotten()) state.forgetLane(lane);
    this.#entries.splice(0, used);
    this.#lanes = lanes;
    this.#n = through;
    await stores.journal.deleteThrough(state.shard, through);
  }
}
