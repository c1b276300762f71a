import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStores } from '../../controller/wiring/stores.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { systemClock } from '../../shared/time.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { scrape } from '../helpers/scrape.ts';
import { until } from '../helpers/until.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { Random } from '../simulation/random.ts';
import { writeHistory, type ScriptedMonitor } from './history-writer.ts';
import { script, sumsOf, type Script, type ScriptedResult, type MonitorSetup } from './scripted-results.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Another seed gives other outages, gaps and pauses. */
const SEED = Number(process.env['FARWATCH_SEED'] ?? 11);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface MonitorCase {
  id: string;
  setup: MonitorSetup;
  script: Script;
}

/** Monitored time ranges, in days before now; the time between them is unmonitored. */
const SPELLS = [[-92, -90.6], [-89.2, -88], [-31, -28.9], [-8.2, -6], [-1.6, 0]] as const;

describe(`reported statistics equal those of the results, with seed ${SEED}`, () => {
  let rig: ControllerRig;
  let began = 0;
  const cases = new Map<string, MonitorCase>();
  const get = (path: string) => rig.session.ok<Loose>('GET', path);
  const each = (check: (one: MonitorCase, name: string) => Promise<void>) =>
    Promise.all([...cases].map(([name, one]) => check(one, name)));

  beforeAll(async () => {
    rig = await startControllerRig();
    await rig.session.ok('POST', '/api/regions', { id: 'us', name: 'US', city: 'Dallas', country: 'US' });
    const random = new Random(SEED);
    began = Date.now();
    const group = await rig.session.ok<Loose>('POST', '/api/groups', { name: 'All of them' });
    const make = async (name: string, setup: MonitorSetup, scripted: Script) => {
      const body = {
        name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: setup.intervalMs / 1000,
        group_id: group['id'],
        confirmation_policy: { regions: 'any', retries: setup.retries },
      };
      const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', body);
      cases.set(name, { id: monitor.id, setup, script: scripted });
    };
    const spells = (setup: MonitorSetup): Script =>
      together(SPELLS.map(([from, to]) => script(random, setup, began + from * DAY_MS, began + to * DAY_MS)));
    const plain = { intervalMs: 10 * MINUTE_MS, retries: 1, regions: ['local'] };
    const twice = { intervalMs: 10 * MINUTE_MS, retries: 0, regions: ['local', 'us'] };
    const often = { intervalMs: 5 * MINUTE_MS, retries: 2, regions: ['local', 'us'] };
    const away = { intervalMs: 30 * MINUTE_MS, retries: 1, regions: ['local'] };
    await make('Plain', plain, spells(plain));
    await make('Two regions', twice, spells(twice));
    await make('Often', often, spells(often));
    await make(
      'Quiet now', plain,
      together([script(random, plain, began - 1.5 * DAY_MS, began - 3 * HOUR_MS), latestScript(began)]),
    );
    await make('Cut off for days', away, together([
      calm(away, began - 12 * DAY_MS, began - 10 * DAY_MS), cutOff(random, began),
      calm(away, began - 2 * HOUR_MS, began),
    ]));
    await until(
      async () => (await configs(rig, [...cases.values()].map(({ id }) => id))).size === cases.size,
      { what: 'the owners know them' },
    );
    await rig.restart(async () => {
      const found = await configs(rig, [...cases.values()].map(({ id }) => id));
      const monitors = [...cases.values()].map(({ id, setup, script: scripted }): ScriptedMonitor => {
        const config = found.get(id) as MonitorConfig;
        const revision = config.revision + 2 * scripted.pauses.length;
        return { script: scripted, config: { ...config, revision, assigned: setup.regions } };
      });
      const mongo = checkedMongo(rig.store.url);
      // Older than all reported results.
      await mongo.db.collection('monitors').updateMany(
        { _id: { $in: monitors.map(({ config }) => config.monitor_id) as never[] } },
        { $set: { created_at: began - 93 * DAY_MS } },
      );
      await writeHistory(mongo.db, monitors, began);
      await mongo.close();
    });
    await until(async () => {
      const { monitors } = await get('/api/monitors');
      return monitors.every(({ id, stats }: Loose) => Date.parse(
        stats?.lastChecked,
      ) === lastOf([...cases.values()].find((one) => one.id === id)?.script));
    }, { what: 'the owners have read their journals' });
  });
  afterAll(() => rig?.stop());

  /**
   * Requests statistics and compares them with those computed from the results, for the hours from the one after
   * `windowMs` ago: as of before and after the response.
   */
  async function compare(
    name: string, one: MonitorCase, windowMs: number,
    read: () => Promise<{ uptime: number; average: number; total: number; failed: number }>,
    firstHour = HOUR_MS,
  ): Promise<void> {
    for (;;) {
      const [before, shown, after] = [Date.now(), await read(), Date.now()];
      const [from, same] = [before, after].map(
        (now) => now - windowMs - ((now - windowMs) % HOUR_MS) + firstHour,
      ) as [number, number];
      if (from !== same) continue;
      const [atStart, atEnd] =
        [before, after].map((now) => sumsOf(one.script, one.setup, from, now)) as [Loose, Loose];
      expect([shown.total, shown.failed], name).toEqual([atStart.total, atStart.failed]);
      expect(
        Math.abs(shown.average - atStart.average),
        `${name}: ${shown.average} ms, by the results ${atStart.average}`,
      ).toBeLessThanOrEqual(0.0501);
      const [low, high] = [Math.min(atStart.uptime, atEnd.uptime), Math.max(atStart.uptime, atEnd.uptime)];
      expect(shown.uptime, `${name}: by the results ${low} to ${high}`).toBeGreaterThanOrEqual(low - 1e-9);
      expect(shown.uptime, `${name}: by the results ${low} to ${high}`).toBeLessThanOrEqual(high + 1e-9);
      return;
    }
  }

  async function compareAll(): Promise<void> {
    await each(async (one, name) => {
      for (const days of [7, 30, 90]) {
        await compare(`${name}, ${days} days`, one, days * DAY_MS, async () => {
          const stats = await get(`/api/monitors/${one.id}/stats?period=${days}d`);
          return {
            uptime: stats.uptime_percentage, average: stats.avg_response_time, total: stats.total_checks,
            failed: stats.failed_checks,
          };
        });
      }
      await compare(`${name}, in the list`, one, 30 * DAY_MS, async () => {
        const { monitors } = await get('/api/monitors');
        const { stats } = monitors.find((monitor: Loose) => monitor.id === one.id);
        return {
          uptime: stats.uptime, average: stats.averageResponseTime, total: stats.totalChecks,
          failed: stats.failedChecks,
        };
      });
    });
  }

  test('uptime over 7, 30 and 90 days, and in the list', compareAll);

  test('times of the last check, the last success and the last failure', () => each(async (
    { id, script: { results } }, name,
  ) => {
    const last = (outcomes: ScriptedResult['outcome'][]) =>
      Math.max(...results.filter((result) => outcomes.includes(result.outcome)).map(({ at }) => at));
    const stats = await get(`/api/monitors/${id}/stats`);
    expect([stats.last_check_at, stats.last_success_at, stats.last_failure_at], name).toEqual([
      last(['success', 'failure']), last(['success']), last(['failure']),
    ]);
  }));

  test('every single result', () => each(async ({ id, script: { results } }, name) => {
    const from = began - 9 * DAY_MS;
    const wanted = results.filter(({ at }) => at >= from).map(
      (result) => [result.at, result.region, result.outcome, result.ms],
    ).sort();
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Loose = await get(
        `/api/monitors/${id}/results?limit=500&from=${from}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      found.push(...page.results.map(
        (result: Loose) => [result.checked_at, result.region, result.outcome, result.response_time_ms],
      ));
      cursor = page.next_cursor;
    }
    expect(found.sort(), name).toEqual(wanted);
  }));

  test('response times by region, hour and day', () => each(async ({ id, setup, script: { results: scriptedResults } }, name) => {
    for (const [period, days, stepMs] of [
      ['24h', 1, HOUR_MS], ['7d', 7, HOUR_MS], ['30d', 30, DAY_MS], ['90d', 90, DAY_MS],
      ['365d', 365, DAY_MS],
    ] as const) {
      const { series } = await get(`/api/monitors/${id}/response-times?period=${period}`);
      const now = Date.now();
      for (const region of setup.regions) {
        const wanted = new Map<number, ScriptedResult[]>();
        for (const result of scriptedResults) {
          const at = result.at - (result.at % stepMs);
          if (result.region === region && result.outcome !== 'missed' &&
            at >= now - (now % stepMs) - days * DAY_MS + stepMs) {
            wanted.set(at, [...(wanted.get(at) ?? []), result]);
          }
        }
        const points = series.find((one: Loose) => one.region === region)?.points ?? [];
        const what = `${name}, ${region}, ${period}`;
        expect(points.map((point: Loose) => point.at), what).toEqual(
          [...wanted.keys()].sort((a, b) => a - b),
        );
        for (const point of points) {
          const results = wanted.get(point.at) as ScriptedResult[];
          const times = results.flatMap(({ ms }) => (ms === null ? [] : [ms]));
          expect([point.count, point.failed], what).toEqual([
            results.length, results.filter(({ outcome }) => outcome === 'failure').length,
          ]);
          if (times.length === 0) continue;
          expect([point.min, point.max], what).toEqual([Math.min(...times), Math.max(...times)]);
          expect(
            Math.abs(point.avg - times.reduce((sum, ms) => sum + ms, 0) / times.length), what,
          ).toBeLessThanOrEqual(0.0501);
        }
      }
    }
  }));

  test('the overview of all monitors, by hours and days', async () => {
    for (let isWithinOneHour = false; !isWithinOneHour;) {
      const before = Date.now();
      const { monitors, first_hour: firstHour, first_day: firstDay }
        = await get('/api/monitors/overview?include=hours,days&limit=500');
      const after = Date.now();
      isWithinOneHour = Math.floor(before / HOUR_MS) === Math.floor(after / HOUR_MS);
      for (const [name, { id, setup, script: scripted }] of isWithinOneHour ? cases : []) {
        const found = monitors.find((one: Loose) => one.id === id);
        for (const [field, from] of [
          ['uptime_24h', firstHour], ['uptime_30d', firstDay + 60 * DAY_MS], ['uptime_90d', firstDay],
        ] as const) {
          const [low, high] = [before, after]
            .map((now) => Math.floor((sumsOf(scripted, setup, from, now).uptime ?? 0) * 100) / 100)
            .sort((one, other) => one - other) as [number, number];
          expect(found[field], `${name}, ${field}`).toBeGreaterThanOrEqual(low);
          expect(found[field], `${name}, ${field}`).toBeLessThanOrEqual(high);
        }
        const times = (at: number) => scripted.results.flatMap((one) =>
          (Math.floor(one.at / HOUR_MS) * HOUR_MS === at && one.ms !== null ? [one.ms] : []));
        const means = Array.from({ length: 24 }, (_, hour) => times(firstHour + hour * HOUR_MS))
          .map((of) => (of.length === 0 ? null : of.reduce((sum, ms) => sum + ms, 0) / of.length));
        for (const [hour, mean] of means.entries()) {
          const shown = found.response_times[hour];
          if (mean === null) expect(shown, `${name}, ${hour}`).toBeNull();
          else expect(Math.abs(shown - mean), `${name}, ${hour}`).toBeLessThanOrEqual(0.56);
        }
      }
    }
  });

  test('the metrics of all monitors, as ratios', async () => {
    const { key } = await rig.session.ok<Loose>('POST', '/api/auth/api-keys', { name: 'prometheus' });
    for (let isWithinOneHour = false; !isWithinOneHour;) {
      const before = Date.now();
      const metrics = await until(async () => {
        const found = await scrape(rig.controller.url, { 'x-api-key': key });
        return found.value('farwatch_scrape_complete') === 1 && found;
      }, { what: 'the uptimes are read' });
      const after = Date.now();
      isWithinOneHour = Math.floor(before / HOUR_MS) === Math.floor(after / HOUR_MS);
      const hour = before - (before % HOUR_MS);
      for (const [name, { id, setup, script: scripted }] of isWithinOneHour ? cases : []) {
        for (const [window, from] of [['24h', hour - 23 * HOUR_MS], ['30d', before - (before % DAY_MS) - 29 * DAY_MS]] as const) {
          const wanted = [before, after].map((now) => (sumsOf(scripted, setup, from, now).uptime ?? 0) / 100);
          const [[, found] = ['', NaN]] = metrics.matching('uptime_ratio', id, `window="${window}"`);
          // Rollups count in whole seconds.
          expect(found, `${name}, ${window}`).toBeGreaterThanOrEqual(Math.min(...wanted) - 0.0005);
          expect(found, `${name}, ${window}`).toBeLessThanOrEqual(Math.max(...wanted) + 0.0005);
        }
      }
    }
  });

  test('the newest results of the project', async () => {
    const { recent_activity: found } = await get('/api/monitors/stats');
    const all = [...cases].flatMap(([name, { id, script: { results } }]) =>
      results.filter(({ outcome }) => outcome !== 'missed').map((result) => ({ name, id, ...result })));
    const wanted = all.sort((a, b) => b.at - a.at).slice(0, 10);
    expect(found.map((one: Loose) => [
      one.monitor_id, one.monitor_name, one.success, one.response_time_ms, Date.parse(one.checked_at),
    ]))
      .toEqual(
      wanted.map(({ id, name, outcome, ms, at }) => [
        id, name, outcome === 'success', ms === null ? null : Math.round(ms), at,
      ]));
  });

  test('the group of all monitors, each with the same weight', async () => {
    const { groups: [group] } = await get('/api/groups');
    const stats = await get(`/api/groups/${group.id}/stats`);
    const now = Date.now();
    for (const [name, days] of [['last_24h', 1], ['last_7d', 7], ['last_30d', 30]] as const) {
      const from = now - days * DAY_MS - ((now - days * DAY_MS) % HOUR_MS);
      const uptimes =
        [...cases.values()].flatMap(({ setup, script: scripted }) => sumsOf(scripted, setup, from, now).uptime ?? []);
      expect(stats.historical[name].uptime, name).toBeCloseTo(
        uptimes.reduce((sum, one) => sum + one, 0) / uptimes.length, 2,
      );
    }
  });
});

function lastOf(of: Script | undefined): number {
  return Math.max(...(of?.results ?? []).filter(({ outcome }) => outcome !== 'missed').map(({ at }) => at));
}

function together(scripts: Script[]): Script {
  return { results: scripts.flatMap(({ results }) => results), pauses: scripts.flatMap(({ pauses }) => pauses) };
}

/** Nothing happens. */
function calm({ intervalMs, regions }: MonitorSetup, from: number, to: number): Script {
  const results: ScriptedResult[] = [];
  for (let at = from; at < to; at += intervalMs) {
    results.push({
      region: regions[0] as string, at, late: false, arrivedAt: at, outcome: 'success', ms: 12.5, attempt: 1,
    });
  }
  return { results, pauses: [] };
}

/**
 * A probe that was disconnected for days reports everything at once: one check of each hour, and days that no
 * other probe reported.
 */
function cutOff(random: Random, now: number): Script {
  const results: ScriptedResult[] = [];
  const first = now - 9 * DAY_MS;
  for (let at = first - (first % HOUR_MS) + 5 * MINUTE_MS; at < now - 3 * DAY_MS; at += HOUR_MS) {
    const isUp = random.chance(0.8);
    results.push({
      region: 'local', at, late: true, arrivedAt: now - 4 * HOUR_MS, outcome: isUp ? 'success' : 'failure',
      ms: isUp ? 20.5 : null, attempt: 1,
    });
  }
  return { results, pauses: [] };
}

/** Late, in hours that are in no rollup yet. */
function latestScript(now: number): Script {
  const results: ScriptedResult[] = [];
  for (let at = now - (now % HOUR_MS) - HOUR_MS + 5 * MINUTE_MS; at +
    11 * MINUTE_MS < now; at += 20 * MINUTE_MS) {
    const isUp = results.length % 2 === 0;
    results.push({
      region: 'local', at, late: true, arrivedAt: now - MINUTE_MS, outcome: isUp ? 'success' : 'failure',
      ms: isUp ? 30.5 : null, attempt: 1,
    });
  }
  return { results, pauses: [] };
}

/** The data of these monitors at the owners of their shards. */
async function configs(rig: ControllerRig, ids: string[]): Promise<Map<string, MonitorConfig>> {
  const mongo = checkedMongo(rig.store.url);
  const stores = await openStores(mongo.db, systemClock, shardMap);
  const journals =
    await Promise.all([...new Set(ids.map(shardMap.of))].map((shard) => stores.journal.read(shard, 0, 1000)));
  const states = await stores.states.find(ids);
  await mongo.close();
  const found =
    [...states.map(({ state }) => state.config), ...journals.flat().flatMap((entry) => entry.configs)];
  return new Map(
    found.filter(({ monitor_id: id }) => ids.includes(id)).map((config) => [config.monitor_id, config]),
  );
}
