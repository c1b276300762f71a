import { randomBytes } from 'node:crypto';
import { hashSecret, newId, newSecret } from '../../shared/ids.ts';
import type { ApiKeyDoc } from '../../controller/accounts/api-keys/store.ts';
import { newUser, type UserDoc } from '../../controller/accounts/users/store.ts';
import type { OrganizationRole, ProjectRole } from '../../controller/access/tenant.ts';
import type { ApiClient, Loose } from './api-client.ts';
import type { TestApp } from './make-app.ts';

export interface Person {
  userId: string;
  email: string;
  password: string;
  /** With this user's session. */
  client: ApiClient;
  token: string;
}

export interface Tenant {
  organizationId: string;
  projectId: string;
  owner: Person;
  /** With an API key of that scope. */
  readKey: ApiClient;
  writeKey: ApiClient;
  readKeyText: string;
  writeKeyText: string;
}

export const PASSWORD = 'correct horse battery';

/** Cheap enough for a test suite; other tests cover the real cost. */
export const TEST_PASSWORD_COST = { logN: 4, parallel: 1, maxConcurrent: 4, maxWaiting: 1000, maxWaitingOfAddress: 1000 };

const SESSION_MS = 7 * 86_400_000;

const newEmail = () => `p${randomBytes(6).toString('hex')}@example.com`;

function personOf(client: ApiClient, person: Omit<Person, 'client' | 'password'>): Person {
  return { ...person, password: PASSWORD, client: client.with({ authorization: `Bearer ${person.token}` }) };
}

/** A verified user with a separate organization, who registered with a request. */
export async function newPerson(app: TestApp, name = 'Ada'): Promise<{ person: Person; registration: Loose }> {
  const email = newEmail();
  const response = await app.client.post('/api/auth/register', { email, password: PASSWORD, name });
  if (response.status !== 201) throw new Error(`registration failed: ${response.text}`);
  const userId: string = response.data.user.id;
  await app.db.collection<{ _id: string }>('users').updateOne(
    { _id: userId }, { $set: { email_verified: true } },
  );
  return { person: personOf(app.client, { userId, email, token: response.data.token }), registration: response.data };
}

/** An organization for this suite only, with its owner and a key of each scope: as registration makes them. */
export async function newTenant(app: TestApp): Promise<Tenant> {
  const { deps } = app.accounts;
  const now = app.clock.now();
  const [organizationId, projectId] = [newId(now), newId(now)];
  const owned = { organization_id: organizationId, created_at: now };
  const organization = { _id: organizationId, name: 'Owner\'s organization', plan: deps.defaultPlan, created_at: now };
  const [owner] = await Promise.all([newUserOf(app, 'Owner'), deps.organizations.insert(organization)]);
  const { userId } = owner;
  const keys = { organization_id: organizationId, created_by: userId };
  const [readKeyText, writeKeyText] = await Promise.all([
    newKey(app, { ...keys, name: 'reader', scope: 'read' }), newKey(app, { ...keys, name: 'writer', scope: 'read_write' }),
    deps.projects.insert({ _id: projectId, name: 'Default', is_default: true, ...owned }),
    deps.members.insert({ _id: newId(now), user_id: userId, role: 'owner', project_roles: {}, ...owned }),
    deps.quota.reserve(organizationId, 'projects'),
  ]);
  return {
    organizationId, projectId, owner, readKeyText, writeKeyText,
    readKey: app.client.with({ 'x-api-key': readKeyText }),
    writeKey: app.client.with({ 'x-api-key': writeKeyText }),
  };
}

/** A user with a session. The first one of the app operates it. */
async function newUserOf({ accounts: { deps }, clock, client }: TestApp, name: string): Promise<Person> {
  const [now, secret] = [clock.now(), newSecret()];
  const expiresAt = now + SESSION_MS;
  const email = newEmail();
  const password_hash = await deps.hasher.hash(PASSWORD, 'ip:127.0.0.1');
  const user: UserDoc = { ...newUser(now, { email, name, password_hash }), email_verified: true };
  const { _id: userId, token_version } = user;
  const isFirst = !await deps.users.hasAny() && await deps.users.insertIfFree({ ...user, is_operator: true, first: true });
  if (!isFirst) await deps.users.insert(user);
  await deps.sessions.insert({
    _id: hashSecret(secret), user_id: userId, token_version, created_at: now, expires_at: expiresAt,
  });
  return personOf(client, { userId, email, token: await deps.tokens.sign({ userId, secret }, now, expiresAt) });
}

async function newKey(
  { accounts }: TestApp, key: Pick<ApiKeyDoc, 'organization_id' | 'created_by' | 'name' | 'scope'>,
): Promise<string> {
  const text = `fw_${newSecret()}`;
  const now = Date.now();
  await accounts.deps.keys.insert({
    _id: newId(now), hash: hashSecret(text), preview: text.slice(0, 7), created_at: now, last_used_at: null, expires_at: null,
    project_ids: null, ...key,
  });
  return text;
}

/** A user who belongs to this organization only. */
export async function newMember(
  app: TestApp, tenant: Tenant, role: OrganizationRole, projectRoles: Record<string, ProjectRole> = {},
): Promise<Person> {
  const person = await newUserOf(app, role);
  const now = app.clock.now();
  await app.accounts.deps.members.insert({
    _id: newId(now), organization_id: tenant.organizationId, user_id: person.userId, role,
    project_roles: projectRoles, created_at: now,
  });
  return person;
}
