import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { publisherOn, type LiveEvent } from '../../controller/events/event.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import type { MonitorLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import { createLog } from '../../shared/log.ts';
import type { Loose } from '../helpers/api-client.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { APPEARANCE_RULES, findAccessibilityViolations, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, LONG_PHONE, openConsole, type ConsoleRig } from './console-rig.ts';

const HOUR_MS = 3_600_000;

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await openConsole();
});
afterAll(() => rig?.close());

async function create(tenant: Tenant, change: Loose): Promise<string> {
  const body = { type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, ...change };
  const response = await tenant.writeKey.post('/api/monitors', body);
  if (response.status !== 201) throw new Error(response.text);
  return response.data.monitor.id;
}

const liveState = (change: Partial<MonitorLive> = {}): MonitorLive => ({
  status: 'up', since: Date.now() - 2 * HOUR_MS, last_check_at: Date.now() - 5000, last_success_at: null,
  last_failure_at: null, open_incident: null, in_maintenance: false, ...change,
  regions: [{
    region: 'eu', status: change.status ?? 'up', reason: null, last_check_at: Date.now() - 5000, response_time_ms: 123,
    probe_id: null,
  }],
});

/** Four monitors: one is down, one slow, one in a group, one with a tag. */
async function createFourMonitors(): Promise<{ tenant: Tenant; ids: Record<'Down' | 'Slow' | 'Shop' | 'Web', string> }> {
  const tenant = await rig.newTenant();
  const { data: group } = await tenant.writeKey.post('/api/groups', { name: 'Shops' });
  const ids = {
    Down: await create(tenant, { name: 'Down' }), Slow: await create(tenant, { name: 'Slow', type: 'TCP', target: 'db.example:5432' }),
    Shop: await create(tenant, { name: 'Shop', group_id: group.id }), Web: await create(tenant, { name: 'Web', tags: ['front'] }),
  };
  for (const id of Object.values(ids)) rig.app.owners.live.set(id, liveState());
  rig.app.owners.live.set(ids.Down, liveState({ status: 'down', since: Date.now() - 5 * 60_000 }));
  rig.app.owners.live.set(ids.Slow, liveState({ status: 'degraded' }));
  for (const id of Object.values(ids)) {
    rig.app.owners.figures.set(id, { uptime_percentage: 99.5, avg_response_time: 120, total_checks: 9, failed_checks: 1 });
  }
  return { tenant, ids };
}

const shownNames = (page: Page) => page.locator('.monitor .name a').allTextContents();

