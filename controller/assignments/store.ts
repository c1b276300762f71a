import type { AnyBulkWriteOperation, Collection, Db, Filter, MongoBulkWriteError } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { duplicatesOnly } from '../platform/mongo/mongo-errors.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';

const WRITE_CHUNK = 1000;

/**
 * Collection `assignments`. A change is staged (`pending`), gets a revision of its own, and is settled under it; who
 * reads all that is pending first and then what is newer than a revision misses nothing (see AssignmentWriter).
 */
export class AssignmentStore {
  readonly #items: Collection<AssignmentDoc>;

  constructor(db: Db) {
    this.#items = db.collection<AssignmentDoc>('assignments');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#items, [
      // Planning looks up who runs a monitor.
      { key: { monitor_id: 1 }, name: 'monitor' },
      // A probe that is behind gets what is newer than its revision.
      { key: { probe_id: 1, rev: 1, _id: 1 }, name: 'newer' },
      // What is written and not settled: nearly always nothing.
      { key: { pending: 1, _id: 1 }, name: 'pending', sparse: true },
      // Monitors per region of an organization.
      { key: { organization_id: 1, region: 1, gone: 1 }, name: 'count' },
    ]);
  }

  /** All items of these monitors, tombstones too. */
  ofMonitors(monitorIds: string[]): Promise<AssignmentDoc[]> {
    return this.#items.find({ monitor_id: { $in: monitorIds } }).toArray();
  }

  /**
   * Writes changes of one probe as pending. Returns how many took hold: an item that follows from a later revision of
   * its monitor stays, and what was never there needs no tombstone.
   */
  async stage(probeId: string, changes: PlannedChange[], token: string, now: number): Promise<number> {
    let staged = 0;
    for (let at = 0; at < changes.length; at += WRITE_CHUNK) {
      const writes = changes.slice(at, at + WRITE_CHUNK).map((change) => stageWrite(probeId, change, token, now));
      const result = await this.#items.bulkWrite(writes, { ordered: false }).catch(toleratingNewer);
      staged += result.matchedCount + result.upsertedCount;
    }
    return staged;
  }

  /** Gives what `token` staged its revision; returns how many items that were: fewer when others wrote over them. */
  async settle(probeId: string, token: string, rev: number): Promise<number> {
    const result = await this.#items.updateMany({ pending: probeId, token }, { $set: { rev }, $unset: { pending: '', token: '' } });
    return result.modifiedCount;
  }

  /** Items that came with exactly this revision. */
  atRevision(probeId: string, rev: number): Promise<AssignmentDoc[]> {
    return this.#items.find({ probe_id: probeId, rev, pending: { $exists: false } }).toArray();
  }

  /** Pending items of a probe, by id, after the monitor `after`. */
  pendingOf(probeId: string, after: string, limit: number): Promise<AssignmentDoc[]> {
    return this.#items.find({ pending: probeId, _id: { $gt: itemId(probeId, after) } }).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Probes with items that have been pending since before `before`: their writer died. */
  async probesWithPending(before: number): Promise<string[]> {
    const found = await this.#items
      .find({ pending: { $gt: '' }, changed_at: { $lt: before } })
      .project<{ probe_id: string }>({ probe_id: 1 })
      .limit(WRITE_CHUNK)
      .toArray();
    return [...new Set(found.map((item) => item.probe_id))];
  }

  /** Items newer than a revision in order of (rev, monitor), from after the given place. */
  newer(probeId: string, place: { rev: number; monitorId: string }, limit: number): Promise<AssignmentDoc[]> {
    const filter: Filter<AssignmentDoc> = {
      probe_id: probeId,
      $or: [{ rev: { $gt: place.rev } }, { rev: place.rev, _id: { $gt: itemId(probeId, place.monitorId) } }],
    };
    // Both sides of $or lie in this range, which is what the index can serve.
    return this.#items.find({ ...filter, rev: { $gte: place.rev } }).sort({ rev: 1, _id: 1 }).limit(limit).toArray();
  }

  /** What a probe should run, by monitor id, after the monitor `after`. */
  activeOf(probeId: string, after: string, limit: number): Promise<AssignmentDoc[]> {
    return this.#items.find({ _id: rangeAfter(probeId, after), gone: false }).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** As `activeOf`, ids only: what a rebalance walks. */
  activeIdsOf(probeId: string, after: string, limit: number): Promise<Pick<AssignmentDoc, '_id' | 'monitor_id'>[]> {
    return this.#items
      .find({ _id: rangeAfter(probeId, after), gone: false })
      .project<Pick<AssignmentDoc, '_id' | 'monitor_id'>>({ monitor_id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  countActive(organizationId: string, region: string): Promise<number> {
    return this.#items.countDocuments({ organization_id: organizationId, region, gone: false });
  }

  /** The highest revision among a probe's settled tombstones from before `before`; 0 without any. */
  async oldestTombstones(probeId: string, before: number): Promise<number> {
    const found = await this.#items
      .find({ _id: rangeAfter(probeId, ''), gone: true, pending: { $exists: false }, changed_at: { $lt: before } })
      .project<{ rev: number }>({ rev: 1 })
      .toArray();
    return found.reduce((highest, item) => Math.max(highest, item.rev), 0);
  }

  /** Forgets a probe's tombstones up to a revision; returns how many. */
  async dropTombstones(probeId: string, upToRev: number): Promise<number> {
    const result = await this.#items.deleteMany({
      probe_id: probeId,
      rev: { $gt: 0, $lte: upToRev },
      gone: true,
      pending: { $exists: false },
    });
    return result.deletedCount;
  }

  /** Forgets everything of a probe. */
  async dropProbe(probeId: string): Promise<void> {
    await this.#items.deleteMany({ probe_id: probeId });
  }
}

export function itemId(probeId: string, monitorId: string): string {
  return `${probeId}:${monitorId}`;
}

/** `;` is the character after `:`. */
function rangeAfter(probeId: string, afterMonitor: string): { $gt: string; $lt: string } {
  return { $gt: itemId(probeId, afterMonitor), $lt: `${probeId};` };
}

function stageWrite(probeId: string, change: PlannedChange, token: string, now: number): AnyBulkWriteOperation<AssignmentDoc> {
  const fields = {
    probe_id: probeId,
    monitor_id: change.monitorId,
    organization_id: change.organizationId,
    region: change.region,
    gone: change.assignment === null,
    monitor_rev: change.monitorRev,
    assignment: change.assignment,
    pending: probeId,
    token,
    changed_at: now,
  };
  return {
    updateOne: {
      filter: { _id: itemId(probeId, change.monitorId), monitor_rev: { $lte: change.monitorRev } },
      update: { $set: fields, $setOnInsert: { rev: 0 } },
      upsert: change.assignment !== null,
    },
  };
}

/** An upsert beside an item of a later monitor revision ends as a duplicate key: that item stays. */
function toleratingNewer(error: unknown): { matchedCount: number; upsertedCount: number } {
  if (!duplicatesOnly(error)) throw error;
  return (error as MongoBulkWriteError).result;
}
