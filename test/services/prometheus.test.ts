import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { DomainDoc } from '../../controller/domains/domain.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Loose } from '../helpers/api-client.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { scrape } from '../helpers/scrape.ts';
import { shardMap } from '../helpers/shard-map.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { BARE_FACTS } from '../helpers/tls-facts.ts';
import { until } from '../helpers/until.ts';
import { root } from '../root.mjs';
import { configOf, resultOf } from '../unit/results/build.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

const EXAMPLES = join(root, 'deploy/prometheus');
const DAY_MS = 86_400_000;

let rig: ControllerRig;
let probe: TestProbe;
let prometheus: Service;
let prometheusUrl = '';
let key = '';
const seqs = new Map<number, number>();
/** Monitors by what a check of them finds. */
const monitors = new Map<string, Partial<CheckResult>>();

beforeAll(async () => {
  await ensureDebianPackages('prometheus');
  rig = await startControllerRig();
  key = (await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'prometheus' })).key;
  probe = await rig.probe('one');
  probe.beat();
  await probe.follow();
  const mongo = checkedMongo(rig.store.url);
  await mongo.db.collection<DomainDoc>('domains').insertOne({
    _id: 'example.com', status: 'ok', expires_at: Date.now() + 100 * DAY_MS, looked_up_at: Date.now(), learned_at: 1,
    due_at: Date.now() + DAY_MS, uses: 0, failures: 0, message: null, registrar: null, source: 'rdap',
    published_expires_at: null,
  });
  await mongo.close();
  const tls = {
    valid: true, expires_at: Date.now() + 50 * DAY_MS, issuer: 'CN=CA', subject: 'CN=shop', fingerprint256: 'aa',
    protocol: 'TLSv1.3', ...BARE_FACTS,
  };
  monitors.set(await create('A "hostile\\ name'), { tls });
  monitors.set(await create('Down'), { outcome: 'failure' });
  prometheusUrl = await startPrometheus();
});
afterAll(async () => {
  await prometheus?.stop();
  await rig?.stop();
});

async function create(name: string): Promise<string> {
  const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'https://www.example.com/', interval_seconds: 60,
    domain_monitoring: { enabled: true }, confirmation_policy: { regions: 'any', retries: 0 },
  });
  await until(() => probe.held.has(monitor.id), { what: 'the probe has it' });
  return monitor.id;
}

/** The probe lives, and checks all monitors once more. */
async function check(): Promise<void> {
  probe.beat();
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  for (const [id, change] of monitors) {
    const shard = shardMap.of(id);
    const seq = (seqs.get(shard) ?? 0) + 1;
    seqs.set(shard, seq);
    const now = Date.now();
    const result = resultOf(configOf({ monitor_id: id }), { seq, started_at: now, scheduled_at: now, ...change });
    const bytes = encodeBatch({ epoch: 'e', engine: 'test', first: seq, last: seq, results: [result], dropped: [] });
    await probe.nats.request(subjects.results(shard, region_id, probe_id), bytes, { timeout: 60_000 });
  }
}

/** With the configuration in the documentation, except for addresses, paths and the interval. */
async function startPrometheus(): Promise<string> {
  const [, yaml = ''] = /```yaml\n([^`]*)```/.exec(readFileSync(join(root, 'docs/metrics.md'), 'utf8')) ?? [];
  const { scrape_configs: [job] } = parse(yaml) as Loose;
  const config = {
    global: { evaluation_interval: '1s' }, rule_files: ['rules.yaml'],
    scrape_configs: [{
      ...job, scheme: 'http', scrape_interval: '1s', scrape_timeout: '1s',
      static_configs: [{ targets: [rig.controller.url.replace('http://', '')] }],
      authorization: { credentials_file: 'key' },
    }],
  };
  const port = await freePort();
  const dir = serviceFolder('prometheus');
  prometheus = await startService({
    program: '/usr/bin/prometheus', dir, ports: [port],
    args: ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
    files: {
      'prometheus.yaml': stringify(config), 'rules.yaml': readFileSync(join(EXAMPLES, 'rules.yaml'), 'utf8'), key,
      'data/': '',
    },
  });
  return `http://127.0.0.1:${port}`;
}