describe('the list of monitors', () => {
  test('has no accessibility violations on a phone', async () => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/', { ...LONG_PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      await page.getByRole('img', { name: /Uptime over 24 hours: 99/ }).first().waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-overview-phone');
      await page.getByLabel('Group by').selectOption('tree');
      await page.getByRole('checkbox', { name: 'Select Web' }).click();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-overview-tree-phone');
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    });
  });

  test('lists down monitors first, with the start and the regions', async () => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      expect(await shownNames(page)).toEqual(['Down', 'Slow', 'Shop', 'Web']);
      const row = page.getByRole('row').filter({ hasText: 'Down' }).nth(0);
      await expect.poll(() => page.locator('.monitor.down').textContent()).toMatch(/Down · 5 min.*in eu/);
      await expect.poll(() => row.count()).toBe(1);
      await expect.poll(() => page.getByRole('table').getAttribute('aria-rowcount')).toBe('5');
    });
  });

  test('is searched, filtered, grouped and sorted by its URL, and the back button works', async () => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/?group=tag&sort=name', DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'front' }).waitFor();
      expect(await shownNames(page)).toEqual(['Web', 'Down', 'Shop', 'Slow']);
      await page.getByLabel('Group by').selectOption('none');
      await page.getByRole('searchbox').fill('db.ex');
      await page.getByText('1 of 4 monitors').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('db.ex');
      await page.reload();
      await page.getByText('1 of 4 monitors').waitFor();
      expect(await shownNames(page)).toEqual(['Slow']);
      await page.goBack();
      await page.getByRole('button', { name: 'front' }).waitFor();
      await page.getByRole('button', { name: '1 Down' }).click();
      await page.getByText('1 of 4 monitors').waitFor();
      expect(await shownNames(page)).toEqual(['Down']);
    });
  });

  test('can be navigated and selected from with keys alone', async () => {
    const { tenant, ids } = await createFourMonitors();
    await rig.open(tenant.owner, '/?sort=name', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await expect.poll(() => page.getByRole('checkbox', { name: 'Select Shop' }).isChecked()).toBe(true);
      await page.keyboard.press('Escape');
      await page.getByText('1 selected').waitFor({ state: 'detached' });
      await page.keyboard.press('k');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Down' }).waitFor();
      await expect.poll(() => page.url()).toBe(`${rig.app.url}/monitors/${ids.Down}`);
      await page.goBack();
      await page.getByRole('link', { name: 'Web' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('web');
      await page.getByText('1 of 4 monitors').waitFor();
    });
  });

  test('accepts typing right after a change of the view, before the list has loaded', async () => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      await page.keyboard.type('gi');
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/monitors\/overview/, async (route) => {
        await released;
        await route.continue();
      });
      await page.keyboard.type('gm');
      await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
      // As letters of a word, `g i` does not navigate.
      await page.keyboard.type('/login web');
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('login web');
      await expect.poll(() => page.url().split('?')[0]).toBe(`${rig.app.url}/`);
      release();
      await page.getByText('No monitors match your filters').waitFor();
    });
  });

  test('is filtered, selected from and changed with the keyboard alone', async () => {
    const { tenant, ids } = await createFourMonitors();
    await rig.open(tenant.owner, '/?sort=name', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      const tabTo = async (name: string | RegExp) => {
        const target = page.getByRole('button', { name });
        for (let steps = 0; steps < 60; steps += 1) {
          if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
          await page.keyboard.press('Tab');
        }
        throw new Error(`no way to ${name}`);
      };
      await tabTo('2 Up');
      await page.keyboard.press('Enter');
      await page.getByText('2 of 4 monitors').waitFor();
      await page.keyboard.type('jxjx');
      await page.getByText('2 selected').waitFor();
      await tabTo('Pause');
      await page.keyboard.press('Enter');
      await page.getByText('2 paused', { exact: true }).waitFor();
      const statusOf = async (id: string) => (await tenant.readKey.get(`/api/monitors/${id}`)).data.monitor.status;
      expect([await statusOf(ids.Shop), await statusOf(ids.Web)]).toEqual(['paused', 'paused']);
      await tabTo('Undo');
      await page.keyboard.press('Enter');
      await expect.poll(() => statusOf(ids.Web)).toBe('active');
    });
  });

  test('is changed in bulk, and the change can be undone', async () => {
    const { tenant, ids } = await createFourMonitors();
    const monitorOf = async (id: string) => (await tenant.readKey.get(`/api/monitors/overview?ids=${id}`)).data.monitors[0];
    await rig.open(tenant.owner, '/?sort=name', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Web' }).waitFor();
      await page.getByRole('checkbox', { name: 'Select Down' }).click();
      await page.getByRole('checkbox', { name: 'Select Slow' }).click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      await page.getByRole('button', { name: 'Tag…' }).click();
      await page.getByLabel('Tags, separated by commas').fill('night, front');
      await page.getByRole('dialog').getByRole('button', { name: 'Tag', exact: true }).click();
      await page.getByText('3 tagged').waitFor();
      expect((await monitorOf(ids.Down)).tags).toEqual(['night', 'front']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await monitorOf(ids.Down)).tags).toEqual([]);
      await page.getByRole('checkbox', { name: 'Select all' }).click();
      await page.getByRole('button', { name: 'Move…' }).click();
      await page.getByLabel('Group', { exact: true }).selectOption({ label: 'Shops' });
      await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
      await page.getByText('3 moved').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await monitorOf(ids.Web)).group_id).toBeNull();
      expect((await monitorOf(ids.Shop)).group_id).not.toBeNull();
    });
  });

  test('leads to creating the first monitor when there is none', async () => {
    const tenant = await rig.newTenant();
    await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Add monitor' }).click();
      await page.waitForURL('**/welcome');
    });
  });
});

/** Inserts directly into the database, for speed. */
async function populate(
  tenant: Tenant, count: number, changeOf: (at: number) => Partial<MonitorDoc> = () => ({}),
): Promise<void> {
  const id = await create(tenant, { name: 'Sample' });
  const [doc] = await rig.app.monitors.findByIds([id]) as [MonitorDoc];
  const docs = Array.from({ length: count - 1 }, (_, at) => {
    const name = `Shop ${at + 1}`;
    return { ...doc, _id: randomUUID(), name, search_text: name.toLowerCase(), created_at: doc.created_at + at, ...changeOf(at) };
  });
  for (let at = 0; at < docs.length; at += 500) {
    await rig.app.db.collection<MonitorDoc>('monitors').insertMany(docs.slice(at, at + 500), { ordered: false });
  }
}

