import { describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../bench/scenarios/catalog/all.ts';
import type { Expected } from '../../bench/scenarios/scenario.ts';
import { score, outcomeOf, type Observed } from '../../bench/scenarios/score.ts';
import { table } from '../../bench/scenarios/table.ts';

const DOWN: Expected = { event: 'monitor.down', type: 'status_code', layer: 'response' };
const ADVISORY: Expected = { event: 'monitor.ssl_expiring', type: null, layer: null };

/** A fault from 1,000 to 2,000 that was reported correctly, apart from `changes`. */
function observed(changes: Partial<Observed> = {}): Observed {
  return {
    name: 'http-503', expected: DOWN, brokenAt: 1000, healedAt: 2000,
    alerts: [{ event: 'monitor.down', at: 1300 }, { event: 'monitor.up', at: 2100 }], bystanderAlerts: [],
    incident: { type: 'status_code', regions: ['local'] }, layer: 'response', expectedRegions: null, ...changes,
  };
}

describe('a scenario is', () => {
  test.each<[string, string, Partial<Observed>]>([
    ['right', 'detected, classified and over', {}],
    ['MISSED', 'without an alert', { alerts: [], incident: null, layer: null }],
    [
      'MISSED', 'reported only before the fault began',
      { alerts: [{ event: 'monitor.down', at: 900 }, { event: 'monitor.up', at: 950 }] },
    ],
    ['MISCLASSIFIED', 'of another type', { incident: { type: 'timeout', regions: [] } }],
    ['MISCLASSIFIED', 'at another layer', { layer: 'connect' }],
    [
      'MISCLASSIFIED', 'reported by another event',
      { expected: ADVISORY, incident: { type: 'ssl_error', regions: [] }, layer: 'tls' },
    ],
    ['MISCLASSIFIED', 'reported in too many regions', {
      expectedRegions: ['abroad'], incident: { type: 'status_code', regions: ['local', 'abroad'] },
    }],
    ['right', 'reported in the region that it was in', {
      expectedRegions: ['abroad'], incident: { type: 'status_code', regions: ['abroad'] },
    }],
    ['FALSE ALARM', 'reported by a bystander too', {
      bystanderAlerts: [{ bystander: 'GET', event: 'monitor.down', at: 1500 }],
    }],
    ['FALSE ALARM', 'reported before it started as well', {
      alerts: [{ event: 'monitor.down', at: 900 }, ...observed().alerts],
    }],
    ['FALSE ALARM', 'reported twice', {
      alerts: [...observed().alerts, { event: 'monitor.down', at: 2200 }, { event: 'monitor.up', at: 2300 }],
    }],
    ['NOT RESOLVED', 'never resolved', { alerts: [{ event: 'monitor.down', at: 1300 }] }],
    ['NOT RESOLVED', 'resolved while it lasts', {
      alerts: [{ event: 'monitor.down', at: 1300 }, { event: 'monitor.up', at: 1400 }],
    }],
    ['right', 'a warning, which has no end', {
      expected: ADVISORY, alerts: [{ event: 'monitor.ssl_expiring', at: 1300 }], incident: null, layer: null,
    }],
  ])('%s when %s', (outcome, _title, changes) => {
    expect(outcomeOf(score(observed(changes)))).toBe(outcome);
  });
});

test('the time to alert counts from the start of the fault', () => {
  expect(score(observed()).detectedAfterMs).toBe(300);
});

test('the table shows actual and expected outcomes and a summary', () => {
  const scores = [
    score(observed()),
    score(observed({
      name: 'tcp-refused', layer: 'tls',
      bystanderAlerts: [{ bystander: 'GET', event: 'monitor.down', at: 1500 }],
    })),
    score(observed({ name: 'dns-timeout', alerts: [] })),
  ];
  expect(table(scores).split('\n')).toEqual([
    'scenario     detected after  classification                                  false alarms       verdict',
    'http-503     0.3 s           status_code/response                            none               right',
    'tcp-refused  0.3 s           status_code/tls, expected status_code/response  GET: monitor.down  FALSE ALARM',
    'dns-timeout  missed          nothing, expected status_code/response          none               MISSED',
    '',
    '3 scenarios: 2 detected, 1 classified right, 1 false alarms, 2 resolved, 1 right',
    '',
  ]);
});

test('the catalog has 39 scenarios', () => {
  const families = SCENARIOS.map(({ name }) => name.split('-')[0] as string);
  const sizes = Object.fromEntries([...new Set(families)].map(
    (family) => [family, families.filter((each) => each === family).length],
  ));
  expect(sizes).toEqual({ content: 8, dns: 7, http: 16, tcp: 2, tls: 6 });
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(39);
});
