import { AppError } from '../../../../shared/errors.ts';
import { hashSecret, newId } from '../../../../shared/ids.ts';
import type { PublicContext } from '../../../http/route.ts';
import { fieldError } from '../../../http/validation.ts';
import type { AccountDeps } from '../../deps.ts';
import { deadLink } from '../../mailed-links/verbs.ts';
import { PASSWORD_RULE, type AcceptInvitationInput } from '../../schema.ts';
import { signIn, wrongCredentials } from '../../sessions/verbs.ts';
import type { UserDoc } from '../../users/store.ts';
import { newUser } from '../../users/verbs.ts';
import type { InvitationDoc } from '../store.ts';
import { alreadyMember } from './invite.ts';

export interface OpenInvitation {
  email: string;
  organizationName: string;
  /** The address has an account, whose password must be given. */
  hasAccount: boolean;
}

/** What a reader may know of an invitation before accepting it. Throws VALIDATION_ERROR for a bad token. */
export async function readInvitation(deps: AccountDeps, ctx: PublicContext, token: string) {
  const { organization_id, email } = await findInvitation(deps, token, ctx.now);
  const [organization, user] = await Promise.all([
    deps.organizations.find(organization_id), deps.users.findByEmail(email),
  ]);
  if (organization === null) throw deadLink();
  return { email, organizationName: organization.name, hasAccount: user !== null };
}

/**
 * Joins the organization, with a new account of this name and password, or with an existing account and its
 * password. Throws VALIDATION_ERROR for the token, the name or the password, INVALID_CREDENTIALS for a wrong
 * password, RESOURCE_ALREADY_EXISTS for a member.
 */
export async function acceptInvitation(deps: AccountDeps, ctx: PublicContext, input: AcceptInvitationInput) {
  const invitation = await findInvitation(deps, input.token, ctx.now);
  const existing = await deps.users.findByEmail(invitation.email);
  const user = existing === null
    ? await joinAsNew(deps, ctx, invitation, input)
    : await joinAsExisting(deps, ctx, invitation, existing, input.password);
  return { organizationId: invitation.organization_id, ...(await signIn(deps, user, ctx.now)) };
}

async function findInvitation(deps: AccountDeps, token: string, now: number): Promise<InvitationDoc> {
  const invitation = await deps.invitations.findByHash(hashSecret(token), now);
  if (invitation === null) throw deadLink();
  return invitation;
}

async function joinAsNew(
  deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, { name, password }: AcceptInvitationInput,
): Promise<UserDoc> {
  if (name === undefined) throw fieldError('name', 'Required', 'invalid_type');
  const { error } = PASSWORD_RULE.safeParse(password);
  if (error !== undefined) throw fieldError('password', error.issues[0]?.message ?? 'Not allowed');
  const facts = { email: invitation.email, name, password_hash: await deps.hasher.hash(password) };
  const user = { ...newUser(ctx.now, facts), email_verified: true };
  if (!(await deps.invitations.take(invitation))) throw deadLink();
  if (!(await deps.users.insertIfFree(user))) {
    // Somebody registered the address meanwhile: the link stays valid, but needs that account's password.
    await deps.invitations.insertIfFree(invitation);
    throw wrongCredentials();
  }
  await insertMember(deps, ctx.now, invitation, user._id);
  return user;
}

async function joinAsExisting(
  deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, user: UserDoc, password: string,
): Promise<UserDoc> {
  if (!(await deps.hasher.verify(password, user.password_hash))) throw wrongCredentials();
  if ((await deps.members.find(invitation.organization_id, user._id)) !== null) throw alreadyMember();
  if (!(await deps.invitations.take(invitation))) throw deadLink();
  await insertMember(deps, ctx.now, invitation, user._id);
  if (user.email_verified) return user;
  const verified = await deps.users.markVerified(user._id, user.email);
  if (verified === null) throw new AppError('CONFLICT', 'The account was changed by another request');
  return verified;
}

function insertMember(deps: AccountDeps, now: number, invitation: InvitationDoc, userId: string) {
  const { organization_id, role, project_roles } = invitation;
  const facts = { organization_id, role, project_roles };
  return deps.members.insert({ _id: newId(now), user_id: userId, created_at: now, ...facts });
}
