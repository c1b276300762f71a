import type { OrganizationContext } from '../../http/routing/route.ts';
import type { ApiKeyDoc } from '../api-keys/store.ts';
import type { AccountDeps, NamedCredential } from '../deps.ts';
import { reachesOrganizationRole, type OrganizationRole } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import type { UserDoc } from '../users/store.ts';
import type { MemberDoc } from '../tenant-store.ts';

export interface NamedMember {
  member: MemberDoc;
  user: UserDoc;
}

/** Credentials that a member created and may have copied. */
export interface MemberCredentials {
  keys: ApiKeyDoc[];
  subscriptions: NamedCredential[];
  enrolmentKeys: NamedCredential[];
}

/** How long the owners stay locked after the locking request dies. */
const OWNERS_LOCK_MS = 10_000;

/** Oldest membership first. */
export async function listMembers(deps: AccountDeps, ctx: OrganizationContext): Promise<NamedMember[]> {
  const members = await deps.members.listOfOrganization(ctx.tenant.organizationId);
  const users = await deps.users.findMany(members.map((member) => member.user_id));
  const byId = new Map(users.map((user) => [user._id, user]));
  return members.flatMap((member) => {
    const user = byId.get(member.user_id);
    return user === undefined ? [] : [{ member, user }];
  });
}

/**
 * Takes effect with the member's next request. Demoting a member also withdraws the invitations they sent.
 * Throws RESOURCE_NOT_FOUND, CONFLICT for the last owner or a simultaneous change, and
 * INSUFFICIENT_PERMISSIONS if an admin appoints or demotes an owner.
 */
export async function changeMemberRole(
  deps: AccountDeps, ctx: OrganizationContext, userId: string, role: OrganizationRole | undefined,
): Promise<NamedMember> {
  const seen = await findMember(deps, ctx, userId);
  if (role === undefined || role === seen.member.role) return seen;
  requireOwnerFor(ctx, role, seen.member.role);
  return withOwnersLocked(deps, ctx, seen.member, async () => {
    const member = await deps.members.changeRole(seen.member, role);
    if (member === null) throw concurrentChange();
    if (!reachesOrganizationRole(role, seen.member.role)) await withdrawInvitationsOf(deps, member);
    return { ...seen, member };
  });
}

/** The API keys and subscriptions that a member created. Throws RESOURCE_NOT_FOUND. */
export async function readCredentials(
  deps: AccountDeps, ctx: OrganizationContext, userId: string,
): Promise<MemberCredentials> {
  const { member: { organization_id: organizationId } } = await findMember(deps, ctx, userId);
  const [keys, subscriptions, enrolmentKeys] = await Promise.all([
    deps.keys.createdBy(organizationId, userId), deps.subscriptions.createdBy(organizationId, userId),
    deps.enrolmentKeys.createdBy(organizationId, userId),
  ]);
  return { keys, subscriptions, enrolmentKeys };
}

/**
 * Ends the membership with the member's next request and withdraws the invitations they sent. On request,
 * also revokes the credentials they created; returns how many. Throws the errors of `changeMemberRole`.
 */
export async function removeMember(
  deps: AccountDeps, ctx: OrganizationContext, userId: string, revokesCredentials: boolean,
) {
  const { member, user } = await findMember(deps, ctx, userId);
  requireOwnerFor(ctx, member.role);
  const revoked = { api_keys: 0, subscriptions: 0, enrolment_keys: 0 };
  const revoke = async () => {
    if (!revokesCredentials) return;
    revoked.api_keys += await deps.keys.deleteCreatedBy(member.organization_id, userId);
    revoked.subscriptions += await deps.subscriptions.deleteCreatedBy(member.organization_id, userId);
    revoked.enrolment_keys += await deps.enrolmentKeys.deleteCreatedBy(member.organization_id, userId);
  };
  await withOwnersLocked(deps, ctx, member, async () => {
    // Before the removal, so that the request can be repeated if this fails.
    await revoke();
    if (!(await deps.members.removeUnchanged(member))) throw concurrentChange();
    await withdrawInvitationsOf(deps, member);
    // They could rejoin through an invitation whose acceptance was interrupted.
    await deps.invitations.deleteOfAddress(member.organization_id, user.email);
    // Again, for credentials created in the meantime.
    await revoke();
  });
  return revoked;
}

/** Throws INSUFFICIENT_PERMISSIONS if `roles` include owner and the caller is not one. */
export function requireOwnerFor(ctx: OrganizationContext, ...roles: OrganizationRole[]): void {
  if (ctx.role === 'owner' || !roles.includes('owner')) return;
  throw new AppError('INSUFFICIENT_PERMISSIONS', 'You need the role organization owner');
}

/** Otherwise members could invite a second address of their own and get their old role back. */
function withdrawInvitationsOf(deps: AccountDeps, member: MemberDoc): Promise<void> {
  return deps.invitations.deleteOfInviter(member.organization_id, member.user_id);
}

async function findMember(deps: AccountDeps, ctx: OrganizationContext, userId: string): Promise<NamedMember> {
  const [member, user] = await Promise.all([
    deps.members.find(ctx.tenant.organizationId, userId), deps.users.find(userId),
  ]);
  if (member === null || user === null) throw notFound('Member');
  return { member, user };
}

/** Locks the owners during a change to one of them, so that two owners cannot demote each other at once. */
async function withOwnersLocked<T>(
  deps: AccountDeps, ctx: OrganizationContext, member: MemberDoc, change: () => Promise<T>,
): Promise<T> {
  if (member.role !== 'owner') return change();
  const { organizationId } = ctx.tenant;
  const until = ctx.now + OWNERS_LOCK_MS;
  if (!(await deps.organizations.lockOwners(organizationId, ctx.now, until))) throw concurrentChange();
  try {
    if ((await deps.members.countOwners(organizationId)) > 1) return await change();
    throw new AppError('CONFLICT', 'An organization needs an owner; make somebody else an owner first');
  } finally {
    await deps.organizations.unlockOwners(organizationId, until);
  }
}

function concurrentChange(): AppError {
  return new AppError('CONFLICT', 'The members were changed by another request; try again');
}
