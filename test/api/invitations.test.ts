import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newMember, newPerson, newTenant, PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let offsetMs = 0;
let passedMs = 0;
beforeAll(async () => {
  const monotonic = () => systemClock.monotonic() + passedMs;
  app = await makeApp({ clock: { ...systemClock, now: () => Date.now() + offsetMs, monotonic } });
});
afterEach(() => {
  offsetMs = 0;
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
});

const address = () => `i${randomUUID().slice(0, 8)}@example.com`;
const invite = (body: Loose, client = tenant.owner.client) =>
  client.post('/api/organization/invitations', body);
const accept = (body: Loose) => app.client.post('/api/auth/accept-invitation', body);
const readBy = (token: string) => app.client.post('/api/auth/read-invitation', { token });
const isInvitation = (mail: { headers: Record<string, string> }) =>
  mail.headers['subject'] === 'You are invited to Farwatch';
async function tokenFor(email: string, count = 1): Promise<string> {
  const mails = await until(
    () => app.mailsTo(email).filter(isInvitation).length >= count && app.mailsTo(email).filter(isInvitation),
    { what: 'the invitation' },
  );
  return linkIn(mails[count - 1] as { text: string }, '/accept-invitation').searchParams.get('token') ?? '';
}
const as = (token: string) => app.client.with({ authorization: `Bearer ${token}` });

