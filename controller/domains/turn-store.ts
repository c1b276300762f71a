import type { Db } from 'mongodb';
import type { WorkClaims } from '../../shared/work-claims.ts';
import { claimedAs, type Claimable } from '../platform/mongo/claim-filters.ts';
import { Documents } from '../platform/mongo/documents.ts';

/** Its id is a host, with its port where that is unusual; its claim is that of the latest turn. */
interface TurnDoc extends Claimable {
  /** When the turn ends, Unix ms by the clock of whoever took it: tells old ones. */
  free_at: number;
}

/** From one question to a server to the next. */
export const QUERY_INTERVAL_MS = 1000;

/** Collection `domain_turns`: so that all controllers together ask a server at most once a second. */
export class TurnStore extends Documents<TurnDoc> {
  constructor(db: Db) {
    // Old turns are removed.
    super(db, 'domain_turns', [{ key: { free_at: 1 }, name: 'free' }]);
  }

  /** False when the server was asked within the last second. `claims` last for BETWEEN_MS. */
  async take(server: string, workClaims: WorkClaims, now: number): Promise<boolean> {
    const seen = await this.findOne({ _id: server });
    if (!workClaims.isFree(seen?.claim)) return false;
    const turn = { claim: workClaims.create(), free_at: now + QUERY_INTERVAL_MS };
    return seen ? this.update(claimedAs(seen), { $set: turn }) : this.insertIfFree({ _id: server, ...turn });
  }

  async removeOlder(before: number): Promise<void> {
    await this.all.deleteMany({ free_at: { $lt: before } });
  }
}
