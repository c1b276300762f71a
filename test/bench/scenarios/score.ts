import type { Expected } from './scenario.ts';

/** An alert as received. `at` is Unix ms. */
export interface ReceivedAlert {
  event: string;
  at: number;
}

/** What the monitors of a scenario reported. */
export interface Observed {
  name: string;
  expected: Expected;
  /** Unix ms. */
  brokenAt: number;
  healedAt: number;
  /** From the detector, in order. */
  alerts: readonly ReceivedAlert[];
  /** From the bystanders. */
  bystanderAlerts: readonly (ReceivedAlert & { bystander: string })[];
  /** The detector's incident, if any. */
  incident: { type: string; regions: readonly string[] } | null;
  /** Of the failed check. */
  layer: string | null;
  /** The regions that the incident must name; null to accept any. */
  expectedRegions: readonly string[] | null;
}

export interface Score {
  name: string;
  /** From the start of the fault to its alert, ms; null if there was none. */
  detectedAfterMs: number | null;
  expected: string;
  got: string;
  isClassified: boolean;
  falseAlarms: string[];
  /** Whether the recovery was reported too, for events that have one. */
  isResolved: boolean;
}

const ENDS: Readonly<Record<string, string>> = {
  'monitor.down': 'monitor.up', 'monitor.slow_response': 'monitor.slow_response_resolved',
};
const ENDINGS = new Set(Object.values(ENDS));

/**
 * Scores one scenario. The first alert after the start of the fault detects it. False alerts are all of the
 * bystanders', and the detector's before the fault and after the first one, except for the resolution.
 */
export function score(observed: Observed): Score {
  const { alerts, brokenAt, expected, expectedRegions, bystanderAlerts, incident } = observed;
  const first = alerts.find(({ event, at }) => at >= brokenAt && !ENDINGS.has(event)) ?? null;
  const wanted = textOf(expected.event, expected.type, expected.layer, expectedRegions);
  const regions = expectedRegions === null ? null : (incident?.regions ?? []);
  const got = first === null ? 'nothing' : textOf(first.event, incident?.type ?? null, observed.layer, regions);
  const end = ENDS[expected.event];
  const own = alerts.filter((alert) => alert !== first && (alert.at < brokenAt || !ENDINGS.has(alert.event)));
  return {
    name: observed.name,
    detectedAfterMs: first === null ? null : first.at - brokenAt,
    expected: wanted, got, isClassified: got === wanted,
    falseAlarms: [
      ...own.map(({ event }) => event),
      ...bystanderAlerts.map(({ bystander, event }) => `${bystander}: ${event}`),
    ],
    isResolved: end === undefined || alerts.some(({ event, at }) => event === end && at >= observed.healedAt),
  };
}

/** What is wrong with a score, or `right`. */
export function outcomeOf(of: Score): string {
  if (of.detectedAfterMs === null) return 'MISSED';
  if (of.falseAlarms.length > 0) return 'FALSE ALARM';
  if (!of.isClassified) return 'MISCLASSIFIED';
  return of.isResolved ? 'right' : 'NOT RESOLVED';
}

function textOf(
  event: string, type: string | null, layer: string | null, regions: readonly string[] | null,
): string {
  const what = [type ?? event.replace('monitor.', ''), layer].filter((part) => part !== null).join('/');
  return regions === null ? what : `${what} in ${regions.join(', ')}`;
}
