import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
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

  test('a mail is sent when Mailgun is back, and no request waits for it', async () => {
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

  test('a rejected recipient affects no other mail and is visible in no response', async () => {
    const app = await makeApp({ env: { SMTP_URL: server.url } });
    const { person } = await newPerson(app);
    await server.behave({ code: 550, text: 'No such user', at: 'rcpt' });
    const refused = await app.client.post('/api/auth/forgot-password', { email: person.email });
    await app.accounts.stop();
    await server.behave('accept');
    expect(refused.status).toBe(200);
    expect(server.mails.filter((mail) => mail.to[0] === person.email)).toHaveLength(0);
    await app.close();
  });
});

describe('a mail that is not sent', () => {
  let server: TestMailgunServer;
  beforeAll(async () => {
    server = await startMailgunServer();
  });
  afterAll(() => server.close());

  async function openApp(clockChange: Partial<Clock> = {}) {
    server.accept();
    const timers = new SimulatedClock();
    const logged: { msg: string; [field: string]: unknown }[] = [];
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged.push(JSON.parse(chunk.toString()));
        done();
      },
    });
    const app = await makeApp({
      clock: { ...systemClock, setTimer: timers.setTimer.bind(timers), ...clockChange }, log: pino({ level: 'warn' }, sink),
      env: { MAILGUN_API_KEY: 'key-1', MAILGUN_DOMAIN: 'mg.example', MAILGUN_URL: server.url },
    });
    // The first account is verified without a mail, so there are no posts at first.
    const { person: { email: operator } } = await newPerson(app, 'Operator');
    const { mailers } = app.accounts.deps;
    return {
      app, timers, mailers, operator,
      /** The log entries about dropped mails to this address. */
      dropsOf: (email: string) => logged.filter(({ msg, to }) => msg === 'an email was not sent' && to === email),
      retriesOf: (email: string) =>
        logged.filter(({ msg, to }) => msg === 'sending an email failed and will be retried' && to === email).length,
      metric: async (mails: string) => {
        const { text } = await app.client.get('/metrics');
        return Number(new RegExp(`farwatch_account_mails_dropped_total\\{class="${mails}"\\} (\\d+)`).exec(text)?.[1]);
      },
      /** Mails of the class are in progress up to its limit; call the result to end them. */
      fill: (mails: keyof typeof mailers) => {
        let release: (none: null) => void = () => undefined;
        const composing = new Promise<null>((resolve) => {
          release = resolve;
        });
        for (let at = 0; at < 1000; at += 1) mailers[mails].send(`${at}@example.com`, () => composing);
        return () => release(null);
      },
    };
  }

  test('is rejected with an error if it is an invitation, while password resets are sent', async () => {
    const { app, fill, dropsOf, metric } = await openApp();
    const { owner: { client, email } } = await newTenant(app);
    const release = fill('invitations');
    const invitation = { email: 'late@example.com', role: 'viewer' };
    const allowances = app.db.collection('mail_allowances');
    const used = await allowances.countDocuments({});
    const refused = await client.post('/api/organization/invitations', invitation);
    expect([refused.status, refused.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await client.get('/api/organization/invitations')).data.invitations).toEqual([]);
    expect(await allowances.countDocuments({})).toBe(used);
    await app.client.post('/api/auth/forgot-password', { email });
    await until(() => server.messages.find(({ to, subject }) => to === email && /password/.test(subject)));
    expect([dropsOf(email), await metric('accounts'), await metric('invitations')]).toEqual([[], 0, 0]);
    release();
    await until(async () => (await client.post('/api/organization/invitations', invitation)).status === 201);
    await until(() => server.messages.find(({ to }) => to === invitation.email));
    await app.close();
  });

  test('is in the log and in a metric if too many are in progress, and visible in no response', async () => {
    const { app, operator, fill, dropsOf, metric } = await openApp();
    const release = fill('accounts');
    for (const to of [operator, 'nobody@example.com']) {
      expect((await app.client.post('/api/auth/forgot-password', { email: to })).status).toBe(200);
      expect(dropsOf(to)).toMatchObject([{ class: 'accounts', reason: 'too many emails are in progress' }]);
    }
    expect(await metric('accounts')).toBe(2);
    release();
    await app.close();
  });

  test('is in the log and in a metric if its address has had five of its kind in the hour', async () => {
    const now = Date.now();
    const { app, operator, dropsOf, metric } = await openApp({ now: () => now });
    const { owner: { client } } = await newTenant(app);
    await app.client.post('/api/auth/register', NEW);
    for (let at = 0; at < 6; at += 1) {
      for (const email of [operator, 'nobody@example.com']) await app.client.post('/api/auth/forgot-password', { email });
      if (at > 0) await app.client.post('/api/auth/resend-verification', { email: NEW.email });
      const { data } = await client.post('/api/organization/invitations', { email: 'guest@example.com', role: 'viewer' });
      expect((await client.delete(`/api/organization/invitations/${data.invitation.id}`)).status).toBe(200);
    }
    const reason = 'the address reached its limit of 5 emails of this kind an hour';
    const dropped = [[operator, 'accounts'], [NEW.email, 'accounts'], ['guest@example.com', 'invitations']];
    for (const [to = '', mails] of dropped) {
      await until(() => dropsOf(to).length > 0, { what: `a mail to ${to} that is not sent` });
      expect(dropsOf(to)).toMatchObject([{ class: mails, reason }]);
    }
    expect([dropsOf('nobody@example.com'), await metric('accounts'), await metric('invitations')]).toEqual([[], 2, 1]);
    await app.close();
  });

  test('is in the log and in a metric after its last attempt', async () => {
    const { app, operator: email, timers, dropsOf, retriesOf, metric } = await openApp();
    server.fail(503);
    await app.client.post('/api/auth/forgot-password', { email });
    await until(async () => {
      await timers.advance(60_000);
      return dropsOf(email).length > 0;
    });
    expect(dropsOf(email)).toMatchObject([{ class: 'accounts', subject: 'Reset your password' }]);
    expect([retriesOf(email), await metric('accounts')]).toEqual([4, 1]);
    await app.close();
  });

  test('is in the log if it waits for its next attempt while Farwatch stops', async () => {
    const { app, operator: email, mailers, timers, dropsOf, retriesOf } = await openApp();
    server.fail(503);
    await app.client.post('/api/auth/forgot-password', { email });
    await until(() => retriesOf(email) === 1 && timers.pending > 0);
    await app.close();
    mailers.owners.send(email, async () => null);
    expect(dropsOf(email)).toMatchObject([
      { subject: 'Reset your password', reason: expect.stringMatching(/^Farwatch is stopping; last error: .*503/) },
      { class: 'owners', reason: 'Farwatch is stopping' },
    ]);
    expect([mailers.accounts.dropped, mailers.owners.dropped]).toEqual([1, 1]);
  });
});
