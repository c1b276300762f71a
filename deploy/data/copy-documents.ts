import { createHash } from 'node:crypto';
import { BSON, MongoClient, MongoServerError, type Collection, type Db, type Document } from 'mongodb';
import { databaseOf, isSharded, SHARDED, UNFINISHED_COPY } from '../../shared/database.ts';
import { type Counts, type Documents, Refusal } from './documents.ts';

/** Keeps the type of each number: an int32 must not become a double. */
const EXACT = { promoteValues: false } as const;
/** A thousand documents at a time take little memory. */
const READ = { ...EXACT, batchSize: 1000 } as const;
const CONNECT_TIMEOUT_MS = 10_000;
/** MongoDB's error code. */
const UNAUTHORIZED = 13;
const DIGEST_BYTES = 32;

type Doc = Document & { _id: string };

/**
 * Copies all documents and indexes into an empty database, or into one in which a copy was interrupted, whose
 * documents it deletes first. Then reads them back and compares. Throws Refusal, with nothing changed, if the
 * database holds anything else or is not reachable.
 */
export async function copyDocuments(source: Documents, url: string): Promise<Counts> {
  const client = await connect(url);
  try {
    const db = client.db(databaseOf(url));
    if (isSharded(await db.command({ hello: 1 }))) throw new Refusal(`${SHARDED.problem}. ${SHARDED.remedy}`);
    await claim(db).catch((error: unknown) => {
      const isForbidden = error instanceof MongoServerError && error.code === UNAUTHORIZED;
      throw isForbidden ? new Refusal(`The database refuses its user: ${firstLine(error)}`) : error;
    });
    for (const { name, indexes } of source.collections) {
      if (indexes.length > 0) await db.collection(name).createIndexes(indexes);
    }
    const copied = new Contents();
    for await (const { collection, documents } of source.batches()) {
      const docs = documents.map((bytes) => BSON.deserialize(bytes, EXACT) as Doc);
      for (const doc of docs) copied.add(collection, doc);
      await db.collection<Doc>(collection).insertMany(docs, { ordered: false });
    }
    await compare(db, source, copied);
    await markOf(db).deleteOne({ _id: UNFINISHED_COPY.id });
    return new Map(source.collections.map(({ name }) => [name, copied.countOf(name)]));
  } finally {
    await client.close();
  }
}

async function connect(url: string): Promise<MongoClient> {
  const client = new MongoClient(url, {
    appName: 'farwatch', writeConcern: { w: 'majority', j: true }, serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
  });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    throw new Refusal(`The database is not reachable: ${firstLine(error)}`);
  }
}

/** The driver's messages may have several lines; none contains the password. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] as string;
}

function markOf(db: Db): Collection<{ _id: string; started_at: number }> {
  return db.collection(UNFINISHED_COPY.collection);
}

/** Leaves the database with nothing but the mark of an unfinished copy. */
async function claim(db: Db): Promise<void> {
  const listed = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = listed.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  const isUnfinished = await markOf(db).findOne({ _id: UNFINISHED_COPY.id }) !== null;
  for (const name of names) {
    const collection = db.collection<Doc>(name);
    if (isUnfinished) await collection.deleteMany({ _id: { $ne: UNFINISHED_COPY.id } });
    else if (await collection.findOne({}) !== null) {
      throw new Refusal(`The database ${db.databaseName} is not empty: it has documents in ${name}`);
    }
  }
  if (!isUnfinished) await markOf(db).insertOne({ _id: UNFINISHED_COPY.id, started_at: Date.now() });
}

async function compare(db: Db, source: Documents, copied: Contents): Promise<void> {
  for (const { name } of source.collections) {
    const stored = new Contents();
    const all = db.collection<Doc>(name).find({ _id: { $ne: UNFINISHED_COPY.id } }, READ);
    for await (const doc of all) stored.add(name, doc);
    if (!stored.equals(name, copied)) throw new Error(`The copy of ${name} differs from the original`);
  }
}

/** Number and digest of each collection's documents, whatever their order. */
class Contents {
  readonly #byName = new Map<string, { count: number; digest: Buffer }>();

  add(name: string, doc: Doc): void {
    const found = this.#byName.get(name) ?? { count: 0, digest: Buffer.alloc(DIGEST_BYTES) };
    this.#byName.set(name, found);
    found.count += 1;
    const hash = createHash('sha256').update(BSON.serialize(doc)).digest();
    for (let at = 0; at < DIGEST_BYTES; at += 4) {
      found.digest.writeInt32LE(found.digest.readInt32LE(at) ^ hash.readInt32LE(at), at);
    }
  }

  countOf(name: string): number {
    return this.#byName.get(name)?.count ?? 0;
  }

  equals(name: string, other: Contents): boolean {
    const [mine, others] = [this.#byName.get(name), other.#byName.get(name)];
    return this.countOf(name) === other.countOf(name) &&
      (mine === undefined || others === undefined || mine.digest.equals(others.digest));
  }
}
