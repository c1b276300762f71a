import type { ChartData, Line } from '../charts/chart-data.ts';
import type { Result, Series } from './response-types.ts';
import type { Span } from './time-span.ts';

/** Phases of a check, in their order. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
type Phase = (typeof PHASES)[number];

export const FIGURES = ['avg', 'p50', 'p95', 'p99', 'max'] as const;
export type Figure = (typeof FIGURES)[number];

/** Number of line colors; more regions reuse them. */
const COLOR_COUNT = 8;
const colorAt = (index: number) => `line-${(index % COLOR_COUNT) + 1}`;

type Name = (region: string) => string;

/** A line per region with each of its checks. A failed check breaks the line. */
export function linesOfChecks(results: readonly Result[], name: Name): ChartData {
  const checks = results.filter(({ outcome }) => outcome !== 'missed');
  const times = [...new Set(checks.map(({ checked_at: at }) => at))].sort((one, other) => one - other);
  const place = new Map(times.map((at, index) => [at, index]));
  const regions = [...new Set(checks.map(({ region }) => region))].sort();
  const values = new Map(regions.map((region) => [region, new Array<number | null | undefined>(times.length).fill(undefined)]));
  for (const { region, checked_at: at, success, response_time_ms: ms } of checks) {
    (values.get(region) as (number | null)[])[place.get(at) as number] = success ? ms : null;
  }
  const lines = regions.map((region, index): Line => ({ name: name(region), color: colorAt(index), values: values.get(region) ?? [] }));
  return { times, lines };
}

/** A line per region with one figure per hour or day. Missing data breaks it. */
export function linesOfSeries(series: Series, { from, to }: Span, stepMs: number, figure: Figure, name: Name): ChartData {
  const times = timesOf(series, { from, to }, stepMs);
  const lines = series.map(({ region, points }, index): Line => {
    const byTime = new Map(points.map((point) => [point.at, point[figure]]));
    return { name: name(region), color: colorAt(index), values: times.map((at) => byTime.get(at) ?? null) };
  });
  return { times, lines };
}

/** Percentiles of one region's response times. */
export function percentilesOfSeries(series: Series, region: string, span: Span, stepMs: number, names: Record<'p50' | 'p95' | 'p99', string>): ChartData {
  const own = series.filter((one) => one.region === region);
  const times = timesOf(own, span, stepMs);
  const byTime = new Map(own.flatMap(({ points }) => points.map((point) => [point.at, point] as const)));
  const lines = (['p99', 'p95', 'p50'] as const).map((figure, at) => (
    { name: names[figure], color: `percentile-${3 - at}`, values: times.map((time) => byTime.get(time)?.[figure] ?? null) }
  ));
  return { times, lines };
}

function timesOf(series: Series, { from, to }: Span, stepMs: number): number[] {
  const all = series.flatMap(({ points }) => points.map(({ at }) => at)).filter((at) => at > from - stepMs && at <= to);
  if (all.length === 0) return [];
  const [first, last] = [Math.min(...all), Math.max(...all)];
  return Array.from({ length: (last - first) / stepMs + 1 }, (_, index) => first + index * stepMs);
}

const MAX_BINS = 60;

interface Bin {
  at: number;
  results: Result[];
}

/** Groups successful checks into at most 60 bins of the same length; leaves out empty bins. */
function binsOf(results: readonly Result[], { from, to }: Span): Bin[] {
  const stepMs = Math.max(1, (to - from) / MAX_BINS);
  const bins = new Map<number, Result[]>();
  for (const result of results) {
    if (!result.success) continue;
    const at = Math.floor((result.checked_at - from) / stepMs);
    const bin = bins.get(at);
    if (bin === undefined) bins.set(at, [result]);
    else bin.push(result);
  }
  return [...bins].sort(([one], [other]) => one - other)
    .map(([at, found]) => ({ at: Math.round(from + (at + 0.5) * stepMs), results: found }));
}

/** Percentiles of checks per bin. */
export function percentilesOfChecks(results: readonly Result[], span: Span, names: Record<'p50' | 'p95' | 'p99', string>): ChartData {
  const bins = binsOf(results, span).map(({ at, results: found }) => (
    { at, times: found.flatMap(({ response_time_ms: ms }) => ms ?? []).sort((one, other) => one - other) }
  ));
  const lines = ([['p99', 0.99], ['p95', 0.95], ['p50', 0.5]] as const).map(([figure, share], at) => (
    { name: names[figure], color: `percentile-${3 - at}`, values: bins.map(({ times }) => times[Math.ceil(share * times.length) - 1] ?? null) }
  ));
  return { times: bins.map(({ at }) => at), lines };
}

/** The mean of each phase per bin, stacked, first phase at the bottom. */
export function phasesOfChecks(results: readonly Result[], span: Span, names: Record<Phase, string>): ChartData {
  const bins = binsOf(results.filter(({ timings }) => timings !== null), span);
  const means = bins.map(({ results: found }) => PHASES.map((phase) => (
    found.reduce((sum, { timings }) => sum + (timings?.[phase] ?? 0), 0) / found.length
  )));
  const lines = PHASES.map((phase, index): Line => ({
    name: names[phase], color: `phase-${phase}`, fill: true, width: 0,
    values: means.map((all) => all.slice(0, index + 1).reduce((sum, ms) => sum + ms, 0)),
    displayValues: means.map((all) => all[index]),
  })).filter(({ displayValues = [] }) => displayValues.some((ms) => (ms ?? 0) > 0));
  // Lower lines are drawn over higher ones.
  return { times: bins.map(({ at }) => at), lines: lines.reverse() };
}
