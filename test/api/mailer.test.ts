import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openMailer, type MailConfig } from '../../controller/platform/mail/mailer.ts';
import type { Mail, Mailer } from '../../controller/platform/mail/mailer-port.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { startMailgunServer, type TestMailgunServer } from '../helpers/mailgun-server.ts';
import { readMail } from '../helpers/read-mail.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

const LINK = `https://status.example.com/verify-email?token=${'0123456789abcdef'.repeat(4)}`;
const MAIL: Mail = {
  to: 'ada@example.com', subject: 'Grüße & „Zeichen“', text: `Hallo Ünal,\n\n${LINK}\n`,
  html: `<p>Hallo Ünal</p><a href="${LINK}">Link</a>`,
  headers: {
    'List-Unsubscribe': '<https://status.example.com/u>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
};
const FROM = 'Farwatch <alerts@farwatch.example>';

let folder: string;
let mailer: Mailer | null = null;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'farwatch-mail-')), 'mail');
});
afterEach(async () => {
  await mailer?.close();
  mailer = null;
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

function open(config: Partial<MailConfig>, clock: Clock = systemClock): Mailer {
  mailer = openMailer(
    { from: FROM, isFromConfigured: true, mailgun: null, smtpUrl: null, ...config },
    { folder, clock, log: createLog('test', 'silent') },
  );
  return mailer;
}

describe('without a provider, mail', () => {
  test('is written to one file each, with the link on one line, readable only by its owner', async () => {
    const files = open({});
    expect(await files.send(MAIL)).toEqual({ kind: 'sent' });
    expect(await files.send({ ...MAIL, to: 'bob@example.com' })).toEqual({ kind: 'sent' });
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(2);
    const file = join(folder, names[0] as string);
    expect(file).toMatch(/\.eml$/);
    expect(statSync(file).mode & 0o077).toBe(0);
    const raw = readFileSync(file);
    expect(raw.toString('utf8')).toContain(LINK);
    expect(raw.toString('utf8')).toContain('Hallo Ünal');
    const mail = readMail(raw.toString('latin1'));
    expect(mail.headers).toMatchObject({
      from: FROM, to: MAIL.to, subject: MAIL.subject, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    expect(mail.text).toBe(MAIL.text.trim());
    expect(mail.html).toBe(MAIL.html);
  });

  test('keeps at most a thousand files, dropping the oldest', async () => {
    const files = open({});
    await files.send(MAIL);
    const [first] = readdirSync(folder) as [string];
    for (let at = 0; at < 1000; at += 1) {
      writeFileSync(join(folder, `${String(at).padStart(4, '0')}.eml`), '');
    }
    await files.send(MAIL);
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(1000);
    expect(names).toContain(first);
    expect(names).not.toContain('0000.eml');
  });
});

describe('mail that could become more than one mail is not sent:', () => {
  test.each<[string, Partial<Mail>]>([
    ['a recipient with a line break', { to: 'a@b.example\r\nBcc: c@d.example' }],
    ['two recipients', { to: 'a@b.example, c@d.example' }],
    ['a recipient with a name', { to: 'Ada <a@b.example>' }],
    ['no recipient', { to: '' }],
    ['a subject with a line break', { subject: 'Hi\nBcc: c@d.example' }],
    ['a subject with a carriage return', { subject: 'Hi\rX' }],
    ['a subject with NUL', { subject: 'Hi\0' }],
    ['a subject with a line separator', { subject: 'Hi\u2028X' }],
    ['a header with a line break', { headers: { 'X-A': 'b\r\nBcc: c@d.example' } }],
    ['a header name with a colon', { headers: { 'Bcc: x': 'c@d.example' } }],
  ])('%s', async (_name, change) => {
    expect((await open({}).send({ ...MAIL, ...change })).kind).toBe('bounced');
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });
});

describe('Mailgun', () => {
  let server: TestMailgunServer;
  beforeAll(async () => {
    server = await startMailgunServer();
  });
  afterAll(() => server.close());
  const mailgun = (clock?: Clock) =>
    open({ mailgun: { apiKey: 'key-1', domain: 'mg.example', url: server.url } }, clock);

  test('receives the fields, one recipient and the headers by name', async () => {
    server.accept();
    expect(await mailgun().send(MAIL)).toEqual({ kind: 'sent' });
    const [message] = server.messages;
    expect(message).toMatchObject({ path: '/v3/mg.example/messages', credentials: 'api:key-1' });
    // Multipart forms use CRLF line endings.
    expect(Object.fromEntries(
      message?.fields.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]) ?? [],
    ))
      .toEqual({
      from: FROM, to: MAIL.to, subject: MAIL.subject, text: MAIL.text, html: MAIL.html,
      'h:List-Unsubscribe': '<https://status.example.com/u>',
      'h:List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  test.each<[number, string, string]>([
    [400, "'to' parameter is not a valid address. please check documentation", 'bounced'],
    [400, 'Message refused', 'bounced'],
    [400, "'from' parameter is not a valid address. please check documentation", 'retry'],
    [401, 'Forbidden', 'retry'],
    [403, 'Domain mg.example is not allowed to send', 'retry'],
    [404, 'Domain not found: mg.example', 'retry'],
    [429, 'Too many requests', 'busy'],
    [500, 'Internal server error', 'retry'],
    [503, 'Service unavailable', 'retry'],
  ])('that responds with %i "%s" results in: %s', async (status, text, kind) => {
    server.fail(status, text);
    expect(await mailgun().send(MAIL)).toEqual({ kind, reason: `Mailgun responded with status ${status}: ${text}` });
  });

  test('that is unreachable or closes the connection is retried later', async () => {
    server.fail('close');
    expect((await mailgun().send(MAIL)).kind).toBe('retry');
    await mailer?.close();
    const away = open({ mailgun: { apiKey: 'key-1', domain: 'mg.example', url: 'http://127.0.0.1:1' } });
    const outcome = await away.send(MAIL);
    expect(outcome).toMatchObject({
      kind: 'retry', reason: expect.stringContaining('could not reach Mailgun') as string,
    });
    expect(JSON.stringify(outcome)).not.toContain('key-1');
  });

  test('that does not respond is abandoned after ten seconds', async () => {
    server.fail('hang');
    const before = server.requests;
    const clock = new SimulatedClock();
    let outcome: unknown = null;
    void mailgun(clock).send(MAIL).then((reached) => (outcome = reached));
    await until(() => server.requests > before);
    await clock.advance(9_999);
    expect(outcome).toBeNull();
    await clock.advance(1);
    await until(() => outcome);
    expect(outcome).toEqual({ kind: 'retry', reason: 'the mail provider did not respond within 10 seconds' });
  });

  test('that hangs holds at most 64 mails', async () => {
    server.fail('hang');
    const before = server.requests;
    const busy = mailgun();
    const inProgress = Array.from({ length: 64 }, () => busy.send(MAIL));
    expect(await busy.send(MAIL)).toEqual({ kind: 'busy', reason: 'too many emails at once' });
    await until(() => server.requests >= before + 64);
    await busy.close();
    expect((await Promise.all(inProgress)).every((outcome) => outcome.kind === 'retry')).toBe(true);
  });

  test('that hangs holds four test mails and a hundred waiting ones, and no alert waits for them', async () => {
    server.fail('hang');
    const before = server.requests;
    const busy = mailgun();
    const tests = Array.from({ length: 104 }, () => busy.send(MAIL, 'tests'));
    expect((await busy.send(MAIL, 'tests')).kind).toBe('busy');
    await until(() => server.requests >= before + 4);
    server.accept();
    expect(await busy.send(MAIL, 'alerts')).toEqual({ kind: 'sent' });
    expect(server.requests).toBe(before + 5);
    await busy.close();
    expect((await Promise.all(tests)).every((outcome) => outcome.kind === 'retry')).toBe(true);
  });

  test.each(['invitations', 'owners'] as const)('sends password resets at once while %s hang', async (mailClass) => {
    server.fail('hang');
    const before = server.requests;
    const busy = mailgun();
    const hanging = Array.from({ length: 104 }, () => busy.send(MAIL, mailClass));
    expect((await busy.send(MAIL, mailClass)).kind).toBe('busy');
    await until(() => server.requests >= before + 4);
    server.accept();
    expect(await busy.send(MAIL, 'accounts')).toEqual({ kind: 'sent' });
    expect(server.requests).toBe(before + 5);
    await busy.close();
    expect((await Promise.all(hanging)).every((outcome) => outcome.kind === 'retry')).toBe(true);
  });

  test('receives alerts at once while mails to subscribers hang', async () => {
    server.fail('hang');
    const before = server.requests;
    const busy = mailgun();
    const news = Array.from({ length: 16 }, () => busy.send(MAIL, 'subscribers'));
    expect((await busy.send(MAIL, 'subscribers')).kind).toBe('busy');
    await until(() => server.requests >= before + 8);
    server.accept();
    expect(await busy.send(MAIL, 'alerts')).toEqual({ kind: 'sent' });
    expect(server.requests).toBe(before + 9);
    await busy.close();
    expect((await Promise.all(news)).every((outcome) => outcome.kind === 'retry')).toBe(true);
  });
});

describe('SMTP', () => {
  let server: TestSmtpServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterAll(() => server.stop());
  const smtp = (url = server.url, clock?: Clock) => open({ smtpUrl: url }, clock);

  test('receives the mail for one recipient, with both parts complete', async () => {
    expect(await smtp().send(MAIL)).toEqual({ kind: 'sent' });
    const mail = server.mails.at(-1);
    expect(mail).toMatchObject({
      from: 'alerts@farwatch.example', to: ['ada@example.com'], user: null, text: MAIL.text.trim(),
      html: MAIL.html,
    });
    expect(mail?.headers).toMatchObject({
      from: FROM, to: MAIL.to, subject: MAIL.subject, 'list-unsubscribe': '<https://status.example.com/u>',
    });
  });

  test('receives plain text unchanged, with the link in one piece', async () => {
    await smtp().send({ ...MAIL, text: `Hello,\n\n${LINK}\n`, html: `<a href="${LINK}">here</a>` });
    expect(server.mails.at(-1)?.raw).toContain(`\r\n${LINK}\r\n`);
  });

  test('receives the user name and password from the URL', async () => {
    expect(await smtp(server.url.replace('//', '//robot:secret@')).send(MAIL)).toEqual({ kind: 'sent' });
    expect(server.mails.at(-1)?.user).toBe('robot');
    await mailer?.close();
    const outcome = await smtp(server.url.replace('//', '//robot:wrong-word@')).send(MAIL);
    expect(outcome.kind).toBe('retry');
    expect(JSON.stringify(outcome)).not.toContain('wrong-word');
  });

  test.each<[number, 'rcpt' | 'data', string, string]>([
    [550, 'rcpt', 'No such user', 'bounced'],
    [553, 'rcpt', 'Mailbox name not allowed', 'bounced'],
    [554, 'data', 'Message refused', 'bounced'],
    [451, 'rcpt', 'Greylisted, come again', 'retry'],
    [452, 'data', 'Mailbox full', 'retry'],
    [452, 'rcpt', '4.2.2 Over quota limit', 'retry'],
    [421, 'rcpt', 'Service not available', 'busy'],
    [450, 'rcpt', '4.7.28 Unusual rate of mail', 'busy'],
    [451, 'data', 'Too many messages, slow down', 'busy'],
    [452, 'rcpt', '4.3.1 Insufficient system storage', 'busy'],
    [550, 'rcpt', 'Too many unknown recipients', 'bounced'],
  ])('that responds with %i to %s ("%s") results in: %s', async (code, at, text, kind) => {
    await server.behave({ code, text, at });
    const outcome = await smtp().send(MAIL);
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(`${code}`) as string });
    await server.behave('accept');
  });

  test('that hangs is abandoned after ten seconds, and one that is unreachable is retried later', async () => {
    await server.behave('hang');
    const clock = new SimulatedClock();
    let outcome: unknown = null;
    void smtp(server.url, clock).send(MAIL).then((reached) => (outcome = reached));
    await clock.advance(10_000);
    await until(() => outcome);
    expect(outcome).toEqual({ kind: 'retry', reason: 'the mail provider did not respond within 10 seconds' });
    await server.behave('accept');
    await mailer?.close();
    expect((await smtp('smtp://127.0.0.1:1').send(MAIL)).kind).toBe('retry');
  });

  test('that never sends a greeting is abandoned', async () => {
    const silent: Server = createServer(() => undefined).listen(0, '127.0.0.1');
    await until(() => silent.address());
    const clock = new SimulatedClock();
    let outcome: { kind: string } | null = null;
    void smtp(`smtp://127.0.0.1:${(silent.address() as { port: number }).port}`, clock).send(MAIL).then(
      (reached) => (outcome = reached),
    );
    await clock.advance(10_000);
    await until(() => outcome);
    expect(outcome).toMatchObject({ kind: 'retry' });
    silent.close();
  });
});
