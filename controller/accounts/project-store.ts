import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { ProjectDoc } from './account.ts';

/** Collection `projects`. */
export class ProjectStore {
  readonly #projects: Collection<ProjectDoc>;

  constructor(db: Db) {
    this.#projects = db.collection<ProjectDoc>('projects');
  }

  async ensureIndexes(): Promise<void> {
    // The list of an organization's projects, and its default one.
    await ensureIndexes(this.#projects, [{ key: { organization_id: 1, created_at: 1, _id: 1 }, name: 'by_organization' }]);
  }

  /** Of any organization: whoever asks compares. */
  find(id: string): Promise<ProjectDoc | null> {
    return this.#projects.findOne({ _id: id });
  }

  findDefault(organizationId: string): Promise<ProjectDoc | null> {
    return this.#projects.findOne({ organization_id: organizationId, is_default: true });
  }

  /** Oldest first. */
  listOf(organizationIds: string[]): Promise<ProjectDoc[]> {
    if (organizationIds.length === 0) return Promise.resolve([]);
    return this.#projects.find({ organization_id: { $in: organizationIds } }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Of all organizations, at most `limit`. */
  some(limit: number): Promise<ProjectDoc[]> {
    return this.#projects.find({}).sort({ _id: 1 }).limit(limit).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#projects.countDocuments({ organization_id: organizationId });
  }

  async insert(project: ProjectDoc): Promise<void> {
    await this.#projects.insertOne(project);
  }

  async delete(id: string): Promise<void> {
    await this.#projects.deleteOne({ _id: id });
  }

  /** Null when the organization has no such project. */
  rename(organizationId: string, id: string, name: string): Promise<ProjectDoc | null> {
    return this.#projects.findOneAndUpdate({ _id: id, organization_id: organizationId }, { $set: { name } }, { returnDocument: 'after' });
  }

  /** False when it is gone already. */
  async take(project: ProjectDoc): Promise<boolean> {
    return (await this.#projects.deleteOne({ _id: project._id, is_default: false })).deletedCount === 1;
  }
}
