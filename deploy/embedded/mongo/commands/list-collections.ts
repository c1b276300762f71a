import { elementsOf } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import type { Args } from './args.ts';
import type { Action } from './command.ts';

export function listCollections(args: Args): Action {
  const { database } = args;
  for (const name of ['filter', 'cursor']) {
    const given = args.document(name);
    if (given !== undefined && elementsOf(given).length > 0) throw badValue(`${name} must be empty`);
  }
  if (!args.flag('nameOnly')) throw badValue('nameOnly must be true');
  return ({ catalog }) => {
    const names = [...catalog.collectionsOf(database)].map(([name]) => name);
    const firstBatch = names.map((name) => ({ name, type: 'collection' }));
    return { cursor: { firstBatch, id: 0n, ns: `${database}.$cmd.listCollections` } };
  };
}
