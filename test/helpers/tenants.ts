import { randomBytes } from 'node:crypto';
import { hashSecret, newId, newSecret } from '../../shared/ids.ts';
import type { ApiKeyDoc } from '../../controller/accounts/api-keys/store.ts';
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
export const TEST_PASSWORD_COST = { logN: 4, maxConcurrent: 4, maxWaiting: 1000, maxWaitingOfAddress: 1000 };

/** A registered and verified user with a separate organization. */
export async function newPerson(app: TestApp, name = 'Ada'): Promise<{ person: Person; registration: Loose }> {
  const email = `p${randomBytes(6).toString('hex')}@example.com`;
  const response = await app.client.post('/api/auth/register', { email, password: PASSWORD, name });
  if (response.status !== 201) throw new Error(`registration failed: ${response.text}`);
  const userId: string = response.data.user.id;
  await app.db.collection<{ _id: string }>('users').updateOne(
    { _id: userId }, { $set: { email_verified: true } },
  );
  const token: string = response.data.token;
  return { person: {
    userId, email, password: PASSWORD, token, client: app.client.with({ authorization: `Bearer ${token}` }),
  }, registration: response.data };
}

/** An organization for this suite only, with its owner and a key of each scope. */
export async function newTenant(app: TestApp): Promise<Tenant> {
  const { person: owner, registration } = await newPerson(app, 'Owner');
  const organizationId: string = registration.organization.id;
  const keys = { organization_id: organizationId, created_by: owner.userId };
  const readKeyText = await newKey(app, { ...keys, name: 'reader', scope: 'read' });
  const writeKeyText = await newKey(app, { ...keys, name: 'writer', scope: 'read_write' });
  return {
    organizationId, projectId: registration.project.id, owner, readKeyText, writeKeyText,
    readKey: app.client.with({ 'x-api-key': readKeyText }),
    writeKey: app.client.with({ 'x-api-key': writeKeyText }),
  };
}

/** Inserted directly, because a request takes several times as long. */
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
  const { person } = await newPerson(app, role);
  const { members } = app.accounts.deps;
  for (const membership of await members.listOfUser(person.userId)) await members.delete(membership._id);
  const now = Date.now();
  await members.insert({
    _id: newId(now), organization_id: tenant.organizationId, user_id: person.userId, role,
    project_roles: projectRoles, created_at: now,
  });
  return person;
}
