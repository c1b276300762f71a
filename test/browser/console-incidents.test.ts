import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import { IncidentUpdateStore, VoteStore } from '../../controller/incidents/history-store.ts';
import { newId } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findAccessibilityViolations, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';
import { regionsOfSplitPath, seedDiagnosis } from '../helpers/seeded-diagnosis.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let checkIncident: string;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  checkIncident = await createCheckIncident();
  for (const title of ['Search is slow for some', '<img src=x onerror=alert(1)> in a title']) await report(title);
});
afterAll(() => rig?.close());

const report = async (title: string) => (await tenant.writeKey.post('/api/incidents', {
  severity: 'minor', type: 'slow_response', error_message: 'Answers take four seconds', title,
})).data.incident.id as string;

/** An incident as checks open it, with the votes of three regions. */
async function createCheckIncident(name = 'Checkout', at = Date.now() - 300_000): Promise<string> {
  const { app } = rig;
  const stores = { updates: new IncidentUpdateStore(app.db), votes: new VoteStore(app.db) };
  const outbox = new IncidentOutbox({ incidents: app.controller.stores.incidents, ...stores }, systemClock);
  const { organizationId: organization_id, projectId: project_id } = tenant;
  const monitor = monitorConfig({ organization_id, project_id, name, monitor_id: newId(at) });
  const id = newId(at);
  await outbox.open({
    id, monitor, severity: 'critical', type: 'timeout', error_message: 'No response within 10 s',
    affected_regions: ['paris', 'dallas'], failure_count: 4, started_at: at,
  });
  const vote = { probe_id: 'p', at: at - 1000, engine: '1.2.0', weight: 'counted' as const, attempt: 2 };
  const error = { type: 'timeout' as const, message: 'No response within 10 s' };
  await stores.votes.insertIfAbsent({
    id: newId(at), monitor_id: monitor.monitor_id, organization_id, project_id, incident_id: id, at, verdict: 'down',
    policy: { regions: 'majority', retries: 1 },
    votes: [
      { ...vote, region: 'paris', vote: 'down', error }, { ...vote, region: 'dallas', vote: 'down', error },
      { ...vote, region: 'osaka', vote: 'up', attempt: 0 },
    ],
  });
  return id;
}

