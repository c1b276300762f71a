import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db, Filter, Sort } from 'mongodb';
import { searchPattern } from '../../shared/search-text.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { nearerEnd, type ListPlan, type MonitorListQuery } from './list-rules.ts';
import type { Cell } from './counts/count-rules.ts';
import type { MonitorDoc } from './monitor.ts';

const ORDERS = ['created_at', 'updated_at', 'name'] as const;

interface Stretch {
  offset: number;
  limit: number;
  /** Against the order that was asked for. */
  isReversed: boolean;
}

/** Pages of the collection `monitors`, as people look through it. */
export class MonitorListStore {
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    const project = { organization_id: 1, project_id: 1, deleted_at: 1 } as const;
    await ensureIndexes(this.#monitors, [
      // Lists of a project in each of their three orders, and its search.
      ...ORDERS.map((field) => ({ key: { ...project, [field]: 1, _id: 1 } as const, name: `list_by_${field}` })),
      // The same of one type and status.
      ...ORDERS.map((field) => ({ key: { ...project, type: 1, status: 1, [field]: 1, _id: 1 } as const, name: `cell_by_${field}` })),
      // The same of a group, and its count.
      ...ORDERS.map((field) => ({ key: { ...project, group_id: 1, [field]: 1, _id: 1 } as const, name: groupIndex(field) })),
      // Lists and counts by tag.
      { key: { ...project, tags: 1 }, name: 'list_of_tag' },
    ]);
  }

  /** The page that `query` asks for, read as `plan` says, and how many monitors are on all pages. */
  async page(tenant: Tenant, query: MonitorListQuery, plan: ListPlan): Promise<{ monitors: MonitorDoc[]; total: number }> {
    switch (plan.kind) {
      case 'empty':
        return { monitors: [], total: plan.total };
      case 'whole':
        return { monitors: await this.#stretch(wholeFilter(tenant, query), query, nearerEnd(query, plan.total), hintOf(query)), total: plan.total };
      case 'cells':
        return { monitors: await this.#merged(tenant, query, plan.cells), total: plan.total };
      case 'matching':
        return this.#matching(tenant, query, plan.total);
    }
  }

  /** Names of those of `ids` that live in the project. */
  async names(tenant: Tenant, ids: string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const found = await this.#monitors.find({ ...living(tenant), _id: { $in: ids } }).project<Pick<MonitorDoc, '_id' | 'name'>>({ name: 1 }).toArray();
    return new Map(found.map((doc) => [doc._id, doc.name]));
  }

  async #merged(tenant: Tenant, query: MonitorListQuery, cells: (Cell & { count: number })[]): Promise<MonitorDoc[]> {
    const [only] = cells;
    if (only && cells.length === 1) return this.#stretch(ofCell(tenant, only), query, nearerEnd(query, only.count));
    const upTo: Stretch = { offset: 0, limit: query.offset + query.limit, isReversed: false };
    const parts = await Promise.all(cells.map((cell) => this.#stretch(ofCell(tenant, cell), query, upTo)));
    return parts.flat().sort(comparison(query)).slice(query.offset, query.offset + query.limit);
  }

  async #matching(tenant: Tenant, query: MonitorListQuery, known: number | null): Promise<{ monitors: MonitorDoc[]; total: number }> {
    const filter = listFilter(tenant, query);
    const [monitors, total] = await Promise.all([
      this.#stretch(filter, query, { ...query, isReversed: false }, hintOf(query)),
      known ?? this.#monitors.countDocuments(filter),
    ]);
    return { monitors, total };
  }

  async #stretch(filter: Filter<MonitorDoc>, query: MonitorListQuery, stretch: Stretch, hint?: string): Promise<MonitorDoc[]> {
    const direction = query.isDescending === stretch.isReversed ? 1 : -1;
    const sort: Sort = { [query.sortBy]: direction, _id: direction };
    const found = await this.#monitors
      .find(filter, hint === undefined ? {} : { hint })
      .sort(sort)
      .skip(stretch.offset)
      .limit(stretch.limit)
      .toArray();
    return stretch.isReversed ? found.reverse() : found;
  }
}

function living(tenant: Tenant): { organization_id: string; project_id: string; deleted_at: null } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId, deleted_at: null };
}

function wholeFilter(tenant: Tenant, { groupId }: MonitorListQuery): Filter<MonitorDoc> {
  return groupId === undefined ? living(tenant) : { ...living(tenant), group_id: groupId };
}

function ofCell(tenant: Tenant, { type, status }: Cell): Filter<MonitorDoc> {
  return { ...living(tenant), type, status };
}

function listFilter(tenant: Tenant, query: MonitorListQuery): Filter<MonitorDoc> {
  const filter: Filter<MonitorDoc> = living(tenant);
  if (query.statuses !== undefined) filter.status = { $in: query.statuses };
  if (query.types !== undefined) filter.type = { $in: query.types };
  if (query.groupId !== undefined) filter.group_id = query.groupId;
  if (query.tags !== undefined) filter.tags = { $in: query.tags };
  if (query.search !== undefined) filter.search_text = { $regex: searchPattern(query.search) };
  return filter;
}

/** The oldest of them has had its name since before there were others. */
function groupIndex(field: (typeof ORDERS)[number]): string {
  return field === 'created_at' ? 'list_of_group' : `list_of_group_by_${field}`;
}

/** A group or a tag narrows a list more than its order or type does, which a planner cannot know. */
function hintOf(query: MonitorListQuery): string | undefined {
  if (query.groupId !== undefined) return groupIndex(query.sortBy);
  return query.tags === undefined ? undefined : 'list_of_tag';
}

/** As the database orders them: instants by size, names and ids by their bytes in UTF-8, which is by code point. */
function comparison(query: MonitorListQuery): (one: MonitorDoc, other: MonitorDoc) => number {
  const sign = query.isDescending ? -1 : 1;
  return (one, other) => sign * (compareValues(one[query.sortBy], other[query.sortBy]) || compareValues(one._id, other._id));
}

function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
