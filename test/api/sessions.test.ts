import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newPerson, type Person } from '../helpers/tenants.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

let app: TestApp;
let person: Person;
let offsetMs = 0;
beforeAll(async () => {
  app = await makeApp({ clock: { ...systemClock, now: () => Date.now() + offsetMs } });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ person } = await newPerson(app));
});

async function signIn(): Promise<ApiClient> {
  const { email, password } = person;
  const { data } = await app.client.post('/api/auth/login', { email, password });
  return app.client.with({ authorization: `Bearer ${data.token}` });
}

const listed = async (client = person.client): Promise<Loose[]> =>
  (await client.get('/api/auth/sessions')).data.sessions;

test('the sessions of an account are listed, newest first, without their secrets', async () => {
  offsetMs += HOUR_MS;
  const second = await signIn();
  const sessions = await listed(second);
  expect(sessions.map((one) => one.is_current)).toEqual([true, false]);
  expect((await listed()).map((one) => one.is_current)).toEqual([false, true]);
  const [{ id, created_at, expires_at }] = sessions;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(WEEK_MS);
  expect((await app.client.with({ authorization: `Bearer ${id}` }).get('/api/auth/me')).code).toBe('INVALID_TOKEN');
  offsetMs += WEEK_MS - HOUR_MS / 2;
  expect((await listed(second)).map((one) => one.id)).toEqual([id]);
});

test('at most a hundred sessions are listed', async () => {
  const { sessions } = app.accounts.deps;
  const now = Date.now() + offsetMs;
  for (let at = 0; at < 100; at += 1) {
    await sessions.insert({
      _id: `${person.userId}-${at}`, user_id: person.userId, token_version: 1, created_at: now + 60_000 + at,
      expires_at: now + 60_000 + at + WEEK_MS,
    });
  }
  const ids = (await listed()).map((one) => one.id);
  expect([ids.length, ids[0], ids[99]]).toEqual([100, `${person.userId}-99`, `${person.userId}-0`]);
});

test('one session can be ended from another, but not those of other users', async () => {
  const lost = await signIn();
  const { id } = (await listed(lost)).find((one) => one.is_current);
  const { person: outsider } = await newPerson(app);
  expect((await outsider.client.delete(`/api/auth/sessions/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await lost.get('/api/auth/me')).status).toBe(200);
  expect((await person.client.delete(`/api/auth/sessions/${id}`)).status).toBe(200);
  expect((await lost.get('/api/auth/me')).code).toBe('INVALID_TOKEN');
  expect((await person.client.delete(`/api/auth/sessions/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect(await listed()).toHaveLength(1);
});

test('signing out everywhere ends every session of the account, and removes the cookie', async () => {
  const [second, { person: outsider }] = [await signIn(), await newPerson(app)];
  const page = second.with({ 'x-farwatch-session': 'cookie' });
  const out = await page.post('/api/auth/logout-everywhere');
  expect([out.status, out.headers.get('set-cookie')]).toEqual([
    200, 'farwatch_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
  ]);
  for (const client of [person.client, second]) {
    expect((await client.get('/api/auth/me')).code).toBe('INVALID_TOKEN');
  }
  expect((await outsider.client.get('/api/auth/me')).status).toBe(200);
  const { entries } = (await (await signIn()).get(`/api/audit-log?actor_id=${person.userId}`)).data;
  expect(entries.map((one: Loose) => one.action)).toEqual(
    ['session.started', 'sessions.ended', 'session.started', 'account.registered'],
  );
});
