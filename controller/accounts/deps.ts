import type { Log } from '../../shared/log.ts';
import type { PlanName } from '../plans/plans.ts';
import type { Quota } from '../plans/quota.ts';
import { ApiKeyStore } from './api-keys/store.ts';
import { InvitationStore } from './invitations/store.ts';
import type { BackgroundMailer } from './mail/background-mailer.ts';
import { MailAllowanceStore } from './mail/allowance-store.ts';
import { MailedTokenStore } from './mailed-links/store.ts';
import { MemberStore, ProjectStore } from './tenant-store.ts';
import { OrganizationStore } from './organizations/store.ts';
import type { SessionEndNotifier } from './sessions/session-end-notifier.ts';
import { SessionStore } from './sessions/store.ts';
import type { SessionTokens } from './sessions/credentials.ts';
import type { Tenant } from '../access/tenant.ts';
import type { WorkClaims } from '../work/claimed-work.ts';
import type { PasswordAttempts } from './users/password-attempts.ts';
import type { PasswordHasher } from './users/passwords.ts';
import { UserStore } from './users/store.ts';

export type AccountStores = ReturnType<typeof createAccountStores>;

export function createAccountStores(db: ConstructorParameters<typeof UserStore>[0]) {
  return {
    users: new UserStore(db),
    organizations: new OrganizationStore(db),
    projects: new ProjectStore(db),
    members: new MemberStore(db),
    sessions: new SessionStore(db),
    keys: new ApiKeyStore(db),
    mailedTokens: new MailedTokenStore(db),
    allowances: new MailAllowanceStore(db),
    invitations: new InvitationStore(db),
  };
}

export interface NamedCredential {
  _id: string;
  name: string;
  /** Unix ms. */
  created_at: number;
}

/** Credentials that members created, apart from API keys. */
interface CreatedCredentials {
  createdBy(organizationId: string, userId: string): Promise<NamedCredential[]>;
  /** Returns how many were deleted. */
  deleteCreatedBy(organizationId: string, userId: string): Promise<number>;
}

export interface AccountDeps extends AccountStores {
  /** For requests that accept an invitation. */
  claims: WorkClaims;
  tokens: SessionTokens;
  sessionEnds: Pick<SessionEndNotifier, 'notify'>;
  hasher: PasswordHasher;
  attempts: PasswordAttempts;
  quota: Quota;
  registration: 'first-user' | 'open' | 'closed';
  /** Plan of new organizations. */
  defaultPlan: PlanName;
  /** Who may change an organization's plan: its owners, or only the operator of this installation. */
  planChanges: 'owner' | 'operator';
  /** `accounts` sends verifications and password resets. Separate queues, so that no kind delays another. */
  mailers: Record<'accounts' | 'invitations' | 'owners', BackgroundMailer>;
  /** Prefix of mailed links, without a trailing slash. */
  baseUrl(): string;
  /** Number of event streams that the organization has open on this controller. */
  openStreams(organizationId: string): number;
  /** NATS credentials. Deleting them disconnects their clients. */
  subscriptions: CreatedCredentials;
  enrolmentKeys: CreatedCredentials;
  /** What the project still contains, as text for an error message (`monitors`); null if it is empty. */
  contentsOfProject(tenant: Tenant): Promise<string | null>;
  log: Log;
}
