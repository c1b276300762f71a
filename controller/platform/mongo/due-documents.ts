import type { Filter, UpdateFilter } from 'mongodb';
import { type Claimable, claimedAs, notHeld, type WorkClaim } from '../../work/claimed-work.ts';
import { DocumentsById } from './documents.ts';

interface Due extends Claimable {
  /** When it needs work, Unix ms; absent if it needs none. */
  due_at?: number;
}

/** Documents that one controller processes when they are due. */
export abstract class DueDocuments<Doc extends Due> extends DocumentsById<Doc> {
  /** Documents due by `until` (Unix ms) and without these claims, longest overdue first. */
  due(until: number, limit: number, held: readonly string[] = []): Promise<Doc[]> {
    const due = this.select({ due_at: { $lte: until }, ...notHeld(held) } as Filter<Doc>);
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Claims it for one controller; null if it has changed since `seen`. */
  claim(seen: Doc, claim: WorkClaim): Promise<Doc | null> {
    const asSeen = { due_at: seen.due_at, ...claimedAs(seen) } as Filter<Doc>;
    return this.change(asSeen, { $set: { claim } } as UpdateFilter<Doc>);
  }

  /** Changes it and ends the claim. False, without effect, if the claim was lost. */
  settle(claimed: Doc, change: Partial<Doc>): Promise<boolean> {
    const update: unknown = { $set: change, $unset: { claim: '' } };
    return this.update(claimedAs(claimed) as Filter<Doc>, update as UpdateFilter<Doc>);
  }
}
