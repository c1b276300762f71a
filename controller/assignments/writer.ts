import { randomBytes } from 'node:crypto';
import type { AssignmentChange } from '../../shared/contracts/assignment.ts';
import type { Clock } from '../../shared/time.ts';
import { toAssignmentChange, type AssignmentDoc, type PlannedChange } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';

const RECOMMIT_BATCH_SIZE = 1000;

/** A change of a probe's set that is durable under its revision. */
export interface CommittedChange {
  revision: number;
  changes: AssignmentChange[];
}

/**
 * Assigns revisions to changes without a transaction, with several controllers writing concurrently. Stages
 * the changes first, so that a reader of the revision finds them; then numbers and settles them. After a
 * crash they stay pending: every response includes them, and `recommit` numbers them.
 */
export class AssignmentWriter {
  readonly #deps: { items: AssignmentStore; heads: HeadStore; clock: Clock };

  constructor(deps: { items: AssignmentStore; heads: HeadStore; clock: Clock }) {
    this.#deps = deps;
  }

  /** The changes must be of this probe. Null if none took effect because the monitors had later revisions. */
  async change(probeId: string, changes: PlannedChange[]): Promise<CommittedChange | null> {
    const { items, heads, clock } = this.#deps;
    const token = randomBytes(12).toString('base64url');
    const staged = await items.stage(changes, token, clock.now());
    if (staged === 0) return null;
    const revision = await heads.next(probeId);
    const settled = await items.settle(probeId, token, revision);
    const applied = settled === changes.length ? changes : await items.atRevision(probeId, revision);
    return { revision, changes: applied.map(toAssignmentChange) };
  }

  /** Assigns revisions to changes that crashed writers left pending before `before` (Unix ms), by probe. */
  async recommit(before: number): Promise<Map<string, CommittedChange>> {
    const done = new Map<string, CommittedChange>();
    const { items } = this.#deps;
    for (const probeId of await items.probesWithPending(before)) {
      const pending = await items.pendingOf(probeId, '', RECOMMIT_BATCH_SIZE);
      const committed = await this.change(probeId, pending.map(replanned));
      if (committed) done.set(probeId, committed);
    }
    return done;
  }
}

function replanned(item: AssignmentDoc): PlannedChange {
  const { probe_id, region, organization_id, monitor_id, monitor_rev, assignment } = item;
  return { probe_id, region, organization_id, monitor_id, monitor_rev, assignment };
}
