import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock } from '../../shared/time.ts';
import { startMailgunServer, type TestMailgunServer } from '../helpers/mailgun-server.ts';
import { makeApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newPerson, newTenant, PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const NEW = { email: 'new@example.com', password: PASSWORD, name: 'New' };

describe('through Mailgun', () => {
  let server: TestMailgunServer;
  beforeAll(async () => {
    server = await startMailgunServer();
  });
  afterAll(() => server.close());

  test('verifies an account and accepts an invitation, with one recipient per request', async () => {
    const app = await makeApp({
      env: { MAILGUN_API_KEY: 'key-1', MAILGUN_DOMAIN: 'mg.example', MAILGUN_URL: server.url },
    });
    const tenant = await newTenant(app);
    await app.client.post('/api/auth/register', NEW);
    const mail = await until(() => server.messages.find((message) => message.to === NEW.email));
    expect((await app.client.post(
      '/api/auth/verify-email', { token: linkIn(mail, '/verify-email').searchParams.get('token') },
    )).status)
      .toBe(200);
    await tenant.owner.client.post(
      '/api/organization/invitations', { email: 'guest@example.com', role: 'viewer' },
    );
    const invitation =
      await until(() => server.messages.find((message) => message.to === 'guest@example.com'));
    const token = linkIn(invitation, '/accept-invitation').searchParams.get('token');
    expect((await app.client.post(
      '/api/auth/accept-invitation', { token, name: 'Guest', password: PASSWORD },
    )).status)
      .toBe(200);
    await app.close();
  });

  test('a mail goes out when Mailgun is back, and no request waited for it', async () => {
    server.fail(503);
    const timers = new SimulatedClock();
    const clock = { ...systemClock, setTimer: timers.setTimer.bind(timers) };
    const app = await makeApp({
      clock, env: { MAILGUN_API_KEY: 'key-1', MAILGUN_DOMAIN: 'mg.example', MAILGUN_URL: server.url },
    });
    await newPerson(app, 'Operator');
    const before = server.requests;
    expect((await app.client.post('/api/auth/register', { ...NEW, email: 'later@example.com' })).status).toBe(
      201,
    );
    await until(() => server.requests > before && timers.pending > 0);
    server.accept();
    await until(async () => {
      await timers.advance(1_000);
      return server.messages.find((message) => message.to === 'later@example.com');
    });
    await app.close();
  });
});

describe('through SMTP', () => {
  let server: TestSmtpServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterAll(() => server.stop());

  test('a password reset works with the link as received', async () => {
    const app = await makeApp({ env: { SMTP_URL: server.url } });
    const { person } = await newPerson(app);
    await app.client.post('/api/auth/forgot-password', { email: person.email });
    const mail = await until(() => server.mails.find((one) => one.to[0] === person.email));
    const link = linkIn(mail, '/reset-password');
    expect(mail.raw).toContain(link.href);
    expect((await fetch(link)).status).toBe(200);
    const token = link.searchParams.get('token');
    expect(
      (await app.client.post('/api/auth/reset-password', { token, password: 'a quite new password' })).status,
    ).toBe(200);
    await app.close();
  });

  test('a refused recipient affects no other mail and shows in no response', async () => {
    const app = await makeApp({ env: { SMTP_URL: server.url } });
    const { person } = await newPerson(app);
    await server.behave({ code: 550, text: 'No such user', at: 'rcpt' });
    const refused = await app.client.post('/api/auth/forgot-password', { email: person.email });
    await app.accounts.close();
    await server.behave('accept');
    expect(refused.status).toBe(200);
    expect(server.mails.filter((mail) => mail.to[0] === person.email)).toHaveLength(0);
    await app.close();
  });
});
