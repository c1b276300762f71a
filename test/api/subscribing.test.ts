import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiResponse, ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { linkIn, type ReadMail } from '../helpers/read-mail.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let offsetMs = 0;
beforeAll(async () => {
  const resolve = async (host: string) => [host === 'inside.example' ? '10.0.0.1' : '93.184.216.34'];
  // Visitors of status pages are strangers in every installation.
  app = await makeApp({ env: { REGISTRATION: 'first-user' }, resolve, clock: { ...systemClock, now: () => Date.now() + offsetMs } });
  tenant = await newTenant(app);
  client = tenant.writeKey;
});
afterAll(() => app.close());
afterEach(() => {
  offsetMs = 0;
});

interface TestPage {
  id: string;
  subdomain: string;
}

async function publish(): Promise<TestPage> {
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const { status_page: page } = (await client.post(pages, { name: 'Acme', subdomain: `p-${randomUUID()}` })).data;
  await client.post(`${pages}/${page.id}/publish`);
  return page;
}

const newAddress = () => `visitor-${randomUUID()}@example.com`;
const subscribe = ({ subdomain }: TestPage, body: object) =>
  app.client.post(`/api/public/status-pages/${subdomain}/subscribers`, body);

async function mailTo(address: string, count = 1): Promise<ReadMail> {
  return until(() => app.mailsTo(address).length >= count && app.mailsTo(address).at(-1), { what: 'a mail' });
}
async function verifyToken(address: string, count = 1): Promise<string> {
  return linkIn(await mailTo(address, count), '/status/').searchParams.get('token') ?? '';
}
const verify = (token: string) => app.client.post('/api/public/subscribers/verify', { token });
const unsubscribe = (token: string) => app.client.post('/api/public/subscribers/unsubscribe', { token });

/** As the controller reads it from a database that stores no nulls. */
async function stored(address: string) {
  const found = await app.db.collection(SUBSCRIBERS).findOne({ email: address });
  return found && { verified_at: null, unsubscribed_at: null, webhook_url: null, ...found };
}

