import { ApiKeyStore } from './api-key-store.ts';
import type { AccountStores } from './deps.ts';
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
  };
}

export async function ensureAccountIndexes(stores: AccountStores): Promise<void> {
  await Promise.all([stores.users, stores.projects, stores.members, stores.sessions, stores.keys].map((store) => store.ensureIndexes()));
}
