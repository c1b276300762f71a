import type { Db, Filter } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, removeSurplus } from '../platform/mongo/documents.ts';
import type { MarkerDoc } from './change.ts';
import type { Span } from './store.ts';

/** Markers kept per project. */
const MAX_MARKERS = 1000;

/** A monitor, as markers name it. */
export interface MarkedMonitor {
  id: string;
  tags: string[];
}

/** Collection `markers`: the newest markers of each project. */
export class MarkerStore extends Documents<MarkerDoc> {
  constructor(db: Db) {
    super(db, 'markers', [
      // A project's markers, newest first, and what retention removes.
      { key: { organization_id: 1, project_id: 1, at: -1, _id: -1 }, name: 'of_project' },
    ]);
  }

  async add(marker: MarkerDoc): Promise<void> {
    await this.insert(marker);
    const { organization_id, project_id } = marker;
    await removeSurplus(this.all, { organization_id, project_id }, MAX_MARKERS);
  }

  /** Those about the monitor, newest first. */
  newest(tenant: Tenant, { id, tags }: MarkedMonitor, { from, to, limit }: Span): Promise<MarkerDoc[]> {
    const about: Filter<MarkerDoc>[] = [{ is_for_all: true }, { monitor_ids: id }, { tags: { $in: tags } }];
    const filter: Filter<MarkerDoc> = { ...ownedBy(tenant), at: { $gte: from, $lte: to }, $or: about };
    return this.select(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
  }

  /** Removes the organization's markers older than `before` (Unix ms). */
  async removeOlder(organizationId: string, before: number): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, at: { $lt: before } });
  }
}
