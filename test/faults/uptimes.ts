import { uptimeByResults } from '../helpers/uptime-by-results.ts';
import { until } from '../helpers/until.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import type { Installation, Load, CreatedMonitor } from './load.ts';

/** Rounding tolerance of percentages, which are sums of fractions. */
const ROUNDING = 1e-9;
/** Owners count the last results a moment after they are stored. */
const DISPLAY_TIMEOUT_MS = 30_000;

type Settled = Awaited<ReturnType<Load['settle']>>;
interface Bounds { id: string; min: number; max: number }

/**
 * Compares the uptime that the API shows for each monitor with its stored results. Excludes monitors with
 * failures whose uptime cannot be computed from the order of results alone: in several regions, or with gaps.
 */
export async function compareUptimes(
  load: Load<Installation>, settled: Settled,
): Promise<{ compared: number; differences: string[] }> {
  const bounds = [...load.monitors].flatMap(([id, monitor]) => {
    const found = boundsOf(monitor, settled.ledger.byMonitor.get(id) ?? [], settled.paused);
    return found ? [{ id, ...found }] : [];
  });
  let differences: string[] = [];
  await until(async () => {
    differences = (await Promise.all(bounds.map((one) => difference(load, one)))).flat();
    return differences.length === 0;
  }, { timeoutMs: DISPLAY_TIMEOUT_MS, everyMs: 250 }).catch(() => undefined);
  for (const difference of differences) {
    const [id = ''] = difference.split(':');
    process.stderr.write(`${difference}; ${await detailsOf(load, id, settled)}\n`);
  }
  return { compared: bounds.length, differences };
}

/** Results and incidents, to diagnose a wrong uptime. */
async function detailsOf(load: Load<Installation>, id: string, settled: Settled): Promise<string> {
  const results = (settled.ledger.byMonitor.get(id) ?? [])
    .map(({ started_at: at, outcome, attempt }) => `${at} ${outcome} ${attempt}`);
  const incidents = (await load.incidents([id])).map((incident) => JSON.stringify(incident));
  return `results ${results.join(', ')}; incidents ${incidents.join(', ')}`;
}

async function difference(load: Load<Installation>, { id, min, max }: Bounds): Promise<string[]> {
  const shown = await load.uptimeOf(id);
  const isWithinBounds = shown !== null && shown >= min - ROUNDING && shown <= max + ROUNDING;
  return isWithinBounds ? [] : [`${id}: ${shown} instead of ${min} to ${max}`];
}

/** The uptime computed from the results, until the monitor was paused; null if it is not compared. */
function boundsOf(
  { retries, regions, intervalMs }: CreatedMonitor, results: CheckResult[], paused: Settled['paused'],
): Omit<Bounds, 'id'> | null {
  const rows = results.filter(({ outcome }) => outcome !== 'missed');
  if (rows.length === 0) return null;
  if (rows.every(({ outcome }) => outcome === 'success')) return { min: 100, max: 100 };
  if (regions > 1 || rows.length < results.length || hasGap(rows, intervalMs)) return null;
  const ends = [paused.from, paused.until].map((end) => uptimeByResults(rows, { retries }, end) ?? NaN);
  return { min: Math.min(...ends), max: Math.max(...ends) };
}

function hasGap(rows: CheckResult[], intervalMs: number): boolean {
  const starts = rows.map((row) => row.started_at).toSorted((a, b) => a - b);
  return starts.some((at, index) => index > 0 && at - (starts[index - 1] as number) > intervalMs * 1.5);
}