/** A confirmed subscriber, and the token that each later mail has. */
async function subscribed(page: TestPage, address = newAddress()): Promise<{ address: string; token: string }> {
  await subscribe(page, { email: address });
  const link = linkIn(await mailTo(address), '/status/');
  const confirmed = await form(link, 'verify', { token: link.searchParams.get('token') ?? '' });
  const token = /preferences\?token=([^"&]+)/.exec(confirmed.text)?.[1] ?? '';
  return { address, token: decodeURIComponent(token) };
}

/** Submits a form of a page as a browser without JavaScript does. */
function form(page: URL | string, action: string, fields: Record<string, string>): Promise<ApiResponse> {
  const target = new URL(action, new URL(page, app.url));
  return app.client.send('POST', `${target.pathname}${target.search}`, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}
const unescaped = (address = '') => address.replaceAll('&#38;', '&');
const openLink = (link: URL | string) => {
  const { pathname, search } = new URL(link, app.url);
  return app.client.get(`${pathname}${search}`);
};

describe('a subscription', () => {
  test('counts once the link in the mail is confirmed', async () => {
    const page = await publish();
    const address = newAddress();
    const preferences = { all_incidents: false, frequency: 'hourly' };
    const response = await subscribe(page, { email: ` ${address.toUpperCase()} `, preferences });
    expect(response.status).toBe(202);
    const mail = await mailTo(address);
    expect(mail.headers['subject']).toBe('Confirm your subscription');
    expect(mail.text).toContain('Acme');
    const link = linkIn(mail, `/status/${page.subdomain}/verify`);
    expect(await stored(address)).toMatchObject({ state: 'unverified', verified_at: null });
    const token = link.searchParams.get('token') ?? '';
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect((await verify(token)).data).toEqual({ message: 'Your subscription is confirmed' });
    expect(await stored(address)).toMatchObject({
      state: 'verified',
      preferences: { critical_incidents: true, all_incidents: false, maintenance: true, frequency: 'hourly' },
    });
    expect((await verify(token)).status).toBe(200);
  });

  test('gets the same response for every address, even an already subscribed one', async () => {
    const page = await publish();
    const subscriber = await subscribed(page);
    offsetMs = 3_700_000;
    const responses = [
      await subscribe(page, { email: subscriber.address }), await subscribe(page, { email: newAddress() }),
    ];
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const mail = await mailTo(subscriber.address, 2);
    expect(mail.headers['subject']).toBe('You’re already subscribed');
    expect((await openLink(linkIn(mail, '/status/'))).text).toContain('Notification preferences');
    expect(await stored(subscriber.address)).toMatchObject({ state: 'verified' });
  });

  test.each([
    ['no address', { email: 'visitor' }], ['two addresses', { email: 'a@x.example, b@x.example' }],
    ['a forged header', { email: 'a@x.example\r\nBcc: b@x.example' }],
    ['a display name', { email: 'A <a@x.example>' }], ['nothing', {}],
    ['unknown preferences', { email: 'a@x.example', preferences: { sms: true } }],
    ['the state', { email: 'a@x.example', is_verified: true }],
    ['a webhook, before the address is confirmed', { email: 'a@x.example', webhook_url: 'https://hook.example/' }],
  ])('is rejected with %s', async (_what, body) => {
    expect((await subscribe(await publish(), body)).code).toBe('VALIDATION_ERROR');
  });

  test('posts nothing to a private address, even if it is stored', async () => {
    const receiver = await startReceiver();
    const page = await publish();
    const own = { ...tenant, pageId: page.id };
    const doc = pageSubscriber(own, newAddress(), { webhook_url: receiver.url });
    await app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(doc);
    app.controller.subscribers.noticeSender.start();
    const { announce } = app.controller.subscribers;
    const found = await app.controller.stores.pages.findPublished(page.subdomain);
    const maintenance = { phase: 'start', starts_at: Date.now(), ends_at: Date.now() + 1000 } as const;
    const announcement = { title: 'Disks', text: 'At 3.', about: page.id, maintenance };
    await announce(found === null ? [] : [found], { ...announcement, isFirst: true });
    const outcome = { subscriber_id: doc._id, channel: 'webhook', state: 'failed' };
    await until(async () => (await app.db.collection('subscriber_outbox').countDocuments(outcome)) === 1);
    expect(receiver.requests).toEqual([]);
    await receiver.close();
  });

  test('is possible only on published pages', async () => {
    const page = await publish();
    await client.post(`/api/projects/${tenant.projectId}/status-pages/${page.id}/unpublish`);
    for (const subdomain of [page.subdomain, 'never-there']) {
      const response = await subscribe({ id: '', subdomain }, { email: newAddress() });
      expect(response.code).toBe('RESOURCE_NOT_FOUND');
      expect((await openLink(`/status/${subdomain}/subscribe`)).status).toBe(404);
    }
  });

  test('sends one mail an hour to an address, over all pages', async () => {
    const [one, other] = [await publish(), await publish()];
    const [victim, marker] = [newAddress(), newAddress()];
    await Promise.all([one, other, one, other, one].map((page) => subscribe(page, { email: victim })));
    await subscribe(other, { email: victim.replace('@', '+tag@') });
    await subscribe(one, { email: marker });
    await mailTo(marker);
    const mails = () => [victim, victim.replace('@', '+tag@')].flatMap((to) => app.mailsTo(to));
    await until(() => mails().length > 0);
    expect(mails()).toHaveLength(1);
    offsetMs = 3_600_001;
    await subscribe(other, { email: victim });
    await mailTo(victim, 2);
  });

  test('is not confirmed by a token that is wrong, too old or replaced by a later mail', async () => {
    const page = await publish();
    const address = newAddress();
    await subscribe(page, { email: address });
    const first = await verifyToken(address);
    offsetMs = 3_600_001;
    await subscribe(page, { email: address, preferences: { maintenance: false } });
    const second = await verifyToken(address, 2);
    for (const wrong of ['', first, `${second}0`, 'x'.repeat(1000)]) {
      expect((await verify(wrong)).code).toBe('VALIDATION_ERROR');
    }
    offsetMs += 86_400_000;
    expect((await verify(second)).code).toBe('VALIDATION_ERROR');
    offsetMs -= 86_400_000;
    expect((await verify(second)).status).toBe(200);
    expect(await stored(address)).toMatchObject({ state: 'verified', preferences: { maintenance: false } });
  });
});

describe('a subscriber', () => {
  test('reads and changes preferences with the token of a mail', async () => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const path = `/api/public/subscribers/preferences?token=${encodeURIComponent(token)}`;
    expect((await app.client.get(path)).data).toEqual({
      email: address, status_page: { name: 'Acme', subdomain: page.subdomain }, is_subscribed: true,
      preferences: { critical_incidents: true, all_incidents: true, maintenance: true, frequency: 'immediate' },
      webhook_url: null,
    });
    const { data } = await app.client.patch(path, { preferences: { frequency: 'daily' } });
    expect(data.preferences).toMatchObject({ frequency: 'daily', maintenance: true });
    expect((await app.client.put(path, { ...data, email: 'b@x.example' })).data, 'sent back').toEqual(data);
    expect((await app.client.patch(path, { preferences: {}, surplus: 1 })).code).toBe('VALIDATION_ERROR');
  });

  test('sets and removes a webhook with the token of a mail', async () => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const path = `/api/public/subscribers/preferences?token=${encodeURIComponent(token)}`;
    const refused = ['http://169.254.169.254/', 'https://inside.example/', 'file:///etc/passwd', ''];
    for (const webhook_url of refused) {
      expect((await app.client.patch(path, { webhook_url })).code).toBe('VALIDATION_ERROR');
    }
    const webhook_url = 'https://hook.example/"inbox"';
    expect((await app.client.patch(path, { webhook_url })).data).toMatchObject({ webhook_url });
    expect((await app.client.patch(path, { preferences: { maintenance: false } })).data).toMatchObject({ webhook_url });
    const field = async () => {
      const { text } = await openLink(`/status/${page.subdomain}/preferences?token=${encodeURIComponent(token)}`);
      return /<input id="webhook_url"[^>]* value="([^"]*)"/.exec(text)?.[1];
    };
    expect(await field()).toBe('https://hook.example/&#34;inbox&#34;');
    const save = (body: Record<string, string>) =>
      form(`/status/${page.subdomain}/x`, 'preferences', { token, frequency: 'daily', ...body });
    expect((await save({ webhook_url: 'http://127.0.0.1/' })).status).toBe(400);
    expect((await save({ webhook_url: ' https://other.example/ ' })).status).toBe(200);
    expect(await stored(address)).toMatchObject({ webhook_url: 'https://other.example/' });
    expect((await save({})).status).toBe(200);
    expect(await field()).toBe('https://other.example/');
    expect((await save({ webhook_url: '' })).text).toContain('Saved.');
    expect(await stored(address)).toMatchObject({ webhook_url: null, preferences: { frequency: 'daily' } });
  });

  test.each([
    ['JSON', (token: string) => unsubscribe(token)],
    ['one click, urlencoded', (token: string) => form(
      '/api/public/subscribers/', `unsubscribe?token=${encodeURIComponent(token)}`, { 'List-Unsubscribe': 'One-Click' },
    )],
  ])('unsubscribes by %s, and the confirmation link does not subscribe again', async (_how, leave) => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const confirmation = await verifyToken(address);
    expect((await leave(token)).status).toBe(200);
    expect(await stored(address)).toMatchObject({ state: 'unsubscribed', unsubscribed_at: expect.any(Number) });
    expect((await leave(token)).status).toBe(200);
    expect((await verify(confirmation)).code).toBe('VALIDATION_ERROR');
  });

  test('unsubscribes with one multipart request, as mail programs send it', async () => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const body = new FormData();
    body.append('List-Unsubscribe', 'One-Click');
    const url = `${app.url}/status/${page.subdomain}/unsubscribe?token=${encodeURIComponent(token)}`;
    expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    expect(await stored(address)).toMatchObject({ state: 'unsubscribed' });
  });

  test('returns only by confirming again', async () => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const path = `/api/public/subscribers/preferences?token=${encodeURIComponent(token)}`;
    await app.client.patch(path, { webhook_url: 'https://hook.example/' });
    await unsubscribe(token);
    offsetMs = 3_600_001;
    await subscribe(page, { email: address });
    expect((await verify(await verifyToken(address, 2))).status).toBe(200);
    expect(await stored(address)).toMatchObject({ state: 'verified', unsubscribed_at: null, webhook_url: null });
  });

  test('is unreachable with forged tokens and those of a deleted subscription', async () => {
    const page = await publish();
    const [one, other] = [await subscribed(page), await subscribed(page)];
    const mixed = `${one.token.split('.')[0]}.${other.token.split('.')[1]}`;
    const id = (await stored(one.address))?.['_id'] as unknown as string;
    await client.delete(`/api/projects/${tenant.projectId}/status-pages/${page.id}/subscribers/${id}`);
    for (const token of ['', id, mixed, one.token, '0'.repeat(64)]) {
      expect((await unsubscribe(token)).code).toBe('VALIDATION_ERROR');
      expect((await openLink(`/status/${page.subdomain}/preferences?token=${token}`)).status).toBe(400);
    }
    expect(await stored(other.address)).toMatchObject({ state: 'verified' });
  });

  test('has no token in the database or in a response', async () => {
    const page = await publish();
    const { address, token } = await subscribed(page);
    const dump = JSON.stringify(await app.db.collection(SUBSCRIBERS).find().toArray());
    const listed = await client.get(`/api/projects/${tenant.projectId}/status-pages/${page.id}/subscribers`);
    for (const secret of [token, token.split('.')[1] as string, await verifyToken(address)]) {
      expect(dump).not.toContain(secret);
      expect(listed.text).not.toContain(secret);
    }
  });
});

