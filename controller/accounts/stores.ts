import { ApiKeyStore } from './api-key-store.ts';
import type { AccountStores } from './deps.ts';
import { InvitationStore } from './invitation-store.ts';
import { MailAllowanceStore } from './mail-allowance-store.ts';
import { MailedTokenStore } from './mailed-token-store.ts';
import { MemberStore } from './member-store.ts';
import { OrganizationStore } from './organization-store.ts';
import { ProjectStore } from './project-store.ts';
import { SessionStore } from './session-store.ts';
import { UserStore } from './user-store.ts';

/** The collections of accounts in one database. */
export function openAccountStores(db: ConstructorParameters<typeof UserStore>[0]): AccountStores {
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

export async function ensureAccountIndexes(stores: AccountStores): Promise<void> {
  const { users, projects, members, sessions, keys, mailedTokens, allowances, invitations } = stores;
  await Promise.all([users, projects, members, sessions, keys, mailedTokens, allowances, invitations].map((store) => store.ensureIndexes()));
}
