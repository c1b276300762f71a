import { AppError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { PublicContext } from '../../http/route.ts';
import type { MemberDoc, OrganizationDoc, ProjectDoc, UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import { LONGEST_ORGANIZATION_NAME, type RegisterInput } from '../schema.ts';
import { startSession, type StartedSession } from '../sessions.ts';
import { mailVerification } from './verify-email.ts';

export interface Registered {
  user: UserDoc;
  organization: OrganizationDoc;
  project: ProjectDoc;
  session: StartedSession;
}

/**
 * Makes an account with an organization and a default project of its own. The first account of the installation is
 * its operator and verified, any other one is mailed a link. Throws FORBIDDEN when registration is closed, RESOURCE_ALREADY_EXISTS for a known address.
 */
export async function registerAccount(deps: AccountDeps, ctx: PublicContext, input: RegisterInput): Promise<Registered> {
  const isFirst = !(await deps.users.hasAny());
  refuseUnlessOpen(deps, isFirst);
  if ((await deps.users.findByEmail(input.email)) !== null) throw addressTaken();
  const account = draftAccount(deps, ctx.now, input, await deps.hasher.hash(input.password));
  const { user, organization, project, member } = account;
  await deps.organizations.insert(organization);
  await Promise.all([deps.projects.insert(project), deps.members.insert(member), deps.quota.reserve(organization._id, 'projects')]);
  // The user comes last: without it nobody can see the rest, so a crash in between leaves nothing half open.
  const inserted = await insertUser(deps, user, isFirst).catch(async (error: unknown) => {
    await discard(deps, account);
    throw error;
  });
  if (!inserted.email_verified) mailVerification(deps, inserted, ctx.now);
  return { user: inserted, organization, project, session: await startSession(deps, inserted, ctx.now) };
}

function refuseUnlessOpen(deps: AccountDeps, isFirst: boolean): void {
  if (deps.registration === 'open' || (deps.registration === 'first-user' && isFirst)) return;
  throw new AppError('FORBIDDEN', 'Registration is closed; ask an administrator for an invitation');
}

function addressTaken(): AppError {
  return new AppError('RESOURCE_ALREADY_EXISTS', 'An account with this e-mail address already exists', { details: { resourceType: 'User' } });
}

/** The unique index over `first` decides which of several first accounts it is. */
async function insertUser(deps: AccountDeps, user: UserDoc, isFirst: boolean): Promise<UserDoc> {
  if (isFirst) {
    const first: UserDoc = { ...user, email_verified: true, is_operator: true, first: true };
    if (await deps.users.insert(first)) return first;
    refuseUnlessOpen(deps, false);
  }
  if (await deps.users.insert(user)) return user;
  throw addressTaken();
}

function draftAccount(
  deps: AccountDeps, now: number, input: RegisterInput, passwordHash: string,
): { user: UserDoc; organization: OrganizationDoc; project: ProjectDoc; member: MemberDoc } {
  const [userId, organizationId] = [newId(now), newId(now)];
  return {
    user: {
      _id: userId, email: input.email, name: input.name, password_hash: passwordHash, token_version: 1,
      email_verified: false, is_operator: false, created_at: now,
    },
    organization: { _id: organizationId, name: input.organization_name ?? nameAfter(input.name), plan: deps.defaultPlan, created_at: now },
    project: { _id: newId(now), organization_id: organizationId, name: 'Default', is_default: true, created_at: now },
    member: { _id: newId(now), organization_id: organizationId, user_id: userId, role: 'owner', project_roles: {}, created_at: now },
  };
}

/** Not longer than a name that somebody may set, so that what is read can be sent back. */
function nameAfter(person: string): string {
  const name = `${person}'s organization`;
  return name.length > LONGEST_ORGANIZATION_NAME ? person : name;
}

async function discard(deps: AccountDeps, account: ReturnType<typeof draftAccount>): Promise<void> {
  const gone = await Promise.allSettled([
    deps.members.delete(account.member._id), deps.projects.delete(account.project._id), deps.organizations.delete(account.organization._id),
  ]);
  for (const one of gone) if (one.status === 'rejected') deps.log.warn({ err: one.reason as unknown }, 'remains of a failed registration stay');
}
