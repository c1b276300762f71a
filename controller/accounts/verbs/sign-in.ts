import { AppError } from '../../../shared/errors.ts';
import type { OperatorContext, PublicContext } from '../../http/route.ts';
import type { MemberDoc, OrganizationDoc, ProjectDoc, UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import type { ChangePasswordInput, LoginInput } from '../schema.ts';
import { startSession, type StartedSession } from '../sessions.ts';
import { invalidToken } from '../session-tokens.ts';

export interface Belongings {
  memberships: MemberDoc[];
  organizations: OrganizationDoc[];
}

/** A session for whoever knows the password. Throws INVALID_CREDENTIALS, the same and after the same time whatever was wrong. */
export async function logIn(deps: AccountDeps, ctx: PublicContext, input: LoginInput): Promise<Belongings & { user: UserDoc; session: StartedSession }> {
  const user = await deps.users.findByEmail(input.email);
  const isRight = await deps.hasher.verify(input.password, user?.password_hash ?? null);
  if (user === null || !isRight) throw wrongCredentials();
  return { user, ...(await belongingsOf(deps, user._id)), session: await startSession(deps, user, ctx.now) };
}

/** Ends the session that the request came with; its token is dead at once. */
export async function logOut(deps: AccountDeps, ctx: OperatorContext): Promise<void> {
  await deps.sessions.delete(ctx.actor.sessionId);
}

/** The caller's account and all it belongs to. */
export async function readAccount(deps: AccountDeps, ctx: OperatorContext): Promise<Belongings & { user: UserDoc; projects: ProjectDoc[] }> {
  const [user, belongings] = await Promise.all([deps.users.find(ctx.actor.userId), belongingsOf(deps, ctx.actor.userId)]);
  if (user === null) throw invalidToken();
  return { user, ...belongings, projects: await deps.projects.listOf(belongings.memberships.map((one) => one.organization_id)) };
}

/** Ends every session of the account and starts a new one. Throws INVALID_CREDENTIALS when the current password is wrong, CONFLICT when it just changed. */
export async function changePassword(deps: AccountDeps, ctx: OperatorContext, input: ChangePasswordInput): Promise<StartedSession> {
  const user = await deps.users.find(ctx.actor.userId);
  if (!(await deps.hasher.verify(input.current_password, user?.password_hash ?? null)) || user === null) {
    throw new AppError('INVALID_CREDENTIALS', 'The current password is wrong');
  }
  const changed = await deps.users.changePassword(user, await deps.hasher.hash(input.new_password));
  if (changed === null) throw new AppError('CONFLICT', 'The password was changed by another request');
  await deps.sessions.deleteOfUser(user._id);
  return startSession(deps, changed, ctx.now);
}

export async function belongingsOf(deps: AccountDeps, userId: string): Promise<Belongings> {
  const memberships = await deps.members.listOfUser(userId);
  return { memberships, organizations: await deps.organizations.findMany(memberships.map((one) => one.organization_id)) };
}

export function wrongCredentials(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong');
}
