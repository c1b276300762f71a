import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { PlanName } from '../plans/plans.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { MemberStore } from './member-store.ts';
import type { OrganizationStore } from './organization-store.ts';
import type { PasswordHasher } from './passwords.ts';
import type { ProjectStore } from './project-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionTokens } from './session-tokens.ts';
import type { UserStore } from './user-store.ts';

export interface AccountStores {
  users: UserStore;
  organizations: OrganizationStore;
  projects: ProjectStore;
  members: MemberStore;
  sessions: SessionStore;
  keys: ApiKeyStore;
}

/** What the verbs of accounts work with. */
export interface AccountDeps extends AccountStores {
  tokens: SessionTokens;
  hasher: PasswordHasher;
  quota: Quota;
  registration: 'first-user' | 'open' | 'closed';
  /** Of new organizations. */
  defaultPlan: PlanName;
  log: Log;
}
