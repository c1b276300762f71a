import type { AnyBulkWriteOperation, Db, Filter, MongoBulkWriteError } from 'mongodb';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { type CheckSpec, isSpecOf, type KnownSpec } from '../../shared/contracts/check-spec.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import { duplicatesOnly } from '../platform/mongo/mongo-errors.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { AssignmentDoc, AssignmentHistoryEntry, PlannedChange } from './assignment-doc.ts';

const WRITE_CHUNK = 1000;
/** Ids per query, so that other commands are not blocked for long. */
const IDS_BATCH_SIZE = 500;
const HISTORY_FIELDS = { probe_id: 1, monitor_id: 1, rev: 1, gone: 1, changed_at: 1 };

type SpecOf<T extends KnownSpec['type']> = Extract<KnownSpec, { type: T }>;

const restoreRequest =
  restoring<SpecOf<'HTTP'> | SpecOf<'KEYWORD'>>({ body: null, slow_response_threshold_ms: null });
const restoreDns = restoring<SpecOf<'DNS'>>({ server: null });
const restoreItem = restoring<AssignmentDoc>({ assignment: null }, {
  assignment: restoring<Assignment>({}, {
    spec: (spec) => {
      if (isSpecOf(spec, 'HTTP') || isSpecOf(spec, 'KEYWORD')) restoreRequest(spec);
      else if (isSpecOf(spec, 'DNS')) restoreDns(spec);
    },
  }),
});

type ActiveId = Pick<AssignmentDoc, '_id' | 'monitor_id'>;

/** A position in the order of a probe's revisions. */
interface RevisionCursor {
  rev: number;
  monitorId: string;
}

/**
 * Collection `assignments`. A change is staged (`pending`), gets its own revision, and is settled under it.
 * To miss nothing, readers read all pending items first, then those after a revision (see AssignmentWriter).
 */
export class AssignmentStore extends Documents<AssignmentDoc> {
  readonly #secrets: SecretBox;

  constructor(db: Db, secrets: SecretBox) {
    super(db, 'assignments', [
      // Planning finds the probes that run a monitor.
      { key: { monitor_id: 1 }, name: 'monitor' },
      // A probe that is behind gets the items after its revision.
      { key: { probe_id: 1, rev: 1, _id: 1 }, name: 'newer' },
      // Staged and not settled: nearly always empty.
      { key: { pending: 1, _id: 1 }, name: 'pending', sparse: true },
      // What a probe runs for an organization, and how many monitors it runs in total.
      { key: { probe_id: 1, gone: 1, organization_id: 1 }, name: 'by_probe' },
      // Monitors per region of an organization.
      { key: { organization_id: 1, gone: 1, region: 1 }, name: 'by_region' },
    ], (item) => restoreItem(opened(item, secrets)));
    this.#secrets = secrets;
  }

  /** All items of these monitors, including tombstones. */
  ofMonitors(monitorIds: string[]): Promise<AssignmentDoc[]> {
    return this.select({ monitor_id: { $in: monitorIds } }).toArray();
  }

