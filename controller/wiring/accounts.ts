import { join } from 'node:path';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { AccountPost } from '../accounts/account-post.ts';
import { Credentials } from '../accounts/credentials.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import { openKeyRing, parseKeyRing, type KeyRing } from '../accounts/key-ring.ts';
import { PasswordHasher, type PasswordCost } from '../accounts/passwords.ts';
import { SessionTokens } from '../accounts/session-tokens.ts';
import { ensureAccountIndexes, openAccountStores } from '../accounts/stores.ts';
import { readTenants } from '../accounts/tenants.ts';
import type { TenantReader } from '../http/ports.ts';
import type { PlanName, Plans } from '../plans/plans.ts';
import { Quota } from '../plans/quota.ts';
import { UsageStore } from '../plans/usage-store.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';

export interface AccountSettings {
  db: ConstructorParameters<typeof UsageStore>[0];
  clock: Clock;
  log: Log;
  ring: KeyRing;
  plans: Plans;
  defaultPlan: PlanName;
  registration: 'first-user' | 'open' | 'closed';
  /** Living monitors of an organization. */
  countMonitors(organizationId: string): Promise<number>;
  contentsOfProject: AccountDeps['contentsOfProject'];
  mailer: Mailer;
  /** Address that mailed links begin with. */
  baseUrl(): string;
  passwordCost?: PasswordCost;
}

export interface Accounts {
  /** For `accountRoutes`. */
  deps: AccountDeps;
  /** For the HTTP edge. */
  credentials: Credentials;
  tenants: TenantReader;
  plans: Plans;
  /** For whoever creates what a plan limits. */
  quota: Quota;
  /** Organizations that a user belongs to, the oldest membership first. */
  organizationsOf(userId: string): Promise<string[]>;
  /** Ends what the accounts do in the background. */
  close(): Promise<void>;
}

/** The keys that sign sessions: those that were given, or the ones that are made in the data directory. */
export function openSigningKeys(jwtKeys: string | null, dataDir: string): Promise<KeyRing> {
  return jwtKeys === null ? openKeyRing(join(dataDir, 'jwt-keys.json')) : parseKeyRing(jwtKeys);
}

/** Accounts over one database, with their indexes in place. */
export async function openAccounts(settings: AccountSettings): Promise<Accounts> {
  const { db, clock, log, registration, defaultPlan } = settings;
  const stores = openAccountStores(db);
  await ensureAccountIndexes(stores);
  const quota = new Quota({
    usage: new UsageStore(db),
    plans: settings.plans,
    clock,
    planOf: async (organizationId) => (await stores.organizations.find(organizationId))?.plan ?? defaultPlan,
    count: { monitors: settings.countMonitors, projects: (organizationId) => stores.projects.countOfOrganization(organizationId) },
  });
  const tokens = new SessionTokens(settings.ring);
  const hasher = new PasswordHasher(settings.passwordCost);
  const post = new AccountPost({ mailer: settings.mailer, clock, log });
  const { baseUrl, contentsOfProject } = settings;
  return {
    deps: { ...stores, tokens, hasher, quota, registration, defaultPlan, post, baseUrl, contentsOfProject, log },
    credentials: new Credentials({ ...stores, tokens }),
    tenants: readTenants(stores),
    plans: settings.plans,
    quota,
    organizationsOf: async (userId) => (await stores.members.listOfUser(userId)).map((member) => member.organization_id),
    close: () => post.close(),
  };
}
