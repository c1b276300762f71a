import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { PlanName } from '../plans/plans.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { AccountPost } from './account-post.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { MailAllowanceStore } from './mail-allowance-store.ts';
import type { MailedTokenStore } from './mailed-token-store.ts';
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
  mailedTokens: MailedTokenStore;
  allowances: MailAllowanceStore;
  invitations: InvitationStore;
}

/** What the verbs of accounts work with. */
export interface AccountDeps extends AccountStores {
  tokens: SessionTokens;
  hasher: PasswordHasher;
  quota: Quota;
  registration: 'first-user' | 'open' | 'closed';
  /** Of new organizations. */
  defaultPlan: PlanName;
  post: AccountPost;
  /** Address that mailed links begin with, without a slash at its end. */
  baseUrl(): string;
  /** What is still in a project, as a word for people (`monitors`); null when it is empty. */
  contentsOfProject(tenant: { organizationId: string; projectId: string }): Promise<string | null>;
  log: Log;
}
