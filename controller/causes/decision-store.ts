import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';
import type { CauseDecision, CauseDoc } from './cause.ts';

/** A document of `cause_decisions`: the latest decisions about an organization's incidents. */
export interface DecisionDoc {
  /** The organization's id. */
  _id: string;
  /** Increases by one with each decision. */
  revision: number;
  decisions: (CauseDecision & Pick<CauseDoc, 'monitors_having' | 'project_ids' | 'started_at'>)[];
  /** Whether all causes and incidents say so. */
  is_applied: boolean;
}

/** Collection `cause_decisions`: makes the decisions of all controllers about an organization consecutive. */
export class DecisionStore extends Documents<DecisionDoc> {
  constructor(db: Db) {
    super(db, 'cause_decisions');
  }

  /** Null before the first. */
  latest(organizationId: string): Promise<DecisionDoc | null> {
    return this.findOne({ _id: organizationId });
  }

  /** Stores what follows `seen`. False, without effect, if another controller decided since. */
  async follow(seen: DecisionDoc | null, next: DecisionDoc): Promise<boolean> {
    if (seen === null) return this.insertIfFree(next);
    const { _id, ...decided } = next;
    return this.update({ _id, revision: seen.revision }, { $set: decided });
  }

  async markApplied({ _id, revision }: DecisionDoc): Promise<void> {
    await this.update({ _id, revision }, { $set: { is_applied: true } });
  }
}
