import type { Collection, Db } from 'mongodb';
import { newSecret, shardName } from '../../../shared/ids.ts';
import { entryId } from '../journal/journal-store.ts';
import type { LanePosition, Snapshot } from '../state/records.ts';
import { insertMissing, upsertNewer } from '../../platform/mongo/mongo-errors.ts';

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
