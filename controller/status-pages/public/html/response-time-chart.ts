import { html, type Html } from '../../../pages/html.ts';
import type { TimePoint } from '../../../results/reading/history/history-page.ts';
import type { PageLocale } from '../languages/language.ts';

/** A mean response time over all regions; null if no check succeeded. */
export interface ResponseTime {
  /** Start of the hour or day, Unix ms. */
  at: number;
  ms: number | null;
}

/** Merges the regions' series, weighted by their successful checks. Oldest first. */
export function mergeRegions(series: Iterable<readonly TimePoint[]>): ResponseTime[] {
  const sums = new Map<number, { ms: number; count: number }>();
  for (const { at, avg, count, failed } of [...series].flat()) {
    const sum = sums.get(at) ?? { ms: 0, count: 0 };
    const succeeded = avg === null ? 0 : count - failed;
    sums.set(at, { ms: sum.ms + (avg ?? 0) * succeeded, count: sum.count + succeeded });
  }
  return [...sums].sort(([one], [other]) => one - other)
    .map(([at, { ms, count }]) => ({ at, ms: count === 0 ? null : ms / count }));
}

const WIDTH = 600;
const HEIGHT = 100;

/** A line chart of `points` with gaps where there is no data, and a summary in text. */
export function responseTimeChart(
  points: readonly ResponseTime[], stepMs: number, { texts, whole }: PageLocale,
): Html {
  const measured = points.flatMap(({ at, ms }) => (ms === null ? [] : [{ at, ms }]));
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) return html`<p>${texts.noTimes}</p>`;
  const highest = Math.max(...measured.map(({ ms }) => ms), 1);
  const mean = measured.reduce((sum, { ms }) => sum + ms, 0) / measured.length;
  const x = (at: number) => Math.round(((at - first.at) / Math.max(stepMs, last.at - first.at)) * WIDTH);
  const y = (ms: number) => Math.round(HEIGHT - (ms / highest) * HEIGHT);
  const line = measured.map(({ at, ms }, index) => {
    const before = measured[index - 1];
    const isJoined = before !== undefined && at - before.at <= stepMs;
    // A point without neighbors becomes a short line.
    return `${isJoined ? 'L' : 'M'}${x(at)} ${y(ms)}${isJoined ? '' : 'h1'}`;
  }).join('');
  const summary = `${texts.mean} ${whole(mean)} ${texts.milliseconds}`;
  return html`<figure><figcaption>${texts.hourly}. ${summary}</figcaption>
<p>${whole(highest)} ${texts.milliseconds}</p><svg class="chart" viewBox="0 -4 ${WIDTH} ${HEIGHT + 8}" preserveAspectRatio="none" role="img" aria-label="${
    texts.responseTime}. ${summary}"><path d="${line}"/></svg><p>0 ${texts.milliseconds}</p></figure>`;
}
