import { documentValue, fieldOf, type Value } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { parseProjection, type Projection } from '../query/projection.ts';
import { parsePattern } from '../query/sort.ts';
import { parseUpdate, type Update } from '../update/parse-update.ts';
import type { Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { EVERYTHING } from './find.ts';
import { firstHit, insertUpsert, updateHit } from './write-documents.ts';

export async function findAndModify(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const isRemove = args.flag('remove') === true;
  const isNew = args.flag('new') === true;
  const isUpsert = args.flag('upsert') === true;
  const given = args.value('update');
  if (isRemove && (given !== undefined || isUpsert || isNew)) throw failedToParse('Cannot specify both an update, upsert or new and remove=true');
  if (!isRemove && given === undefined) throw failedToParse('Either an update or remove=true must be specified');
  const update = given === undefined ? null : parseUpdate(given);
  const query = args.document('query');
  const filter = query === undefined ? EVERYTHING : parseFilter(query);
  const order = args.document('sort');
  const sort = order === undefined ? [] : parsePattern(order, 'sort');
  const projection = parseProjection(args.document('fields'));
  return context.storage.write(() => {
    const collection = context.catalog.get(ns);
    const hit = collection === undefined ? undefined : firstHit(context, collection, filter, sort);
    if (collection !== undefined && hit !== undefined) {
      if (update === null) {
        collection.remove(hit.idKey, hit.doc);
        return reply(1, null, hit.doc, projection);
      }
      const { after } = updateHit(collection, hit, update);
      return reply(1, true, isNew ? after : hit.doc, projection);
    }
    if (update === null) return reply(0, null, null, projection);
    if (!isUpsert) return reply(0, false, null, projection);
    const doc = insertUpsert(context, collection ?? context.catalog.create(ns), filter, update as Update);
    return reply(1, false, isNew ? doc : null, projection, fieldOf(documentValue(doc), '_id'));
  });
}

function reply(n: number, updatedExisting: boolean | null, doc: Buffer | null, projection: Projection | null, upserted?: Value): Reply {
  const shown = doc === null || projection === null ? doc : projection(doc);
  return {
    lastErrorObject: { n, ...(updatedExisting === null ? {} : { updatedExisting }), ...(upserted === undefined ? {} : { upserted }) },
    value: shown === null ? null : documentValue(shown),
  };
}
