import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newPerson, PASSWORD, type Person } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let person: Person;
let offsetMs = 0;
beforeAll(async () => {
  app = await makeApp({
    env: { REGISTRATION: 'open' }, clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ person } = await newPerson(app));
});

const NEXT = 'a quite new password';
const resets = () =>
  app.mailsTo(person.email).filter((mail) => mail.headers['subject'] === 'Reset your password');
async function requestReset(count = 1): Promise<string> {
  await app.client.post('/api/auth/forgot-password', { email: person.email });
  const all = await until(() => resets().length >= count && resets(), { what: 'the mail' });
  return linkIn(all[count - 1] as { text: string }, '/reset-password').searchParams.get('token') ?? '';
}
const reset = (token: string, password = NEXT) =>
  app.client.post('/api/auth/reset-password', { token, password });
const login = (password: string) => app.client.post('/api/auth/login', { email: person.email, password });

describe('a forgotten password', () => {
  test('is replaced with the mailed token, which ends every session', async () => {
    const other = (await login(PASSWORD)).data.token;
    expect((await reset(await requestReset())).status).toBe(200);
    for (const token of [person.token, other]) {
      expect(
        (await app.client.get('/api/auth/me', { headers: { authorization: `Bearer ${token}` } })).code,
      ).toBe('INVALID_TOKEN');
    }
    expect((await login(PASSWORD)).code).toBe('INVALID_CREDENTIALS');
    expect((await login(NEXT)).status).toBe(200);
  });

  test('is replaced once by concurrent requests, and never by an older link', async () => {
    const [older, newer] = [await requestReset(1), await requestReset(2)];
    const responses = await Promise.all(Array.from({ length: 5 }, (_, at) => reset(newer, `${NEXT} ${at}`)));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await reset(older)).code).toBe('VALIDATION_ERROR');
    expect((await reset(newer)).code).toBe('VALIDATION_ERROR');
  });

  test('is not replaced by a link that was mailed before the password changed', async () => {
    const older = await requestReset();
    const change = { current_password: PASSWORD, new_password: 'changed while signed in' };
    expect((await person.client.post('/api/auth/change-password', change)).status).toBe(200);
    expect((await reset(older)).code).toBe('VALIDATION_ERROR');
    expect((await login('changed while signed in')).status).toBe(200);
  });

  test('is not replaced by a link that was created while the password changed', async () => {
    const { users, mailedTokens } = app.accounts.deps;
    const seen = await users.findByEmail(person.email);
    const change = { current_password: PASSWORD, new_password: 'changed while signed in' };
    await person.client.post('/api/auth/change-password', change);
    const late = await mailedTokens.issue('reset_password', seen as NonNullable<typeof seen>, Date.now(), 60_000);
    expect((await reset(late)).code).toBe('VALIDATION_ERROR');
    expect((await login('changed while signed in')).status).toBe(200);
  });

  test('is not changed with an old or invalid token, or with an invalid new password, which keeps the token usable', async () => {
    const token = await requestReset();
    offsetMs = 3_600_001;
    expect((await reset(token)).code).toBe('VALIDATION_ERROR');
    offsetMs = 0;
    expect((await reset('0'.repeat(64))).code).toBe('VALIDATION_ERROR');
    for (const password of ['short', 'x'.repeat(201)]) {
      expect((await reset(token, password)).error.details[0].path).toEqual(['password']);
    }
    expect((await login(PASSWORD)).status).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  test('gets the same response whether or not there is an account, and mails no one else', async () => {
    const registered = await app.client.post('/api/auth/forgot-password', { email: person.email });
    const unknown = await app.client.post('/api/auth/forgot-password', { email: 'nobody@example.com' });
    expect([registered.status, unknown.status]).toEqual([200, 200]);
    expect(unknown.body).toEqual(registered.body);
    await until(() => resets().length === 1);
    expect(app.mailsTo('nobody@example.com')).toEqual([]);
  });

  test('causes at most five mails an hour', async () => {
    await Promise.all(
      Array.from({ length: 12 }, () => app.client.post('/api/auth/forgot-password', { email: person.email })),
    );
    await until(() => resets().length === 5);
    await app.client.post('/api/auth/resend-verification', { email: 'nobody@example.com' });
    expect(resets()).toHaveLength(5);
  });

  test('verifies the address too, because the reset proves access to its mail', async () => {
    await app.db.collection<{ _id: string }>('users').updateOne(
      { _id: person.userId }, { $set: { email_verified: false } },
    );
    await reset(await requestReset());
    expect((await login(NEXT)).data.user.email_verified).toBe(true);
  });

  test('returns an account to the owner of its address if someone else registered it first', async () => {
    const email = 'victim@example.com';
    const attacker =
      await app.client.post('/api/auth/register', { email, password: PASSWORD, name: 'Attacker' });
    await app.client.post('/api/auth/forgot-password', { email });
    const mails = await until(() => app.mailsTo(email).length >= 2 && app.mailsTo(email));
    const mail = mails.find((one) => one.headers['subject'] === 'Reset your password');
    const response =
      await reset(linkIn(mail as { text: string }, '/reset-password').searchParams.get('token') ?? '');
    expect(response.status).toBe(200);
    expect((await app.client.get(
      '/api/auth/me', { headers: { authorization: `Bearer ${attacker.data.token}` } },
    )).code)
      .toBe('INVALID_TOKEN');
    expect((await app.client.post('/api/auth/login', { email, password: PASSWORD })).code).toBe(
      'INVALID_CREDENTIALS',
    );
  });
});
