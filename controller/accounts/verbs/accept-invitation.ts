import { AppError } from '../../../shared/errors.ts';
import { hashSecret, newId } from '../../../shared/ids.ts';
import type { PublicContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { InvitationDoc, MemberDoc, UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import { PASSWORD_RULE, type AcceptInvitationInput } from '../schema.ts';
import { startSession, type StartedSession } from '../sessions.ts';
import { alreadyThere } from './invitations.ts';
import { belongingsOf, wrongCredentials, type Belongings } from './sign-in.ts';
import { deadLink } from './verify-email.ts';

export interface OpenInvitation {
  email: string;
  organizationName: string;
  /** Whether the address has an account, whose password then has to be given. */
  hasAccount: boolean;
}

/** What the reader of an invitation may know before accepting. Throws VALIDATION_ERROR for a token that is not good. */
export async function readInvitation(deps: AccountDeps, ctx: PublicContext, token: string): Promise<OpenInvitation> {
  const invitation = await findInvitation(deps, token, ctx.now);
  const [organization, user] = await Promise.all([deps.organizations.find(invitation.organization_id), deps.users.findByEmail(invitation.email)]);
  if (organization === null) throw deadLink();
  return { email: invitation.email, organizationName: organization.name, hasAccount: user !== null };
}

/**
 * Joins the organization: a new account with this name and password, or an existing one that proves itself by its
 * password, of which nothing is changed. Throws VALIDATION_ERROR for the token, the name or the password,
 * INVALID_CREDENTIALS for a wrong one, RESOURCE_ALREADY_EXISTS for a member.
 */
export async function acceptInvitation(
  deps: AccountDeps, ctx: PublicContext, input: AcceptInvitationInput,
): Promise<Belongings & { user: UserDoc; session: StartedSession; organizationId: string }> {
  const invitation = await findInvitation(deps, input.token, ctx.now);
  const existing = await deps.users.findByEmail(invitation.email);
  const user = existing === null ? await joinAsNew(deps, ctx, invitation, input) : await joinAsKnown(deps, ctx, invitation, existing, input.password);
  const [belongings, session] = await Promise.all([belongingsOf(deps, user._id), startSession(deps, user, ctx.now)]);
  return { user, ...belongings, session, organizationId: invitation.organization_id };
}

async function findInvitation(deps: AccountDeps, token: string, now: number): Promise<InvitationDoc> {
  const invitation = await deps.invitations.findByHash(hashSecret(token), now);
  if (invitation === null) throw deadLink();
  return invitation;
}

async function joinAsNew(deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, input: AcceptInvitationInput): Promise<UserDoc> {
  if (input.name === undefined) throw fieldError('name', 'Required', 'invalid_type');
  const rule = PASSWORD_RULE.safeParse(input.password);
  if (!rule.success) throw fieldError('password', rule.error.issues[0]?.message ?? 'Not allowed');
  const user: UserDoc = {
    _id: newId(ctx.now), email: invitation.email, name: input.name, password_hash: await deps.hasher.hash(input.password), token_version: 1,
    email_verified: true, is_operator: false, created_at: ctx.now,
  };
  if (!(await deps.invitations.take(invitation))) throw deadLink();
  if (!(await deps.users.insert(user))) {
    // Somebody registered the address meanwhile; its account has to prove itself, with the same link.
    await deps.invitations.insert(invitation);
    throw wrongCredentials();
  }
  await deps.members.insert(membership(invitation, user, ctx.now));
  return user;
}

async function joinAsKnown(deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, user: UserDoc, password: string): Promise<UserDoc> {
  if (!(await deps.hasher.verify(password, user.password_hash))) throw wrongCredentials();
  if ((await deps.members.find(invitation.organization_id, user._id)) !== null) throw alreadyThere('Member', 'This person is a member already');
  if (!(await deps.invitations.take(invitation))) throw deadLink();
  await deps.members.insert(membership(invitation, user, ctx.now));
  if (!user.email_verified && !(await deps.users.markVerified(user._id, user.email))) throw new AppError('CONFLICT', 'The account was changed by another request');
  return { ...user, email_verified: true };
}

function membership(invitation: InvitationDoc, user: UserDoc, now: number): MemberDoc {
  const { organization_id, role, project_roles } = invitation;
  return { _id: newId(now), organization_id, user_id: user._id, role, project_roles, created_at: now };
}
