import { documentValue, fieldOf, Fields, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import type { Filter } from '../query/filter.ts';
import type { Hit } from '../query/scan.ts';
import type { Collection } from '../storage/collection.ts';
import { applyUpdate } from '../update/apply-update.ts';
import type { Update } from '../update/parse-update.ts';
import { upsertBase } from '../update/upsert-base.ts';

/** The document with its `_id`, if it has one, moved to the front. */
export function withIdFirst(doc: Value): Buffer {
  const id = fieldOf(doc, '_id');
  const fields = new Fields(doc);
  const isInPlace = id === undefined || (fields.advance() && fields.isNamed('_id'));
  if (isInPlace) return doc.buf.subarray(doc.at, doc.end);
  const writer = new BsonWriter(doc.end - doc.at);
  const start = writer.begin();
  writer.element('_id', id);
  do {
    if (!fields.isNamed('_id')) writer.copy(fields);
  } while (fields.advance());
  writer.end(start);
  return writer.finish();
}

/** Updates a stored document and returns it; writes nothing if it is unchanged. */
export function updateHit(
  collection: Collection, hit: Hit, update: Update,
): { after: Buffer; isModified: boolean } {
  const after = applyUpdate(hit.doc, update, false);
  const isModified = !after.equals(hit.doc);
  if (isModified) collection.replace(hit.idKey, hit.doc, after);
  return { after, isModified };
}

/** Inserts the document of an upsert that matched nothing. */
export function insertUpsert(collection: Collection, filter: Filter, update: Update): Buffer {
  const base = upsertBase(filter, update.kind === 'replace');
  const doc = withIdFirst(documentValue(applyUpdate(base, update, true)));
  collection.insert(doc);
  return doc;
}
