import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db, Filter, Sort } from 'mongodb';
import { shardOf } from '../../shared/ids.ts';
import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import { isCheckedAnew } from './config.ts';
import type { LifecycleStatus, MonitorDoc } from './monitor.ts';
import type { Tenant } from './ports.ts';

export interface MonitorListQuery {
  limit: number;
  offset: number;
  /** Any of these; absent means all. */
  statuses?: LifecycleStatus[];
  types?: MonitorType[];
  groupId?: string;
  /** Any of these tags. */
  tags?: string[];
  search?: string;
  sortBy: 'created_at' | 'updated_at' | 'name';
  isDescending: boolean;
}

/** The fields of a monitor that a change may set. */
export type MonitorChange = Partial<
  Omit<MonitorDoc, '_id' | 'organization_id' | 'project_id' | 'created_by' | 'type' | 'created_at' | 'revision' | 'check_revision' | 'unjournaled' | 'search_text'>
>;

/** Collection `monitors`. Writes mark what they change for the journal of the monitor's shard. */
export class MonitorStore {
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    const orders = ['created_at', 'updated_at', 'name'] as const;
    await this.#monitors.createIndexes([
      // Lists of a project in each of their three orders, and its search, counts and statistics.
      ...orders.map((field) => ({ key: { organization_id: 1, project_id: 1, deleted_at: 1, [field]: 1, _id: 1 } as const, name: `list_by_${field}` })),
      // A group's monitors, their number, and the walk over them in order of id.
      { key: { organization_id: 1, project_id: 1, deleted_at: 1, group_id: 1, _id: 1 }, name: 'by_group' },
      // Counting what an organization uses of its plan.
      { key: { organization_id: 1, deleted_at: 1 }, name: 'by_organization' },
      // Placement walks the active monitors.
      { key: { status: 1, deleted_at: 1, _id: 1 }, name: 'active' },
      // A ping comes with nothing but its token.
      { key: { 'heartbeat.token': 1 }, name: 'by_heartbeat_token', sparse: true },
      // A shard's owner looks for what its journal lacks.
      { key: { unjournaled: 1 }, name: 'unjournaled', sparse: true },
    ]);
  }

  async insert(doc: Omit<MonitorDoc, 'revision' | 'check_revision' | 'unjournaled' | 'search_text'>): Promise<MonitorDoc> {
    const whole: MonitorDoc = { ...doc, revision: 1, check_revision: 1, unjournaled: shardOf(doc._id), search_text: searchText(doc.name, doc.target) };
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

  /** Living monitors of a group, or of all groups of the project (null), behind `after` in order of id. */
  ofGroup(tenant: Tenant, groupId: string | null, after: string, limit: number): Promise<MonitorDoc[]> {
    const filter: Filter<MonitorDoc> = { ...living(tenant), group_id: groupId ?? { $gt: '' }, _id: { $gt: after } };
    return this.#monitors.find(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Living monitors by group; groups without any are left out. */
  async countByGroup(tenant: Tenant, groupIds: string[]): Promise<Map<string, number>> {
    const match = { $match: { ...living(tenant), group_id: { $in: groupIds } } };
    const counts = await this.#monitors.aggregate<{ _id: string; count: number }>([match, { $group: { _id: '$group_id', count: { $sum: 1 } } }]).toArray();
    return new Map(counts.map(({ _id, count }) => [_id, count]));
  }

  async list(tenant: Tenant, query: MonitorListQuery): Promise<{ monitors: MonitorDoc[]; total: number }> {
    const filter = listFilter(tenant, query);
    const direction = query.isDescending ? -1 : 1;
    const sort: Sort = { [query.sortBy]: direction, _id: direction };
    const [monitors, total] = await Promise.all([
      this.#monitors.find(filter).sort(sort).skip(query.offset).limit(query.limit).toArray(),
      this.#monitors.countDocuments(filter),
    ]);
    return { monitors, total };
  }

  /** The project's living monitors by type, status and choice of regions. */
  async summary(tenant: Tenant): Promise<Pick<MonitorDoc, '_id' | 'name' | 'type' | 'status' | 'monitoring_regions'>[]> {
    const fields = { _id: 1, name: 1, type: 1, status: 1, monitoring_regions: 1 } as const;
    return this.#monitors.find(living(tenant)).project<Pick<MonitorDoc, '_id' | 'name' | 'type' | 'status' | 'monitoring_regions'>>(fields).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#monitors.countDocuments({ organization_id: organizationId, deleted_at: null });
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

/** One write: the change, a higher revision, and the mark for the journal, on condition of the revision that was seen. */
function changeOf(seen: MonitorDoc, change: MonitorChange) {
  const text = searchText(change.name ?? seen.name, change.target ?? seen.target);
  const fresh = isCheckedAnew(seen, { ...seen, ...change }) ? { check_revision: seen.revision + 1 } : {};
  return {
    filter: { _id: seen._id, organization_id: seen.organization_id, project_id: seen.project_id, deleted_at: null, revision: seen.revision },
    update: { $set: { ...change, ...fresh, search_text: text, unjournaled: shardOf(seen._id) }, $inc: { revision: 1 } },
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

function listFilter(tenant: Tenant, query: MonitorListQuery): Filter<MonitorDoc> {
  const filter: Filter<MonitorDoc> = living(tenant);
  if (query.statuses !== undefined) filter.status = { $in: query.statuses };
  if (query.types !== undefined) filter.type = { $in: query.types };
  if (query.groupId !== undefined) filter.group_id = query.groupId;
  if (query.tags !== undefined) filter.tags = { $in: query.tags };
  if (query.search !== undefined) filter.search_text = { $regex: literal(fold(query.search)) };
  return filter;
}

function searchText(name: string, target: string): string {
  return `${fold(name)}\n${fold(target)}`;
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** A pattern that matches exactly `text`. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
