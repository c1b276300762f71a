import { hashSecret, newId, newSecret } from '../../../../shared/ids.ts';
import { AppError, notFound } from '../../../errors/app-error.ts';
import type { OrganizationContext, SessionActor } from '../../../http/routing/route.ts';
import { fieldError } from '../../../http/input/validation.ts';
import type { AccountDeps } from '../../deps.ts';
import { invitationMessage, mailedLink } from '../../mail/account-messages.ts';
import { NO_ALLOWANCE } from '../../mail/allowance-store.ts';
import { requireOwnerFor } from '../../members/verbs.ts';
import type { InvitationInput } from '../../schema.ts';
import type { InvitationDoc } from '../store.ts';

const INVITATION_MS = 7 * 86_400_000;
/** Members plus invitations per organization, on any plan. */
const MAX_MEMBERS_AND_INVITATIONS = 1000;
/** Per organization. Withdrawn invitations count, since each has sent an email to somebody. */
const MAX_INVITATIONS_PER_HOUR = 30;

/**
 * Emails an invitation link. Throws RESOURCE_ALREADY_EXISTS for a member or an invited address,
 * VALIDATION_ERROR for an unknown project, INSUFFICIENT_PERMISSIONS if an admin invites an owner,
 * FAIR_USE_LIMIT_REACHED, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE while the mail queue is full.
 */
export async function createInvitation(deps: AccountDeps, ctx: OrganizationContext, input: InvitationInput) {
  const { organizationId } = ctx.tenant;
  const actor = ctx.actor as SessionActor;
  requireOwnerFor(ctx, input.role);
  await rejectForeignProjects(deps, organizationId, Object.keys(input.project_roles));
  const user = await deps.users.findByEmail(input.email);
  if (user !== null && (await deps.members.find(organizationId, user._id)) !== null) throw alreadyMember();
  await checkMemberLimit(deps, organizationId);
  if (deps.mailers.invitations.isFull) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many invitations are waiting to be sent; try again later');
  }
  await checkInvitationRate(deps, organizationId, ctx.now);
  const token = newSecret();
  const invitation: InvitationDoc = {
    _id: newId(ctx.now), organization_id: organizationId, invited_by: actor.userId, hash: hashSecret(token),
    created_at: ctx.now, expires_at: ctx.now + INVITATION_MS, ...input,
  };
  if (!(await deps.invitations.insertIfFree(invitation))) {
    throw alreadyExists('Invitation', 'This address has already been invited');
  }
  mailInvitation(deps, invitation, token, actor.name);
  return invitation;
}

/** Newest first. Expired invitations stay listed until they are withdrawn or replaced. */
export function listInvitations(deps: AccountDeps, ctx: OrganizationContext): Promise<InvitationDoc[]> {
  return deps.invitations.listOf(ctx.tenant.organizationId);
}

/** Invalidates the link immediately. Throws RESOURCE_NOT_FOUND. */
export async function withdrawInvitation(deps: AccountDeps, ctx: OrganizationContext, id: string) {
  if (!(await deps.invitations.delete(ctx.tenant.organizationId, id))) throw notFound('Invitation');
}

function mailInvitation(deps: AccountDeps, invitation: InvitationDoc, token: string, inviter: string): void {
  const { organization_id, email, created_at: now } = invitation;
  deps.mailers.invitations.send(email, async () => {
    const organization = await deps.organizations.find(organization_id);
    if (organization === null) return null;
    if (!(await deps.allowances.claim('invitation', email, now))) return NO_ALLOWANCE;
    const link = mailedLink(deps.baseUrl(), 'accept-invitation', token);
    return invitationMessage(email, link, inviter, organization.name);
  });
}

async function rejectForeignProjects({ projects }: AccountDeps, organizationId: string, ids: string[]) {
  const own = await projects.listOf([organizationId]);
  const foreign = ids.find((id) => !own.some((project) => project._id === id));
  if (foreign === undefined) return;
  throw fieldError(`project_roles.${foreign}`, 'The organization has no such project');
}

async function checkMemberLimit(deps: AccountDeps, organizationId: string): Promise<void> {
  const usage = await deps.members.countOfOrganization(organizationId)
    + await deps.invitations.countOfOrganization(organizationId);
  if (usage < MAX_MEMBERS_AND_INVITATIONS) return;
  const limit = MAX_MEMBERS_AND_INVITATIONS;
  const message = `An organization can have at most ${limit} members and invitations`;
  throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit, usage } });
}

async function checkInvitationRate(
  { allowances }: AccountDeps, organizationId: string, now: number,
): Promise<void> {
  const max = MAX_INVITATIONS_PER_HOUR;
  const freeAt = await allowances.useOrganizationAllowance('invitations', organizationId, max, now);
  if (freeAt === null) return;
  const message = `An organization can send at most ${max} invitations an hour`;
  throw new AppError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: Math.ceil((freeAt - now) / 1000) });
}

export function alreadyMember(): AppError {
  return alreadyExists('Member', 'This person is already a member');
}

function alreadyExists(resourceType: 'Member' | 'Invitation', message: string): AppError {
  return new AppError('RESOURCE_ALREADY_EXISTS', message, { details: { resourceType } });
}
