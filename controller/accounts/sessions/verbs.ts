import { hashSecret, newSecret } from '../../../shared/ids.ts';
import type { OperatorContext, PublicContext } from '../../http/routing/route.ts';
import type { AccountDeps } from '../deps.ts';
import type { ProjectDoc } from '../tenant-store.ts';
import { visibleProjects } from '../projects/verbs/projects.ts';
import { projectRoleOf } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import type { ChangePasswordInput, LoginInput } from '../schema.ts';
import type { UserDoc } from '../users/store.ts';
import type { SessionDoc } from './store.ts';
import { invalidToken } from './credentials.ts';

const SESSION_MS = 7 * 86_400_000;
const MAX_LISTED_SESSIONS = 100;

export interface StartedSession {
  token: string;
  /** Unix ms. */
  expiresAt: number;
}

/** A user with their organizations. */
export type Account = Awaited<ReturnType<typeof accountOf>>;

export type SignedIn = Account & { session: StartedSession };

/** Also deletes the user's expired sessions. */
export async function startSession(deps: AccountDeps, user: UserDoc, now: number): Promise<StartedSession> {
  const { _id: userId, token_version } = user;
  const [secret, expiresAt] = [newSecret(), now + SESSION_MS];
  const sessionId = hashSecret(secret);
  const session = { _id: sessionId, user_id: userId, token_version, created_at: now, expires_at: expiresAt };
  await Promise.all([deps.sessions.insert(session), deps.sessions.deleteExpired(userId, now)]);
  return { token: await deps.tokens.sign({ userId, secret }, now, expiresAt), expiresAt };
}

export async function signIn(deps: AccountDeps, user: UserDoc, now: number): Promise<SignedIn> {
  const [account, session] = await Promise.all([accountOf(deps, user), startSession(deps, user, now)]);
  return { ...account, session };
}

/**
 * Throws INVALID_CREDENTIALS, with the same text and timing for an unknown address and a wrong password.
 * Throws RATE_LIMIT_EXCEEDED before it reads the account.
 */
export async function logIn(deps: AccountDeps, ctx: PublicContext, input: LoginInput): Promise<SignedIn> {
  const { address } = ctx;
  deps.attempts.takeAddress(address);
  deps.attempts.takeAccount(address, input.email);
  const user = await deps.users.findByEmail(input.email);
  const isPasswordCorrect = await deps.hasher.verify(input.password, user?.password_hash ?? null, address);
  if (user === null || !isPasswordCorrect) throw invalidCredentials();
  deps.attempts.succeeded(address, user.email);
  return signIn(deps, user, ctx.now);
}

/** Ends the session of this request. Its token becomes invalid immediately. */
export async function logOut(deps: AccountDeps, { actor }: OperatorContext): Promise<void> {
  await deps.sessions.delete(actor.sessionId);
  deps.sessionEnds.notify(actor.userId);
}

/** The newest 100 sessions of the account, newest first. */
export function listSessions(deps: AccountDeps, { actor, now }: OperatorContext): Promise<SessionDoc[]> {
  return deps.sessions.listOfUser(actor.userId, now, MAX_LISTED_SESSIONS);
}

/** Throws RESOURCE_NOT_FOUND. */
export async function endSession(deps: AccountDeps, { actor }: OperatorContext, id: string): Promise<void> {
  if (!(await deps.sessions.deleteOne(actor.userId, id))) throw notFound('Session');
  deps.sessionEnds.notify(actor.userId);
}

export async function endAllSessions(deps: AccountDeps, userId: string): Promise<void> {
  await deps.sessions.deleteOfUser(userId);
  deps.sessionEnds.notify(userId);
}

export async function readAccount(deps: AccountDeps, ctx: OperatorContext) {
  const user = await deps.users.find(ctx.actor.userId);
  if (user === null) throw invalidToken();
  const account = await accountOf(deps, user);
  const members = account.memberships.map(({ member }) => member);
  const projects = await deps.projects.listOf(members.map((member) => member.organization_id));
  const memberOf = (id: string) => members.find((member) => member.organization_id === id);
  const roleIn = (project: ProjectDoc) => projectRoleOf(memberOf(project.organization_id), project);
  return { projects: visibleProjects(projects, roleIn), ...account };
}

/**
 * Ends all sessions and reset links of the account and starts a new session. Throws INVALID_CREDENTIALS,
 * RATE_LIMIT_EXCEEDED, and CONFLICT if another request changed the password.
 */
export async function changePassword(deps: AccountDeps, ctx: OperatorContext, input: ChangePasswordInput) {
  const { address, actor: { userId, email } } = ctx;
  deps.attempts.takeAddress(address);
  deps.attempts.takeAccount(address, email);
  const user = await deps.users.find(userId);
  const storedHash = user?.password_hash ?? null;
  const isPasswordCorrect = await deps.hasher.verify(input.current_password, storedHash, address);
  if (user === null || !isPasswordCorrect) {
    throw new AppError('INVALID_CREDENTIALS', 'The current password is wrong');
  }
  deps.attempts.succeeded(address, email);
  const hash = await deps.hasher.hash(input.new_password, address);
  const changed = await deps.users.changePassword(user, hash);
  if (changed === null) {
    throw new AppError('CONFLICT', 'The password was changed by another request; try again');
  }
  await Promise.all([
    endAllSessions(deps, user._id), deps.mailedTokens.deleteOfUser(user._id, 'reset_password'),
  ]);
  return startSession(deps, changed, ctx.now);
}

async function accountOf(deps: AccountDeps, user: UserDoc) {
  const members = await deps.members.listOfUser(user._id);
  const organizations = await deps.organizations.findMany(members.map((member) => member.organization_id));
  const memberships = members.flatMap((member) => {
    const organization = organizations.find((one) => one._id === member.organization_id);
    return organization === undefined ? [] : [{ member, organization }];
  });
  return { user, memberships };
}

export function invalidCredentials(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'The email address or password is wrong');
}