describe('many monitors', () => {
  /** More than one request may change. */
  const COUNT = fewOrAll(600, 1000);

  test('are paused together and resumed by undo, and only visible rows are in the document', async () => {
    const tenant = await rig.newTenant();
    await populate(tenant, COUNT);
    await rig.open(tenant.owner, '/?sort=name', DESKTOP, async (page) => {
      await page.getByText(`${COUNT.toLocaleString('en')} monitors`).waitFor();
      await expect.poll(() => page.locator('.monitor').count()).toBeLessThan(60);
      await page.evaluate('scrollTo(0, 500 * 56)');
      await page.getByRole('link', { name: 'Shop 501', exact: true }).waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText(`${COUNT} paused`, { exact: true }).waitFor();
      const counted = async () => (await tenant.readKey.get('/api/monitors/stats')).data.by_status;
      expect(await counted()).toEqual({ paused: COUNT });
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(counted).toEqual({ active: COUNT });
    });
  });
});

describe('live events', () => {
  let nats: TestNats;
  let bus: NatsBus;
  let liveRig: ConsoleRig;
  beforeAll(async () => {
    nats = await startNats();
    bus = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'test', log: createLog('test', 'silent') });
    liveRig = await openConsole({ bus });
    liveRig.app.controller.events.hub.start();
  });
  afterAll(async () => {
    await liveRig?.app.controller.events.hub.stop();
    await liveRig?.close();
    await bus?.close();
    await nats?.stop();
  });

  const publish = ({ organizationId, projectId }: Tenant, kind: LiveEvent['kind'], data: Loose) => publisherOn(bus).publish({
    id: randomUUID(), kind, organization_id: organizationId, project_id: projectId, at: Date.now(), data,
  });

  test('show what others create, rename, move and delete, and fetch no more than that', async () => {
    const tenant = await liveRig.newTenant();
    const { writeKey } = tenant;
    const alpha = await create(tenant, { name: 'Alpha' });
    await liveRig.open(tenant.owner, '/?group=tree', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Alpha' }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const whole: string[] = [];
      page.on('request', (request) => {
        if (/overview\?limit=5000/.test(request.url())) whole.push(request.url());
      });
      const beta = await create(tenant, { name: 'Beta' });
      publish(tenant, 'monitor.changed', { monitor_ids: [beta] });
      await page.getByRole('link', { name: 'Beta' }).waitFor();
      await page.getByText('2 monitors').waitFor();
      const { data: group } = await writeKey.post('/api/groups', { name: 'Shops' });
      await writeKey.put(`/api/monitors/${beta}`, { name: 'Gamma', group_id: group.id });
      publish(tenant, 'monitor.changed', { monitor_ids: [beta] });
      await page.getByRole('button', { name: 'Shops' }).waitFor();
      await page.getByRole('link', { name: 'Gamma' }).waitFor();
      await writeKey.put(`/api/groups/${group.id}`, { name: 'Stores' });
      await page.getByRole('button', { name: 'Stores' }).waitFor();
      publish(tenant, 'monitor.deleted', { monitor_ids: [alpha] });
      await page.getByText('1 monitor', { exact: true }).waitFor();
      expect(await shownNames(page)).toEqual(['Gamma']);
      await writeKey.delete(`/api/monitors/${beta}`);
      publish(tenant, 'monitor.changed', { monitor_ids: [beta] });
      await page.getByText('No monitors yet').waitFor();
      expect(whole).toEqual([]);
    });
  });

  test.each(['/?sort=state', '/wall'])('move monitors that go down to the top of %s, and back', async (path) => {
    const tenant = await liveRig.newTenant();
    const ids = [await create(tenant, { name: 'Alpha' }), await create(tenant, { name: 'Beta' })];
    await liveRig.open(tenant.owner, path, DESKTOP, async (page) => {
      const isWall = path === '/wall';
      if (isWall) await page.getByText('2 Unknown').waitFor();
      else await page.getByRole('link', { name: 'Beta' }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const now = Date.now();
      publish(tenant, 'monitor.region', { monitor_id: ids[1], region: 'eu', status: 'down', previous_status: 'up', at: now });
      publish(tenant, 'monitor.state', { monitor_id: ids[1], status: 'down', previous_status: 'up', at: now });
      await page.getByText(/in eu$/).waitFor();
      const names = () => page.locator(isWall ? '.wall-problem strong' : '.monitor .name a').allTextContents();
      await expect.poll(names).toEqual(isWall ? ['Beta'] : ['Beta', 'Alpha']);
      publish(tenant, 'monitor.state', { monitor_id: ids[1], status: 'up', previous_status: 'down', at: now + 1000 });
      publish(tenant, 'monitor.state', { monitor_id: ids[0], status: 'up', previous_status: 'unknown', at: now + 1000 });
      if (isWall) await page.getByText('Nothing is down').waitFor();
      else await expect.poll(names).toEqual(['Alpha', 'Beta']);
    });
  });
});

