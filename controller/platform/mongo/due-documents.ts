import type { Filter, UpdateFilter } from 'mongodb';
import type { WorkClaim } from '../../../shared/work-claims.ts';
import { claimedAs, notHeld, type Claimable } from './claim-filters.ts';
import { DocumentsById } from './documents.ts';

interface Due extends Claimable {
  /** When there is work at it, Unix ms. */
  due_at?: number;
}

/** Documents at which one controller works when they are due. */
export abstract class DueDocuments<Doc extends Due> extends DocumentsById<Doc> {
  /** Those that are due by `until` (Unix ms) and not `held` under these claims, longest due first. */
  due(until: number, limit: number, held: readonly string[] = []): Promise<Doc[]> {
    const due = this.select({ due_at: { $lte: until }, ...notHeld(held) } as Filter<Doc>);
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Keeps others from working at it; null if it is no longer as it was seen. */
  claim(seen: Doc, claim: WorkClaim): Promise<Doc | null> {
    const asSeen = { due_at: seen.due_at, ...claimedAs(seen) } as Filter<Doc>;
    return this.change(asSeen, { $set: { claim } } as UpdateFilter<Doc>);
  }
}
