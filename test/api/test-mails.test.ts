import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newTenant, PASSWORD, type Person } from '../helpers/tenants.ts';

let store: TestMongo;
let smtp: TestSmtpServer;
/** Two controllers of one installation. */
let app: TestApp;
let other: TestApp;
let offsetMs = 0;
let owner: Person;
let admin: ApiClient;
beforeAll(async () => {
  [store, smtp] = await Promise.all([testMongo(), startSmtpServer()]);
  const controller = () => makeApp({
    mongoUrl: store.url, env: { SMTP_URL: smtp.url },
    clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  app = await controller();
  other = await controller();
});
afterAll(async () => {
  await app.close();
  await other.close();
  await smtp.stop();
  await store.stop();
});
beforeEach(async () => {
  owner = (await newTenant(app)).owner;
  admin = owner.client;
});
afterEach(() => {
  offsetMs = 0;
});

let count = 0;
const newAddress = () => `stranger${(count += 1)}@victim.example`;
async function destination(to: string[], client = admin, name = 'Mail'): Promise<string> {
  const made = await client.post('/api/integrations', { name, type: 'email', config: { to } });
  expect(made.status, made.text).toBe(201);
  return (made.data as Loose).integration.id;
}
const sample = (id: string, client = admin) => client.post(`/api/integrations/${id}/test`);
const mailsTo = (address: string) => smtp.mails.filter((mail) => mail.to.includes(address));

describe('a test mail', () => {
  test('reaches an address three times in any hour, whoever sends it, from every controller', async () => {
    const to = newAddress();
    const others = (await newTenant(other)).owner.client;
    const [own, foreign] = [await destination([to]), await destination([to], others)];
    expect([(await sample(own)).status, (await sample(foreign, others)).status]).toEqual([200, 200]);
    offsetMs = 1_800_000;
    expect((await sample(own)).status).toBe(200);
    for (const [id, client] of [[own, admin], [foreign, others]] as const) {
      const refused = await sample(id, client);
      expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(refused.error.retryAfter).toBeGreaterThan(1780);
      expect(refused.error.retryAfter).toBeLessThanOrEqual(1800);
      expect(refused.headers.get('retry-after')).toBe(String(refused.error.retryAfter));
    }
    expect(mailsTo(to)).toHaveLength(3);
    offsetMs = 3_601_000;
    const next = [(await sample(own)).status, (await sample(own)).status, (await sample(own)).status];
    expect(next).toEqual([200, 200, 429]);
  });

  test('counts the same mailbox in another case or with a tag', async () => {
    const to = newAddress();
    const variants = [to, to.toUpperCase(), to.replace('@', '+a@'), to.replace('@', '+b.c@')];
    const statuses: number[] = [];
    for (const one of variants) statuses.push((await sample(await destination([one]))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test('that exceeds the limit of one of its addresses reaches none of them, and uses up nothing', async () => {
    const [full, fresh] = [newAddress(), newAddress()];
    const id = await destination([full]);
    for (let at = 0; at < 3; at += 1) await sample(id);
    const both = await destination([fresh, full]);
    for (let at = 0; at < 4; at += 1) expect((await sample(both)).status).toBe(429);
    expect(mailsTo(fresh)).toEqual([]);
    expect((await sample(await destination([fresh]))).status).toBe(200);
  });

  test('counts toward thirty an hour of its organization; others are not affected', async () => {
    const twenty = () => destination(Array.from({ length: 20 }, newAddress));
    expect((await sample(await twenty())).status).toBe(200);
    expect((await sample(await twenty())).status).toBe(429);
    expect((await sample(await destination(Array.from({ length: 10 }, newAddress)))).status).toBe(200);
    expect((await sample(await destination([newAddress()]))).status).toBe(429);
    const others = (await newTenant(app)).owner.client;
    expect((await sample(await destination([newAddress()], others), others)).status).toBe(200);
  });

  test('stays within its limits when many are sent at once through both controllers', async () => {
    const to = newAddress();
    const id = await destination([to]);
    const login = await other.client.post('/api/auth/login', { email: owner.email, password: PASSWORD });
    const clients = [admin, other.client.with({ authorization: `Bearer ${login.data.token}` })];
    const responses = await Promise.all(Array.from({ length: 16 }, (_, at) => sample(id, clients[at % 2])));
    expect(responses.filter((response) => response.status === 200).length).toBeLessThanOrEqual(3);
    expect(responses.every((response) => response.status === 200 || response.status === 429)).toBe(true);
    expect(mailsTo(to).length).toBeLessThanOrEqual(3);
  });

  test('has no text from a tenant in its subject', async () => {
    const to = newAddress();
    await admin.patch('/api/organization', { name: 'BUY NOW organization' });
    await admin.post('/api/projects', { name: 'BUY NOW project' });
    await sample(await destination([to], admin, 'BUY NOW destination'));
    expect(mailsTo(to).map((mail) => mail.headers['subject'])).toEqual([
      '[TEST] Test alert from Farwatch: nothing is wrong',
    ]);
    expect(mailsTo(to)[0]?.raw).not.toContain('BUY NOW');
  });
});
