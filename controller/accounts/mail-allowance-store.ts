import type { Collection, Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';

interface AllowanceDoc {
  _id: string;
  /** Unix ms. */
  expires_at: number;
}

const HOUR_MS = 3_600_000;
/** Mails of one purpose to one address in an hour, whoever asks for them. */
const MAILS_PER_HOUR = 5;

/** Collection `mail_allowances`: a document for each mail that was allowed in this hour, so that nobody can be flooded through us. */
export class MailAllowanceStore {
  readonly #allowances: Collection<AllowanceDoc>;

  constructor(db: Db) {
    this.#allowances = db.collection<AllowanceDoc>('mail_allowances');
  }

  async ensureIndexes(): Promise<void> {
    // Forgetting those of past hours.
    await ensureIndexes(this.#allowances, [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /** Whether one more mail may go to this address; the unique id of each place decides between many at once. */
  async claim(purpose: string, email: string, now: number): Promise<boolean> {
    await this.#allowances.deleteMany({ expires_at: { $lte: now } });
    const hour = Math.floor(now / HOUR_MS);
    for (let place = 0; place < MAILS_PER_HOUR; place += 1) {
      const allowance = { _id: derivedId('mail', purpose, email, hour, place), expires_at: (hour + 1) * HOUR_MS };
      if (await unlessTaken(this.#allowances.insertOne(allowance))) return true;
    }
    return false;
  }
}
