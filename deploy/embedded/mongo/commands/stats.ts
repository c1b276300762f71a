import type { Collection } from '../storage/collection.ts';
import { checkDatabase, type Args } from './args.ts';
import type { Context, EngineStats, Reply } from './context.ts';

/**
 * Sizes as lmdb has them. Its one tree holds all collections, so the leaf and branch pages are shared out by the
 * bytes that each one's nodes take, while overflow pages belong to their documents: the shares add up to the file's use.
 */
interface Share {
  readonly storageBytes: number;
  readonly indexBytes: Record<string, number>;
}

export function collStats(context: Context, args: Args): Reply {
  const { ns } = args;
  const scale = args.count('scale') || 1;
  const collection = context.catalog.get(ns);
  if (collection === undefined) {
    return { ns, size: 0, count: 0, numOrphanDocs: 0, storageSize: 0, totalSize: 0, nindexes: 0, totalIndexSize: 0, indexSizes: {}, scaleFactor: scale };
  }
  const { count, documentBytes } = collection.tally.state;
  const { storageBytes, indexBytes } = shareOf(context, collection);
  const totalIndexBytes = Object.values(indexBytes).reduce((sum, bytes) => sum + bytes, 0);
  return {
    ns,
    size: scaled(documentBytes, scale),
    count,
    ...(count > 0 ? { avgObjSize: Math.round(documentBytes / count) } : {}),
    storageSize: scaled(storageBytes, scale),
    nindexes: collection.indexes.length + 1,
    indexSizes: Object.fromEntries(Object.entries(indexBytes).map(([name, bytes]) => [name, scaled(bytes, scale)])),
    totalIndexSize: scaled(totalIndexBytes, scale),
    totalSize: scaled(storageBytes + totalIndexBytes, scale),
    scaleFactor: scale,
  };
}

export function dbStats(context: Context, args: Args): Reply {
  const db = checkDatabase(args.db);
  const scale = args.count('scale') || 1;
  const collections = context.catalog.ofDatabase(db);
  const total = { objects: 0, data: 0, storage: 0, indexes: 0, index: 0 };
  for (const collection of collections) {
    const { storageBytes, indexBytes } = shareOf(context, collection);
    total.objects += collection.tally.state.count;
    total.data += collection.tally.state.documentBytes;
    total.storage += storageBytes;
    total.indexes += collection.indexes.length + 1;
    total.index += Object.values(indexBytes).reduce((sum, bytes) => sum + bytes, 0);
  }
  const engine = context.engineStats();
  return {
    db,
    collections: collections.length,
    views: 0,
    objects: total.objects,
    avgObjSize: total.objects === 0 ? 0 : total.data / total.objects,
    dataSize: scaled(total.data, scale),
    storageSize: scaled(total.storage, scale),
    freeStorageSize: scaled(engine.freePages * engine.pageBytes, scale),
    indexes: total.indexes,
    indexSize: scaled(total.index, scale),
    totalSize: scaled(total.storage + total.index, scale),
    scaleFactor: scale,
    fsUsedSize: scaled(engine.fileBytes, scale),
  };
}

function scaled(bytes: number, scale: number): number {
  return Math.floor(bytes / scale);
}

function shareOf(context: Context, collection: Collection): Share {
  const engine = context.engineStats();
  const factor = treeFactor(context, engine);
  const { nodeBytes, overflowPages, indexBytes } = collection.tally.state;
  const byName: Record<string, number> = { _id_: 0 };
  for (const index of collection.indexes) byName[index.name] = Math.round((indexBytes[String(index.table)] ?? 0) * factor);
  return { storageBytes: Math.round(nodeBytes * factor) + overflowPages * engine.pageBytes, indexBytes: byName };
}

/** Bytes of leaf and branch pages for each byte of a node in them. */
function treeFactor(context: Context, engine: EngineStats): number {
  let nodes = 0;
  for (const collection of context.catalog.all()) {
    nodes += collection.tally.state.nodeBytes;
    for (const bytes of Object.values(collection.tally.state.indexBytes)) nodes += bytes;
  }
  return nodes === 0 ? 1 : Math.max(1, ((engine.leafPages + engine.branchPages) * engine.pageBytes) / nodes);
}
