import type { Page } from 'playwright-core';

/** Fills in and submits the dialog that adds a probe, and creates a new region in it. */
export async function enrolProbe(page: Page, name: string, regionName: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a probe' }).click();
  const probe = page.getByRole('dialog', { name: 'Add a probe' });
  await probe.getByLabel('Name').fill(name);
  await probe.getByLabel('Region').selectOption('New region…');
  const region = page.getByRole('dialog', { name: 'Add a region' });
  await region.getByLabel('Name', { exact: true }).fill(regionName);
  await region.getByLabel('City').fill('Dublin');
  await region.getByLabel('Country').fill('IE');
  await region.getByRole('button', { name: 'Create' }).click();
  await region.waitFor({ state: 'detached' });
  await probe.getByRole('button', { name: 'Create' }).click();
}
