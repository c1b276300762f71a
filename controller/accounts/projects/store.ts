import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import type { ProjectFacts } from '../../access/tenant.ts';

export interface ProjectDoc extends ProjectFacts {
  name: string;
  created_at: number;
}

export class ProjectStore extends DocumentsById<ProjectDoc> {
  constructor(db: Db) {
    // Lists an organization's projects and finds its default project.
    const key = { organization_id: 1, created_at: 1, _id: 1 } as const;
    super(db, 'projects', [{ key, name: 'by_organization' }]);
  }

  findDefault(organizationId: string): Promise<ProjectDoc | null> {
    return this.findOne({ organization_id: organizationId, is_default: true });
  }

  /** Oldest first. */
  async listOf(organizationIds: string[]): Promise<ProjectDoc[]> {
    const own = this.all.find({ organization_id: { $in: organizationIds } });
    return organizationIds.length === 0 ? [] : own.sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Up to `limit` projects across all organizations, by id. */
  listFirst(limit: number): Promise<ProjectDoc[]> {
    return this.all.find({}).sort({ _id: 1 }).limit(limit).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  /** Null if the organization has no such project. */
  rename(organizationId: string, id: string, name: string): Promise<ProjectDoc | null> {
    return this.change({ _id: id, organization_id: organizationId }, { $set: { name } });
  }
}
