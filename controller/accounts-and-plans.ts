import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../shared/log.ts';
import type { Clock } from '../shared/time.ts';
import { Credentials } from './accounts/credentials.ts';
import { openKeyRing, parseKeyRing } from './accounts/key-ring.ts';
import { PasswordHasher } from './accounts/passwords.ts';
import { accountRoutes } from './accounts/routes.ts';
import { SessionTokens } from './accounts/session-tokens.ts';
import { ensureAccountIndexes, openAccountStores } from './accounts/stores.ts';
import { Tenants } from './accounts/tenants.ts';
import type { ControllerConfig } from './config.ts';
import type { Route } from './http/route.ts';
import type { Mongo } from './platform/mongo.ts';
import { loadPlans, type Plans } from './plans/plans.ts';
import { Quota } from './plans/quota.ts';
import { UsageStore } from './plans/usage-store.ts';

export interface Accounts {
  routes: Route[];
  credentials: Credentials;
  tenants: Tenants;
  quota: Quota;
  plans: Plans;
}

/** Who may use this installation, and how much of it. */
export async function openAccounts(options: {
  config: ControllerConfig;
  db: Mongo['db'];
  /** How many living monitors an organization has. */
  countMonitors(organizationId: string): Promise<number>;
  clock: Clock;
  log: Log;
}): Promise<Accounts> {
  const { config, db, clock, log } = options;
  const { plansFile, jwtKeys, registration, defaultPlan } = config.accounts;
  const plans = loadPlans(plansFile === null ? null : readFileSync(plansFile, 'utf8'));
  const ring = jwtKeys === null ? await openKeyRing(join(config.dataDir, 'jwt-keys.json')) : await parseKeyRing(jwtKeys);
  const stores = openAccountStores(db);
  await ensureAccountIndexes(stores);
  const quota = new Quota({
    usage: new UsageStore(db), plans, clock,
    planOf: async (organizationId) => (await stores.organizations.find(organizationId))?.plan ?? defaultPlan,
    count: { monitors: options.countMonitors },
  });
  const tokens = new SessionTokens(ring);
  return {
    routes: accountRoutes({ ...stores, tokens, hasher: new PasswordHasher(), quota, registration, defaultPlan, log }),
    credentials: new Credentials({ ...stores, tokens }),
    tenants: new Tenants(stores),
    quota, plans,
  };
}
