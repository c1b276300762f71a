import type { Random } from '../simulation/random.ts';

const HOUR_MS = 3_600_000;
/** As the monitors of these tests are created. */
export const TIMEOUT_MS = 10_000;

export interface MonitorSetup {
  intervalMs: number;
  retries: number;
  regions: string[];
}

/** One result, or (`missed`) slot, and when it reached the controller. */
export interface ScriptedResult {
  region: string;
  at: number;
  /** Too late to change a verdict. */
  late: boolean;
  arrivedAt: number;
  outcome: 'success' | 'failure' | 'missed';
  /** In tenths of a millisecond, as they are stored; only of successes. */
  ms: number | null;
  attempt: number;
}

export interface Script {
  results: ScriptedResult[];
  /** The time ranges in which the monitor was paused. */
  pauses: [from: number, until: number][];
}

type Kind = 'outage' | 'outage of one' | 'hole' | 'hole told late' | 'pause';
interface Happening {
  kind: Kind;
  from: number;
  until: number;
  region: string;
}

/**
 * The results of a monitor's probes from `from` to `until`, with random events at least two hours
 * apart.
 */
export function script(random: Random, monitor: MonitorSetup, from: number, until: number): Script {
  const happenings: Happening[] = [];
  for (let at = from + HOUR_MS; ; ) {
    const kind = random.pick<Kind>(['outage', 'outage', 'outage of one', 'hole', 'hole told late', 'pause']);
    const durationMs = /^outage/.test(kind) ? random.int(20_000, 70 * 60_000) : random.int(HOUR_MS, 3 * HOUR_MS);
    if (at + durationMs + HOUR_MS > until) break;
    happenings.push({ kind, from: at, until: at + durationMs, region: random.pick(monitor.regions) });
    at += durationMs + random.int(2 * HOUR_MS, 5 * HOUR_MS);
  }
  const results = monitor.regions.flatMap((region, index) => resultsOf(
    random, monitor, { region, from: from + index * 61_000 + random.int(0, 30_000), until, happenings },
  ));
  return {
    results, pauses: happenings.filter(({ kind }) => kind === 'pause').map((each) => [each.from, each.until]),
  };
}

function resultsOf(
  random: Random, monitor: MonitorSetup, of: { region: string; from: number; until: number; happenings: Happening[] },
): ScriptedResult[] {
  const { region, happenings } = of;
  const results: ScriptedResult[] = [];
  const time = () => random.int(50, 40_000) / 10;
  const isDown = (at: number) =>
    happenings.some((each) => at >= each.from && at < each.until &&
      (each.kind === 'outage' || (each.kind === 'outage of one' && each.region === region)));
  for (let at = of.from; at < of.until; at += monitor.intervalMs) {
    const during = happenings.find((each) => at >= each.from && at < each.until);
    if (during !== undefined && /^(hole|pause)/.test(during.kind)) {
      if (during.kind === 'hole told late' && region === monitor.regions[0] && isIsolated(at, during, monitor)) {
        const isUp = random.chance(0.7);
        results.push({
          region, at, late: true, arrivedAt: during.until + 30 * 60_000,
          outcome: isUp ? 'success' : 'failure', ms: isUp ? time() : null, attempt: 1,
        });
      }
      continue;
    }
    // One slot that an overloaded probe missed, where nothing else happens.
    const isCalm = happenings.every(
      (each) => at < each.from - 3 * monitor.intervalMs || at > each.until + 3 * monitor.intervalMs,
    );
    if (isCalm && results.at(-1)?.outcome === 'success' && random.chance(0.03)) {
      results.push({ region, at, late: false, arrivedAt: at, outcome: 'missed', ms: null, attempt: 1 });
      continue;
    }
    for (let attempt = 1, again = at; attempt === 1 ||
      (attempt <= monitor.retries + 1 && results.at(-1)?.outcome === 'failure'); attempt += 1, again += 5000) {
      const isUp = !isDown(again);
      results.push({
        region, at: again, late: false, arrivedAt: again, outcome: isUp ? 'success' : 'failure',
        ms: isUp ? time() : null, attempt,
      });
    }
  }
  return results;
}

/**
 * Whether the interval that a late result covers lies in unmonitored time, and in one hour.
 */
function isIsolated(at: number, hole: Happening, { intervalMs }: MonitorSetup): boolean {
  return at > hole.from + intervalMs && at + intervalMs < hole.until &&
    Math.floor(at / HOUR_MS) === Math.floor((at + intervalMs) / HOUR_MS);
}

export interface Sums {
  uptime: number | null;
  average: number;
  total: number;
  failed: number;
}

type Span = [from: number, until: number];

/**
 * The expected statistics from `from` to `now`, computed from the raw results: a monitor is
 * monitored from each result to the next, and for one interval where the next takes longer than two and a
 * timeout; a region is down from the first failure of more in a row than the retries to its next success, the
 * monitor while any of its regions is; a late result covers one interval.
 */
export function sumsOf({ results, pauses }: Script, monitor: MonitorSetup, from: number, now: number): Sums {
  const counted = results.filter((each) => each.outcome !== 'missed' && each.at >= from);
  const times = counted.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  const monitored = monitoredSpans(results, pauses, monitor, now);
  const down = union(
    monitor.regions.flatMap((region) => downSpans(results.filter((each) => each.region === region), monitor, now)),
  );
  const late = results.filter((each) => each.late && each.at >= from);
  const upLate = late.filter(({ outcome }) => outcome === 'success').length * monitor.intervalMs;
  const all = lengthOf(monitored, from) + late.length * monitor.intervalMs;
  const up = lengthOf(monitored, from) - lengthOf(common(monitored, down), from) + upLate;
  return {
    uptime: all === 0 ? null : (up / all) * 100,
    average: times.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    total: counted.length, failed: counted.filter(({ outcome }) => outcome === 'failure').length,
  };
}

function inTime(results: ScriptedResult[]): ScriptedResult[] {
  return results.filter((each) => !each.late && each.outcome !== 'missed').sort((a, b) => a.at - b.at);
}

function monitoredSpans(results: ScriptedResult[], pauses: Script['pauses'], { intervalMs }: MonitorSetup, now: number): Span[] {
  const checkedAt = inTime(results).map(({ at }) => at);
  return checkedAt.map((at, index): Span => {
    const pause = pauses.find(([from]) => from >= at)?.[0] ?? Infinity;
    const next = Math.min(checkedAt[index + 1] ?? now, pause);
    return [at, next - at > 2 * intervalMs + TIMEOUT_MS ? at + intervalMs : next];
  });
}

function downSpans(results: ScriptedResult[], { retries }: MonitorSetup, now: number): Span[] {
  const spans: Span[] = [];
  let fails = 0;
  let first = 0;
  for (const { at, outcome } of inTime(results)) {
    if (outcome === 'success' && fails > retries) spans.push([first, at]);
    if (outcome === 'failure' && fails === 0) first = at;
    fails = outcome === 'success' ? 0 : fails + 1;
  }
  return fails > retries ? [...spans, [first, now]] : spans;
}

function union(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const [from, until] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], until);
    else joined.push([from, until]);
  }
  return joined;
}

function common(some: Span[], others: Span[]): Span[] {
  return some.flatMap(([from, until]) => others.map(
    (other): Span => [Math.max(from, other[0]), Math.min(until, other[1])],
  ).filter(([one, end]) => one < end));
}

function lengthOf(spans: Span[], from: number): number {
  return spans.reduce((sum, [start, until]) => sum + Math.max(0, until - Math.max(start, from)), 0);
}
