import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AcknowledgeTokens } from '../../controller/access/link-tokens.ts';
import { newId } from '../../shared/ids.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newTenant } from '../helpers/tenants.ts';
import { APPEARANCE_RULES, findAccessibilityViolations, startChromium, takeScreenshot } from './chromium.ts';
import { lendPage } from './kept-pages.ts';

let rig: IncidentApp;
let browser: Browser;
let url: string;

beforeAll(async () => {
  [rig, browser] = await Promise.all([makeIncidentApp(), startChromium()]);
  const { organizationId: organization_id, projectId: project_id, owner } = await newTenant(rig.app);
  const incidentId = newId(Date.now());
  await rig.incidents.outbox.open({
    id: incidentId, monitor: monitorConfig({ organization_id, project_id, name: 'Shop' }), severity: 'critical',
    type: 'timeout', error_message: `No response in 10 s ${'x'.repeat(300)}`, affected_regions: [], failure_count: 2,
    started_at: rig.clock.now(),
  });
  const body = { name: 'On call', type: 'email', config: { to: ['ops@example.com'] } };
  const { integration } = (await owner.client.post('/api/integrations', body)).data;
  const tokens = new AcknowledgeTokens(rig.app.accounts.acknowledgeKeys);
  const token = tokens.issue({ incidentId, destinationId: integration.id, recipient: 'ops@example.com' });
  url = `${rig.app.url}/acknowledge?token=${token}`;
});
afterAll(async () => {
  await browser?.close();
  await rig?.app.close();
});

test.each(['light', 'dark'] as const)('the page of an alert is accessible and fits a phone, in %s', async (colorScheme) => {
  await lendPage(browser, { colorScheme, viewport: { width: 360, height: 700 } }, async (page) => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor();
    const rules = colorScheme === 'dark' ? fewOrAll(APPEARANCE_RULES, undefined) : undefined;
    expect(await findAccessibilityViolations(page, rules)).toEqual([]);
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await takeScreenshot(page, `acknowledge-${colorScheme}`);
  });
});

test('its button acknowledges the incident without JavaScript', async () => {
  await lendPage(browser, { javaScriptEnabled: false }, async (page) => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Acknowledged by On call (ops@example.com).').waitFor();
  });
});
