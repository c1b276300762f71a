import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUser } from '../../controller/accounts/users/store.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newPerson, PASSWORD } from '../helpers/tenants.ts';

const ada = { email: 'Ada@Example.com', password: PASSWORD, name: 'Ada Lovelace' };

describe('registration', () => {
  test('creates a verified operator with organization, project and session for the first account', async () => {
    const app = await makeApp({ env: { REGISTRATION: 'first-user' } });
    const response = await app.client.post('/api/auth/register', { ...ada, organization_name: 'Engines' });
    expect(response.status).toBe(201);
    expect(response.data.user).toMatchObject({
      email: 'ada@example.com', name: 'Ada Lovelace', email_verified: true, is_operator: true,
    });
    expect(response.data.organization).toMatchObject({ name: 'Engines', role: 'owner', plan: 'scale' });
    expect(response.data.project).toMatchObject({
      is_default: true, organization_id: response.data.organization.id, role: 'admin',
    });
    const me = await app.client.with({ authorization: `Bearer ${response.data.token}` }).get('/api/auth/me');
    const { created_at: _omitted, ...project } = response.data.project;
    expect(me.data).toEqual({
      user: response.data.user, organizations: [response.data.organization], projects: [project],
    });
    await app.close();
  });

  test('accepts only one account in first-user mode, even when many register concurrently', async () => {
    const app = await makeApp({ env: { REGISTRATION: 'first-user' } });
    const responses = await Promise.all(
      Array.from(
        { length: 8 },
        (_, n) => app.client.post('/api/auth/register', { ...ada, email: `first${n}@example.com` }),
      ),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.code === 'FORBIDDEN')).toHaveLength(7);
    expect(await app.db.collection('users').countDocuments({})).toBe(1);
    expect(await app.db.collection('organizations').countDocuments({})).toBe(1);
    expect(await app.db.collection('members').countDocuments({})).toBe(1);
    expect((await app.client.post('/api/auth/register', { ...ada, email: 'late@example.com' })).code).toBe(
      'FORBIDDEN',
    );
    await app.close();
  });

  test.each([
    ['first-user', [true, false]], ['open', [true, true]], ['closed', [false, false]],
  ] as const)('says who may register before and after the first account (%s)', async (mode, isOpen) => {
    const app = await makeApp({ env: { REGISTRATION: mode } });
    const read = async () => (await app.client.get('/api/auth/registration')).data;
    expect(await read()).toEqual({ mode, is_open: isOpen[0], is_empty: true });
    await app.accounts.deps.users.insert(newUser(1, { email: 'ada@example.com', name: 'Ada', password_hash: '' }));
    expect(await read()).toEqual({ mode, is_open: isOpen[1], is_empty: false });
    await app.close();
  });

  test('is refused when closed', async () => {
    const app = await makeApp({ env: { REGISTRATION: 'closed' } });
    expect((await app.client.post('/api/auth/register', ada)).code).toBe('FORBIDDEN');
    await app.close();
  });

  test('makes exactly one of many first accounts the operator when open', async () => {
    const app = await makeApp({ env: { REGISTRATION: 'open' } });
    const responses = await Promise.all(
      Array.from(
        { length: 6 },
        (_, n) => app.client.post('/api/auth/register', { ...ada, email: `open${n}@example.com` }),
      ),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(6).fill(201));
    expect(responses.filter((response) => response.data.user.is_operator)).toHaveLength(1);
    expect(responses.filter((response) => response.data.user.email_verified)).toHaveLength(1);
    await app.close();
  });
});