describe('the pages without JavaScript', () => {
  test('subscribe, confirm, set preferences and unsubscribe, and opening them changes nothing', async () => {
    const page = await publish();
    const base = `/status/${page.subdomain}/`;
    const address = newAddress();
    expect((await openLink(`${base}subscribe`)).text).toContain('<form method="post" action="subscribe?lang=en">');
    expect((await form(`${base}x`, 'subscribe', { email: address })).text).toContain('Please confirm');
    const link = linkIn(await mailTo(address), base);
    const shown = await openLink(link);
    for (const method of ['GET', 'HEAD']) await app.client.send(method, `${link.pathname}${link.search}`);
    expect(await stored(address)).toMatchObject({ state: 'unverified' });
    const hidden = /name="token" value="([^"]*)"/.exec(shown.text)?.[1] ?? '';
    const confirmed = await form(link, 'verify', { token: hidden });
    expect(confirmed.text).toContain(address);
    const choose = new URL(unescaped(/href="(preferences[^"]+)"/.exec(confirmed.text)?.[1]), link);
    const choices = await openLink(choose);
    expect(choices.text.match(/ checked/g)).toHaveLength(3);
    const token = choose.searchParams.get('token') ?? '';
    const saved = await form(choose, 'preferences', { token, maintenance: 'on', frequency: 'hourly' });
    expect(saved.text).toContain('Saved.');
    expect(await stored(address)).toMatchObject({ preferences: {
      critical_incidents: false, all_incidents: false, maintenance: true, frequency: 'hourly',
    } });
    const leave = new URL(unescaped(/action="(unsubscribe[^"]+)"/.exec(saved.text)?.[1]), choose);
    for (const method of ['GET', 'HEAD', 'GET']) await app.client.send(method, `${leave.pathname}${leave.search}`);
    expect(await stored(address)).toMatchObject({ state: 'verified' });
    expect((await form(leave, leave.pathname + leave.search, {})).text).toContain('You’ve been unsubscribed');
    expect((await openLink(choose)).text).toContain('You’re not subscribed');
    for (const response of [shown, confirmed, choices, saved]) {
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.text).not.toContain('<script');
    }
  });

  test('explain what is wrong with an address', async () => {
    const { subdomain } = await publish();
    const response = await form(`/status/${subdomain}/x`, 'subscribe', { email: 'visitor' });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining('Enter a valid email address')]);
  });

  test('are logged for the organization, without the address', async () => {
    const { address } = await subscribed(await publish());
    const { entries } = (await tenant.owner.client.get('/api/audit-log?action=subscriber.verified')).data;
    expect(entries[0]).toMatchObject({
      organization_id: tenant.organizationId, actor: { type: 'none', name: 'a subscriber' },
    });
    expect(JSON.stringify(entries)).not.toContain(address);
  });
});

