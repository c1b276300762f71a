import { randomBytes } from 'node:crypto';
import type { AssignmentChange } from '../../shared/contracts/assignment.ts';
import type { Clock } from '../../shared/time.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';

const RECOMMIT_AT_ONCE = 1000;

/** A change of a probe's set that is durable under its revision. */
export interface CommittedChange {
  revision: number;
  changes: AssignmentChange[];
}

/**
 * Gives changes a revision, without a transaction and from several controllers at once. Staged first, so that a
 * reader who knows the revision finds them pending or settled; numbered second, by an increment that is ours alone;
 * settled last. A writer that dies in between leaves them pending: they are delivered with every answer meanwhile,
 * and `recommit` numbers them.
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

  /** Null when nothing of it took hold, since later revisions of the monitors were there. */
  async change(probeId: string, changes: PlannedChange[]): Promise<CommittedChange | null> {
    const token = randomBytes(12).toString('base64url');
    const staged = await this.#items.stage(probeId, changes, token, this.#clock.now());
    if (staged === 0) return null;
    const revision = await this.#heads.next(probeId);
    const settled = await this.#items.settle(probeId, token, revision);
    if (settled === changes.length) return { revision, changes: changes.map(asChange) };
    return { revision, changes: (await this.#items.atRevision(probeId, revision)).map(itemChange) };
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

/** An item as it travels. */
export function itemChange(item: AssignmentDoc): AssignmentChange {
  return item.assignment === null ? { gone: item.monitor_id } : { set: item.assignment };
}

function asChange(change: PlannedChange): AssignmentChange {
  return change.assignment === null ? { gone: change.monitorId } : { set: change.assignment };
}

function replanned(item: AssignmentDoc): PlannedChange {
  return {
    probeId: item.probe_id,
    region: item.region,
    organizationId: item.organization_id,
    monitorId: item.monitor_id,
    monitorRev: item.monitor_rev,
    assignment: item.assignment,
  };
}