/** Width of the page beyond that of the window. */
const WIDER = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const textsOf = async (elements: Locator) => (
  (await elements.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
);
/** The stops of one of the paths; the list of paths comes first. */
const stopsOf = (paths: Locator, path: number) => textsOf(paths.getByRole('list').nth(path).getByRole('listitem'));

const heading = (name: string) => ({ level: 1, name }) as const;

describe('incidents in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/incidents', { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: /Checkout/ }).first().waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-incidents-phone');
      await page.goto(`${rig.app.url}/incidents/${checkIncident}`);
      await page.getByText('Votes by region').waitFor();
      await page.getByRole('row', { name: /osaka/ }).waitFor();
      await page.getByText('Incident opened').waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
      await takeScreenshot(page, 'console-incident-phone');
    });
  });

  test('the URL contains the filters, and user text is not markup', async () => {
    await rig.open(tenant.owner, '/incidents', DESKTOP, async (page, problems) => {
      await page.getByText('3 incidents').waitFor();
      await page.getByLabel('Severity').selectOption('critical');
      await page.getByText('1 incident', { exact: true }).waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('severity')).toBe('critical');
      await page.goto(`${rig.app.url}/incidents?search=onerror`);
      await page.getByRole('link', { name: '<img src=x onerror=alert(1)> in a title' }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('an incident names what it has in common with others, and links to them', async () => {
    const { causes, incidents } = rig.app.controller.stores;
    const [id, ...others] = [await createCheckIncident(), await createCheckIncident('Search'), await createCheckIncident('Pay')];
    const causeId = newId(Date.now());
    await causes.include({
      _id: causeId, organization_id: tenant.organizationId, project_ids: [tenant.projectId], kind: 'address', value: '192.0.2.7',
      monitors_having: 3, started_at: Date.now() - 300_000, ended_at: null,
    });
    await incidents.setCause(causeId, [id, ...others]);
    await rig.open(tenant.owner, `/incidents/${id}`, DESKTOP, async (page, problems) => {
      const cause = page.getByRole('region', { name: 'Common cause' });
      await cause.getByText('3 monitors behind 192.0.2.7').waitFor();
      await cause.getByText('Other incidents with this cause').click();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-cause');
      await cause.getByRole('link', { name: 'Search is down' }).click();
      await page.getByRole('heading', heading('Search is down')).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('the diagnosis appears with a change of the incident, and shows where the path of each region breaks', async () => {
    const id = await createCheckIncident('Warehouse', Date.now());
    await rig.open(tenant.owner, `/incidents/${id}`, DESKTOP, async (page, problems) => {
      const diagnosis = page.getByRole('region', { name: 'Diagnosis' });
      await diagnosis.getByText('The diagnosis appears here within a minute').waitFor();
      await seedDiagnosis(rig.app, tenant, { id, monitorId: newId(Date.now()) });
      await page.getByRole('button', { name: /^Acknowledge/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
      await diagnosis.getByRole('heading', { name: /The paths from paris and dallas end/ }).waitFor();
      await diagnosis.getByText('Problem on the network path').waitFor();
      const paths = diagnosis.getByRole('region', { name: 'Path from each region' });
      await expect.poll(async () => (await textsOf(paths.getByRole('heading', { level: 5 }))).map((text) => text.split(' ')[0]))
        .toEqual(['paris', 'dallas', 'osaka']);
      await expect.poll(() => stopsOf(paths, 1)).toEqual([
        'Probe probe-paris', 'Hop 1 10.0.0.1 0.4 ms', 'Hop 2 192.0.2.1 2.1 ms', 'Hop 3 No response', 'Hop 4 198.51.100.3 9.8 ms',
        'Hop 5 198.51.100.9 11 ms', '✕ No response beyond this point', 'Hop 6–10 5 hops, no response', '✕ Target 203.0.113.80',
      ]);
      await expect.poll(async () => (await stopsOf(paths, 3)).slice(3)).toEqual([
        'Hop 3–5 3 hops, no response', 'Hop 6 198.51.100.77 88 ms', 'Hop 7 203.0.113.1 141 ms', '✓ Target 203.0.113.80 143 ms',
      ]);
      await diagnosis.getByText('Addresses, name servers and TLS by region').click();
      await diagnosis.getByRole('row', { name: /paris.*10\.0\.0\.53: SERVFAIL/ }).waitFor();
      await page.setViewportSize(PHONE.viewport);
      await expect.poll(() => page.evaluate(WIDER)).toBeLessThanOrEqual(1);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
      await takeScreenshot(page, 'console-diagnosis-phone');
      await page.goto(`${rig.app.url}/incidents`);
      await page.getByRole('row', { name: /Warehouse.*The paths from paris and dallas end/ }).waitFor();
    });
  });

  test('an incident without a diagnosis says so, and one of many regions shows some of them first', async () => {
    const incident = { id: await createCheckIncident('Depot'), monitorId: newId(Date.now()) };
    await rig.open(tenant.owner, `/incidents/${incident.id}`, DESKTOP, async (page, problems) => {
      const diagnosis = page.getByRole('region', { name: 'Diagnosis' });
      await diagnosis.getByText('No diagnosis is available for this incident').waitFor();
      const regions = Array.from({ length: 5 }, (_, at) => (
        regionsOfSplitPath(incident.monitorId, Date.now()).map((one) => ({ ...one, region: `${one.region}-${at}` }))
      )).flat();
      await seedDiagnosis(rig.app, tenant, incident, {
        classification: 'unknown', summary: 'Two regions disagree', decided_by: [], regions,
      });
      await page.route('**/diagnosis', (route) => route.fulfill({
        status: 500, json: { success: false, error: { code: 'INTERNAL_SERVER_ERROR', message: 'Broken' } },
      }), { times: 1 });
      await page.reload();
      await diagnosis.getByRole('alert').getByText('Broken').waitFor();
      await diagnosis.getByRole('button', { name: 'Try again' }).click();
      await diagnosis.getByText(/No conclusion$/).waitFor();
      await diagnosis.getByText('A conclusion requires two independent observations').waitFor();
      await expect.poll(() => diagnosis.locator('.path').count()).toBe(6);
      await diagnosis.getByRole('button', { name: 'Show all 15 regions' }).click();
      await expect.poll(() => diagnosis.locator('.path').count()).toBe(15);
      expect(problems.filter((line) => !line.includes('500'))).toEqual([]);
    });
  });

  test('can be handled with the keyboard alone, and the API shows the same', async () => {
    const id = await report('Invoices are not sent');
    await rig.open(tenant.owner, '/incidents', DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'Invoices are not sent' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', heading('Invoices are not sent')).waitFor();
      await page.keyboard.press('a');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type('I look after it');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Acknowledged by Owner').waitFor();
      await page.getByRole('textbox', { name: 'Comment' }).fill('The queue is stuck.');
      await page.getByRole('button', { name: 'Comment' }).click();
      await page.getByText('The queue is stuck.').first().waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Comment' }).first().fill('The queue was stuck.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The queue was stuck.').first().waitFor();
      await page.getByRole('button', { name: 'Write a postmortem' }).click();
      await page.getByRole('textbox', { name: 'Postmortem' }).fill('# Why\n\nA [disk](javascript:alert(1)) was **full**. See [it](https://wiki.example/).\n\n<b>html</b>');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Why' }).waitFor();
      await expect.poll(() => page.locator('.markdown a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))))
        .toEqual(['https://wiki.example/']);
      await expect.poll(() => page.locator('.markdown b').count()).toBe(0);
      await page.keyboard.press('r');
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      await page.getByRole('button', { name: 'Close permanently' }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
    const { incident } = (await tenant.readKey.get(`/api/incidents/${id}`)).data;
    expect(incident).toMatchObject({ status: 'resolved', acknowledged_by_name: 'Owner', postmortem: { author: { name: 'Owner' } } });
    const { comments } = (await tenant.owner.client.get(`/api/incidents/${id}/comments`)).data;
    expect(comments.map((one: { comment_text: string }) => one.comment_text)).toEqual(['The queue was stuck.']);
  });

  test('resolving an incident that checks opened warns that it may reopen; for other incidents, it does not', async () => {
    const manualIncident = await report('Letters are late');
    const dialogOf = async (id: string, locale: string, verb: RegExp) => {
      let text = '';
      await rig.open(tenant.owner, `/incidents/${id}`, { ...DESKTOP, locale }, async (page) => {
        await page.getByRole('button', { name: verb }).click();
        text = await page.getByRole('dialog').innerText();
      });
      return text;
    };
    expect(await dialogOf(checkIncident, 'en-GB', /^Resolve/)).toContain('still down in 5 minutes, a new incident opens');
    expect(await dialogOf(checkIncident, 'de-DE', /^Beheben/)).toContain('wird ein neuer Vorfall eröffnet');
    expect(await dialogOf(manualIncident, 'en-GB', /^Resolve/)).not.toContain('5 minutes');
  });

  test('entered text survives an unavailable server', async () => {
    await rig.open(tenant.owner, '/incidents', DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'Report an incident' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Title').fill('Phones are dead in Berlin');
      await dialog.getByLabel('What’s wrong').fill('Nobody can call us');
      await page.context().setOffline(true);
      await dialog.getByRole('button', { name: 'Report an incident' }).click();
      await dialog.getByText('The server cannot be reached').waitFor();
      await page.context().setOffline(false);
      await dialog.getByRole('button', { name: 'Report an incident' }).click();
      await page.getByRole('heading', heading('Phones are dead in Berlin')).waitFor();
    });
  });
});
