import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';

interface TurnDoc {
  /** Host, with its port where that is unusual. */
  _id: string;
  /** When it may be asked again, Unix ms. */
  free_at: number;
}

/** From one question to a server to the next. */
export const BETWEEN_MS = 1000;

/** Collection `domain_turns`: so that all controllers together ask a server at most once a second. */
export class TurnStore extends Documents<TurnDoc> {
  constructor(db: Db) {
    // Old turns are removed.
    super(db, 'domain_turns', [{ key: { free_at: 1 }, name: 'free' }]);
  }

  /** False when the server was asked within the last second. */
  async take(server: string, now: number): Promise<boolean> {
    const free_at = now + BETWEEN_MS;
    if (await this.update({ _id: server, free_at: { $lte: now } }, { $set: { free_at } })) return true;
    return this.insertIfFree({ _id: server, free_at });
  }

  async removeOlder(before: number): Promise<void> {
    await this.all.deleteMany({ free_at: { $lt: before } });
  }
}
