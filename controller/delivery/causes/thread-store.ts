import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { DocumentsById, restoring } from '../../platform/mongo/documents.ts';

/**
 * A document of `cause_threads`: the messages about one cause to one recipient of a destination. Instants are
 * Unix ms.
 */
export interface ThreadDoc {
  _id: string;
  cause_id: string;
  organization_id: string;
  destination_id: string;
  recipient: string;
  /** The delivery that went out by itself, before the thread, and when it was queued. */
  first_id: string;
  first_at: number;
  /** Sent after the first. */
  messages: number;
  last_at: number | null;
  /** The last message said that all outages are over. */
  is_over: boolean;
}

/** Retries of claims and deadlines of deliveries are over by then. */
const RETENTION_MS = 400 * 86_400_000;

export function threadIdOf(causeId: string, to: Pick<ThreadDoc, 'destination_id' | 'recipient'>): string {
  return derivedId('thread', causeId, to.destination_id, to.recipient);
}

/** Collection `cause_threads`. */
export class ThreadStore extends DocumentsById<ThreadDoc> {
  constructor(db: Db) {
    super(db, 'cause_threads', [
      // Finds who must be notified when a cause ends.
      { key: { cause_id: 1 }, name: 'of_cause' },
      // Removes old threads.
      { key: { first_at: 1 }, name: 'by_age' },
    ], restoring<ThreadDoc>({ last_at: null }));
  }

  ofCause(causeId: string): Promise<ThreadDoc[]> {
    return this.select({ cause_id: causeId }).toArray();
  }

  /** Stores a thread unless it exists; returns what is stored. */
  async open(thread: ThreadDoc): Promise<ThreadDoc> {
    if (await this.insertIfFree(thread)) {
      await this.all.deleteMany({ first_at: { $lt: thread.first_at - RETENTION_MS } });
      return thread;
    }
    return await this.find(thread._id) ?? thread;
  }

  /** Records that a message was sent at `now`, Unix ms. */
  async recordMessage({ _id, messages }: ThreadDoc, isOver: boolean, now: number): Promise<void> {
    const sent = { messages: messages + 1, last_at: now, is_over: isOver };
    await this.update({ _id, messages }, { $set: sent });
  }
}
