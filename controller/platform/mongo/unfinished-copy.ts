import type { Db } from 'mongodb';
import { UNFINISHED_COPY } from '../../../shared/database.ts';

/** `farwatch restore` or `farwatch move` was interrupted while it filled the database. */
export class UnfinishedCopy extends Error {
  constructor(database: string) {
    super(`The database ${database} is incomplete: farwatch restore or farwatch move was interrupted. Run it again.`);
    this.name = 'UnfinishedCopy';
  }
}

/** @throws UnfinishedCopy */
export async function requireWholeDatabase(db: Db): Promise<void> {
  const { collection, id } = UNFINISHED_COPY;
  const mark = await db.collection<{ _id: string }>(collection).findOne({ _id: id });
  if (mark !== null) throw new UnfinishedCopy(db.databaseName);
}
