import { AppError, notFound } from '../../../shared/errors.ts';
import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import type { OrganizationContext, ProjectRole, SessionActor } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { InvitationDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import { invitationLetter, mailedLink } from '../letters.ts';
import type { InvitationInput } from '../schema.ts';
import { requireOwnerFor } from './members.ts';

const INVITATION_MS = 7 * 86_400_000;
/** Members and invitations of one organization, on any plan. */
const MOST_PEOPLE = 1000;

/**
 * Invites an address and mails it a link. Throws RESOURCE_ALREADY_EXISTS for a member or an address that is invited,
 * VALIDATION_ERROR for projects of others, INSUFFICIENT_PERMISSIONS when an admin invites an owner, FAIR_USE_LIMIT_REACHED.
 */
export async function createInvitation(deps: AccountDeps, ctx: OrganizationContext, input: InvitationInput): Promise<InvitationDoc> {
  const { organizationId } = ctx.tenant;
  const actor = ctx.actor as SessionActor;
  requireOwnerFor(ctx, input.role);
  await refuseForeignProjects(deps, organizationId, input.project_roles);
  const user = await deps.users.findByEmail(input.email);
  if (user !== null && (await deps.members.find(organizationId, user._id)) !== null) throw alreadyThere('Member', 'This person is a member already');
  await refuseCrowd(deps, organizationId);
  const token = newSecret();
  const invitation: InvitationDoc = {
    _id: newId(ctx.now), organization_id: organizationId, email: input.email, role: input.role, project_roles: input.project_roles,
    invited_by: actor.userId, hash: hashSecret(token), created_at: ctx.now, expires_at: ctx.now + INVITATION_MS,
  };
  if (!(await deps.invitations.insert(invitation))) throw alreadyThere('Invitation', 'This address is invited already');
  mailInvitation(deps, invitation, token, actor.name, ctx.now);
  return invitation;
}

/** Newest first; those that have expired stay until they are withdrawn or replaced. */
export function listInvitations(deps: AccountDeps, ctx: OrganizationContext): Promise<InvitationDoc[]> {
  return deps.invitations.listOf(ctx.tenant.organizationId);
}

/** The link is dead at once. Throws RESOURCE_NOT_FOUND. */
export async function withdrawInvitation(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  if (!(await deps.invitations.delete(ctx.tenant.organizationId, id))) throw notFound('Invitation');
}

function mailInvitation(deps: AccountDeps, invitation: InvitationDoc, token: string, inviter: string, now: number): void {
  deps.post.post(async () => {
    const organization = await deps.organizations.find(invitation.organization_id);
    if (organization === null || !(await deps.allowances.claim('invitation', invitation.email, now))) return null;
    return invitationLetter(invitation.email, mailedLink(deps.baseUrl(), 'accept-invitation', token), { inviter, organization: organization.name });
  });
}

async function refuseForeignProjects(deps: AccountDeps, organizationId: string, roles: Record<string, ProjectRole>): Promise<void> {
  const own = new Set((await deps.projects.listOf([organizationId])).map((project) => project._id));
  const foreign = Object.keys(roles).find((id) => !own.has(id));
  if (foreign !== undefined) throw fieldError(`project_roles.${foreign}`, 'The organization has no such project');
}

async function refuseCrowd(deps: AccountDeps, organizationId: string): Promise<void> {
  const [members, invitations] = await Promise.all([deps.members.countOfOrganization(organizationId), deps.invitations.countOfOrganization(organizationId)]);
  const usage = members + invitations;
  if (usage < MOST_PEOPLE) return;
  throw new AppError('FAIR_USE_LIMIT_REACHED', `An organization may have ${MOST_PEOPLE} members and invitations`, { details: { limit: MOST_PEOPLE, usage } });
}

export function alreadyThere(resourceType: 'Member' | 'Invitation', message: string): AppError {
  return new AppError('RESOURCE_ALREADY_EXISTS', message, { details: { resourceType } });
}
