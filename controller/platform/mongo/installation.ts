import type { Db } from 'mongodb';
import { DEFAULT_SHARDS, ShardMap } from '../../../shared/ids.ts';
import { DATA_VERSION, newerDataMessage } from '../../../shared/version.ts';
import { unlessTaken } from './mongo-errors.ts';

const ID = 'data_version';

interface InstallationDoc {
  _id: typeof ID;
  version: number;
  /** Absent in an installation whose first start was before this could be chosen. */
  shards?: number;
}

/** A newer controller has written to the database. */
export class NewerData extends Error {
  override readonly name = 'NewerData';
}

/** The installation has another number of shards than this controller's settings say. */
export class OtherShards extends Error {
  override readonly name = 'OtherShards';
}

/**
 * Records our version of the data in the database, and at the first start the number of shards: `shards`, or
 * the default for null. Returns the installation's shards. Of several first starts, one decides.
 * @throws NewerData or OtherShards, without changing anything
 */
export async function claimInstallation(db: Db, shards: number | null): Promise<ShardMap> {
  const documents = db.collection<InstallationDoc>('settings');
  const stored = await documents.findOne({ _id: ID });
  if (stored !== null && stored.version > DATA_VERSION) {
    throw new NewerData(newerDataMessage(`The database ${db.databaseName}`));
  }
  if (stored !== null) {
    const shardMap = shardsOf(stored, shards);
    if (stored.version === DATA_VERSION) return shardMap;
  }
  const change = { $max: { version: DATA_VERSION }, $setOnInsert: { shards: shards ?? DEFAULT_SHARDS } };
  await unlessTaken(documents.updateOne({ _id: ID }, change, { upsert: true }));
  return shardsOf(await documents.findOne({ _id: ID }), shards);
}

function shardsOf(stored: InstallationDoc | null, wanted: number | null): ShardMap {
  const count = stored?.shards ?? DEFAULT_SHARDS;
  if (wanted !== null && wanted !== count) {
    throw new OtherShards(`Farwatch cannot start: this installation has had ${count} shards since its first start, `
      + `so SHARDS must be ${count} or unset, not ${wanted}`);
  }
  return new ShardMap(count);
}