describe('the wall', () => {
  const TELEVISION = { viewport: { width: 1920, height: 1080 } };

  test.each(['dark', 'light'] as const)('shows problems in large letters, and every monitor by group (%s)', async (wanted) => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/wall', { ...TELEVISION, colorScheme: 'light' }, async (page, problems) => {
      if (wanted === 'light') {
        // The console keeps the theme with which it started.
        await page.locator('html[data-theme=dark]').waitFor();
        await page.evaluate("localStorage.setItem('theme', 'light')");
        await page.reload();
      }
      await page.getByRole('listitem').filter({ hasText: 'in eu' }).first().waitFor();
      await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe(wanted);
      await expect.poll(() => page.locator('.wall-problem strong').allTextContents()).toEqual(['Down', 'Slow']);
      await page.getByRole('heading', { name: 'Shops' }).waitFor();
      const tilesOf = (name: string) => page.getByRole('region', { name }).getByRole('listitem').allTextContents();
      expect(await tilesOf('Shops')).toEqual(['Shop Up']);
      // Problems shown in large letters have no tile.
      expect(await tilesOf('No group')).toEqual(['Web Up']);
      await expect.poll(() => page.getByRole('button').count()).toBe(0);
      expect(await findAccessibilityViolations(page, fewOrAll(APPEARANCE_RULES, undefined))).toEqual([]);
      await takeScreenshot(page, `console-wall-${wanted}`);
      expect(problems).toEqual([]);
    });
  });

  test.each(fewOrAll([300], [30, 300, 3000]))('has a tile for each of %i monitors on one screen', async (count) => {
    const tenant = await rig.newTenant();
    const groups: string[] = [];
    for (const name of ['Shops', 'Offices', 'Data centres']) groups.push((await tenant.writeKey.post('/api/groups', { name })).data.id);
    await populate(tenant, count, (at) => ({ group_id: at % 4 === 3 ? null : groups[at % 4] ?? null }));
    const { monitors } = (await tenant.readKey.get('/api/monitors/overview?limit=5000')).data;
    for (const [at, { id }] of (monitors as { id: string }[]).entries()) {
      rig.app.owners.live.set(id, liveState(at % 97 === 5 ? { status: 'down' } : at % 89 === 7 ? { status: 'degraded' } : {}));
    }
    await rig.open(tenant.owner, '/wall', TELEVISION, async (page, problems) => {
      await expect.poll(() => page.locator('.tile').count(), { timeout: 30_000 }).toBe(count);
      await page.getByRole('heading', { name: 'Offices' }).waitFor();
      const outside = await page.evaluate<number>(`[...document.querySelectorAll('.tile')].filter((tile) => {
        const { top, bottom, right, height } = tile.getBoundingClientRect();
        return top < 0 || bottom > innerHeight || right > innerWidth || height < 10;
      }).length`);
      await takeScreenshot(page, `console-wall-${count}`);
      expect(outside).toBe(0);
      await expect.poll(() => page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    });
  });

  test('shows since when it is out of date, recovers by itself, and keeps the screen on', async () => {
    const { tenant } = await createFourMonitors();
    await rig.open(tenant.owner, '/', TELEVISION, async (page) => {
      await page.addInitScript('navigator.wakeLock.request = async (type) => { globalThis.locked = type; }');
      const events = /api\/events/;
      await page.route(events, (route) => route.abort());
      await page.goto(`${rig.app.url}/wall`);
      await page.getByText('Web').waitFor();
      await page.getByRole('alert').getByText(/^Out of date: no connection to the server since \d\d:\d\d$/).waitFor();
      await expect.poll(() => page.evaluate('globalThis.locked')).toBe('screen');
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-wall-stale');
      await page.unroute(events);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText(/^Out of date/).waitFor({ state: 'detached' });
      await page.close();
    });
  });
});