describe('an invitation', () => {
  test('adds a new person to the organization, with role, verified and signed in', async () => {
    const email = address();
    const made = await invite({ email, role: 'member', project_roles: { [tenant.projectId]: 'viewer' } });
    expect(made.status).toBe(201);
    expect(made.data.invitation).toMatchObject({
      email, role: 'member', project_roles: { [tenant.projectId]: 'viewer' }, invited_by: tenant.owner.userId,
      is_expired: false,
    });
    const token = await tokenFor(email);
    expect(made.text).not.toContain(token);
    const joined = await accept({ token, name: 'Grace', password: PASSWORD });
    expect(joined.status).toBe(200);
    expect(joined.data.user).toMatchObject({
      email, name: 'Grace', email_verified: true, is_operator: false,
    });
    expect(joined.data.organizations).toEqual([
      expect.objectContaining({ id: tenant.organizationId, role: 'member' }),
    ]);
    expect((await as(joined.data.token).get('/api/projects')).data.projects).toEqual([
      expect.objectContaining({ role: 'viewer' }),
    ]);
    expect((await tenant.owner.client.get('/api/organization/invitations')).data.invitations).toEqual([]);
    const log = await tenant.owner.client.get('/api/audit-log?action=invitation.accepted');
    expect(log.data.entries).toEqual([expect.objectContaining({
      actor: { type: 'user', id: joined.data.user.id, name: 'Grace' }, fields: ['token', 'name', 'password'],
    })]);
  });

  test('is accepted by an existing account with its password, which stays unchanged', async () => {
    const { person } = await newPerson(app, 'Ada');
    await invite({ email: person.email.toUpperCase(), role: 'admin' });
    const token = await tokenFor(person.email);
    const wrong = await accept({ token, name: 'Mallory', password: 'a chosen password' });
    expect(wrong.code).toBe('INVALID_CREDENTIALS');
    expect(
      (await app.client.post('/api/auth/login', { email: person.email, password: 'a chosen password' })).code,
    ).toBe('INVALID_CREDENTIALS');
    const joined = await accept({ token, name: 'Mallory', password: PASSWORD });
    expect(joined.status).toBe(200);
    expect(joined.data.user).toMatchObject({ id: person.userId, name: 'Ada' });
    expect(joined.data.organizations).toHaveLength(2);
    expect((await person.client.get('/api/auth/me')).status).toBe(200);
  });

  test('shows the holder of its token what it is for, and stays open', async () => {
    const { person } = await newPerson(app);
    const shown = [];
    for (const email of [address(), person.email]) {
      await invite({ email, role: 'viewer' });
      const token = await tokenFor(email);
      for (let at = 0; at < 2; at += 1) shown.push((await readBy(token)).data.invitation);
    }
    const organization = (await tenant.owner.client.get('/api/organization')).data.organization;
    const expected = { organization: { id: tenant.organizationId, name: organization.name } };
    expect(shown[1]).toEqual({ ...expected, email: shown[0].email, has_account: false });
    expect(shown[3]).toEqual({ ...expected, email: person.email, has_account: true });
    const [unknown, none] = [await readBy('x'.repeat(64)), await readBy('')];
    expect([unknown.code, none.code]).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
    expect(unknown.text).toContain('This link is not valid');
  });

  test('is not accepted by registering with its address', async () => {
    const email = address();
    await invite({ email, role: 'admin' });
    const token = await tokenFor(email);
    const attacker = await app.client.post(
      '/api/auth/register', { email, password: 'the attackers password', name: 'Attacker' },
    );
    expect(attacker.data.organization.id).not.toBe(tenant.organizationId);
    const me = await as(attacker.data.token).get('/api/auth/me');
    expect(me.data.organizations.map((one: Loose) => one.id)).not.toContain(tenant.organizationId);
    // The reader of the mail cannot enter the attacker's account with a password of their own either.
    expect((await accept({ token, name: 'Victim', password: PASSWORD })).code).toBe('INVALID_CREDENTIALS');
    expect((await tenant.owner.client.get('/api/organization/invitations')).data.invitations).toHaveLength(1);
  });

  test('works once, even for concurrent requests', async () => {
    const email = address();
    await invite({ email, role: 'viewer' });
    const token = await tokenFor(email);
    const responses =
      await Promise.all(Array.from({ length: 6 }, () => accept({ token, name: 'G', password: PASSWORD })));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await accept({ token, name: 'G', password: PASSWORD })).code).toBe('VALIDATION_ERROR');
    expect((await tenant.owner.client.get('/api/organization/members')).data.members).toHaveLength(2);
  });

  describe.each(['users', 'members', 'invitations'] as const)('interrupted before its write to `%s`', (store) => {
    /** The next write there fails without any cleanup, as if the process had died. */
    const interruptNext = () => {
      const { users, members, invitations } = app.accounts.deps;
      const died = async () => {
        Reflect.deleteProperty(users, 'insertIfFree');
        Reflect.deleteProperty(members, 'insertIfFree');
        Reflect.deleteProperty(invitations, 'complete');
        throw new Error('the process dies here');
      };
      if (store === 'invitations') invitations.complete = died;
      else (store === 'users' ? users : members).insertIfFree = died;
    };
    test('can be accepted again with the same link, once', async () => {
      const email = address();
      await invite({ email, role: 'member', project_roles: { [tenant.projectId]: 'editor' } });
      const body = { token: await tokenFor(email), name: 'Grace', password: PASSWORD };
      interruptNext();
      expect((await accept(body)).status).toBe(500);
      expect((await accept(body)).code).toBe('CONFLICT');
      passedMs += 10_001;
      const joined = await accept(body);
      expect([joined.status, joined.data.organizations]).toEqual([
        200, [expect.objectContaining({ id: tenant.organizationId, role: 'member' })],
      ]);
      expect((await accept(body)).code).toBe('VALIDATION_ERROR');
      expect((await tenant.owner.client.get('/api/organization/members')).data.members).toHaveLength(2);
      expect((await tenant.owner.client.get('/api/organization/invitations')).data.invitations).toEqual([]);
    });

    test('is not accepted once it is withdrawn', async () => {
      const email = address();
      const { data } = await invite({ email, role: 'member' });
      const body = { token: await tokenFor(email), name: 'Grace', password: PASSWORD };
      interruptNext();
      await accept(body);
      await tenant.owner.client.delete(`/api/organization/invitations/${data.invitation.id}`);
      passedMs += 10_001;
      expect((await accept(body)).code).toBe('VALIDATION_ERROR');
    });
  });

  test.each([-3_600_000, 3_600_000])('is left to the controller that is accepting it, even with a clock %i ms ahead', async (ms) => {
    const email = address();
    const { data } = await invite({ email, role: 'member' });
    const body = { token: await tokenFor(email), name: 'Grace', password: PASSWORD };
    const claim = { token: randomUUID(), holder: 'another', life: 'first' };
    await app.db.collection<{ _id: string }>('invitations').updateOne({ _id: data.invitation.id }, { $set: { claim } });
    offsetMs = ms;
    const responses = [await accept(body)];
    passedMs += 9000;
    responses.push(await accept(body));
    expect(responses.map(({ code }) => code)).toEqual(['CONFLICT', 'CONFLICT']);
    passedMs += 1000;
    expect((await accept(body)).status).toBe(200);
  });

  test('does not let a member return who was removed after an interrupted acceptance', async () => {
    const { person } = await newPerson(app, 'Ada');
    await invite({ email: person.email, role: 'admin' });
    const body = { token: await tokenFor(person.email), password: PASSWORD };
    const { invitations } = app.accounts.deps;
    invitations.complete = async () => {
      Reflect.deleteProperty(invitations, 'complete');
      throw new Error('the process dies here');
    };
    expect((await accept(body)).status).toBe(500);
    expect((await tenant.owner.client.delete(`/api/organization/members/${person.userId}`)).status).toBe(200);
    passedMs += 10_001;
    expect((await accept(body)).code).toBe('VALIDATION_ERROR');
  });

  test('does not work when it is withdrawn, a week old or unknown', async () => {
    const email = address();
    const { data } = await invite({ email, role: 'viewer' });
    const token = await tokenFor(email);
    offsetMs = 7 * 86_400_000 + 1;
    expect((await accept({ token, name: 'G', password: PASSWORD })).code).toBe('VALIDATION_ERROR');
    offsetMs = 0;
    expect(
      (await tenant.owner.client.delete(`/api/organization/invitations/${data.invitation.id}`)).status,
    ).toBe(200);
    expect((await accept({ token, name: 'G', password: PASSWORD })).code).toBe('VALIDATION_ERROR');
    expect((await accept({ token: '0'.repeat(64), name: 'G', password: PASSWORD })).code).toBe(
      'VALIDATION_ERROR',
    );
    expect(
      (await tenant.owner.client.delete(`/api/organization/invitations/${data.invitation.id}`)).code,
    ).toBe('RESOURCE_NOT_FOUND');
  });

  test('is cancelled when its creator is removed or demoted', async () => {
    for (const change of [
      (id: string) => tenant.owner.client.delete(`/api/organization/members/${id}`),
      (id: string) => tenant.owner.client.patch(`/api/organization/members/${id}`, { role: 'viewer' }),
    ]) {
      const admin = await newMember(app, tenant, 'admin');
      const email = address();
      await invite({ email, role: 'admin' }, admin.client);
      await invite({ email: address(), role: 'viewer' });
      const token = await tokenFor(email);
      expect((await change(admin.userId)).status).toBe(200);
      expect((await accept({ token, name: 'Back', password: PASSWORD })).code).toBe('VALIDATION_ERROR');
    }
    expect((await tenant.owner.client.get('/api/organization/invitations')).data.invitations).toHaveLength(2);
  });

  test('exists once per address, and not for members; an expired one can be replaced', async () => {
    const email = address();
    await invite({ email, role: 'viewer' });
    expect((await invite({ email, role: 'admin' })).code).toBe('RESOURCE_ALREADY_EXISTS');
    expect((await invite({ email: tenant.owner.email, role: 'viewer' })).code).toBe(
      'RESOURCE_ALREADY_EXISTS',
    );
    offsetMs = 7 * 86_400_000 + 1;
    const again = await app.client.post('/api/auth/login', { email: tenant.owner.email, password: PASSWORD });
    expect((await invite({ email, role: 'viewer' }, as(again.data.token))).status).toBe(201);
    expect((await as(again.data.token).get('/api/organization/invitations')).data.invitations).toHaveLength(
      1,
    );
    offsetMs = 0;
  });

  test('needs a name and a valid password for a new account, and survives failed attempts', async () => {
    const email = address();
    await invite({ email, role: 'viewer' });
    const token = await tokenFor(email);
    expect((await accept({ token, password: PASSWORD })).error.details[0].path).toEqual(['name']);
    expect((await accept({ token, name: 'G', password: 'short' })).error.details[0].path).toEqual([
      'password',
    ]);
    expect((await accept({ token, name: 'G', password: PASSWORD })).status).toBe(200);
  });

  test('sends an address at most five mails an hour, whoever invites', async () => {
    const email = address();
    for (let at = 0; at < 7; at += 1) {
      const { data } = await invite({ email, role: 'viewer' });
      await tenant.owner.client.delete(`/api/organization/invitations/${data.invitation.id}`);
    }
    const marker = address();
    await invite({ email: marker, role: 'viewer' });
    await tokenFor(marker);
    expect(app.mailsTo(email)).toHaveLength(5);
  });

  test('can be created by owners and admins, for owners only by owners, and for projects of the organization', async () => {
    const admin = await newMember(app, tenant, 'admin');
    const member = await newMember(app, tenant, 'member');
    const other = await newTenant(app);
    expect((await invite({ email: address(), role: 'viewer' }, member.client)).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await invite({ email: address(), role: 'owner' }, admin.client)).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await invite({ email: address(), role: 'admin' }, admin.client)).status).toBe(201);
    expect((await invite({ email: address(), role: 'owner' })).status).toBe(201);
    expect((await invite({
      email: address(), role: 'member', project_roles: { [other.projectId]: 'admin' },
    })).code)
      .toBe('VALIDATION_ERROR');
    const listed = await invite({
      email: address(), role: 'member', project_roles: [{ project_id: tenant.projectId, role: 'admin' }],
    });
    expect(listed.data.invitation.project_roles).toEqual({ [tenant.projectId]: 'admin' });
    const twice = ['admin', 'viewer'].map((role) => ({ project_id: tenant.projectId, role }));
    expect((await invite({ email: address(), role: 'member', project_roles: twice })).error.details).toEqual([
      expect.objectContaining({ path: ['project_roles'], message: 'Lists a project twice' }),
    ]);
    expect((await invite({ email: address(), role: 'viewer' }, tenant.writeKey)).code).toBe('JWT_REQUIRED');
  });

  test('is unknown to other organizations', async () => {
    const other = await newTenant(app);
    const { data } = await invite({ email: address(), role: 'viewer' }, other.owner.client);
    const foreign = await tenant.owner.client.delete(`/api/organization/invitations/${data.invitation.id}`);
    const unknown = await tenant.owner.client.delete(`/api/organization/invitations/${randomUUID()}`);
    expect(foreign.code).toBe('RESOURCE_NOT_FOUND');
    expect(foreign.body).toEqual(unknown.body);
    expect((await other.owner.client.get('/api/organization/invitations')).data.invitations).toHaveLength(1);
  });

  test.each([
    [{ role: 'viewer' }, 'email'],
    [{ email: 'x@example.com' }, 'role'],
    [{ email: 'x@example.com', role: 'king' }, 'role'],
    [{ email: 'a@b.example\r\nBcc: c@d.example', role: 'viewer' }, 'email'],
    [{ email: 'x@example.com', role: 'viewer', project_roles: { nonsense: 'admin' } }, 'project_roles'],
    [{ email: 'x@example.com', role: 'viewer', organization_id: randomUUID() }, 'organization_id'],
    [{ email: 'x@example.com', role: 'viewer', project_roles: null }, 'project_roles'],
    [
      { email: 'x@example.com', role: 'viewer', project_roles: { [randomUUID()]: 'king' } }, 'project_roles',
      /^Must be one of: /,
    ],
    [
      { email: 'x@example.com', role: 'viewer', project_roles: [{ project_id: 'x', role: 'admin' }] },
      'project_roles.0.project_id', /^Must be a UUID$/,
    ],
  ])('is rejected for %j', async (body, path, message = /./) => {
    const response = await invite(body);
    expect(response.code).toBe('VALIDATION_ERROR');
    expect(response.error.details[0].path.join('.')).toMatch(new RegExp(`^${path}`));
    expect(response.error.details[0].message).toMatch(message);
  });

  test('mails names as text, and stores no token', async () => {
    const email = address();
    await tenant.owner.client.patch('/api/organization', { name: '<b>Bold</b> & "Co"' });
    await invite({ email, role: 'viewer' });
    const token = await tokenFor(email);
    const [mail] = app.mailsTo(email);
    expect(mail?.html).not.toContain('<b>');
    expect(mail?.text).toContain('<b>Bold</b> & "Co"');
    expect(JSON.stringify(await app.db.collection('invitations').find({}).toArray())).not.toContain(token);
  });

  test('mails names that cannot be links', async () => {
    const email = address();
    const other = await newTenant(app);
    await other.owner.client.patch('/api/organization', { name: 'Win now https://evil.example/x' });
    await invite({ email, role: 'viewer' }, other.owner.client);
    await tokenFor(email);
    const [mail] = app.mailsTo(email);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('Win now https[:]//evil[.]example/x');
      expect(part).not.toContain('evil.example');
    }
  });

  test('is rejected beyond thirty an hour of its organization, withdrawn ones included', async () => {
    const hour = Math.ceil(Date.now() / 3_600_000) + 1;
    offsetMs = hour * 3_600_000 + 60_000 - Date.now();
    for (let at = 0; at < 30; at += 1) {
      const made = await invite({ email: address(), role: 'viewer' });
      expect(made.status, `invitation ${at}`).toBe(201);
      const withdrawn = `/api/organization/invitations/${made.data.invitation.id}`;
      expect((await tenant.owner.client.delete(withdrawn)).status).toBe(200);
    }
    const refused = await invite({ email: address(), role: 'viewer' });
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const { retryAfter } = refused.error;
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(3540);
    const other = await newTenant(app);
    expect((await invite({ email: address(), role: 'viewer' }, other.owner.client)).status).toBe(201);
    offsetMs += retryAfter * 1000;
    expect((await invite({ email: address(), role: 'viewer' })).status).toBe(201);
  });
});
