import type { Db } from 'mongodb';
import { type Claimable, claimedAs, type WorkClaims } from '../work/claimed-work.ts';
import { Documents } from '../platform/mongo/documents.ts';

/** Its id is a host, with a port if it is not the default. Its claim is that of the latest turn. */
interface TurnDoc extends Claimable {
  /** When the turn ends, Unix ms by the clock of the controller that took it. Identifies old turns. */
  free_at: number;
}

/** Minimum time between two queries to one server. */
export const QUERY_INTERVAL_MS = 1000;

/** Collection `domain_turns`: all controllers together query a server at most once a second. */
export class TurnStore extends Documents<TurnDoc> {
  constructor(db: Db) {
    // Removes old turns.
    super(db, 'domain_turns', [{ key: { free_at: 1 }, name: 'free' }]);
  }

  /** False if the server was queried within the last second. `workClaims` must last for QUERY_INTERVAL_MS. */
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
