import { expect } from 'vitest';
import { recoverSpool } from '../../probe/spool/recovery.ts';
import { laneName } from '../../shared/contracts/result.ts';
import type { Outcome } from './fault.ts';
import { invariantsOf } from './invariants.ts';
import type { Installation, Load } from './load.ts';
import { compareUptimes } from './uptimes.ts';

/** Far longer than a check takes. */
const MAX_CHECK_MS = 30_000;

/** The counts of results, and of the installation's failures. */
export interface Results {
  issued: number;
  stored: number;
  lost: number;
  duplicated: number;
  slots?: { due: number; unexplained: number };
  /** Monitors whose displayed uptime was compared with their results, and those where it differs. */
  uptimes?: { compared: number; wrong: number };
  /** Results left in a spool, and numbers missing in a lane. */
  left?: number;
  deaths?: number;
}

/** Results as `countResults` counts them. */
interface Counted extends Results {
  /** Stored checks by monitor, other than missed ones. */
  storedOf: ReadonlyMap<string, number>;
}

/** The counted outcome of a fault. */
export interface Tally {
  injected: number;
  results?: Results;
  incidents?: { expected: number; opened: number };
  alerts?: { expected: number; delivered: number; repeated: number };
  /** Recovery time after each injection, ms. */
  recoveryMs?: number[];
  /** Processes that ended unexpectedly, if not in `results`. */
  deaths?: number;
  seed?: number;
}

/** The outcome as lines of the tables. */
export function toOutcome(tally: Tally, more = ''): Outcome {
  const { injected, results, incidents, alerts, recoveryMs, seed } = tally;
  const parts = [`${injected} injected`];
  if (results) {
    parts.push(
      `results ${results.issued} issued, ${results.stored} stored, ${results.lost} lost, ${results.duplicated} duplicated`,
    );
  }
  if (incidents) parts.push(`incidents ${incidents.opened} of ${incidents.expected}`);
  if (alerts) parts.push(`alerts ${alerts.delivered} of ${alerts.expected}, ${alerts.repeated} repeated`);
  if (recoveryMs && recoveryMs.length > 0) {
    parts.push(`recovered after at most ${(Math.max(...recoveryMs) / 1000).toFixed(1)} s`);
  }
  if (more !== '') parts.push(more);
  if (seed !== undefined) parts.push(`seed ${seed}`);
  return { outcome: parts.join('; '), invariants: invariantsOf(tally) };
}

/** The repeats or variants of a fault: `few` in `npm test`, `all` in `npm run faults`. */
export function repeats<T>(few: T, all: T): T {
  return process.env['FARWATCH_FAULTS'] === 'all' ? all : few;
}

/** How long an outage lasts, ms: `long` in `npm run faults -- --long`. */
export function outageMs(short: number, long: number): number {
  return process.env['FARWATCH_FAULTS_LONG'] === 'yes' ? long : short;
}

export const SEED = Number(process.env['FARWATCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/**
 * Stops the checks, waits until every result has arrived, and compares the checks that the target saw with those
 * stored and displayed. Asserts that nothing is lost, duplicated, unexplained or wrong, and that no process
 * ended unexpectedly. A check that an unhealthy probe reported as missed is not lost.
 *
 * The target also saw checks that were in progress when a probe was killed. So for a load with such a
 * probe, pass the content of its spool each time (`spooledBy`): it is compared with the stored results, too, and the
 * slots of those checks must be missed.
 */
export async function countResults(
  load: Load<Installation>, spooled?: ReadonlyMap<string, number>,
): Promise<Counted> {
  const settled = await load.settle([], spooled ? 0 : MAX_CHECK_MS);
  const { issued, stored, spoilt, unexplained, holes, doubled, ledger } = settled;
  expect(holes, 'missing numbers in lanes').toEqual([]);
  expect(unexplained, 'slots without a result or reason').toBe(0);
  expect(doubled, 'slots with two results').toBe(0);
  const lost = spooled
    ? sum([...spooled].map(([lane, last]) => Math.max(0, last - (ledger.ends.get(lane) ?? 0))))
    : sum([...issued].map(([id, count]) => Math.max(0, count - (stored.get(id) ?? 0) - (spoilt.get(id) ?? 0))));
  const duplicated = sum([...stored].map(([id, count]) => Math.max(0, count - (issued.get(id) ?? 0))));
  expect({ lost, duplicated }).toEqual({ lost: 0, duplicated: 0 });
  const uptimes = await compareUptimes(load, settled);
  expect(uptimes.differences, 'uptimes that differ from the results').toEqual([]);
  const deaths = await load.farwatch.deaths();
  expect(deaths, 'processes that ended unexpectedly, and unhandled rejections').toBe(0);
  return {
    storedOf: stored, issued: spooled ? sum(stored.values()) + lost : sum(issued.values()), stored: sum(stored.values()),
    lost, duplicated,
    slots: { due: settled.due, unexplained },
    uptimes: { compared: uptimes.compared, wrong: uptimes.differences.length },
    left: settled.spooled + holes.length, deaths,
  };
}

/** The last number of each lane in a probe's spool, by the names of a ledger's lanes. */
export async function spooledBy(spoolDir: string, probeId: string): Promise<[lane: string, last: number][]> {
  const { lanes } = await recoverSpool(spoolDir);
  return [...lanes.values()].map(
    ({ shard, epoch, watermark, synced }) =>
      [`${shard}/${laneName(probeId, epoch)}`, Math.max(watermark, synced)],
  );
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}
