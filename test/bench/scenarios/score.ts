import type { Expected } from './scenario.ts';

/** An alert as the receiver got it. `at`: Unix ms. */
export interface ReceivedAlert {
  event: string;
  at: number;
}

/** What one scenario's monitors said. */
export interface Observed {
  name: string;
  expected: Expected;
  /** Instants, Unix ms. */
  brokenAt: number;
  healedAt: number;
  /** Of the detector, in order. */
  alerts: readonly ReceivedAlert[];
  /** Of the bystanders. */
  bystanderAlerts: readonly (ReceivedAlert & { bystander: string })[];
  /** The detector's incident, if it has one. */
  incident: { type: string; regions: readonly string[] } | null;
  /** Of the check that failed. */
  layer: string | null;
  /** The regions that the incident has to name; null: whichever it names. */
  expectedRegions: readonly string[] | null;
}

export interface Score {
  name: string;
  /** From the start of the fault to its alert, ms; null when there was none. */
  detectedAfterMs: number | null;
  expected: string;
  got: string;
  isClassified: boolean;
  falseAlarms: string[];
  /** Whether the end of the fault was reported too, where the event has an end. */
  isResolved: boolean;
}

const ENDS: Readonly<Record<string, string>> = {
  'monitor.down': 'monitor.up', 'monitor.slow_response': 'monitor.slow_response_resolved',
};
const ENDINGS = new Set(Object.values(ENDS));

/**
 * Judges one scenario. The first alert after the start of the fault detects it. False are alerts of the
 * detector before the fault and after the first one, unless they say that it is over, and all alerts of
 * bystanders.
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
