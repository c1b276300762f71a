import { expect, test } from 'vitest';
import { preferredFormat } from '../../../controller/monitor-metrics/exposition.ts';
import { labelPages, MONITOR_FAMILIES, samplesOf } from '../../../controller/monitor-metrics/families.ts';
import { PageBuilder } from '../../../controller/results/reading/metrics/monitor-page.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { Scrape } from '../../helpers/scrape.ts';
import { configOf, HOUR } from '../results/build.ts';

const names = { projects: new Map([['p', 'Default']]), groups: new Map([['g', 'Ops']]) };
const measures = {
  uptimes: [0.999999, -1] as const,
  countsOf: (region: string) => ({ success: region === 'eu' ? 7 : 0, failure: 1, missed: 0 }),
};

/** The samples of one monitor. */
function scrapeOf(config: Partial<MonitorConfig>, change: Partial<MonitorState> = {}): Scrape {
  const builder = new PageBuilder();
  builder.add({ ...newMonitorState(configOf({ monitor_id: 'm', ...config })), ...change }, HOUR, measures);
  const { ids, names: monitorNames, texts, numbers } = builder;
  const [page] = labelPages([{ writer: 'w', next: null, pending: 0, ids, names: monitorNames, texts, numbers }], names);
  if (page === undefined) throw new Error('no page');
  return new Scrape(MONITOR_FAMILIES.map((family) => samplesOf(family, page)).join(''));
}

const region = (change: Partial<MonitorState['regions'][string]>) => ({ ...NEW_REGION, ...change });

test('names, groups and regions are escaped in labels', () => {
  const found = scrapeOf({ name: 'a "b"\\c\nd', group_id: 'g' }, {
    status: 'up', regions: { 'e"u': region({ verdict: 'up', response_time_ms: 80.25 }) },
  });
  const labels = 'id="m",name="a \\"b\\"\\\\c\\nd",type="HTTP",project="Default",group="Ops"';
  expect(found.value(`farwatch_monitor_up{${labels}}`)).toBe(1);
  expect(found.value(`farwatch_monitor_response_time_seconds{${labels},region="e\\"u"}`)).toBe(0.0803);
});

test('each region has its own view and counts, and an unknown one only counts', () => {
  const found = scrapeOf({}, { status: 'degraded', regions: {
    eu: region({ verdict: 'up', degraded: true, response_time_ms: 900 }),
    us: region({ verdict: 'down', response_time_ms: null }),
    asia: region({ verdict: 'unknown', response_time_ms: 5 }),
  } });
  const labels = 'id="m",name="monitor",type="HTTP",project="Default"';
  expect(found.value(`farwatch_monitor_up{${labels}}`)).toBe(1);
  expect(found.matching('region_up').map(([, value]) => value)).toEqual([1, 0]);
  expect(found.matching('response_time').map(([, value]) => value)).toEqual([0.9]);
  expect(found.value(`farwatch_monitor_checks_total{${labels},region="eu",outcome="success"}`)).toBe(7);
  expect(found.matching('checks_total', 'region="asia"').map(([, value]) => value)).toEqual([0, 1, 0]);
  expect(found.matching('uptime_ratio')).toEqual([[`farwatch_monitor_uptime_ratio{${labels},window="24h"}`, 0.999999]]);
});

test('a monitor that is not active has no state, and no maintenance', () => {
  for (const status of ['paused', 'disabled'] as const) {
    const found = scrapeOf({ status, maintenance: [{ from: 0, until: HOUR + 1, holds_alerts: true }] }, {
      status: 'paused', last_check_at: HOUR - 500, regions: { eu: region({ verdict: 'up', response_time_ms: 1 }) },
    });
    expect(found.matching('_up{')).toEqual([]);
    expect(found.matching('response_time')).toEqual([]);
    expect(found.matching('in_maintenance')[0]?.[1]).toBe(0);
    expect(found.matching('last_check')[0]?.[1]).toBe((HOUR - 500) / 1000);
  }
});

test('expiries are those of the domain and of the earliest certificate', () => {
  const certificate = (expires_at: number | null, fingerprint256: string) =>
    ({ fingerprint256, protocol: 'TLSv1.3', problem: null, expires_at, flaws: [], regions: {} });
  const found = scrapeOf({ domain_expires_at: 1_900_000_000_500 }, { certificate: {
    seen: [certificate(1_800_000_002_000, 'a'), certificate(null, 'b'), certificate(1_800_000_001_000, 'c')],
    warnings: [], due: null,
  } });
  expect(found.matching('certificate_expiry')[0]?.[1]).toBe(1_800_000_001);
  expect(found.matching('domain_expiry')[0]?.[1]).toBe(1_900_000_000.5);
  expect(scrapeOf({}).matching('expiry')).toEqual([]);
});

test.each([
  [undefined, 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,'
      + 'text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'openmetrics',
  ],
  ['application/openmetrics-text;q=0.3, text/plain;q=0.5', 'text'],
  ['application/openmetrics-text;q=0, text/plain', 'text'],
] as const)('Accept %j gets %s', (accept, format) => {
  expect(preferredFormat(accept)).toBe(format);
});
