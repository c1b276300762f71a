import type { Collection, Db } from 'mongodb';
import { newSecret, shardName } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';
import { insertMissing, upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import { entryId, type JournalEntry, type JournalStore } from '../journal/journal-store.ts';
import type { LanePosition, Snapshot } from '../state/records.ts';
import { Lanes, type ShardState } from '../state/shard-state.ts';

/** Lanes per document: about 400 kB. */
const MAX_DOCUMENT_LANES = 2000;
/** Parts per command. */
const PARTS_PER_COMMAND = 10;
/** Attempts to read a snapshot that moves meanwhile. */
const MAX_LOAD_ATTEMPTS = 5;

/** The first lanes of a shard's snapshot, and the ids of the documents with the others. */
interface HeadDoc {
  _id: string;
  position: number;
  lanes: LanePosition[];
  parts?: string[];
  taken_at: number;
}

/** Further lanes of one snapshot. Written once and immutable. */
interface PartDoc {
  _id: string;
  lanes: LanePosition[];
}

/**
 * Collection `snapshots`, read from the primary: a head per shard, and parts for lanes that do not fit into
 * it. Parts are written before the head that names them and removed after the next head, so that a stored
 * head always has all its parts.
 */
export class SnapshotStore {
  readonly #heads: Collection<HeadDoc>;
  readonly #parts: Collection<PartDoc>;

  constructor(db: Db) {
    this.#heads = db.collection<HeadDoc>('snapshots', { readPreference: 'primary' });
    this.#parts = db.collection<PartDoc>('snapshots', { readPreference: 'primary' });
  }

  /** Entries of the shards' snapshots; 0 or absent without one. */
  async numbers(shards: number[]): Promise<Map<number, number>> {
    const found = await this.#heads.find(
      { _id: { $in: shards.map(shardName) } }, { projection: { position: 1 } },
    ).toArray();
    return new Map(found.map((doc) => [Number(doc._id), doc.position]));
  }

  /**
   * @throws Error if parts were missing in every attempt, because the snapshot moved or somebody removed
   * them.
   */
  async load(shard: number): Promise<Snapshot> {
    for (let attempt = 0; attempt < MAX_LOAD_ATTEMPTS; attempt += 1) {
      const head = await this.#heads.findOne({ _id: shardName(shard) });
      if (!head) return { n: 0, lanes: [], taken_at: 0 };
      const further = await this.#lanesOf(head.parts ?? []);
      if (!further) continue;
      return { n: head.position, lanes: [...head.lanes, ...further], taken_at: head.taken_at };
    }
    throw new Error(`parts of the snapshot of shard ${shard} are missing`);
  }

  /** Moves forward only. */
  async move(shard: number, { n, lanes, taken_at }: Snapshot): Promise<void> {
    const parts = partsOf(shard, n, lanes.slice(MAX_DOCUMENT_LANES));
    for (let at = 0; at < parts.length; at += PARTS_PER_COMMAND) {
      await insertMissing(this.#parts, parts.slice(at, at + PARTS_PER_COMMAND));
    }
    await upsertNewer(this.#heads, [{
      _id: shardName(shard), position: n, taken_at, lanes: lanes.slice(0, MAX_DOCUMENT_LANES),
      ...(parts.length === 0 ? {} : { parts: parts.map(({ _id }) => _id) }),
    }]);
    // The stored head is at `n` or later, and names none of these parts.
    await this.#parts.deleteMany({ _id: { $gt: `${shardName(shard)}:`, $lt: entryId(shard, n) } });
  }

  /** Null if one of the parts is missing. */
  async #lanesOf(parts: string[]): Promise<LanePosition[] | null> {
    if (parts.length === 0) return [];
    const found = await this.#parts.find({ _id: { $in: parts } }).sort({ _id: 1 }).toArray();
    return found.length === parts.length ? found.flatMap((part) => part.lanes) : null;
  }
}

/** `<entry>:<token>:<part>`: two owners that write snapshot n concurrently do not mix their parts. */
function partsOf(shard: number, n: number, lanes: LanePosition[]): PartDoc[] {
  const token = newSecret().slice(0, 16);
  return Array.from({ length: Math.ceil(lanes.length / MAX_DOCUMENT_LANES) }, (_, part) => ({
    _id: `${entryId(shard, n)}:${token}:${String(part).padStart(6, '0')}`,
    lanes: lanes.slice(part * MAX_DOCUMENT_LANES, (part + 1) * MAX_DOCUMENT_LANES),
  }));
}

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
  /** The shard as of the stored snapshot; `state` may be ahead. */
  base: ShardState;
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
    const { n, lanes, takenAt } = deps.base;
    this.#deps = deps;
    this.#next = { n, lanes: new Lanes(lanes), takenAt };
    this.#n = n;
  }

  /** Called with each entry after it is applied to the state whose time is `latest`. */
  applied({ n, lanes, taken_at: takenAt }: JournalEntry, latest: number): void {
    this.#entries.push({ n, lanes, takenAt, latest });
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