  /**
   * Writes changes of one probe as pending and returns how many took effect. An item from a later monitor
   * revision stays. A monitor that the probe never had needs no tombstone.
   */
  async stage(changes: PlannedChange[], token: string, now: number): Promise<number> {
    let staged = 0;
    for (let at = 0; at < changes.length; at += WRITE_CHUNK) {
      const chunk = changes.slice(at, at + WRITE_CHUNK).map((change) => sealed(change, this.#secrets));
      const writes = chunk.map((change) => stageWrite(change, token, now));
      const result = await this.all.bulkWrite(writes, { ordered: false }).catch(ignoreNewerItems);
      staged += result.matchedCount + result.upsertedCount;
    }
    return staged;
  }

  /**
   * Assigns the revision to the items staged under `token`; returns how many had not been overwritten by
   * then.
   */
  async settle(probeId: string, token: string, rev: number): Promise<number> {
    const change = { $set: { rev }, $unset: { pending: '', token: '' } } as const;
    const result = await this.all.updateMany({ pending: probeId, token }, change);
    return result.modifiedCount;
  }

  /** Items with exactly this revision. */
  atRevision(probeId: string, rev: number): Promise<AssignmentDoc[]> {
    return this.select({ probe_id: probeId, rev, pending: { $exists: false } }).toArray();
  }

  /** Pending items of a probe, by id, after the monitor `after`. */
  pendingOf(probeId: string, after: string, limit: number): Promise<AssignmentDoc[]> {
    const filter = { pending: probeId, _id: { $gt: itemId(probeId, after) } };
    return this.select(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Probes with items pending since before `before`: their writer crashed. */
  async probesWithPending(before: number): Promise<string[]> {
    const found = await this.all
      .find({ pending: { $gt: '' }, changed_at: { $lt: before } })
      .project<{ probe_id: string }>({ probe_id: 1 })
      .limit(WRITE_CHUNK)
      .toArray();
    return [...new Set(found.map((item) => item.probe_id))];
  }

  /** Items after the cursor, in order of (rev, monitor). */
  newer(probeId: string, cursor: RevisionCursor, limit: number): Promise<AssignmentDoc[]> {
    return this.select(newerThan(probeId, cursor)).sort({ rev: 1, _id: 1 }).limit(limit).toArray();
  }

  /** Like `newer`, without the assignments. */
  newerHistory(probeId: string, cursor: RevisionCursor, limit: number): Promise<AssignmentHistoryEntry[]> {
    const all = this.all.find(newerThan(probeId, cursor)).sort({ rev: 1, _id: 1 });
    return all.project<AssignmentHistoryEntry>(HISTORY_FIELDS).limit(limit).toArray();
  }

  /** The items of these pairs, including tombstones. */
  historyOf(pairs: { probeId: string; monitorId: string }[]): Promise<AssignmentHistoryEntry[]> {
    const ids = pairs.map(({ probeId, monitorId }) => itemId(probeId, monitorId));
    return this.all.find({ _id: { $in: ids } }).project<AssignmentHistoryEntry>(HISTORY_FIELDS).toArray();
  }

  /** The probe's active items in order of monitor id, after the monitor `after`. */
  activeOf(probeId: string, after: string, limit: number): Promise<AssignmentDoc[]> {
    return this.select(active(probeId, after)).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Like `activeOf`, ids only. */
  activeIdsOf(probeId: string, after: string, limit: number): Promise<ActiveId[]> {
    const all = this.all.find(active(probeId, after)).sort({ _id: 1 });
    return all.project<ActiveId>({ monitor_id: 1 }).limit(limit).toArray();
  }

  /**
   * The probe's active items with another setting of `allow_private`, or none, in the order of `activeOf`.
   */
  ofOtherPolicy(
    probeId: string, allowPrivate: boolean, after: string, limit: number,
  ): Promise<AssignmentDoc[]> {
    const others = { gone: false, 'assignment.allow_private': { $ne: allowPrivate } };
    const filter = { _id: rangeAfter(probeId, after), ...others };
    return this.select(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Ids of an organization's monitors that a probe should run, unordered. */
  async idsOf(organizationId: string, probeId: string): Promise<string[]> {
    const filter = { probe_id: probeId, gone: false, organization_id: organizationId };
    const found = this.all.find(filter, { batchSize: IDS_BATCH_SIZE }).project<ActiveId>({ monitor_id: 1 });
    return (await found.toArray()).map(({ monitor_id: id }) => id);
  }

  /** How many monitors a probe should run. */
  countOf(probeId: string): Promise<number> {
    return this.count({ probe_id: probeId, gone: false });
  }

  /** Numbers of an organization's monitors by region. */
  async countByRegion(organizationId: string): Promise<Map<string, number>> {
    const groups = this.all.aggregate<{ _id: string; n: number }>([
      // Strings only: a damaged document must not fail the whole query.
      { $match: { organization_id: organizationId, gone: false, region: { $gt: '' } } },
      { $group: { _id: '$region', n: { $sum: 1 } } },
    ]);
    return new Map((await groups.toArray()).map(({ _id: region, n }) => [region, n]));
  }

  /** The highest revision among a probe's settled tombstones older than `before`; 0 without any. */
  async latestTombstone(probeId: string, before: number): Promise<number> {
    const settled = { gone: true, changed_at: { $lt: before }, pending: { $exists: false } };
    const found = await this.all
      .find({ _id: rangeAfter(probeId, ''), ...settled })
      .project<{ rev: number }>({ rev: 1 })
      .toArray();
    return found.reduce((highest, item) => Math.max(highest, item.rev), 0);
  }

  /** Removes a probe's tombstones up to a revision; returns how many. */
  async removeTombstones(probeId: string, upToRev: number): Promise<number> {
    const settled = { rev: { $gt: 0, $lte: upToRev }, pending: { $exists: false } };
    const result = await this.all.deleteMany({ probe_id: probeId, gone: true, ...settled });
    return result.deletedCount;
  }

  async removeProbe(probeId: string): Promise<void> {
    await this.all.deleteMany({ probe_id: probeId });
  }
}

function newerThan(probeId: string, { rev, monitorId }: RevisionCursor): Filter<AssignmentDoc> {
  const after = [{ rev: { $gt: rev } }, { rev, _id: { $gt: itemId(probeId, monitorId) } }];
  // Both branches of $or lie in the range of `rev`, so the index can serve them.
  return { probe_id: probeId, $or: after, rev: { $gte: rev } };
}

function active(probeId: string, after: string) {
  return { _id: rangeAfter(probeId, after), gone: false };
}

function itemId(probeId: string, monitorId: string): string {
  return `${probeId}:${monitorId}`;
}

/** Encrypts a spec that contains values of secret variables. */
function sealed(change: PlannedChange, secrets: SecretBox): PlannedChange {
  const { assignment, monitor_id, probe_id } = change;
  if (assignment === null || !('secrets' in assignment.spec)) return change;
  const { spec, ...rest } = assignment;
  const text = secrets.seal(JSON.stringify(spec), itemId(probe_id, monitor_id));
  return { ...change, assignment: { ...rest, spec: { type: spec.type, sealed: text } } };
}

/** An assignment that cannot be decrypted is none. */
function opened(item: AssignmentDoc, secrets: SecretBox): AssignmentDoc {
  const { spec } = item.assignment ?? {};
  if (item.assignment && spec && 'sealed' in spec) {
    const text = secrets.open(String(spec.sealed), item._id);
    if (text === null) item.assignment = null;
    else item.assignment.spec = JSON.parse(text) as CheckSpec;
  }
  return item;
}

/** `;` is the character after `:`. */
function rangeAfter(probeId: string, afterMonitor: string): { $gt: string; $lt: string } {
  return { $gt: itemId(probeId, afterMonitor), $lt: `${probeId};` };
}

function stageWrite(change: PlannedChange, token: string, now: number): AnyBulkWriteOperation<AssignmentDoc> {
  const { probe_id: probeId, monitor_id: monitorId, monitor_rev: monitorRev } = change;
  const gone = change.assignment === null;
  return {
    updateOne: {
      filter: { _id: itemId(probeId, monitorId), monitor_rev: { $lte: monitorRev } },
      update: {
        $set: { gone, pending: probeId, token, changed_at: now, ...change },
        $setOnInsert: { rev: 0 },
      },
      upsert: !gone,
    },
  };
}

/** The upsert fails with a duplicate key if an item of a later monitor revision exists. That item stays. */
function ignoreNewerItems(error: unknown): { matchedCount: number; upsertedCount: number } {
  if (!duplicatesOnly(error)) throw error;
  return (error as MongoBulkWriteError).result;
}
