import { documentValue, fieldOf, type Value } from '../bson/value.ts';
import { failedToParse } from '../errors.ts';
import { firstHit } from '../query/hits.ts';
import { parseUpdate } from '../update/parse-update.ts';
import type { Args } from './args.ts';
import type { Action, CommandResponse } from './command.ts';
import { insertUpsert, updateHit } from './write-documents.ts';

export function findAndModify(args: Args): Action {
  const { ns } = args;
  const filter = args.filter('query');
  const isNew = args.flag('new');
  const isUpsert = args.flag('upsert');
  const updateValue = args.value('update');
  if (args.flag('remove') !== (updateValue === undefined)) throw failedToParse('give either update or remove');
  if (updateValue === undefined && (isUpsert || isNew)) throw failedToParse('remove excludes upsert and new');
  const update = updateValue === undefined ? null : parseUpdate(updateValue);
  return ({ storage, catalog }) => storage.write(() => {
    const collection = catalog.get(ns);
    const hit = collection === undefined ? undefined : firstHit(storage, collection, filter);
    if (collection !== undefined && hit !== undefined) {
      if (update === null) {
        collection.remove(hit.idKey, hit.doc);
        return responseWith({ n: 1 }, hit.doc);
      }
      const { after } = updateHit(collection, hit, update);
      return responseWith({ n: 1, updatedExisting: true }, isNew ? after : hit.doc);
    }
    if (update === null) return responseWith({ n: 0 }, null);
    if (!isUpsert) return responseWith({ n: 0, updatedExisting: false }, null);
    const doc = insertUpsert(catalog.ensure(ns), filter, update);
    const upserted = fieldOf(documentValue(doc), '_id') as Value;
    return responseWith({ n: 1, updatedExisting: false, upserted }, isNew ? doc : null);
  });
}

function responseWith(lastErrorObject: CommandResponse, doc: Buffer | null): CommandResponse {
  return { lastErrorObject, value: doc === null ? null : documentValue(doc) };
}