/** `data` of a response of Prometheus' API. Throws with its error. */
async function ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${prometheusUrl}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
  if (status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`);
  return data;
}

test('Prometheus scrapes without an error, as OpenMetrics, and evaluates every rule', async () => {
  const { activeTargets: [target] } = await until(async () => {
    await check();
    const found = await ask<Loose>('targets');
    return found.activeTargets.some(({ health }: Loose) => health !== 'unknown') && found;
  }, { what: 'the first scrape' });
  expect([target.lastError, target.health]).toEqual(['', 'up']);
  const groups = await until(async () => {
    await check();
    const { groups: all } = await ask<Loose>('rules');
    return all.every(({ rules }: Loose) => rules.every(({ health }: Loose) => health !== 'unknown')) && all;
  }, { what: 'all rules are evaluated' });
  for (const rule of groups.flatMap(({ rules }: Loose) => rules)) {
    expect([rule.name, rule.health, rule.lastError ?? '']).toEqual([rule.name, 'ok', '']);
  }
  const { alerts } = await until(async () => {
    const found = await ask<Loose>('alerts');
    return found.alerts.length > 0 && found;
  }, { what: 'the alert of the monitor that is down' });
  expect(alerts.map(({ labels }: Loose) => [labels.alertname, labels.name])).toContainEqual(['FarwatchMonitorDown', 'Down']);
});

test('promtool has no complaint about the metrics and the rules', async () => {
  const { text } = await scrape(rig.controller.url, { 'x-api-key': key });
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  for (const command of [['check', 'rules', 'rules.yaml'], ['test', 'rules', 'rules-test.yaml']]) {
    execFileSync('promtool', command, { cwd: EXAMPLES, stdio: 'pipe' });
  }
});

const dashboard = z.object({
  uid: z.string(), title: z.string(), schemaVersion: z.number(),
  panels: z.array(z.object({
    id: z.int(), title: z.string(), type: z.string(),
    gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
    datasource: z.object({ type: z.literal('prometheus'), uid: z.literal('${datasource}') }),
    targets: z.array(z.object({ expr: z.string(), refId: z.string() })).min(1),
  })).min(1),
  templating: z.object({ list: z.array(z.object({
    name: z.string(), type: z.enum(['datasource', 'query']), regex: z.string(),
    query: z.union([z.literal('prometheus'), z.object({ query: z.string() }).transform((of) => of.query)]),
  })) }),
});

describe.each([
  ['overview', ['project']], ['monitor', ['project', 'monitor']], ['fleet', ['region', 'probe']],
])('the dashboard %s', (name, variables) => {
  const { panels, templating: { list } } =
    dashboard.parse(JSON.parse(readFileSync(join(root, `deploy/grafana/${name}.json`), 'utf8')));
  const filled = (expr: string) => expr.replaceAll('$__rate_interval', '1m')
    .replaceAll('$monitor', [...monitors.keys()][0] as string).replace(/\$(project|region|probe)/g, '.*');

  test('has a data source to choose, and panels that do not overlap', () => {
    expect(list.map((variable) => variable.name)).toEqual(['datasource', ...variables]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`));
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('offers values for its variables', async () => {
    for (const { query, regex } of list.filter(({ type }) => type === 'query')) {
      const [, kind = '', inner = ''] = /^(label_values|query_result)\((.*)\)$/.exec(query) ?? [];
      const values = await until(async () => {
        if (kind === 'query_result') {
          const { result } = await ask<Loose>('query', { query: filled(inner) });
          return result.length > 0 && result.map(({ metric: { __name__, ...labels } }: Loose) => `${__name__}{${
            Object.entries(labels).sort().map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`);
        }
        const [series = '', label = ''] = inner.split(/, (?=\w+$)/);
        const found = await ask<string[]>(`label/${label}/values`, { 'match[]': filled(series) });
        return found.length > 0 && found;
      }, { what: query });
      const pattern = new RegExp(regex.replace(/^\/|\/$/g, ''));
      for (const value of values) expect(value).toMatch(pattern);
    }
  });

  test.each(panels.map(({ title, type, targets }) => [`${title} (${type})`, targets] as const))('%s', async (_, targets) => {
    for (const { expr } of targets) {
      const parameters = { query: filled(expr) };
      const end = Date.now() / 1000;
      await ask('query_range', { ...parameters, start: String(end - 60), end: String(end), step: '5' });
      await until(async () => {
        const { result } = await ask<{ result: unknown[] }>('query', parameters);
        if (name !== 'overview' || result.length > 0) return true;
        await check();
        return false;
      }, { what: `data for ${expr}` });
    }
  });
});
