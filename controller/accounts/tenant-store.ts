import type { Db } from 'mongodb';
import type { Membership, OrganizationRole, ProjectFacts, ProjectRole } from '../access/tenant.ts';
import { Documents, DocumentsById } from '../platform/mongo/documents.ts';

export interface MemberDoc extends Membership {
  _id: string;
  user_id: string;
  created_at: number;
}

/** Collection `members`: which users belong to which organizations. */
export class MemberStore extends Documents<MemberDoc> {
  constructor(db: Db) {
    super(db, 'members', [
      // Finds the memberships of a session's user.
      { key: { user_id: 1, created_at: 1, _id: 1 }, name: 'by_user' },
      // Lists an organization's members and allows one membership per user.
      { key: { organization_id: 1, user_id: 1 }, name: 'by_organization', unique: true },
    ]);
  }

  /** Oldest first. */
  listOfUser(userId: string): Promise<MemberDoc[]> {
    return this.all.find({ user_id: userId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Oldest first. */
  listOfOrganization(organizationId: string): Promise<MemberDoc[]> {
    return this.all.find({ organization_id: organizationId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  find(organizationId: string, userId: string): Promise<MemberDoc | null> {
    return this.findOne({ organization_id: organizationId, user_id: userId });
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  countOwners(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId, role: 'owner' });
  }

  delete(id: string): Promise<boolean> {
    return this.remove({ _id: id });
  }

  /** Null if the role has changed since `seen` was read. */
  changeRole(seen: MemberDoc, role: OrganizationRole): Promise<MemberDoc | null> {
    return this.change({ _id: seen._id, role: seen.role }, { $set: { role } });
  }

  /** False if the role has changed since `seen` was read. */
  removeUnchanged(seen: MemberDoc): Promise<boolean> {
    return this.remove({ _id: seen._id, role: seen.role });
  }

  /** Null removes the role. */
  async setProjectRole(member: MemberDoc, projectId: string, role: ProjectRole | null): Promise<void> {
    if ((member.project_roles[projectId] ?? null) === role) return;
    const field = `project_roles.${projectId}`;
    const update = role === null ? { $unset: { [field]: '' as const } } : { $set: { [field]: role } };
    await this.update({ _id: member._id }, update);
  }

  async removeProject(organizationId: string, projectId: string): Promise<void> {
    const update = { $unset: { [`project_roles.${projectId}`]: '' as const } };
    await this.all.updateMany({ organization_id: organizationId }, update);
  }
}

export interface ProjectDoc extends ProjectFacts {
  name: string;
  created_at: number;
  /** The secret in ping URLs by name, and who made it; absent until somebody reads it. */
  ping_key?: string;
  ping_key_by?: string;
}

export class ProjectStore extends DocumentsById<ProjectDoc> {
  constructor(db: Db) {
    // Lists an organization's projects and finds its default project.
    const key = { organization_id: 1, created_at: 1, _id: 1 } as const;
    super(db, 'projects', [
      { key, name: 'by_organization' },
      // Finds the project of a ping by name.
      { key: { ping_key: 1 }, name: 'by_ping_key', unique: true, sparse: true },
    ]);
  }

  findByPingKey(key: string): Promise<ProjectDoc | null> {
    return this.findOne({ ping_key: key });
  }

  /** Null if the project is gone, or has a key and `isReplaced` is false. */
  setPingKey(id: string, key: string, by: string, isReplaced: boolean): Promise<ProjectDoc | null> {
    const filter = isReplaced ? { _id: id } : { _id: id, ping_key: { $exists: false } };
    return this.change(filter, { $set: { ping_key: key, ping_key_by: by } });
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
