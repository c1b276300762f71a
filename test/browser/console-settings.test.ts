import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newMember, PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { findAccessibilityViolations, findViolationsInOverlay, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  await newMember(rig.app, tenant, 'member');
  await tenant.owner.client.post('/api/organization/invitations', { email: 'soon@example.com', role: 'viewer' });
});
afterAll(() => rig?.close());

/** The path of the link in an invitation mail. */
async function invitationLink(email: string): Promise<string> {
  await tenant.owner.client.post('/api/organization/invitations', { email, role: 'viewer' });
  const mail = await until(() => rig.app.mailsTo(email).find(({ text }) => text.includes('/accept-invitation')), { what: 'the invitation' });
  return linkIn(mail, '/accept-invitation').href.slice(rig.app.url.length);
}

/** The settings pages, with a text that each shows once loaded. The sweep visits all of them on a phone. */
const PARTS = [
  ['people', 'soon@example.com'], ['account', 'This session'], ['organization', 'Your role'], ['projects', 'Default'],
  ['variables', 'No variables yet'], ['keys', 'reader'], ['plan', 'Minimum interval'], ['audit', 'Invitation sent'],
] as const;

describe('settings in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/settings', { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      for (const [part, shown] of PARTS.slice(0, fewOrAll(1, PARTS.length))) {
        await page.goto(`${rig.app.url}/settings/${part}`);
        await page.getByText(shown).first().waitFor();
        expect(await findViolationsInSweptView(page), part).toEqual([]);
        await takeScreenshot(page, `console-settings-${part}-phone`);
      }
      expect(problems).toEqual([]);
    });
  });

  test('an API key is shown once, works, is replaced and revoked', async () => {
    const works = async (key: string) => (await rig.app.client.with({ 'x-api-key': key }).get('/api/monitors')).status === 200;
    await rig.open(tenant.owner, '/settings/keys', DESKTOP, async (page, problems) => {
      await page.getByRole('button', { name: 'New API key' }).click();
      await page.getByLabel('Name').fill('Deployments');
      await page.getByLabel('Access').selectOption('read_write');
      await page.getByRole('button', { name: 'Create' }).click();
      const shown = page.getByRole('dialog').locator('code');
      const first = await shown.innerText();
      expect(await works(first)).toBe(true);
      await page.getByRole('button', { name: 'I’ve saved it' }).click();
      expect(await page.content()).not.toContain(first);
      await page.getByRole('button', { name: 'Rotate Deployments' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await page.getByText('Copy it now').waitFor();
      const second = await shown.innerText();
      expect([await works(first), await works(second)]).toEqual([false, true]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Revoke Deployments' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Revoked').waitFor();
      expect(await works(second)).toBe(false);
      expect(problems).toEqual([]);
    });
  });

  test('a secret variable is created with the keyboard, used in a monitor, changed, and deleted once it is unused', async () => {
    const path = `/api/projects/${tenant.projectId}/variables`;
    const { client } = tenant.owner;
    const find = async () => (await client.get(path)).data.variables[0];
    await rig.open(tenant.owner, '/settings/variables', DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'New variable' }).press('Enter');
      await page.getByLabel('Name').fill('Api');
      await page.getByLabel('Secret').press('Space');
      await page.getByLabel('Value').fill('first-value');
      await page.getByRole('button', { name: 'Create' }).press('Enter');
      await page.getByText('Must be 1 to 64 lower-case letters').waitFor();
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await page.getByLabel('Name').fill('api_token');
      await page.getByLabel('Name').press('Enter');
      await page.getByRole('row', { name: 'api_token Secret Hidden Not used' }).waitFor();
      expect(await page.content()).not.toContain('first-value');
      expect(await find()).toMatchObject({ name: 'api_token', value: null, is_secret: true });

      await page.goto(`${rig.app.url}/monitors/new`);
      await page.getByText('{{api_token}}').waitFor();
      await page.getByRole('textbox', { name: 'Target' }).fill('https://shop.example/{{api_tokens}}');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('Unknown variable: {{api_tokens}}').waitFor();
      await page.getByRole('textbox', { name: 'Target' }).fill('https://shop.example/{{api_token}}');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/);
      const monitorId = page.url().split('/').at(-1) as string;

      await page.goto(`${rig.app.url}/settings/variables`);
      await page.getByRole('button', { name: 'Edit api_token' }).click();
      await expect.poll(() => page.getByLabel('Name').isEditable()).toBe(false);
      await page.getByLabel('Value').fill('next-value');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await page.getByRole('button', { name: 'Delete api_token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('cannot be deleted while monitors use it').waitFor();
      await page.keyboard.press('Escape');
      await client.delete(`/api/monitors/${monitorId}`);
      await page.getByRole('button', { name: 'Edit api_token' }).click();
      await page.getByLabel('Secret').uncheck();
      await page.getByLabel('Value').fill('readable');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row', { name: 'api_token readable Not used' }).waitFor();
      await page.getByRole('button', { name: 'Delete api_token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No variables yet').waitFor();
      expect(await find()).toBeUndefined();
    });
  });

  test('a user changes the password, ends a session, and signs out everywhere', async () => {
    const person = (await rig.newTenant()).owner;
    await rig.open(person, '/settings/account', DESKTOP, async (page) => {
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password').fill('a new long password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Current password').fill(person.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed').waitFor();
      expect((await person.client.get('/api/auth/me')).status).toBe(401);
      const other = await rig.app.client.post('/api/auth/login', { email: person.email, password: 'a new long password' });
      const client = rig.app.client.with({ authorization: `Bearer ${other.data.token}` });
      await page.reload();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await expect.poll(async () => (await client.get('/api/auth/me')).status).toBe(401);
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL(/sign-in/);
    });
  });

  test('people are invited with roles, promoted and removed', async () => {
    await newMember(rig.app, tenant, 'viewer');
    await rig.open(tenant.owner, '/settings/people', DESKTOP, async (page, problems) => {
      await page.getByRole('button', { name: 'Invite people' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Email address').fill('grace@example.com');
      await dialog.getByLabel('Role in Default').selectOption('viewer');
      await dialog.getByRole('button', { name: 'Send invitation' }).click();
      await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Withdraw the invitation for soon@example.com' }).click();
      await page.getByRole('cell', { name: 'soon@example.com', exact: true }).waitFor({ state: 'detached' });
      await page.getByLabel('Role of viewer').selectOption('admin');
      const rolesNow = async () => ((await tenant.owner.client.get('/api/organization/members')).data.members as { name: string; role: string }[])
        .map(({ name, role }) => `${name}: ${role}`).toSorted();
      await expect.poll(rolesNow).toEqual(['Owner: owner', 'member: member', 'viewer: admin']);
      // The last owner cannot be demoted; the optimistic change is reverted.
      await page.getByLabel('Role of Owner').selectOption('viewer');
      await page.getByText('needs an owner').waitFor();
      await expect.poll(() => page.getByLabel('Role of Owner').inputValue()).toBe('owner');
      await page.getByRole('button', { name: 'Remove viewer' }).click();
      await page.getByText('They haven’t created any API keys').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Removed', { exact: true }).waitFor();
      expect(await rolesNow()).toEqual(['Owner: owner', 'member: member']);
      expect(problems.filter((line) => !line.includes('409'))).toEqual([]);
    });
    const { invitations } = (await tenant.owner.client.get('/api/organization/invitations')).data;
    expect(invitations).toMatchObject([{ email: 'grace@example.com', role: 'member', project_roles: { [tenant.projectId]: 'viewer' } }]);
  });

  test('removing a member shows the credentials that the member created, and revokes them', async () => {
    const leaver = await newMember(rig.app, tenant, 'admin');
    for (const name of ['Deployments', 'Backup']) await leaver.client.post('/api/auth/api-keys', { name });
    await leaver.client.post('/api/subscriptions', { name: 'Archive' });
    await leaver.client.post('/api/regions', { id: 'lima', name: 'Lima', city: 'Lima', country: 'PE' });
    await leaver.client.post('/api/regions/lima/enrolment-keys', { name: 'Rack' });
    const keys = async () => ((await tenant.owner.client.get('/api/auth/api-keys')).data.keys as { name: string }[])
      .map(({ name }) => name).toSorted();
    await rig.open(tenant.owner, '/settings/people', { ...PHONE, locale: 'de-DE' }, async (page, problems) => {
      await page.getByRole('button', { name: 'admin entfernen' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Deployments, Backup').waitFor();
      await dialog.getByText('API-Schlüssel (2)').waitFor();
      await dialog.getByText('Archive').waitFor();
      await dialog.getByText('Rack').waitFor();
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-settings-remove-person-phone');
      await dialog.getByLabel('Auch die Zugangsdaten widerrufen').check();
      await dialog.getByRole('button', { name: 'Entfernen' }).click();
      await page.getByText('Widerrufene API-Schlüssel: 2, Abonnements: 1, Aufnahmeschlüssel: 1').waitFor();
      expect(problems).toEqual([]);
    });
    expect(await keys()).toEqual(['reader', 'writer']);
    expect((await tenant.owner.client.get('/api/subscriptions')).data.subscriptions).toEqual([]);
  });

  test('an invitation is accepted by a new user, in their language', async () => {
    const name = '<b>Acme</b> & Co';
    await tenant.owner.client.patch('/api/organization', { name });
    const link = await invitationLink('neu@example.com');
    await rig.open(null, link, { ...PHONE, colorScheme: 'dark', locale: 'de-DE' }, async (page, problems) => {
      await page.getByRole('heading', { level: 1, name: `${name} beitreten` }).waitFor();
      await page.getByText('Sie sind als neu@example.com eingeladen.').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
      await takeScreenshot(page, 'console-invitation-new-phone');
      await page.getByLabel('Ihr Name').fill('Nele');
      await page.getByLabel('Passwort').fill(PASSWORD);
      await page.getByRole('button', { name: 'Einladung annehmen' }).click();
      await page.getByRole('heading', { level: 1, name: 'Monitore' }).waitFor();
      await expect.poll(() => new URL(page.url()).search).toBe('');
      // The browser reports the 401 of a signed-out session.
      expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
    });
    const { members } = (await tenant.owner.client.get('/api/organization/members')).data;
    expect(members).toContainEqual(expect.objectContaining({ email: 'neu@example.com', name: 'Nele', role: 'viewer' }));
  });

  test('an invitation is accepted by a user with an account, replacing the signed-in user', async () => {
    const existing = (await rig.newTenant()).owner;
    const link = await invitationLink(existing.email);
    const organizations = async () => (await existing.client.get('/api/auth/me')).data.organizations.map(({ id }: { id: string }) => id);
    await rig.open(tenant.owner, link, DESKTOP, async (page) => {
      await page.getByText(`You’re signed in as ${tenant.owner.email}.`).waitFor();
      await expect.poll(() => page.getByLabel('Your name').count()).toBe(0);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-invitation-known');
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Accept invitation' }).click();
      await page.getByRole('alert').getByText('INVALID_CREDENTIALS').waitFor();
      expect(await organizations()).not.toContain(tenant.organizationId);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept invitation' }).click();
      await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
      expect(await organizations()).toContain(tenant.organizationId);
      await page.goto(`${rig.app.url}/settings/account`);
      await page.getByText(existing.email).first().waitFor();
      await page.goto(`${rig.app.url}${link}`);
      await page.getByRole('heading', { level: 1, name: 'This invitation is no longer valid' }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
    });
  });

  test('the plan is changed, a project created and its roles assigned, and the audit log shows it', async () => {
    let pingKey: string | null = null;
    await rig.open(tenant.owner, '/settings/plan', DESKTOP, async (page, problems) => {
      await page.getByRole('button', { name: 'Change plan' }).click();
      await page.getByRole('dialog').getByLabel('Plan and usage').selectOption('pro');
      await page.getByRole('dialog').getByRole('button', { name: 'Change plan' }).click();
      await page.getByText('Plan: pro').waitFor();
      await page.getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('button', { name: 'New project' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Shop');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Roles in Shop' }).click();
      await page.getByRole('dialog').getByLabel('member').selectOption('editor');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Ping key of Shop' }).click();
      await page.getByRole('button', { name: 'Show key' }).click();
      const key = page.getByLabel('Ping key', { exact: true });
      const old = await key.textContent();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog', { name: 'Rotate the ping key?' }).getByRole('button', { name: 'Rotate' }).click();
      await page.getByText('Ping key rotated').waitFor();
      await expect.poll(() => key.textContent()).not.toBe(old);
      pingKey = await key.textContent();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('link', { name: 'Project created' }).click();
      await page.getByRole('link', { name: 'Project members changed' }).waitFor({ state: 'detached' });
      await expect.poll(() => new URL(page.url()).searchParams.get('action')).toBe('project.created');
      await page.locator('tbody tr').first().waitFor();
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      expect(problems).toEqual([]);
    });
    const { projects } = (await tenant.owner.client.get('/api/projects')).data;
    const shop = projects.find(({ name }: { name: string }) => name === 'Shop');
    expect((await tenant.owner.client.get(`/api/projects/${shop.id}/ping-key`)).data.ping_key).toBe(pingKey);
    const { members } = (await tenant.owner.client.get(`/api/projects/${shop.id}/members`)).data;
    expect(members).toContainEqual(expect.objectContaining({ name: 'member', role: 'editor' }));
  });

  test('owners read that the operator changes plans, and only the operator sees the form', async () => {
    const managed = await openConsole({ env: { PLAN_CHANGES: 'operator' } });
    try {
      const [{ owner: operator }, { owner }] = [await managed.newTenant(), await managed.newTenant()];
      await managed.open(owner, '/settings/plan', { ...PHONE, locale: 'de-DE' }, async (page) => {
        await page.getByText('Nur der Betreiber dieser Installation kann den Tarif wechseln.').waitFor();
        expect(await findViolationsInSweptView(page)).toEqual([]);
        await expect.poll(() => page.getByRole('button', { name: 'Tarif wechseln' }).count()).toBe(0);
      });
      await managed.open(operator, '/settings/plan', DESKTOP, async (page) => {
        await page.getByRole('button', { name: 'Change plan' }).waitFor();
        await expect.poll(() => page.getByText('Only the operator').count()).toBe(0);
      });
    } finally {
      await managed.close();
    }
  });

  test('a member sees only the settings of their own account', async () => {
    const member = await newMember(rig.app, tenant, 'member');
    await rig.open(member, '/settings/keys', DESKTOP, async (page) => {
      await page.getByText('Page not found').waitFor();
      await page.goto(`${rig.app.url}/settings`);
      await page.getByText('Active sessions').waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    });
  });
});
