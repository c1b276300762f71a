import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Binary, type Collection, type Db } from 'mongodb';
import { newSecret, shardName } from '../../../shared/ids.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import { entryId } from '../journal/journal-store.ts';
import type { Checkpoint, CheckpointPart, CheckpointStart } from '../state/records.ts';
import { packPart, type PackedPart, unpackPart } from './checkpoint-part.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** States repeat each other, so the fastest level is nearly as good as the best. */
const LEVEL = 1;
/** zlib accepts no smaller chunk. */
const CHUNK_MARGIN = 64;

interface HeadDoc {
  _id: string;
  position: number;
  taken_at: number;
  /** Ids of the parts. */
  parts: string[];
  /** Lanes and pings. */
  content: Packed;
}

interface PartDoc {
  _id: string;
  content: Packed;
}

/** JSON, compressed. `size` is its length, bytes. */
interface Packed {
  size: number;
  deflated: Binary;
}

/** The parts of one checkpoint that is being written. */
export interface CheckpointWriter {
  /** Encodes the states before it returns; later changes do not matter. */
  add(part: CheckpointPart): Promise<void>;
  /** Makes it the shard's checkpoint, unless there is a later one. */
  finish(): Promise<void>;
}

/**
 * Collection `checkpoints`, read from the primary: all states of a shard, as its owner has them.
 * Parts are written before the head that names them and removed after the next one.
 */
export class CheckpointStore {
  readonly #heads: Collection<HeadDoc>;
  readonly #parts: Collection<PartDoc>;

  constructor(db: Db) {
    this.#heads = db.collection<HeadDoc>('checkpoints', { readPreference: 'primary' });
    this.#parts = db.collection<PartDoc>('checkpoints', { readPreference: 'primary' });
  }

  /** The shard's checkpoint if it is of an entry after `after`; null also if it was replaced meanwhile. */
  async load(shard: number, after: number): Promise<Checkpoint | null> {
    const head = await this.#heads.findOne({ _id: shardName(shard) });
    if (!head || head.position <= after) return null;
    const { lanes, pings } = await unpacked<Pick<CheckpointStart, 'lanes' | 'pings'>>(head.content);
    const states: Checkpoint['states'] = [];
    let count = 0;
    for await (const { content } of this.#parts.find({ _id: { $in: head.parts } }).batchSize(20)) {
      count += 1;
      states.push(...unpackPart(await unpacked<PackedPart>(content)));
    }
    if (count < head.parts.length) return null;
    return { n: head.position, taken_at: head.taken_at, lanes, pings, states };
  }

  async begin(shard: number, { n, taken_at, lanes, pings }: CheckpointStart): Promise<CheckpointWriter> {
    const content = await packed({ lanes, pings });
    const [prefix, parts] = [`${entryId(shard, n)}:${newSecret().slice(0, 16)}`, [] as string[]];
    return {
      add: async (part) => {
        const content = packed(packPart(part));
        const _id = `${prefix}:${String(parts.length).padStart(6, '0')}`;
        await this.#parts.insertOne({ _id, content: await content });
        parts.push(_id);
      },
      finish: async () => {
        await upsertNewer(this.#heads, [{ _id: shardName(shard), position: n, taken_at, parts, content }]);
        // The stored head is at `n` or later, and names none of these parts.
        await this.#parts.deleteMany({ _id: { $gt: `${shardName(shard)}:`, $lt: entryId(shard, n) } });
      },
    };
  }
}

async function packed(content: object): Promise<Packed> {
  const text = Buffer.from(JSON.stringify(content));
  return { size: text.length, deflated: new Binary(await deflate(text, { level: LEVEL })) };
}

async function unpacked<T>({ size, deflated: { buffer } }: Packed): Promise<T> {
  // In one piece: with a chunk of exactly its size, zlib would look for another.
  const text = await inflate(buffer, { chunkSize: size + CHUNK_MARGIN });
  return JSON.parse(text.toString()) as T;
}
