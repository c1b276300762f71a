import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newPerson, PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let offsetMs = 0;
beforeAll(async () => {
  app = await makeApp({
    env: { REGISTRATION: 'open' }, clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  await newPerson(app, 'Operator');
});
afterAll(() => app.close());

let email = '';
let client: ApiClient;
beforeEach(async () => {
  email = `v${Math.random().toString(36).slice(2)}@example.com`;
  const { data } = await app.client.post('/api/auth/register', { email, password: PASSWORD, name: 'New' });
  client = app.client.with({ authorization: `Bearer ${data.token}` });
});

const mails = (count: number) => until(
  () => app.mailsTo(email).length >= count && app.mailsTo(email), { what: `${count} mails to ${email}` },
);
const tokenOf = async (count = 1) => linkIn(
  (await mails(count))[count - 1] as { text: string }, '/verify-email',
).searchParams.get('token') ?? '';
const verify = (token: string) => app.client.post('/api/auth/verify-email', { token });

describe('the address of a new account', () => {
  test('is verified by the mailed token, and the account works immediately', async () => {
    expect((await client.get('/api/monitors')).code).toBe('EMAIL_NOT_VERIFIED');
    const [mail] = await mails(1);
    expect(mail?.headers).toMatchObject({ to: email, subject: 'Verify your email address' });
    const link = linkIn(mail as { text: string }, '/verify-email');
    expect(link.origin).toBe(app.url);
    expect(link.searchParams.get('token')).toMatch(/^[0-9a-f]{64}$/);
    expect(mail?.html).toContain(link.href);
    expect((await verify(link.searchParams.get('token') ?? '')).status).toBe(200);
    expect((await client.get('/api/monitors')).status).toBe(200);
    expect((await client.get('/api/auth/me')).data.user.email_verified).toBe(true);
  });

  test('is verified once by a token, even when it is sent many times concurrently', async () => {
    const token = await tokenOf();
    const responses = await Promise.all(Array.from({ length: 8 }, () => verify(token)));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect(responses.filter((response) => response.code === 'VALIDATION_ERROR')).toHaveLength(7);
  });

  test('is not verified by an unknown, wrong or day-old token, with the same response for each', async () => {
    const token = await tokenOf();
    await app.client.post('/api/auth/forgot-password', { email });
    const other =
      linkIn((await mails(2))[1] as { text: string }, '/reset-password').searchParams.get('token') ?? '';
    const bodies = [
      (await verify('0'.repeat(64))).body, (await verify(other)).body, (await verify('x')).body,
      (await verify('$ne')).body,
    ];
    offsetMs = 24 * 3_600_000 + 1;
    bodies.push((await verify(token)).body);
    offsetMs = 0;
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(bodies[0].error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['token'] }] });
    expect((await verify(token)).status).toBe(200);
  });

  test.each([
    [{}], [{ token: '' }], [{ token: 1 }], [{ token: { $ne: '' } }], [{ token: 'x'.repeat(201) }],
  ])('is not verified by %j', async (body) => {
    expect((await app.client.post('/api/auth/verify-email', body)).code).toBe('VALIDATION_ERROR');
  });

  test('is stored without a usable token', async () => {
    const token = await tokenOf();
    const dump = JSON.stringify(await app.db.collection('mailed_tokens').find({}).toArray());
    expect(dump).not.toContain(token);
  });
});

describe('a repeated verification mail', () => {
  test('also verifies', async () => {
    await tokenOf();
    expect(
      (await app.client.post('/api/auth/resend-verification', { email: email.toUpperCase() })).status,
    ).toBe(200);
    expect((await verify(await tokenOf(2))).status).toBe(200);
  });

  test('is sent at most five times an hour, even when requested concurrently', async () => {
    await tokenOf();
    await Promise.all(
      Array.from({ length: 20 }, () => app.client.post('/api/auth/resend-verification', { email })),
    );
    await mails(5);
    const marker = await app.client.post('/api/auth/forgot-password', { email });
    expect(marker.status).toBe(200);
    await until(() => app.mailsTo(email).some((mail) => mail.headers['subject'] === 'Reset your password'));
    expect(
      app.mailsTo(email).filter((mail) => mail.headers['subject'] === 'Verify your email address'),
    ).toHaveLength(5);
    offsetMs = 3_600_000;
    await app.client.post('/api/auth/resend-verification', { email });
    await mails(7);
    offsetMs = 0;
  });

  test('gets the same response for an unknown, an unverified and a verified address', async () => {
    const { person } = await newPerson(app);
    await until(() => app.mailsTo(person.email).length === 1);
    const responses = await Promise.all(['nobody@example.com', email, person.email].map(
      (to) => app.client.post('/api/auth/resend-verification', { email: to }),
    ));
    for (const response of responses) expect([response.status, response.body]).toEqual([200, responses[0]?.body]);
    await mails(2);
    expect(app.mailsTo('nobody@example.com')).toEqual([]);
    expect(app.mailsTo(person.email)).toHaveLength(1);
  });

  test.each([
    'nobody', 'a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example',
  ])('is rejected for %j', async (bad) => {
    expect((await app.client.post('/api/auth/resend-verification', { email: bad })).code).toBe(
      'VALIDATION_ERROR',
    );
  });
});

test('the first account of an installation is verified and gets no mail', async () => {
  const fresh = await makeApp({ env: { REGISTRATION: 'first-user' } });
  const { data } = await fresh.client.post(
    '/api/auth/register', { email: 'first@example.com', password: PASSWORD, name: 'First' },
  );
  expect(data.user.email_verified).toBe(true);
  await fresh.accounts.stop();
  expect(fresh.mailsTo('first@example.com')).toEqual([]);
  await fresh.close();
});
