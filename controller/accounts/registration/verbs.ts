import { newId } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import type { AccountDeps } from '../deps.ts';
import { mailVerification } from '../mailed-links/verbs.ts';
import { MAX_ORGANIZATION_NAME_LENGTH, type RegisterInput } from '../schema.ts';
import { startSession } from '../sessions/verbs.ts';
import { newUser, type UserDoc } from '../users/store.ts';

type NewAccount = ReturnType<typeof draftAccount>;

/**
 * Creates an account with an organization and a default project. The first account becomes the verified
 * operator; others get a verification mail. Throws FORBIDDEN if registration is closed,
 * RESOURCE_ALREADY_EXISTS for a registered address, RATE_LIMIT_EXCEEDED.
 */
export async function registerAccount(deps: AccountDeps, ctx: PublicContext, input: RegisterInput) {
  deps.attempts.takeAddress(ctx.address);
  const isFirst = !(await deps.users.hasAny());
  requireOpenRegistration(deps, isFirst);
  if ((await deps.users.findByEmail(input.email)) !== null) throw addressTaken();
  const account = draftAccount(deps, ctx.now, input, await deps.hasher.hash(input.password, ctx.address));
  const { organization, project } = account;
  await deps.organizations.insert(organization);
  const reservation = deps.quota.reserve(organization._id, 'projects');
  await Promise.all([deps.projects.insert(project), deps.members.insert(account.member), reservation]);
  // Insert the user last: without it the rest is invisible, so a crash leaves no half-created account.
  const user = await insertUser(deps, account.user, isFirst).catch(async (error: unknown) => {
    await discard(deps, account);
    throw error;
  });
  if (!user.email_verified) mailVerification(deps, user, ctx.now);
  return { user, organization, project, session: await startSession(deps, user, ctx.now) };
}

/** Whether registration is open now; `isEmpty` means that the installation has no accounts. */
export async function readRegistration(deps: Pick<AccountDeps, 'users' | 'registration'>) {
  const isEmpty = !(await deps.users.hasAny());
  return { mode: deps.registration, isOpen: isOpen(deps, isEmpty), isEmpty };
}

function isOpen({ registration }: Pick<AccountDeps, 'registration'>, isFirst: boolean): boolean {
  return registration === 'open' || (registration === 'first-user' && isFirst);
}

function requireOpenRegistration(deps: AccountDeps, isFirst: boolean): void {
  if (isOpen(deps, isFirst)) return;
  throw new AppError('FORBIDDEN', 'Registration is closed; ask an administrator for an invitation');
}

function addressTaken(): AppError {
  const message = 'An account with this email address already exists';
  return new AppError('RESOURCE_ALREADY_EXISTS', message, { details: { resourceType: 'User' } });
}

/** The unique index on `first` decides which of several simultaneous registrations is first. */
async function insertUser(deps: AccountDeps, user: UserDoc, isFirst: boolean): Promise<UserDoc> {
  if (isFirst) {
    const first: UserDoc = { ...user, email_verified: true, is_operator: true, first: true };
    if (await deps.users.insertIfFree(first)) return first;
    requireOpenRegistration(deps, false);
  }
  if (await deps.users.insertIfFree(user)) return user;
  throw addressTaken();
}

function draftAccount(deps: AccountDeps, now: number, input: RegisterInput, hash: string) {
  // Within the length limit of the API, so that clients can send back what they read.
  const longName = `${input.name}'s organization`;
  const ownName = longName.length > MAX_ORGANIZATION_NAME_LENGTH ? input.name : longName;
  const user = newUser(now, { email: input.email, name: input.name, password_hash: hash });
  const organization = {
    _id: newId(now), name: input.organization_name ?? ownName, plan: deps.defaultPlan, created_at: now,
  };
  const owned = { organization_id: organization._id, created_at: now };
  return {
    user, organization,
    project: { _id: newId(now), name: 'Default', is_default: true, ...owned },
    member: { _id: newId(now), user_id: user._id, role: 'owner' as const, project_roles: {}, ...owned },
  };
}

async function discard(deps: AccountDeps, { member, project, organization }: NewAccount): Promise<void> {
  const { members, projects, organizations } = deps;
  const outcomes = await Promise.allSettled([
    members.delete(member._id), projects.delete(project._id), organizations.delete(organization._id),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    deps.log.warn({ err: outcome.reason as unknown }, 'could not clean up after a failed registration');
  }
}
