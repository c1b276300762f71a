import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { assign } from '../helpers/assigned.ts';
import { addRegion } from '../helpers/make-app.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findViolationsInOverlay, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  await addRegion(rig.app, 'madrid', { name: 'Madrid', city: 'Madrid', country: 'ES', lat: 40.4, lon: -3.7, visibility: 'private', organization_id: tenant.organizationId });
  for (const name of ['rack 4', 'rack 9']) await addProbe(name);
});
afterAll(() => rig?.close());

async function addProbe(name: string, region = 'madrid'): Promise<string> {
  return (await tenant.owner.client.post('/api/probes', { region_id: region, name })).data.probe.id;
}

/** Lets a probe that never runs see others: the tests of the bus have those that do. */
async function addMesh(page: Page, id: string, mesh: object[]): Promise<void> {
  const withMesh = <T extends { id: string }>(probe: T) => (probe.id === id ? { ...probe, mesh } : probe);
  await page.route(/\/api\/probes(\/[^/]+)?$/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    const shown = data.probes ? { probes: data.probes.map(withMesh) } : { probe: withMesh(data.probe) };
    await route.fulfill({ response, json: { ...rest, data: shown } });
  });
}

describe('the fleet in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/fleet', { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: 'rack 4' }).waitFor();
      await page.getByRole('img', { name: /Probe locations\. Madrid: rack 4 Enrolling/ }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-fleet-phone');
      await page.getByRole('link', { name: 'rack 4' }).click();
      await page.getByRole('heading', { level: 1, name: 'rack 4' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-probe-phone');
      await page.getByRole('link', { name: 'All probes' }).click();
      await page.getByRole('link', { name: 'Regions' }).click();
      await page.getByRole('rowheader', { name: /Madrid/ }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  test.each([
    ['en-GB', 'light', /Madrid – Osaka: Broken/, 'Broken paths', 'Broken', 'Paths to other probes', /Hanoi.*OK.*12/],
    ['de-DE', 'dark', /Madrid – Osaka: Unterbrochen/, 'Unterbrochene Pfade', 'Unterbrochen', 'Pfade zu anderen Probes', /Hanoi.*In Ordnung.*12/],
  ] as const)('paths between probes are on the map and in words: %s, %s', async (locale, colorScheme, onMap, title, broken, paths, row) => {
    const ids: string[] = [];
    for (const [id, name, lat, lon] of [['madrid', 'Madrid', 40.4, -3.7], ['osaka', 'Osaka', 34.7, 135.5], ['hanoi', 'Hanoi', 21, 105.8]] as const) {
      await addRegion(rig.app, id, { name, city: name, lat, lon, visibility: 'private', organization_id: tenant.organizationId });
      ids.push(await addProbe(`at ${name}`, id));
    }
    const [from, silent, responding] = ids as [string, string, string];
    await rig.open(tenant.owner, '/fleet', { ...DESKTOP, locale, colorScheme }, async (page, problems) => {
      await addMesh(page, from, [
        { probe_id: silent, region: 'osaka', state: 'broken', rtt_ms: null, at: Date.now() },
        { probe_id: responding, region: 'hanoi', state: 'ok', rtt_ms: 12, at: Date.now() },
      ]);
      await page.reload();
      await page.getByRole('img', { name: onMap }).waitFor();
      await expect.poll(() => page.locator('.world-map .line').count()).toBe(2);
      await expect.poll(() => page.locator('.world-map .line text').allTextContents()).toEqual(['✕']);
      const list = page.getByRole('region', { name: title });
      await expect.poll(() => list.getByRole('listitem').allTextContents()).toEqual([`✕ ${broken} at Madrid (Madrid) → at Osaka (Osaka)`]);
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, `console-fleet-paths-${locale}`);
      await list.getByRole('link', { name: 'at Madrid' }).click();
      await page.getByRole('region', { name: paths }).getByRole('row', { name: row }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, `console-probe-paths-${locale}`);
      expect(problems).toEqual([]);
    });
    for (const id of ids) await tenant.owner.client.delete(`/api/probes/${id}`);
  });

  test('a probe is added in a new region, with a command to copy', async () => {
    await rig.open(tenant.owner, '/fleet', DESKTOP, async (page, problems) => {
      await page.getByRole('button', { name: 'Add a probe' }).click();
      await page.getByLabel('Name').fill('attic');
      await page.getByLabel('Region').selectOption('+');
      const region = page.getByRole('dialog', { name: 'Add a region' });
      await region.getByLabel('Name', { exact: true }).fill('Zürich West');
      await expect.poll(() => region.getByLabel('Short name').inputValue()).toBe('zurich-west');
      await region.getByLabel('City').fill('Zürich');
      await region.getByLabel('Country').fill('CH');
      await takeScreenshot(page, 'console-add-region');
      await region.getByRole('button', { name: 'Create' }).click();
      await region.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create' }).click();
      const command = await page.getByLabel('Command that starts the probe').textContent();
      expect(command).toMatch(new RegExp(`^FARWATCH_TOKEN=\\S{20,} npx farwatch probe --controller ${rig.app.url}$`));
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-enrol');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('row', { name: /attic.*Enrolling/ }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('the operator can replace a private region whose short name is taken', async () => {
    const foreign = await rig.newTenant();
    await addRegion(rig.app, 'lisbon', { name: 'Theirs', visibility: 'private', organization_id: foreign.organizationId });
    await rig.open(tenant.owner, '/fleet', DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'Add a region' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a region' });
      await dialog.getByLabel('Name', { exact: true }).fill('Lisbon');
      await dialog.getByLabel('City').fill('Lisbon');
      await dialog.getByLabel('Country').fill('PT');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.locator('.wrong', { hasText: 'An organization has a private region with this id' }).waitFor();
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await dialog.getByLabel('Replace the private region').check();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Regions' }).click();
      await page.getByRole('row', { name: /Lisbon lisbon.*all organizations/ }).waitFor();
    });
  });

  test('the form for a probe appears once the regions are loaded', async () => {
    await rig.open(tenant.owner, '/fleet', DESKTOP, async (page) => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => { release = resolve; });
      await page.route('**/api/regions', async (route) => {
        await released;
        await route.continue();
      });
      await page.reload();
      await page.getByRole('button', { name: 'Add a probe' }).click();
      await page.getByRole('dialog', { name: 'Add a probe' }).locator('.skeleton').waitFor();
      release();
      await page.getByRole('dialog', { name: 'Add a probe' }).getByLabel('Region').waitFor();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    });
  });

  test('a probe lists its monitors, and a monitor shows its probe', async () => {
    const probe = { id: await addProbe('loft'), region: 'madrid' };
    const ids: string[] = [];
    for (let at = 1; at <= 11; at += 1) {
      const body = { name: `Shop ${at}`, type: 'HTTP', target: `https://shop${at}.example/`, interval_seconds: 300 };
      const id: string = (await tenant.owner.client.post('/api/monitors', body)).data.monitor.id;
      await assign(rig.app, tenant, id, probe);
      ids.push(id);
    }
    const foreign = await rig.newTenant();
    await assign(rig.app, foreign, newId(1), probe);
    const region = {
      region: 'madrid', status: 'down' as const, reason: 'timeout', last_check_at: 1, response_time_ms: null, probe_id: probe.id,
    };
    rig.app.owners.live.set(ids[6] as string, {
      status: 'down', since: 1, in_maintenance: false, last_check_at: 1, last_success_at: null, last_failure_at: 1,
      open_incident: null, regions: [region],
    });
    await rig.open(tenant.owner, `/fleet/probes/${probe.id}`, DESKTOP, async (page, problems) => {
      const runs = page.getByRole('region', { name: 'Assigned monitors' });
      await runs.getByText('11 in this project, 1 in other projects').waitFor();
      await runs.getByRole('row', { name: /Shop 7 HTTP.*Down/ }).waitFor();
      await takeScreenshot(page, 'console-probe-monitors');
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await runs.getByLabel('Search by name or target').click();
      await page.keyboard.type('shop');
      await page.waitForURL(/search=shop$/);
      await page.keyboard.type('1');
      await runs.getByText('3 found').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('shop1');
      await runs.getByLabel('Search by name or target').fill('');
      await runs.getByRole('link', { name: 'Shop 7' }).click();
      await page.getByRole('region', { name: 'Regions' }).getByRole('link', { name: 'loft' }).click();
      await page.getByRole('heading', { level: 1, name: 'loft' }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('an enrolment key of a region is created, shown once and deleted', async () => {
    const keys = async () => (await tenant.owner.client.get('/api/regions/madrid/enrolment-keys')).data.enrolment_keys;
    await rig.open(tenant.owner, '/fleet/regions', DESKTOP, async (page, problems) => {
      await page.getByRole('button', { name: 'Enrolment keys of Madrid' }).click();
      const list = page.getByRole('dialog', { name: 'Enrolment keys of Madrid' });
      await list.getByText('No enrolment keys yet').waitFor();
      await list.getByRole('button', { name: 'New enrolment key' }).click();
      const form = page.getByRole('dialog', { name: 'New enrolment key' });
      await form.getByLabel('Name', { exact: true }).fill('rack 12');
      await form.getByLabel('Expires').selectOption('in 7 days');
      await form.getByLabel('Maximum uses').fill('20');
      await form.getByLabel('Allowed addresses').fill('192.0.2.1');
      await form.getByLabel('Ephemeral probes').check();
      await form.getByRole('button', { name: 'Create' }).click();
      await form.locator('.wrong', { hasText: 'Must be a range like 192.0.2.0/24' }).waitFor();
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await form.getByLabel('Allowed addresses').fill('192.0.2.0/24, 2001:db8::/48');
      await form.getByRole('button', { name: 'Create' }).click();
      const shown = page.getByRole('dialog', { name: 'rack 12' });
      const key = await shown.getByLabel('Enrolment key').textContent();
      expect(key).toMatch(/^fwe_[0-9a-f]{64}$/);
      await expect.poll(() => shown.getByLabel('Command that starts the probe').textContent())
        .toBe(`FARWATCH_TOKEN=${key} npx farwatch probe --controller ${rig.app.url}`);
      await expect.poll(() => shown.getByLabel('Command that creates the Kubernetes secret').textContent())
        .toBe(`kubectl create secret generic farwatch-enrolment-key --from-literal=FARWATCH_TOKEN=${key}`);
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-enrolment-key');
      await shown.getByRole('button', { name: 'Done' }).click();
      await list.getByRole('row', { name: /rack 12 ephemeral.*192\.0\.2\.0\/24, 2001:db8::\/48.*0 of 20/ }).waitFor();
      expect(await page.content()).not.toContain(key);
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-enrolment-keys');
      expect(await keys()).toMatchObject([{ name: 'rack 12', max_uses: 20, is_ephemeral: true, name_prefix: null }]);
      await list.getByRole('button', { name: 'Delete the enrolment key rack 12?' }).click();
      await page.getByRole('dialog', { name: 'Delete the enrolment key rack 12?' }).getByRole('button', { name: 'Delete' }).click();
      await list.getByText('No enrolment keys yet').waitFor();
      expect(await keys()).toEqual([]);
      // The browser itself reports the refused form.
      expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
    });
  });

  test('a probe is edited and revoked', async () => {
    const id = await addProbe('cellar');
    const read = async () => (await tenant.owner.client.get(`/api/probes/${id}`)).data?.probe;
    await rig.open(tenant.owner, '/fleet', DESKTOP, async (page) => {
      const actions = page.getByRole('button', { name: 'Actions for cellar' });
      await actions.click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByLabel('Provider').fill('Acme');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      expect(await read()).toMatchObject({ provider: 'Acme' });
      await actions.click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await actions.waitFor({ state: 'detached' });
      expect(await read()).toBeUndefined();
    });
  });
});
