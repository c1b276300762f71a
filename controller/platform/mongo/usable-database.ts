import type { Db } from 'mongodb';
import { isSharded, SHARDED, UNFINISHED_COPY } from '../../../shared/database.ts';

/** Controllers refuse to start on this database. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** @throws UnusableDatabase for a sharded cluster, and for a database that is only partly copied */
export async function requireUsableDatabase(db: Db): Promise<void> {
  if (isSharded(await db.command({ hello: 1 }))) throw new UnusableDatabase(`${SHARDED.problem}. ${SHARDED.remedy}`);
  const { collection, id } = UNFINISHED_COPY;
  if (await db.collection<{ _id: string }>(collection).findOne({ _id: id }) === null) return;
  throw new UnusableDatabase(
    `The database ${db.databaseName} is incomplete: farwatch restore or farwatch move was interrupted. Run it again.`,
  );
}
