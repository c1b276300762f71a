import type { Db } from 'mongodb';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import type { RegionDoc } from './probe.ts';

type RegionChange = Partial<Pick<RegionDoc, 'name' | 'city' | 'country' | 'lat' | 'lon'>>;

/** Collection `regions`: a few dozen documents, always read as a whole. */
export class RegionStore extends Documents<RegionDoc> {
  constructor(db: Db) {
    // Lists and counts the regions that an organization may see.
    const indexes = [{ key: { organization_id: 1, _id: 1 } as const, name: 'by_organization' }];
    super(db, 'regions', indexes, restoring<RegionDoc>({ lat: null, lon: null, organization_id: null }));
  }

  find(id: string): Promise<RegionDoc | null> {
    return this.findOne({ _id: id });
  }

  /** All regions in order of id. */
  list(): Promise<RegionDoc[]> {
    return this.select({}).sort({ _id: 1 }).toArray();
  }

  /** The organization's regions and the shared ones, in order of id. */
  visibleTo(organizationId: string): Promise<RegionDoc[]> {
    const owners = { $in: [null, organizationId] };
    return this.select({ organization_id: owners }).sort({ _id: 1 }).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  /** The region after the change; null if it no longer exists. */
  edit(id: string, change: RegionChange): Promise<RegionDoc | null> {
    if (Object.values(change).every((value) => value === undefined)) return this.find(id);
    return this.change({ _id: id }, { $set: change });
  }

  /** False if the region has another owner by now. */
  replace(taken: RegionDoc, { _id, ...region }: RegionDoc): Promise<boolean> {
    return this.update({ _id, organization_id: taken.organization_id }, { $set: region });
  }

  /** Marks that monitors for these regions may have no probe. */
  async markToPlace(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.all.updateMany({ _id: { $in: ids } }, { $inc: { to_place: 1 } });
  }

  /**
   * Clears the mark unless it was set again since `seen`. The region's monitors have specs of this version.
   */
  async clearToPlace(id: string, seen: number, specVersion: number): Promise<void> {
    await this.update({ _id: id, to_place: seen }, { $set: { to_place: 0, spec_version: specVersion } });
  }

  drop(id: string): Promise<boolean> {
    return this.remove({ _id: id });
  }
}
