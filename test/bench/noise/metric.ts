import type { Metric } from '../metrics.ts';
import { print } from '../report.ts';
import { runNoise } from './run.ts';

const CHECKS = 1_000_000;
const OUTAGES = 500;

/** False and missing alerts under noise, against alerting on the first failure and a single round of confirmation. */
export const falseAlerts: Metric = async ({ scale }) => {
  const figures = await runNoise({
    seed: 11, monitors: 6000, intervalMs: 60_000, checks: CHECKS * scale, outages: Math.round(OUTAGES * scale),
    noise: 0.02,
  });
  const { checks, firstFailure, singleRound } = figures;
  const line = { metric: '11', unit: '/M' };
  const perMillion = (count: number): number[] => [(count * 1e6) / checks];
  const none = (what: string, count: number) => print({
    metric: '11', what, ours: [count], theirs: null, unit: '', limit: { max: 0 },
  });
  return [
    print({
      ...line, what: 'false alerts, against alerting on the first failure', ours: perMillion(figures.falseAlerts),
      theirs: perMillion(firstFailure.falseAlerts), floor: { max: 0.01 },
      note: `${checks} checks of 3 regions, 2 % fail by chance; theirs without ${firstFailure.falseByLoss} of a region without network; goal 0.00025`,
    }),
    print({
      ...line, what: 'false alerts, against one round in all regions', ours: perMillion(figures.falseAlerts),
      theirs: perMillion(singleRound.falseAlerts),
    }),
    none(`of ${Math.round(OUTAGES * scale)} real outages, without an alert`, figures.missed),
    none('outages with more than one alert', figures.doubled),
    none('alerts not resolved exactly once', figures.unresolved),
  ];
};
