import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../helpers/until.ts';
import { DESKTOP, openConsole, TOUCH_PHONE } from './console-rig.ts';
import { seedConsole, SIGNED_OUT_VIEWS } from './seeded-console.ts';

const APPEARANCES = {
  light: { ...DESKTOP, colorScheme: 'light' }, dark: { ...DESKTOP, colorScheme: 'dark' },
  phone: { ...TOUCH_PHONE, colorScheme: 'light' }, german: { ...DESKTOP, colorScheme: 'light', locale: 'de-DE' },
  'german-phone': { ...TOUCH_PHONE, colorScheme: 'dark', locale: 'de-DE' },
} as const;
/** Selects a row of the overview whose statistics have loaded. */
const UPTIME = /^(Uptime over 24 hours|Verfügbarkeit, 24 Stunden): \d/;
/** Prevents hanging: a view that never finishes loading is a bug. */
const STEP_TIMEOUT_MS = 60_000;

/** Saves screenshots of all views of the built console, with sample data, to `folder`; returns how many. */
export async function takeScreenshots(
  consoleDir: string, folder: string, log: (line: string) => void,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const rig = await openConsole({ consoleDir });
  let count = 0;
  try {
    const tenant = await rig.newTenant();
    const signedInViews = await seedConsole(rig, tenant);
    for (const [appearance, options] of Object.entries(APPEARANCES)) {
      for (const [views, person] of [[SIGNED_OUT_VIEWS, null], [signedInViews, tenant.owner]] as const) {
        await rig.open(person, '/', options, async (page) => {
          for (const [name, path] of Object.entries(views)) {
            await page.goto(`${rig.app.url}${path}`);
            await isDrawn(page, name);
            await page.screenshot({ path: join(folder, `${name}-${appearance}.png`), fullPage: appearance.endsWith('phone') });
            count += 1;
          }
        });
      }
      log(`${appearance}: done`);
    }
  } finally {
    await rig.close();
  }
  return count;
}

/** Waits until a view has loaded everything. */
async function isDrawn(page: Page, name: string): Promise<void> {
  await page.locator('#app > :not(.boot, .toasts)').first().waitFor({ timeout: STEP_TIMEOUT_MS });
  const isLoaded = async () => (await page.locator('.skeleton').count()) === 0;
  await until(isLoaded, { what: `${name} is loaded`, timeoutMs: STEP_TIMEOUT_MS });
  if (name.startsWith('overview')) await page.getByRole('img', { name: UPTIME }).first().waitFor();
  if (name === 'status-page') await page.frameLocator('iframe').getByRole('heading').first().waitFor();
}
