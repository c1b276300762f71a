import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Binary, BSON, type Collection, type Db } from 'mongodb';
import { newSecret, shardName } from '../../../shared/ids.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import { entryId } from '../journal/journal-store.ts';
import type { Checkpoint, CheckpointPart, CheckpointStart } from '../state/records.ts';
import { SharedValues } from '../state/shard-state.ts';
import { toStateDoc, toStateRecord, type StateDoc } from './state-store.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** States repeat each other, so the fastest level is nearly as good as the best. */
const LEVEL = 1;

interface HeadDoc {
  _id: string;
  position: number;
  taken_at: number;
  /** Ids of the parts. */
  parts: string[];
  /** Lanes and pings. */
  content: Binary;
}

interface PartDoc {
  _id: string;
  content: Binary;
}

type PartContent = { states: (Omit<StateDoc, 'shard' | 'outbox'> & { unsaved_from: number })[] };

/** The parts of one checkpoint that is being written. */
export interface CheckpointWriter {
  /** Encodes the states before it returns; later changes do not matter. */
  add(part: CheckpointPart): Promise<void>;
  /** Makes it the shard's checkpoint, unless there is a later one. */
  finish(): Promise<void>;
}

/**
 * Collection `checkpoints`, read from the primary: the states that a shard's owner has and no document does.
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
    const states: Checkpoint['states'] = new Map();
    const shared = new SharedValues();
    let count = 0;
    for await (const { content } of this.#parts.find({ _id: { $in: head.parts } }).batchSize(10)) {
      count += 1;
      for (const { unsaved_from, ...doc } of (await unpacked<PartContent>(content)).states) {
        const { monitor_id: id, position, state } = toStateRecord({ shard, outbox: [], ...doc });
        shared.state(state, id);
        states.set(id, { position, state, unsaved_from });
      }
    }
    if (count < head.parts.length) return null;
    return { n: head.position, taken_at: head.taken_at, lanes, pings, states };
  }

  async begin(shard: number, { n, taken_at, lanes, pings }: CheckpointStart): Promise<CheckpointWriter> {
    const content = await packed({ lanes, pings });
    const [prefix, parts] = [`${entryId(shard, n)}:${newSecret().slice(0, 16)}`, [] as string[]];
    return {
      add: async (part) => {
        const content = packed(contentOf(part));
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

function contentOf(part: CheckpointPart): PartContent {
  return { states: part.map(({ unsaved_from, ...record }) => {
    const { shard: _shard, outbox: _outbox, ...doc } = toStateDoc({ shard: 0, outbox: [], ...record });
    return { unsaved_from, ...doc };
  }) };
}

async function packed(content: object): Promise<Binary> {
  return new Binary(await deflate(BSON.serialize(content, { ignoreUndefined: true }), { level: LEVEL }));
}

async function unpacked<T>({ buffer }: Binary): Promise<T> {
  return BSON.deserialize(await inflate(buffer)) as T;
}
