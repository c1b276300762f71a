import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { searchPattern } from '../../shared/search-text.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident } from './incident.ts';
import type { IncidentChange, IncidentQuery, IncidentRepository } from './ports.ts';

/** Collection `incidents`. */
export class IncidentStore implements IncidentRepository {
  readonly #incidents: Collection<IncidentDoc>;

  constructor(db: Db) {
    this.#incidents = db.collection<IncidentDoc>('incidents');
  }

  async ensureIndexes(): Promise<void> {
    const latestFirst = { started_at: -1, _id: -1 } as const;
    await ensureIndexes(this.#incidents, [
      // The project's list and its search; and removing its oldest.
      { key: { organization_id: 1, project_id: 1, ...latestFirst }, name: 'list' },
      // What is open in a project.
      { key: { organization_id: 1, project_id: 1, status: 1, ...latestFirst }, name: 'list_by_status' },
      // The incidents of one monitor.
      { key: { organization_id: 1, project_id: 1, check_id: 1, ...latestFirst }, name: 'list_by_monitor' },
    ]);
  }

  find(tenant: Tenant, id: string): Promise<IncidentDoc | null> {
    return this.#incidents.findOne({ _id: id, organization_id: tenant.organizationId, project_id: tenant.projectId });
  }

  async list(tenant: Tenant, query: IncidentQuery): Promise<{ incidents: ListedIncident[]; total: number }> {
    const filter = listFilter(tenant, query);
    const skip = (query.page - 1) * query.limit;
    const [incidents, total] = await Promise.all([
      this.#incidents
        .find(filter)
        .sort({ started_at: -1, _id: -1 })
        .skip(skip)
        .limit(query.limit)
        .project<ListedIncident>({ postmortem: 0, pending_updates: 0, search_text: 0 })
        .toArray(),
      this.#incidents.countDocuments(filter),
    ]);
    return { incidents, total };
  }

  async insert(doc: IncidentDoc): Promise<void> {
    await this.#incidents.insertOne(doc);
  }

  change(seen: IncidentDoc, change: IncidentChange, updates: IncidentUpdateDoc[]): Promise<IncidentDoc | null> {
    return this.#incidents.findOneAndUpdate(
      { _id: seen._id, organization_id: seen.organization_id, project_id: seen.project_id, revision: seen.revision, status: seen.status },
      { $set: change, $inc: { revision: 1 }, ...(updates.length > 0 ? { $push: { pending_updates: { $each: updates } } } : {}) },
      { returnDocument: 'after' },
    );
  }

  async forgetPending(copied: IncidentDoc): Promise<void> {
    await this.#incidents.updateOne({ _id: copied._id, revision: copied.revision }, { $set: { pending_updates: [] } });
  }

  /** Status of each of these incidents; unknown ids are left out. */
  async statuses(ids: string[]): Promise<Map<string, IncidentDoc['status']>> {
    if (ids.length === 0) return new Map();
    const found = await this.#incidents.find({ _id: { $in: ids } }, { projection: { status: 1 } }).toArray();
    return new Map(found.map((doc) => [doc._id, doc.status]));
  }

  /** At most `limit` incidents of a project that ended, and were last changed, before `before` (Unix ms), oldest first. */
  async agedIds(tenant: Tenant, before: number, limit: number): Promise<string[]> {
    const filter: Filter<IncidentDoc> = {
      organization_id: tenant.organizationId, project_id: tenant.projectId, started_at: { $lt: before }, updated_at: { $lt: before },
      status: { $in: ['resolved', 'closed'] },
    };
    const aged = this.#incidents.find(filter).sort({ started_at: 1, _id: 1 }).limit(limit);
    return (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  }

  async remove(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.#incidents.deleteMany({ _id: { $in: ids } });
  }

  /** False when it is there already; then nothing changes. */
  insertIfAbsent(doc: IncidentDoc): Promise<boolean> {
    return unlessTaken(this.#incidents.insertOne(doc));
  }

  /** Of any tenant: for work that was found by the incident's own id. */
  findById(id: string): Promise<IncidentDoc | null> {
    return this.#incidents.findOne({ _id: id });
  }

  /** Resolves it where it is still open or acknowledged; null when it is not. */
  markResolved(id: string, change: Pick<IncidentDoc, 'resolved_at' | 'resolved_by' | 'recovery_time_seconds' | 'failure_count' | 'updated_at'>): Promise<IncidentDoc | null> {
    return this.#incidents.findOneAndUpdate(
      { _id: id, status: { $in: ['open', 'acknowledged'] } },
      { $set: { ...change, status: 'resolved' }, $inc: { revision: 1 } },
      { returnDocument: 'after' },
    );
  }

  /** Remembers that a notification has reached its receiver. */
  async markNotified(id: string, channel: string): Promise<void> {
    await this.#incidents.updateOne({ _id: id }, { $set: { notification_sent: true }, $addToSet: { notification_channels: channel } });
  }
}

function listFilter(tenant: Tenant, query: IncidentQuery): Filter<IncidentDoc> {
  const filter: Filter<IncidentDoc> = { organization_id: tenant.organizationId, project_id: tenant.projectId };
  if (query.status !== undefined) filter.status = query.status;
  if (query.severity !== undefined) filter.severity = query.severity;
  if (query.source !== undefined) filter.source = query.source;
  if (query.check_id !== undefined) filter.check_id = query.check_id;
  if (query.from !== undefined || query.to !== undefined) {
    filter.started_at = { ...(query.from === undefined ? {} : { $gte: query.from }), ...(query.to === undefined ? {} : { $lt: query.to }) };
  }
  if (query.search !== undefined && query.search !== '') filter.search_text = { $regex: searchPattern(query.search) };
  return filter;
}
