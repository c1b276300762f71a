import type { Db } from 'mongodb';
import { claimedAs, type WorkClaim } from '../../work/claimed-work.ts';
import { Documents } from '../../platform/mongo/documents.ts';
import type { Membership } from '../../access/tenant.ts';

export interface InvitationDoc extends Membership {
  _id: string;
  /** Lower case. */
  email: string;
  invited_by: string;
  /** SHA-256 of the token, hexadecimal, unique. The token itself is not stored. */
  hash: string;
  /** Held by the request that is accepting the invitation. */
  claim?: WorkClaim;
  created_at: number;
  expires_at: number;
}

/** How long an invitation stays claimed after the claiming request dies, ms. */
export const CLAIM_MS = 10_000;

/** Collection `invitations`: pending and expired ones. Accepted and withdrawn invitations are deleted. */
export class InvitationStore extends Documents<InvitationDoc> {
  constructor(db: Db) {
    super(db, 'invitations', [
      // Finds the invitation of a mailed link.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Lists an organization's invitations and allows one per address.
      { key: { organization_id: 1, email: 1 }, name: 'by_organization', unique: true },
    ]);
  }

  findByHash(hash: string, now: number): Promise<InvitationDoc | null> {
    return this.findOne({ hash, expires_at: { $gt: now } });
  }

  /** Newest first. */
  listOf(organizationId: string): Promise<InvitationDoc[]> {
    return this.all.find({ organization_id: organizationId }).sort({ created_at: -1, _id: -1 }).toArray();
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  /** Replaces an expired invitation for the address. False if the address has a valid one. */
  override async insertIfFree(invitation: InvitationDoc): Promise<boolean> {
    const { organization_id, email, created_at } = invitation;
    await this.all.deleteMany({ organization_id, email, expires_at: { $lte: created_at } });
    return super.insertIfFree(invitation);
  }

  /** Null if another request claimed the invitation first, or it is gone. */
  claim(seen: InvitationDoc, claim: WorkClaim): Promise<InvitationDoc | null> {
    return this.change({ hash: seen.hash, ...claimedAs(seen) }, { $set: { claim } });
  }

  async release(claimed: InvitationDoc): Promise<void> {
    await this.update(claimedAs(claimed), { $unset: { claim: '' } });
  }

  /** Removes the accepted invitation, so that its link cannot be used again. */
  async complete({ _id }: InvitationDoc): Promise<void> {
    await this.remove({ _id });
  }

  /** False if the organization has no such invitation. */
  delete(organizationId: string, id: string): Promise<boolean> {
    return this.remove({ _id: id, organization_id: organizationId });
  }

  async removeProject(organizationId: string, projectId: string): Promise<void> {
    const update = { $unset: { [`project_roles.${projectId}`]: '' as const } };
    await this.all.updateMany({ organization_id: organizationId }, update);
  }

  async deleteOfAddress(organizationId: string, email: string): Promise<void> {
    await this.remove({ organization_id: organizationId, email });
  }

  async deleteOfInviter(organizationId: string, userId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, invited_by: userId });
  }
}