describe('an open installation', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await makeApp({ env: { REGISTRATION: 'open' } });
    await newPerson(app, 'Operator');
  });
  afterAll(() => app.close());

  test('rejects an address in use, in any letter case, even concurrently', async () => {
    const person = { email: 'twice@example.com', password: PASSWORD, name: 'Twice' };
    const responses = await Promise.all([1, 2, 3, 4].map(() => app.client.post('/api/auth/register', person)));
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.code === 'RESOURCE_ALREADY_EXISTS')).toHaveLength(3);
    expect(
      (await app.client.post('/api/auth/register', { ...person, email: 'TWICE@example.com' })).code,
    ).toBe('RESOURCE_ALREADY_EXISTS');
  });

  test('gives the organization a valid name, however long its owner\'s name is', async () => {
    for (const [name, expected] of [
      ['Ada', "Ada's organization"], ['x'.repeat(85), `${'x'.repeat(85)}'s organization`],
      ['x'.repeat(86), 'x'.repeat(86)],
    ] as const) {
      const { person, registration } = await newPerson(app, name);
      expect(registration.organization.name).toBe(expected);
      expect((await person.client.put('/api/organization', registration.organization)).data).toEqual({
        organization: registration.organization,
      });
    }
  });

  test('lets an unverified account read only itself', async () => {
    const { data } = await app.client.post(
      '/api/auth/register', { email: 'new@example.com', password: PASSWORD, name: 'New' },
    );
    expect(data.user).toMatchObject({ email_verified: false, is_operator: false });
    const client = app.client.with({ authorization: `Bearer ${data.token}` });
    expect((await client.get('/api/auth/me')).status).toBe(200);
    for (const path of ['/api/auth/api-keys', '/api/projects', '/api/monitors']) {
      expect((await client.get(path)).code, path).toBe('EMAIL_NOT_VERIFIED');
    }
    expect((await client.post('/api/auth/logout')).status).toBe(200);
  });

  test.each([
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(201) }, 'password'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'email'],
    [{ email: 'a@b.example, c@d.example' }, 'email'],
    [{ email: 'Ada <a@b.example>' }, 'email'],
    [{ name: '' }, 'name'],
    [{ name: 'A\nB' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ is_operator: true }, 'is_operator'],
    [{ role: 'owner' }, 'role'],
  ])('rejects %j', async (change, path) => {
    const response = await app.client.post(
      '/api/auth/register', { email: 'ok@example.com', password: PASSWORD, name: 'Ok', ...change },
    );
    expect(response.code).toBe('VALIDATION_ERROR');
    expect(response.error.details).toEqual([expect.objectContaining({ path: [path] })]);
    expect(response.error.message).toBe(`Validation failed: ${path}: ${response.error.details[0].message}`);
  });

  test('logs in with the address in any case, and logs out immediately', async () => {
    const { person } = await newPerson(app);
    const login =
      await app.client.post('/api/auth/login', { email: person.email.toUpperCase(), password: PASSWORD });
    expect(login.status).toBe(200);
    expect(login.data.user.id).toBe(person.userId);
    expect(login.data.organizations).toHaveLength(1);
    const client = app.client.with({ authorization: `Bearer ${login.data.token}` });
    expect((await client.get('/api/auth/me')).status).toBe(200);
    expect((await client.post('/api/auth/logout')).status).toBe(200);
    expect((await client.get('/api/auth/me')).code).toBe('INVALID_TOKEN');
    expect((await person.client.get('/api/auth/me')).status).toBe(200);
  });

  test('gives the same response for a wrong password and an unknown address', async () => {
    const { person } = await newPerson(app);
    const wrong =
      await app.client.post('/api/auth/login', { email: person.email, password: 'not the password' });
    const unknown =
      await app.client.post('/api/auth/login', { email: 'nobody@example.com', password: 'not the password' });
    expect(wrong.code).toBe('INVALID_CREDENTIALS');
    expect(wrong.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
  });

  test('ends every session when the password changes', async () => {
    const { person } = await newPerson(app);
    const other =
      (await app.client.post('/api/auth/login', { email: person.email, password: PASSWORD })).data.token;
    const wrong = await person.client.post(
      '/api/auth/change-password', { current_password: 'not the password', new_password: 'a new password 1' },
    );
    expect(wrong.code).toBe('INVALID_CREDENTIALS');
    const changed = await person.client.post(
      '/api/auth/change-password', { current_password: PASSWORD, new_password: 'a new password 1' },
    );
    expect(changed.status).toBe(200);
    for (const token of [person.token, other]) {
      expect((await app.client.with({ authorization: `Bearer ${token}` }).get('/api/auth/me')).code).toBe(
        'INVALID_TOKEN',
      );
    }
    expect(
      (await app.client.with({ authorization: `Bearer ${changed.data.token}` }).get('/api/auth/me')).status,
    ).toBe(200);
    expect((await app.client.post('/api/auth/login', { email: person.email, password: PASSWORD })).code).toBe(
      'INVALID_CREDENTIALS',
    );
    expect((await app.client.post(
      '/api/auth/login', { email: person.email, password: 'a new password 1' },
    )).status)
      .toBe(200);
  });

  test('stores no usable password or key', async () => {
    const { person } = await newPerson(app);
    const { data } = await person.client.post('/api/auth/api-keys', { name: 'k' });
    const dump = JSON.stringify(await Promise.all(
      ['users', 'sessions', 'api_keys'].map((name) => app.db.collection(name).find({}).toArray()),
    ));
    expect(dump).not.toContain(PASSWORD);
    expect(dump).not.toContain(data.key);
    expect(dump).not.toContain(data.key.slice(3));
    expect(dump).not.toContain(person.token);
  });
});
