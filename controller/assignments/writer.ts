import { randomBytes } from 'node:crypto';
import type { AssignmentChange } from '../../shared/contracts/assignment.ts';
import type { Clock } from '../../shared/time.ts';
import { travelling, type AssignmentDoc, type PlannedChange } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';

const RECOMMIT_AT_ONCE = 1000;

/** A change of a probe's set that is durable under its revision. */
export interface CommittedChange {
  revision: number;
  changes: AssignmentChange[];
}

/**
 * Gives changes a revision, without a transaction and from several controllers at once: stages them, so that
 * a reader of the revision finds them pending or settled; numbers them by an increment of its own; settles
 * them. If it dies in between, they stay pending: every answer includes them, and `recommit` numbers them.
 */
export class AssignmentWriter {
  readonly #items: AssignmentStore;
  readonly #heads: HeadStore;
  readonly #clock: Clock;

  constructor(deps: { items: AssignmentStore; heads: HeadStore; clock: Clock }) {
    this.#items = deps.items;
    this.#heads = deps.heads;
    this.#clock = deps.clock;
  }

  /** Takes changes of this probe only. Null when none took hold: the monitors had later revisions. */
  async change(probeId: string, changes: PlannedChange[]): Promise<CommittedChange | null> {
    const token = randomBytes(12).toString('base64url');
    const staged = await this.#items.stage(changes, token, this.#clock.now());
    if (staged === 0) return null;
    const revision = await this.#heads.next(probeId);
    const settled = await this.#items.settle(probeId, token, revision);
    const isWhole = settled === changes.length;
    const kept = isWhole ? changes : await this.#items.atRevision(probeId, revision);
    return { revision, changes: kept.map(travelling) };
  }

  /** Numbers what writers that died left pending before `before` (Unix ms), by probe. */
  async recommit(before: number): Promise<Map<string, CommittedChange>> {
    const done = new Map<string, CommittedChange>();
    for (const probeId of await this.#items.probesWithPending(before)) {
      const items = await this.#items.pendingOf(probeId, '', RECOMMIT_AT_ONCE);
      const committed = await this.change(probeId, items.map(replanned));
      if (committed) done.set(probeId, committed);
    }
    return done;
  }
}

function replanned(item: AssignmentDoc): PlannedChange {
  const { probe_id, region, organization_id, monitor_id, monitor_rev, assignment } = item;
  return { probe_id, region, organization_id, monitor_id, monitor_rev, assignment };
}