describe('visitors of other languages', () => {
  test('get each page, mail and error in their language', async () => {
    const page = await publish();
    const german = app.client.with({ 'accept-language': 'de-CH, en;q=0.5' });
    const base = `/status/${page.subdomain}`;
    const formPage = await german.get(`${base}/subscribe`);
    expect(formPage.headers.get('content-language')).toBe('de');
    expect(formPage.text).toContain('<html lang="de">');
    const address = newAddress();
    const body = { rawBody: new URLSearchParams({ email: address }).toString() };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // The choice on the page wins over the browser's.
    const sent = await german.send('POST', `${base}/subscribe?lang=fr`, { ...body, headers });
    expect(sent.text).toContain('Veuillez confirmer votre abonnement');
    const mail = await mailTo(address);
    expect(mail.headers['subject']).toBe('Confirmer votre abonnement');
    const link = linkIn(mail, base);
    expect((await openLink(link)).text).toContain('Confirmer votre abonnement');
    expect(await stored(address)).toMatchObject({ language: 'fr' });
    for (const [path, text] of [
      [`${base}/verify?token=0`, 'Abonnement bestätigen'],
      [`${base}/preferences?token=0`, 'Dieser Link ist ungültig'],
      [`${base}/unsubscribe?token=0&lang=ja`, 'このリンクは無効です'],
      ['/status/never-there', 'Diese Seite gibt es nicht'],
      [`/status/never-there/subscribe?lang=es`, 'Esta página no existe'],
      [`${base}/components/${randomUUID()}?lang=zh`, '此页面不存在'],
    ] as const) {
      expect((await german.get(path)).text, path).toContain(text);
    }
    const mistaken = { rawBody: 'email=visitor', headers };
    expect((await german.send('POST', `${base}/subscribe`, mistaken)).text).toContain('geben Sie eine gültige E-Mail-Adresse');
  });

  test('are recognized by Accept-Language, and get the default without it', async () => {
    const page = await publish();
    const [japanese, unknown] = [newAddress(), newAddress()];
    const path = `/api/public/status-pages/${page.subdomain}/subscribers`;
    await app.client.with({ 'accept-language': 'ja' }).post(path, { email: japanese });
    await subscribe(page, { email: unknown });
    expect((await mailTo(japanese)).headers['subject']).toBe('登録を確認する');
    expect((await mailTo(unknown)).headers['subject']).toBe('Confirm your subscription');
    expect(linkIn(await mailTo(unknown), '/status/').search).not.toContain('lang');
  });
});
