import { loadavg } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../cpu.ts';
import type { Metric } from '../metrics.ts';
import { print } from '../report.ts';
import { FAULT_KINDS } from './fault-targets.ts';
import { measureDetection, type Detection } from './measure.ts';
import { detect, POLICIES } from './policies.ts';

const INTERVAL_MS = 10_000;
/** Timeout of a check: the API's minimum. */
const TIMEOUT_MS = 1000;
const REGIONS = 3;
const FAULTS = 200;
const SPREAD_MS = 240_000;
/** The witnesses' checks and their rechecks, which run into their timeouts if nothing responds. */
const CONFIRMING_CHECKS = 2;

/** Time from a fault to the webhook, against a poller that alerts on the first failure. */
export const detectionLatency: Metric = async ({ outdir, root, scale }) => {
  const faults = Math.round(FAULTS * scale);
  const { found, missing, premature } = await measureDetection({
    outdir, start: join(root, 'deploy/command/farwatch.mjs'), faults, intervalMs: INTERVAL_MS,
    timeoutMs: TIMEOUT_MS, spreadMs: SPREAD_MS * scale,
  });
  const mean = (of: (each: Detection) => number, among = found): number =>
    among.reduce((sum, each) => sum + of(each), 0) / among.length;
  const notSilent = found.filter(({ kind }) => kind !== 'silent');
  const overhead = found.map((each) => each.confirmMs - ownMs(each) * (1 + CONFIRMING_CHECKS));
  const line = { metric: '10', unit: 'ms' };
  return [
    print({
      ...line, what: 'fault to webhook, mean, against a first-failure poller', ours: [mean(({ alertMs }) => alertMs)],
      theirs: [mean(({ pollerMs }) => pollerMs)], floor: { max: 1.3 },
      note: `${found.length} faults, ${REGIONS} regions every ${INTERVAL_MS / 1000} s, two rounds; ${premature} reported before they started; load ${loadavg()[0]?.toFixed(1)}; goal 1.05`,
    }),
    print({
      ...line, what: 'the same without targets that are silent', ours: [mean(({ alertMs }) => alertMs, notSilent)],
      theirs: [mean(({ pollerMs }) => pollerMs, notSilent)],
    }),
    ...FAULT_KINDS.map((wanted) => {
      const some = found.filter(({ kind }) => kind === wanted).map(({ confirmMs }) => confirmMs);
      return print({
        ...line, what: `${wanted}: first failing check to webhook, p50`, ours: [percentile(some, 0.5)],
        theirs: null, note: `p99 ${Math.round(percentile(some, 0.99))} ms`,
      });
    }),
    print({
      ...line, what: 'confirming, without what checks take to fail, p50', ours: [percentile(overhead, 0.5)],
      theirs: null,
    }),
    print({
      ...line, what: 'confirming, without what checks take to fail, p99', ours: [percentile(overhead, 0.99)],
      theirs: null, note: 'goal 250 ms',
    }),
    ...Object.keys(POLICIES).flatMap((name) => [INTERVAL_MS, 60_000].map((intervalMs) => replay(name, intervalMs, found))),
    missing === 0,
  ];
};

/** How long a check of the fault takes to fail, ms, unless it fails immediately. */
function ownMs({ kind }: Detection): number {
  return kind === 'silent' ? TIMEOUT_MS : 0;
}

/** The same faults under another product's policy, on virtual time, spread evenly over the interval. */
function replay(name: string, intervalMs: number, found: Detection[]): boolean | null {
  const policy = (POLICIES[name] as (typeof POLICIES)[string])(intervalMs);
  const theirs = found.map((each, index) => detect(
    policy, { afterMs: ((index + 0.5) / found.length) * policy.checkIntervalMs, failsAfterMs: ownMs(each) },
  ));
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const ours = found.map((each) => each.confirmMs - ownMs(each));
  const waits = found.map((each, index) => ((index + 0.5) / found.length) * (intervalMs / REGIONS) + each.confirmMs);
  const all = mean(waits) / mean(theirs.map(({ seenMs, confirmedMs }) => seenMs + confirmedMs));
  return print({
    metric: '10', what: `first failure to alert, every ${intervalMs / 1000} s, against ${name}`, ours: [mean(ours)],
    theirs: [mean(theirs.map(({ confirmedMs }) => confirmedMs))], unit: 'ms',
    note: `from the fault on: ${all.toPrecision(2)}`,
  });
}
