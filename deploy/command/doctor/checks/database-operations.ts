import { randomBytes } from 'node:crypto';
import { MongoServerError, type Collection } from 'mongodb';
import { failed, NOT_CHECKED, notRunning, ok, type Check, type Finding } from '../check.ts';
import type { ConnectedDatabase } from '../reach/database-access.ts';
import { OPERATIONS, type ScratchDoc } from './operations.ts';

/** Next to the installation's database. */
const SCRATCH_DATABASE = 'farwatch_doctor';
const UNAUTHORIZED = 13;

export interface OperationFailure {
  name: string;
  /** Null if it worked, but with a result other than MongoDB's. */
  error: Error | null;
}

export const checkDatabaseOperations: Check = async ({ settings, database }) => {
  if (settings === null) return NOT_CHECKED;
  const connected = await database.connect().catch(() => undefined);
  if (connected === undefined) return failed('Not checked, because the database is unreachable', 'See the check database.');
  if (connected === null) return notRunning('the database of farwatch start');
  const isEmbedded = (await database.started)?.name === 'embedded store';
  const failures = await tryOperations(connected, isEmbedded);
  return judgeOperations(failures);
};

export function judgeOperations(failures: readonly OperationFailure[]): Finding {
  if (failures.length === 0) return ok(`All ${OPERATIONS.length} operations that Farwatch uses work`);
  const shown = failures.slice(0, 6).map(({ name }) => name).join(', ');
  const list = failures.length > 6 ? `${shown} and ${failures.length - 6} more` : shown;
  if (failures.some(({ error }) => isUnauthorized(error))) {
    return failed(
      `The user of MONGODB_URL lacks rights; it may not do: ${list}`,
      'Give the user the role readWrite on the database that MONGODB_URL names (farwatch if it names none): db.grantRolesToUser(USER, [{role: "readWrite", db: "farwatch"}]).',
    );
  }
  const reason = failures.find(({ error }) => error !== null)?.error?.message ?? 'the results differ from MongoDB\'s';
  return failed(
    `The database does not do everything that Farwatch needs: ${list} (${reason.slice(0, 200)})`,
    'Use MongoDB, or a compatible server that does; docs/operating.md says which are known.',
  );
}

/**
 * In a separate database, so that a killed doctor leaves nothing in the installation's; for a user who may
 * use only that one, in a collection there.
 */
async function tryOperations({ db, client }: ConnectedDatabase, isEmbedded: boolean) {
  const run = randomBytes(6).toString('hex');
  // The embedded store cannot drop a collection, so there it is always the same, and left empty.
  const name = isEmbedded ? 'scratch' : `scratch_${run}`;
  const apart = client.db(SCRATCH_DATABASE).collection<ScratchDoc>(name);
  const failures = await tryIn(apart, run, isEmbedded);
  if (!failures.some(({ error }) => isUnauthorized(error))) return failures;
  return tryIn(db.collection<ScratchDoc>(`doctor_${name}`), run, isEmbedded);
}

async function tryIn(scratch: Collection<ScratchDoc>, run: string, isEmbedded: boolean) {
  const failures: OperationFailure[] = [];
  try {
    for (const { name, isRight } of OPERATIONS) {
      const outcome = await isRight(scratch, run).catch((error: Error) => error);
      if (outcome !== true) failures.push({ name, error: outcome === false ? null : outcome });
    }
  } finally {
    await scratch.deleteMany({ run }).catch(() => undefined);
    if (!isEmbedded) await scratch.drop().catch(() => undefined);
  }
  return failures;
}

function isUnauthorized(error: Error | null): boolean {
  return error instanceof MongoServerError && error.code === UNAUTHORIZED;
}
