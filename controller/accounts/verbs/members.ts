import { AppError, notFound } from '../../../shared/errors.ts';
import { reachesOrganizationRole } from '../../http/roles.ts';
import type { OrganizationContext, OrganizationRole } from '../../http/route.ts';
import type { MemberDoc, UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';

export interface MemberOf {
  member: MemberDoc;
  user: UserDoc;
}

/** How long taking an owner away may last before somebody else may try, ms. */
const OWNERS_LOCK_MS = 10_000;

/** Everybody in the organization, who joined first first. */
export async function listMembers(deps: AccountDeps, ctx: OrganizationContext): Promise<MemberOf[]> {
  const members = await deps.members.listOfOrganization(ctx.tenant.organizationId);
  const users = new Map((await deps.users.findMany(members.map((member) => member.user_id))).map((user) => [user._id, user]));
  return members.flatMap((member) => {
    const user = users.get(member.user_id);
    return user === undefined ? [] : [{ member, user }];
  });
}

/**
 * Gives a member another role, from its next request on. Throws RESOURCE_NOT_FOUND, CONFLICT for the last owner and for a
 * change at the same time, INSUFFICIENT_PERMISSIONS when an admin makes or lowers an owner.
 */
export async function changeMemberRole(deps: AccountDeps, ctx: OrganizationContext, userId: string, role: OrganizationRole | undefined): Promise<MemberOf> {
  const seen = await findMember(deps, ctx, userId);
  if (role === undefined || role === seen.member.role) return seen;
  requireOwnerFor(ctx, role, seen.member.role);
  const change = async () => {
    const member = await deps.members.changeRole(seen.member, role);
    if (member === null) throw changedMeanwhile();
    if (!reachesOrganizationRole(role, seen.member.role)) await withdrawInvitationsOf(deps, member);
    return { ...seen, member };
  };
  return seen.member.role === 'owner' ? withoutLastOwner(deps, ctx, change) : change();
}

/** Ends a membership, from the next request on; what the person made stays, but for invitations. Throws as `changeMemberRole` does. */
export async function removeMember(deps: AccountDeps, ctx: OrganizationContext, userId: string): Promise<void> {
  const { member } = await findMember(deps, ctx, userId);
  requireOwnerFor(ctx, member.role);
  const remove = async () => {
    if (!(await deps.members.remove(member))) throw changedMeanwhile();
    await withdrawInvitationsOf(deps, member);
  };
  return member.role === 'owner' ? withoutLastOwner(deps, ctx, remove) : remove();
}

/** Only an owner makes, changes or removes owners. Throws INSUFFICIENT_PERMISSIONS. */
export function requireOwnerFor(ctx: OrganizationContext, ...roles: OrganizationRole[]): void {
  if (ctx.role !== 'owner' && roles.includes('owner')) throw new AppError('INSUFFICIENT_PERMISSIONS', 'This needs the role organization owner');
}

/** Else somebody could invite an address of their own, and come back by it with the role that was taken away. */
function withdrawInvitationsOf(deps: AccountDeps, member: MemberDoc): Promise<void> {
  return deps.invitations.deleteOfInviter(member.organization_id, member.user_id);
}

async function findMember(deps: AccountDeps, ctx: OrganizationContext, userId: string): Promise<MemberOf> {
  const [member, user] = await Promise.all([deps.members.find(ctx.tenant.organizationId, userId), deps.users.find(userId)]);
  if (member === null || user === null) throw notFound('Member');
  return { member, user };
}

/** Two owners who lower each other at once would leave none: who takes one away holds the organization meanwhile. */
async function withoutLastOwner<T>(deps: AccountDeps, ctx: OrganizationContext, change: () => Promise<T>): Promise<T> {
  const { organizationId } = ctx.tenant;
  const until = ctx.now + OWNERS_LOCK_MS;
  if (!(await deps.organizations.lockOwners(organizationId, ctx.now, until))) throw changedMeanwhile();
  try {
    if ((await deps.members.countOwners(organizationId)) < 2) throw new AppError('CONFLICT', 'An organization needs an owner: make somebody else owner first');
    return await change();
  } finally {
    await deps.organizations.unlockOwners(organizationId, until);
  }
}

function changedMeanwhile(): AppError {
  return new AppError('CONFLICT', 'The members were changed by another request');
}
