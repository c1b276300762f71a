import type { Random } from '../simulation/random.ts';

const HOUR_MS = 3_600_000;
/** As the monitors of these tests are made. */
export const TIMEOUT_MS = 10_000;

export interface Watch {
  intervalMs: number;
  retries: number;
  regions: string[];
}

/** One result, or (`missed`) slot, and when it reached the controller. */
export interface Told {
  region: string;
  at: number;
  /** Later than it may be to move a verdict. */
  late: boolean;
  arrivedAt: number;
  outcome: 'success' | 'failure' | 'missed';
  /** In tenths of a millisecond, as they are stored; of successes alone. */
  ms: number | null;
  attempt: number;
}

export interface Script {
  told: Told[];
  /** From when to when the monitor was paused. */
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
 * What a monitor's probes tell of the time from `from` to `until`, in which this and that happens, two hours
 * and more apart.
 */
export function script(random: Random, watch: Watch, from: number, until: number): Script {
  const happenings: Happening[] = [];
  for (let at = from + HOUR_MS; ; ) {
    const kind = random.pick<Kind>(['outage', 'outage', 'outage of one', 'hole', 'hole told late', 'pause']);
    const lasts = /^outage/.test(kind) ? random.int(20_000, 70 * 60_000) : random.int(HOUR_MS, 3 * HOUR_MS);
    if (at + lasts + HOUR_MS > until) break;
    happenings.push({ kind, from: at, until: at + lasts, region: random.pick(watch.regions) });
    at += lasts + random.int(2 * HOUR_MS, 5 * HOUR_MS);
  }
  const told = watch.regions.flatMap((region, index) => toldBy(
    random, watch, { region, from: from + index * 61_000 + random.int(0, 30_000), until, happenings },
  ));
  return {
    told, pauses: happenings.filter(({ kind }) => kind === 'pause').map((each) => [each.from, each.until]),
  };
}

function toldBy(
  random: Random, watch: Watch, of: { region: string; from: number; until: number; happenings: Happening[] },
): Told[] {
  const { region, happenings } = of;
  const told: Told[] = [];
  const time = () => random.int(50, 40_000) / 10;
  const isDown = (at: number) =>
    happenings.some((each) => at >= each.from && at < each.until &&
      (each.kind === 'outage' || (each.kind === 'outage of one' && each.region === region)));
  for (let at = of.from; at < of.until; at += watch.intervalMs) {
    const during = happenings.find((each) => at >= each.from && at < each.until);
    if (during !== undefined && /^(hole|pause)/.test(during.kind)) {
      if (during.kind === 'hole told late' && region === watch.regions[0] && isAlone(at, during, watch)) {
        const isUp = random.chance(0.7);
        told.push({
          region, at, late: true, arrivedAt: during.until + 30 * 60_000,
          outcome: isUp ? 'success' : 'failure', ms: isUp ? time() : null, attempt: 1,
        });
      }
      continue;
    }
    // One slot that a probe had no time for, where nothing else happens.
    const isCalm = happenings.every(
      (each) => at < each.from - 3 * watch.intervalMs || at > each.until + 3 * watch.intervalMs,
    );
    if (isCalm && told.at(-1)?.outcome === 'success' && random.chance(0.03)) {
      told.push({ region, at, late: false, arrivedAt: at, outcome: 'missed', ms: null, attempt: 1 });
      continue;
    }
    for (let attempt = 1, again = at; attempt === 1 ||
      (attempt <= watch.retries + 1 && told.at(-1)?.outcome === 'failure'); attempt += 1, again += 5000) {
      const isUp = !isDown(again);
      told.push({
        region, at: again, late: false, arrivedAt: again, outcome: isUp ? 'success' : 'failure',
        ms: isUp ? time() : null, attempt,
      });
    }
  }
  return told;
}

/**
 * Whether the interval that a late result stands for lies in time that nobody had watched, and in one hour.
 */
function isAlone(at: number, hole: Happening, { intervalMs }: Watch): boolean {
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
 * What is to be answered of the time from `from` to `now`, worked out from the raw results: a monitor is
 * watched from each result to the next, and for one interval where the next takes longer than two and a
 * timeout; a region is down from the first failure of more in a row than the retries to its next success, the
 * monitor while any of its regions is; a late result stands for one interval.
 */
export function sumsOf({ told, pauses }: Script, watch: Watch, from: number, now: number): Sums {
  const counted = told.filter((each) => each.outcome !== 'missed' && each.at >= from);
  const times = counted.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  const watched = watchedSpans(told, pauses, watch, now);
  const down = union(
    watch.regions.flatMap((region) => downSpans(told.filter((each) => each.region === region), watch, now)),
  );
  const late = told.filter((each) => each.late && each.at >= from);
  const upLate = late.filter(({ outcome }) => outcome === 'success').length * watch.intervalMs;
  const all = lengthOf(watched, from) + late.length * watch.intervalMs;
  const up = lengthOf(watched, from) - lengthOf(common(watched, down), from) + upLate;
  return {
    uptime: all === 0 ? null : (up / all) * 100,
    average: times.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    total: counted.length, failed: counted.filter(({ outcome }) => outcome === 'failure').length,
  };
}

function inTime(told: Told[]): Told[] {
  return told.filter((each) => !each.late && each.outcome !== 'missed').sort((a, b) => a.at - b.at);
}

function watchedSpans(told: Told[], pauses: Script['pauses'], { intervalMs }: Watch, now: number): Span[] {
  const heard = inTime(told).map(({ at }) => at);
  return heard.map((at, index): Span => {
    const pause = pauses.find(([from]) => from >= at)?.[0] ?? Infinity;
    const next = Math.min(heard[index + 1] ?? now, pause);
    return [at, next - at > 2 * intervalMs + TIMEOUT_MS ? at + intervalMs : next];
  });
}

function downSpans(told: Told[], { retries }: Watch, now: number): Span[] {
  const spans: Span[] = [];
  let fails = 0;
  let first = 0;
  for (const { at, outcome } of inTime(told)) {
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
