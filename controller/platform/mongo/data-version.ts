import type { Db } from 'mongodb';
import { DATA_VERSION, newerDataMessage } from '../../../shared/version.ts';

const ID = 'data_version';

interface VersionDoc {
  _id: typeof ID;
  version: number;
}

/** A newer controller has written to the database. */
export class NewerData extends Error {
  override readonly name = 'NewerData';
}

/** Records our version of the data in the database. @throws NewerData, without changing anything */
export async function claimDataVersion(db: Db): Promise<void> {
  const versions = db.collection<VersionDoc>('settings');
  const stored = (await versions.findOne({ _id: ID }))?.version ?? 0;
  if (stored > DATA_VERSION) throw new NewerData(newerDataMessage(`The database ${db.databaseName}`));
  if (stored < DATA_VERSION) {
    await versions.updateOne({ _id: ID }, { $max: { version: DATA_VERSION } }, { upsert: true });
  }
}
