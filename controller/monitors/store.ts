import type { Tenant } from '../accounts/tenant.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db, Filter } from 'mongodb';
import { shardOf } from '../../shared/ids.ts';
import { searchText } from '../../shared/search-text.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { isCheckedAnew } from './config.ts';
import { movesCounts } from './counts/count-rules.ts';
import type { MonitorDoc } from './monitor.ts';

/** The fields of a monitor that a change may set. */
export type MonitorChange = Partial<
  Omit<MonitorDoc, '_id' | 'organization_id' | 'project_id' | 'created_by' | 'type' | 'created_at' | 'revision' | 'check_revision' | Marks | 'search_text'>
>;

export type NewMonitor = Omit<MonitorDoc, 'revision' | 'check_revision' | Marks | 'search_text'>;

/** What a write leaves for those who follow it up. */
type Marks = 'unjournaled' | 'uncounted' | 'counted' | 'counted_revision';

/** Collection `monitors`. Writes mark what they change for the journal of the monitor's shard, and for the counts of its project. */
export class MonitorStore {
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#monitors, [
      // The walk over a group's monitors in order of id.
      { key: { organization_id: 1, project_id: 1, deleted_at: 1, group_id: 1, _id: 1 }, name: 'by_group' },
      // Counting what an organization uses of its plan.
      { key: { organization_id: 1, deleted_at: 1 }, name: 'by_organization' },
      // Going through all of an organization's monitors, deleted ones too, to remove what has aged.
      { key: { organization_id: 1, _id: 1 }, name: 'by_organization_and_id' },
      // Placement walks the active monitors.
      { key: { status: 1, deleted_at: 1, _id: 1 }, name: 'active' },
      // A ping comes with nothing but its token.
      { key: { 'heartbeat.token': 1 }, name: 'by_heartbeat_token', sparse: true },
      // A shard's owner looks for what its journal lacks.
      { key: { unjournaled: 1 }, name: 'unjournaled', sparse: true },
    ]);
  }

  async insert(doc: NewMonitor): Promise<MonitorDoc> {
    const marks = { unjournaled: shardOf(doc._id), uncounted: doc.project_id, counted_revision: 0 };
    const whole: MonitorDoc = { ...doc, ...marks, revision: 1, check_revision: 1, search_text: searchText(doc.name, doc.target) };
    await this.#monitors.insertOne(whole);
    return whole;
  }

  /** The living monitor, or null also when it belongs to somebody else. */
  find(tenant: Tenant, id: string): Promise<MonitorDoc | null> {
    return this.#monitors.findOne({ ...living(tenant), _id: id });
  }

  /** The living monitor, of whatever tenant, that waits for this ping. */
  findByHeartbeatToken(token: string): Promise<MonitorDoc | null> {
    return this.#monitors.findOne({ 'heartbeat.token': token, deleted_at: null });
  }

  /** Name and type of those of `ids` that are living monitors of this project. */
  async known(tenant: Tenant, ids: string[]): Promise<Map<string, Pick<MonitorDoc, 'name' | 'type'>>> {
    const found = await this.#monitors
      .find({ ...living(tenant), _id: { $in: ids } })
      .project<Pick<MonitorDoc, '_id' | 'name' | 'type'>>({ name: 1, type: 1 })
      .toArray();
    return new Map(found.map(({ _id, name, type }) => [_id, { name, type }]));
  }

  /** Applies `change` if the monitor still has the revision of `seen`; null when it has not, or is gone. */
  change(seen: MonitorDoc, change: MonitorChange): Promise<MonitorDoc | null> {
    const { filter, update } = changeOf(seen, change);
    return this.#monitors.findOneAndUpdate(filter, update, { returnDocument: 'after' });
  }

  /**
   * Applies each change if its monitor still has the revision that was seen. `count` is how many had, exactly; `ids` are
   * found by reading, and lack one that somebody has changed again since.
   */
  async changeMany(changes: { seen: MonitorDoc; change: MonitorChange }[]): Promise<{ ids: Set<string>; count: number }> {
    const writes = changes.map(({ seen, change }) => ({ updateOne: changeOf(seen, change) }));
    const { modifiedCount: count } = await this.#monitors.bulkWrite(writes, { ordered: false });
    if (count === changes.length) return { ids: new Set(changes.map(({ seen }) => seen._id)), count };
    const now = await this.findByIds(changes.map(({ seen }) => seen._id));
    const current = new Map(now.map((doc) => [doc._id, doc]));
    return { ids: new Set(changes.filter(({ seen, change }) => isChanged(seen, change, current.get(seen._id))).map(({ seen }) => seen._id)), count };
  }

  /** Whether a monitor lives in the project. */
  async hasAny(tenant: Tenant): Promise<boolean> {
    return (await this.#monitors.findOne(living(tenant), { projection: { _id: 1 } })) !== null;
  }

  /** Those of `ids` that live in the project. */
  findMany(tenant: Tenant, ids: string[]): Promise<MonitorDoc[]> {
    return this.#monitors.find({ ...living(tenant), _id: { $in: ids } }).toArray();
  }

  /** Living monitors of the project that have one of these names. */
  findByNames(tenant: Tenant, names: string[]): Promise<MonitorDoc[]> {
    return this.#monitors.find({ ...living(tenant), name: { $in: names } }).toArray();
  }

  /** The project's living monitors, oldest first (by the index of the list). */
  oldest(tenant: Tenant, skip: number, limit: number): Promise<MonitorDoc[]> {
    return this.#monitors.find(living(tenant)).sort({ created_at: 1, _id: 1 }).skip(skip).limit(limit).toArray();
  }

  /** Living monitors of a group, or of all groups of the project (null), behind `after` in order of id. */
  ofGroup(tenant: Tenant, groupId: string | null, after: string, limit: number): Promise<MonitorDoc[]> {
    const filter: Filter<MonitorDoc> = { ...living(tenant), group_id: groupId ?? { $gt: '' }, _id: { $gt: after } };
    return this.#monitors.find(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#monitors.countDocuments({ organization_id: organizationId, deleted_at: null });
  }

  /** Monitors of an organization in order of id, deleted ones too, from behind `after`. */
  async pageOfOrganization(
    organizationId: string, after: string, limit: number,
  ): Promise<{ monitor_id: string; created_at: number; deleted_at: number | null }[]> {
    const page = this.#monitors.find({ organization_id: organizationId, _id: { $gt: after } }).sort({ _id: 1 }).limit(limit);
    const found = await page.project<Pick<MonitorDoc, '_id' | 'created_at' | 'deleted_at'>>({ created_at: 1, deleted_at: 1 }).toArray();
    return found.map(({ _id, created_at, deleted_at }) => ({ monitor_id: _id, created_at, deleted_at }));
  }

  /** Removes those of these monitors that are deleted, and known to be by the journal and the counts. */
  async purge(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#monitors.deleteMany({ _id: { $in: ids }, deleted_at: { $ne: null }, unjournaled: { $exists: false }, uncounted: { $exists: false } });
  }

  /** Monitors of all tenants, deleted ones too, in no particular order. */
  findByIds(ids: string[]): Promise<MonitorDoc[]> {
    return this.#monitors.find({ _id: { $in: ids } }).toArray();
  }

  /** What the journals of these shards lack, deleted monitors too. */
  findUnjournaled(shards: number[], limit: number): Promise<MonitorDoc[]> {
    return this.#monitors.find({ unjournaled: { $in: shards } }).limit(limit).toArray();
  }

  /** Takes the marks away from monitors that have not changed since `revision`. */
  async clearUnjournaled(marks: { monitor_id: string; revision: number }[]): Promise<void> {
    if (marks.length === 0) return;
    await this.#monitors.bulkWrite(marks.map(({ monitor_id, revision }) => ({
      updateOne: { filter: { _id: monitor_id, revision }, update: { $unset: { unjournaled: '' } } },
    })), { ordered: false });
  }

  /** Active monitors of all tenants that name `region` or leave the choice to us, in order of id. */
  async *activeOfRegion(region: string): AsyncGenerator<MonitorDoc> {
    yield* this.#pages({ $or: [{ monitoring_regions: region }, { monitoring_regions: [] }] });
  }

  /** Active monitors of all tenants, in order of id. */
  async *active(): AsyncGenerator<MonitorDoc> {
    yield* this.#pages({});
  }

  /** Pages by id, so that no cursor has to live as long as its reader takes. */
  async *#pages(extra: Filter<MonitorDoc>): AsyncGenerator<MonitorDoc> {
    const pageSize = 1000;
    let after = '';
    for (;;) {
      const filter: Filter<MonitorDoc> = { status: 'active', deleted_at: null, _id: { $gt: after }, ...extra };
      const page = await this.#monitors.find(filter).sort({ _id: 1 }).limit(pageSize).toArray();
      yield* page;
      if (page.length < pageSize) return;
      after = page[page.length - 1]?._id ?? after;
    }
  }
}

/** One write: the change, a higher revision, and the marks for journal and counts, on condition of the revision that was seen. */
function changeOf(seen: MonitorDoc, change: MonitorChange) {
  const text = searchText(change.name ?? seen.name, change.target ?? seen.target);
  const fresh = isCheckedAnew(seen, { ...seen, ...change }) ? { check_revision: seen.revision + 1 } : {};
  const uncounted = movesCounts(seen, { ...seen, ...change }) ? { uncounted: seen.project_id } : {};
  return {
    filter: { _id: seen._id, organization_id: seen.organization_id, project_id: seen.project_id, deleted_at: null, revision: seen.revision },
    update: { $set: { ...change, ...fresh, search_text: text, unjournaled: shardOf(seen._id), ...uncounted }, $inc: { revision: 1 } },
  };
}

/** Whether `now` shows what the change wrote: the next revision, with all that was set. */
function isChanged(seen: MonitorDoc, change: MonitorChange, now: MonitorDoc | undefined): boolean {
  if (now === undefined || now.revision !== seen.revision + 1) return false;
  return isDeepStrictEqual({ ...now, ...change }, now);
}

function living(tenant: Tenant): { organization_id: string; project_id: string; deleted_at: null } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId, deleted_at: null };
}
