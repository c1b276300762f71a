import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { InvitationDoc } from './account.ts';

/** Collection `invitations`: one that was accepted or withdrawn is not here any more. */
export class InvitationStore {
  readonly #invitations: Collection<InvitationDoc>;

  constructor(db: Db) {
    this.#invitations = db.collection<InvitationDoc>('invitations');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#invitations, [
      // Every link that is followed.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // The list of an organization, and one invitation for each address.
      { key: { organization_id: 1, email: 1 }, name: 'by_organization', unique: true },
    ]);
  }

  findByHash(hash: string, now: number): Promise<InvitationDoc | null> {
    return this.#invitations.findOne({ hash, expires_at: { $gt: now } });
  }

  /** Newest first. */
  listOf(organizationId: string): Promise<InvitationDoc[]> {
    return this.#invitations.find({ organization_id: organizationId }).sort({ created_at: -1, _id: -1 }).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#invitations.countDocuments({ organization_id: organizationId });
  }

  /** False when the address is invited already; an invitation that has expired makes room. */
  async insert(invitation: InvitationDoc): Promise<boolean> {
    const { organization_id, email, created_at } = invitation;
    await this.#invitations.deleteMany({ organization_id, email, expires_at: { $lte: created_at } });
    return unlessTaken(this.#invitations.insertOne(invitation));
  }

  /** Uses it up; false when somebody else did, or when it was withdrawn. */
  async take(invitation: InvitationDoc): Promise<boolean> {
    return (await this.#invitations.deleteOne({ _id: invitation._id, hash: invitation.hash })).deletedCount === 1;
  }

  /** False when the organization has no such invitation. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    return (await this.#invitations.deleteOne({ _id: id, organization_id: organizationId })).deletedCount === 1;
  }

  /** Takes the roles in a project out of all that is open. */
  async forgetProject(organizationId: string, projectId: string): Promise<void> {
    const field = `project_roles.${projectId}`;
    await this.#invitations.updateMany({ organization_id: organizationId, [field]: { $exists: true } }, { $unset: { [field]: '' } });
  }

  /** Withdraws what somebody has invited. */
  async deleteOfInviter(organizationId: string, userId: string): Promise<void> {
    await this.#invitations.deleteMany({ organization_id: organizationId, invited_by: userId });
  }
}
