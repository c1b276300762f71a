import { join } from 'node:path';
import type { Clock } from '../../shared/time.ts';
import { openAccountStores, type AccountDeps } from '../accounts/deps.ts';
import { AccountPost } from '../accounts/mail/account-post.ts';
import { findAssignee } from '../accounts/projects/verbs/members.ts';
import { Credentials } from '../accounts/sessions/credentials.ts';
import { openKeyRing, parseKeyRing, type KeyRing } from '../accounts/sessions/key-ring.ts';
import { SessionTokens } from '../accounts/sessions/tokens.ts';
import type { Tenant } from '../accounts/tenant.ts';
import { PasswordHasher, type PasswordCost } from '../accounts/users/passwords.ts';
import type { TenantReader } from '../http/ports.ts';
import type { Plans } from '../plans/plans.ts';
import { Quota } from '../plans/quota.ts';
import { UsageStore } from '../plans/usage-store.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';

type GivenDeps = Pick<AccountDeps, 'registration' | 'defaultPlan' | 'contentsOfProject' | 'baseUrl' | 'log'>;

export interface AccountSettings extends GivenDeps {
  db: ConstructorParameters<typeof UsageStore>[0];
  clock: Clock;
  ring: KeyRing;
  plans: Plans;
  /** Living monitors of an organization. */
  countMonitors(organizationId: string): Promise<number>;
  mailer: Mailer;
  passwordCost?: PasswordCost;
}

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** The keys that sign sessions: the given ones, or else those of the data directory, created if missing. */
export function openSigningKeys(jwtKeys: string | null, dataDir: string): Promise<KeyRing> {
  return jwtKeys === null ? openKeyRing(join(dataDir, 'jwt-keys.json')) : parseKeyRing(jwtKeys);
}

/** Accounts over one database, with their indexes in place. */
export async function openAccounts(settings: AccountSettings) {
  const { db, clock, log, plans, registration, defaultPlan, baseUrl, contentsOfProject } = settings;
  const stores = openAccountStores(db);
  await Promise.all(Object.values(stores).map((store) => store.ensureIndexes()));
  const { organizations, members, projects } = stores;
  const quota = new Quota({
    usage: new UsageStore(db), plans, clock,
    planOf: async (organizationId) => (await organizations.find(organizationId))?.plan ?? defaultPlan,
    count: { monitors: settings.countMonitors, projects: (id) => projects.countOfOrganization(id) },
  });
  const tokens = new SessionTokens(settings.ring);
  const hasher = new PasswordHasher(settings.passwordCost);
  const post = new AccountPost({ mailer: settings.mailer, clock, log });
  const deps: AccountDeps = {
    tokens, hasher, quota, registration, defaultPlan, post, baseUrl, contentsOfProject, log, ...stores,
  };
  const tenants: TenantReader = {
    memberships: (userId) => members.listOfUser(userId),
    hasOrganization: async (organizationId) => (await organizations.find(organizationId)) !== null,
    project: (projectId) => projects.find(projectId),
    defaultProject: (organizationId) => projects.findDefault(organizationId),
  };
  return {
    /** For `accountRoutes`. */
    deps,
    credentials: new Credentials(deps),
    tenants,
    plans,
    quota,
    people: { assignee: (tenant: Tenant, userId: string) => findAssignee(stores, tenant, userId) },
    /** Organizations that a user belongs to, the oldest membership first. */
    organizationsOf: async (userId: string) => {
      return (await members.listOfUser(userId)).map((member) => member.organization_id);
    },
    /** Ends background work. */
    close: () => post.close(),
  };
}
