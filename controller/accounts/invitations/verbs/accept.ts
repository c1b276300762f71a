import { derivedId, hashSecret } from '../../../../shared/ids.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { PublicContext } from '../../../http/routing/route.ts';
import { fieldError } from '../../../http/input/validation.ts';
import type { AccountDeps } from '../../deps.ts';
import { invalidLink } from '../../mailed-links/verbs.ts';
import { PASSWORD_RULE, type AcceptInvitationInput } from '../../schema.ts';
import { signIn, invalidCredentials } from '../../sessions/verbs.ts';
import { newUser, type UserDoc } from '../../users/store.ts';
import type { InvitationDoc } from '../store.ts';
import { alreadyMember } from './invite.ts';

/** What the recipient sees before accepting. Throws VALIDATION_ERROR for an invalid token. */
export async function readInvitation(deps: AccountDeps, ctx: PublicContext, token: string) {
  const { organization_id, email } = await findInvitation(deps, token, ctx.now);
  const [organization, user] = await Promise.all([
    deps.organizations.find(organization_id), deps.users.findByEmail(email),
  ]);
  if (organization === null) throw invalidLink();
  const { _id: id, name } = organization;
  return { email, organization: { id, name }, has_account: user !== null };
}

/**
 * Joins with a new account, or with the existing one and its password. The invitation is deleted last, so its
 * link still works after a crash. Throws VALIDATION_ERROR, INVALID_CREDENTIALS, RESOURCE_ALREADY_EXISTS for a
 * member, CONFLICT while another request accepts it, RATE_LIMIT_EXCEEDED.
 */
export async function acceptInvitation(deps: AccountDeps, ctx: PublicContext, input: AcceptInvitationInput) {
  deps.attempts.takeAddress(ctx.address);
  const invitation = await findInvitation(deps, input.token, ctx.now);
  const existing = await deps.users.findByEmail(invitation.email);
  const user = existing === null
    ? await joinAsNew(deps, ctx, invitation, input)
    : await joinAsExisting(deps, ctx, invitation, existing, input.password);
  return { organizationId: invitation.organization_id, ...(await signIn(deps, user, ctx.now)) };
}

async function findInvitation(deps: AccountDeps, token: string, now: number): Promise<InvitationDoc> {
  const invitation = await deps.invitations.findByHash(hashSecret(token), now);
  if (invitation === null) throw invalidLink();
  return invitation;
}

async function joinAsNew(
  deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, { name, password }: AcceptInvitationInput,
): Promise<UserDoc> {
  if (name === undefined) throw fieldError('name', 'Required', 'invalid_type');
  const { error } = PASSWORD_RULE.safeParse(password);
  if (error !== undefined) throw fieldError('password', error.issues[0]?.message ?? 'Not allowed');
  const password_hash = await deps.hasher.hash(password, ctx.address);
  const facts = { email: invitation.email, name, password_hash };
  const user = { ...newUser(ctx.now, facts), email_verified: true };
  return withInvitationClaim(deps, invitation, ctx.now, async (claimed) => {
    if (!(await deps.users.insertIfFree(user))) {
      // Someone registered the address meanwhile. The link stays valid but now needs that account's password.
      await deps.invitations.release(claimed);
      throw invalidCredentials();
    }
    await insertMember(deps, ctx.now, invitation, user._id);
    await deps.invitations.complete(invitation);
    return user;
  });
}

async function joinAsExisting(
  deps: AccountDeps, ctx: PublicContext, invitation: InvitationDoc, user: UserDoc, password: string,
): Promise<UserDoc> {
  const { address } = ctx;
  deps.attempts.takeAccount(address, user.email);
  if (!(await deps.hasher.verify(password, user.password_hash, address))) throw invalidCredentials();
  deps.attempts.succeeded(address, user.email);
  const member = await deps.members.find(invitation.organization_id, user._id);
  if (member !== null && member._id !== memberIdOf(invitation, user._id)) throw alreadyMember();
  return withInvitationClaim(deps, invitation, ctx.now, async () => {
    await insertMember(deps, ctx.now, invitation, user._id);
    const verified = user.email_verified ? user : await deps.users.markVerified(user._id, user.email);
    if (verified === null) {
      throw new AppError('CONFLICT', 'The account was changed by another request; try again');
    }
    await deps.invitations.complete(invitation);
    return verified;
  });
}

/**
 * Runs `accept` while this request holds the claim on the invitation. Throws CONFLICT if another one does.
 */
async function withInvitationClaim(
  { claims, invitations }: AccountDeps, invitation: InvitationDoc, now: number,
  accept: (claimed: InvitationDoc) => Promise<UserDoc>,
): Promise<UserDoc> {
  const user = claims.isFree(invitation.claim)
    ? await claims.runClaimed((claim) => invitations.claim(invitation, claim), accept) : null;
  if (user !== null) return user;
  if ((await invitations.findByHash(invitation.hash, now)) === null) throw invalidLink();
  throw new AppError('CONFLICT', 'The invitation is being accepted; try again in a few seconds');
}

/** Derived from the invitation, so that repeated requests add the membership only once. */
function memberIdOf(invitation: InvitationDoc, userId: string): string {
  return derivedId('member', invitation._id, userId);
}

/** Does nothing if an interrupted request already added the membership. */
async function insertMember(deps: AccountDeps, now: number, invitation: InvitationDoc, userId: string) {
  const { organization_id, role, project_roles } = invitation;
  const _id = memberIdOf(invitation, userId);
  const facts = { organization_id, role, project_roles };
  await deps.members.insertIfFree({ _id, user_id: userId, created_at: now, ...facts });
}
