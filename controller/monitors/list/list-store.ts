import type { Collection, Db, Filter, Sort } from 'mongodb';
import type { Tenant } from '../../access/tenant.ts';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { restoring } from '../../platform/mongo/documents.ts';
import type { CountedCell } from '../counts/count-rules.ts';
import { type MonitorDoc, searchPattern } from '../monitor.ts';
import { living, restoreMonitor } from '../store.ts';
import { fromNearerEnd, type ListPlan, type MonitorListQuery, type ListSlice } from './list-rules.ts';

/** The fields of a monitor that overviews need. */
export type OverviewDoc = Pick<
  MonitorDoc,
  '_id' | 'name' | 'type' | 'target' | 'status' | 'interval_seconds' | 'group_id' | 'tags' | 'created_at'
>;

export type SearchableMonitor = Pick<MonitorDoc, '_id' | 'search_text'>;

/** Position in the list by creation time. */
export type CreationPlace = Pick<MonitorDoc, '_id' | 'created_at'>;

const OVERVIEW_FIELDS: Record<Exclude<keyof OverviewDoc, '_id'>, 1> = {
  name: 1, type: 1, target: 1, status: 1, interval_seconds: 1, group_id: 1, tags: 1, created_at: 1,
};
/** Documents that the driver decodes at once. */
const DECODE_BATCH_SIZE = 500;

const ORDERS = ['created_at', 'updated_at', 'name'] as const;

const restoreListed = restoring<OverviewDoc>({ group_id: null });

/** Reads pages of the collection `monitors` for lists. */
export class MonitorListStore {
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    const project = { organization_id: 1, project_id: 1, deleted_at: 1 } as const;
    const cell = { ...project, type: 1, status: 1 } as const;
    const group = { ...project, group_id: 1 } as const;
    await ensureIndexes(this.#monitors, [
      // Lists and searches a project's monitors.
      ...ORDERS.map((by) => ({ key: { ...project, [by]: 1, _id: 1 } as const, name: `list_by_${by}` })),
      // Lists monitors of one type and status.
      ...ORDERS.map((by) => ({ key: { ...cell, [by]: 1, _id: 1 } as const, name: `cell_by_${by}` })),
      // Lists a group's monitors.
      ...ORDERS.map((by) => ({ key: { ...group, [by]: 1, _id: 1 } as const, name: groupIndex(by) })),
      // Lists and counts monitors by tag.
      { key: { ...project, tags: 1 }, name: 'list_of_tag' },
    ]);
  }

  /** Reads the requested page with the plan, and returns the total number of matches. */
  async page(
    tenant: Tenant, query: MonitorListQuery, plan: ListPlan,
  ): Promise<{ monitors: MonitorDoc[]; total: number }> {
    const hint = hintOf(query);
    switch (plan.kind) {
      case 'empty': return { monitors: [], total: plan.total };
      case 'cells': return { monitors: await this.#merged(tenant, query, plan.cells), total: plan.total };
      case 'whole': {
        const { groupId } = query;
        const filter = groupId === undefined ? living(tenant) : { ...living(tenant), group_id: groupId };
        const page = fromNearerEnd(query, plan.total);
        return { monitors: await this.#slice(filter, query, page, hint), total: plan.total };
      }
      case 'matching': {
        const filter = listFilter(tenant, query);
        const [monitors, total] = await Promise.all([
          this.#slice(filter, query, { ...query, isReversed: false }, hint),
          plan.total ?? this.#monitors.countDocuments(filter),
        ]);
        return { monitors, total };
      }
    }
  }

  /** The project's monitors after that position, oldest first; only those in `ids` if given. */
  byCreation(
    tenant: Tenant, { ids, after, limit }: { ids?: string[]; after?: CreationPlace; limit: number },
  ): Promise<OverviewDoc[]> {
    const filter: Filter<MonitorDoc> = living(tenant);
    if (ids !== undefined) filter._id = { $in: ids };
    if (after !== undefined) {
      const { created_at: at, _id } = after;
      // The index uses the first condition; the second one breaks ties at the same instant.
      filter.created_at = { $gte: at };
      filter.$or = [{ created_at: { $gt: at } }, { _id: { $gt: _id } }];
    }
    const hint = ids === undefined ? { hint: 'list_by_created_at' } : {};
    const found = this.#monitors.find(filter, { batchSize: DECODE_BATCH_SIZE, ...hint });
    const sorted = found.sort({ created_at: 1, _id: 1 }).limit(limit);
    return sorted.project<OverviewDoc>(OVERVIEW_FIELDS).map(restoreListed).toArray();
  }

  /** Omits ids that are not monitors of this project or are deleted. In no particular order. */
  async searchTexts(tenant: Tenant, ids: readonly string[]): Promise<SearchableMonitor[]> {
    const found: SearchableMonitor[] = [];
    for (let at = 0; at < ids.length; at += DECODE_BATCH_SIZE) {
      const filter = { ...living(tenant), _id: { $in: ids.slice(at, at + DECODE_BATCH_SIZE) } };
      const some = this.#monitors.find(filter).project<SearchableMonitor>({ search_text: 1 });
      found.push(...await some.toArray());
    }
    return found;
  }

  async #merged(tenant: Tenant, query: MonitorListQuery, cells: CountedCell[]): Promise<MonitorDoc[]> {
    const [only] = cells;
    const ofCell = ({ type, status }: CountedCell) => ({ ...living(tenant), type, status });
    if (only && cells.length === 1) return this.#slice(ofCell(only), query, fromNearerEnd(query, only.count));
    const { offset, limit } = query;
    const upToPage = { offset: 0, limit: offset + limit, isReversed: false };
    const parts = await Promise.all(cells.map((cell) => this.#slice(ofCell(cell), query, upToPage)));
    return parts.flat().sort(comparison(query)).slice(offset, offset + limit);
  }

  async #slice(filter: Filter<MonitorDoc>, query: MonitorListQuery, slice: ListSlice, hint?: string) {
    const { offset, limit, isReversed } = slice;
    const direction = query.isDescending === isReversed ? 1 : -1;
    const sort: Sort = { [query.sortBy]: direction, _id: direction };
    const cursor = this.#monitors.find(filter, hint === undefined ? {} : { hint });
    const found = await cursor.sort(sort).skip(offset).limit(limit).map(restoreMonitor).toArray();
    return isReversed ? found.reverse() : found;
  }
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

function groupIndex(field: (typeof ORDERS)[number]): string {
  return `list_of_group_by_${field}`;
}

/** Groups and tags are more selective than order or type, which the query planner cannot know. */
function hintOf(query: MonitorListQuery): string | undefined {
  if (query.groupId !== undefined) return groupIndex(query.sortBy);
  return query.tags === undefined ? undefined : 'list_of_tag';
}

/** Sorts like the database: numbers by value, strings by their UTF-8 bytes. */
function comparison(query: MonitorListQuery): (one: MonitorDoc, other: MonitorDoc) => number {
  const { sortBy: field, isDescending } = query;
  const inOrder = (one: MonitorDoc, other: MonitorDoc) =>
    compareValues(one[field], other[field]) || compareValues(one._id, other._id);
  return (one, other) => (isDescending ? inOrder(other, one) : inOrder(one, other));
}

function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
