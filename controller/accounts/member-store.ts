import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { MemberDoc } from './account.ts';

/** Collection `members`: who belongs to which organization. */
export class MemberStore {
  readonly #members: Collection<MemberDoc>;

  constructor(db: Db) {
    this.#members = db.collection<MemberDoc>('members');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#members, [
      // Every request of a session.
      { key: { user_id: 1, created_at: 1, _id: 1 }, name: 'by_user' },
      // One membership for each person and organization.
      { key: { organization_id: 1, user_id: 1 }, name: 'by_organization', unique: true },
    ]);
  }

  /** Oldest first. */
  listOfUser(userId: string): Promise<MemberDoc[]> {
    return this.#members.find({ user_id: userId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  async insert(member: MemberDoc): Promise<void> {
    await this.#members.insertOne(member);
  }

  async delete(id: string): Promise<void> {
    await this.#members.deleteOne({ _id: id });
  }

  find(organizationId: string, userId: string): Promise<MemberDoc | null> {
    return this.#members.findOne({ organization_id: organizationId, user_id: userId });
  }

  /** Oldest first. */
  listOfOrganization(organizationId: string): Promise<MemberDoc[]> {
    return this.#members.find({ organization_id: organizationId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#members.countDocuments({ organization_id: organizationId });
  }

  countOwners(organizationId: string): Promise<number> {
    return this.#members.countDocuments({ organization_id: organizationId, role: 'owner' });
  }

  /** Null when the role has changed since `seen` was read. */
  changeRole(seen: MemberDoc, role: MemberDoc['role']): Promise<MemberDoc | null> {
    return this.#members.findOneAndUpdate({ _id: seen._id, role: seen.role }, { $set: { role } }, { returnDocument: 'after' });
  }

  /** False when the role has changed since `seen` was read. */
  async remove(seen: MemberDoc): Promise<boolean> {
    return (await this.#members.deleteOne({ _id: seen._id, role: seen.role })).deletedCount === 1;
  }

  /** Null takes the role away. */
  async setProjectRole(member: MemberDoc, projectId: string, role: MemberDoc['project_roles'][string] | null): Promise<void> {
    const field = `project_roles.${projectId}`;
    if (member.project_roles[projectId] === (role ?? undefined)) return;
    await this.#members.updateOne({ _id: member._id }, role === null ? { $unset: { [field]: '' } } : { $set: { [field]: role } });
  }

  /** Takes everybody's role in a project away. */
  async forgetProject(organizationId: string, projectId: string): Promise<void> {
    const field = `project_roles.${projectId}`;
    await this.#members.updateMany({ organization_id: organizationId, [field]: { $exists: true } }, { $unset: { [field]: '' } });
  }
}
