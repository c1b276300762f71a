import { randomBytes } from 'node:crypto';
import { BsonType, documentValue, fieldOf, Fields, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { findHits } from '../query/hits.ts';
import type { Filter } from '../query/filter.ts';
import type { Hit } from '../query/scan.ts';
import { Sorter } from '../query/sort.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Collection } from '../storage/collection.ts';
import { encodeId } from '../storage/collection.ts';
import { applyUpdate } from '../update/apply-update.ts';
import type { Update } from '../update/parse-update.ts';
import { upsertBase } from '../update/upsert-base.ts';
import type { Context } from './context.ts';

/** The document as it is stored: `_id` first, made up when it has none. */
export function withId(context: Context, doc: Value): Buffer {
  const fields = new Fields(doc);
  if (fields.advance() && fields.isNamed('_id')) return doc.buf.subarray(doc.at, doc.end);
  const id = fieldOf(doc, '_id');
  const writer = new BsonWriter(doc.end - doc.at + 32);
  const start = writer.begin();
  if (id === undefined) {
    writer.head(BsonType.objectId, '_id');
    const bytes = newObjectId(context.clock.now());
    writer.bytes(bytes, 0, bytes.length);
  } else writer.element('_id', id);
  const rest = new Fields(doc);
  while (rest.advance()) if (!rest.isNamed('_id')) writer.copy(rest);
  writer.end(start);
  return writer.finish();
}

function newObjectId(nowMs: number): Buffer {
  const bytes = randomBytes(12);
  bytes.writeUInt32BE(Math.floor(nowMs / 1000) >>> 0, 0);
  return bytes;
}

/** The first hit in the wanted order, or undefined. */
export function firstHit(context: Context, collection: Collection, filter: Filter, sort: readonly KeyField[]): Hit | undefined {
  const hits = findHits(context.storage, collection, filter, { sort });
  if (hits.isSorted) {
    const hit = hits.next();
    hits.pause();
    return hit;
  }
  const sorter = new Sorter(sort, 1);
  for (let hit = hits.next(); hit !== undefined; hit = hits.next()) sorter.add(hit.doc);
  const doc = sorter.finish()[0];
  return doc === undefined ? undefined : { doc, idKey: encodeId(fieldOf(documentValue(doc), '_id')) };
}

/** What `allHits` keeps of documents it has read; the others are read again when their turn comes. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** All hits, found before anything is changed, so that a moved document is not met twice. */
export function* allHits(context: Context, collection: Collection, filter: Filter): Iterable<Hit> {
  const hits = findHits(context.storage, collection, filter);
  const found: { idKey: Buffer; doc: Buffer | undefined }[] = [];
  let bytes = 0;
  for (let hit = hits.next(); hit !== undefined; hit = hits.next()) {
    bytes += hit.doc.length;
    found.push({ idKey: hit.idKey, doc: bytes <= MAX_KEPT_BYTES ? hit.doc : undefined });
  }
  for (const { idKey, doc } of found) yield { idKey, doc: doc ?? (collection.get(idKey) as Buffer) };
}

/** Applies an update to one stored document; returns it as it is then. Unchanged bytes are not written. */
export function updateHit(collection: Collection, hit: Hit, update: Update): { after: Buffer; isModified: boolean } {
  const after = applyUpdate(hit.doc, update, false);
  const isModified = !after.equals(hit.doc);
  if (isModified) collection.replace(hit.idKey, hit.doc, after);
  return { after, isModified };
}

/** Inserts the document that an upsert without a match makes. */
export function insertUpsert(context: Context, collection: Collection, filter: Filter, update: Update): Buffer {
  const base = upsertBase(filter, update.kind === 'replace');
  const doc = withId(context, documentValue(applyUpdate(base, update, true)));
  collection.insert(doc);
  return doc;
}
