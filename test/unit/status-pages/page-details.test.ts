import { describe, expect, test } from 'vitest';
import { uptimeBars, shownDays, imperfectDays } from '../../../controller/status-pages/public/html/uptime-bars.ts';
import { responseTimeChart, mergeRegions } from '../../../controller/status-pages/public/html/response-time-chart.ts';
import { LANGUAGES, TEXTS, pageLocale } from '../../../controller/status-pages/public/languages/language.ts';
import { preferredLanguage } from '../../../controller/status-pages/public/languages/preferred-language.ts';
import { renderPublicPage } from '../../../controller/status-pages/public/html/public-page-html.ts';
import { dayState, firstDay, floorPercent, hoursOfToday } from '../../../controller/status-pages/public/public-rules.ts';
import type { PublicComponent, PublicPageView } from '../../../controller/status-pages/public/public-view.ts';

const NOW = Date.parse('2026-11-22T12:30:00Z');
const HOUR_MS = 3_600_000;
const PAGE = { branding: null, allow_search_indexing: true, incident_history_days: 7, created_at: 0 };
const english = pageLocale('en', 'UTC');

function pageOf(components: PublicComponent[]): PublicPageView {
  return {
    name: 'Acme', description: null, subdomain: 'acme', timezone: 'UTC', color_scheme: 'system',
    overall: 'operational', uptime_thresholds: { operational: 99.9, degraded: 95 }, first_day: '2026-08-25',
    components, incidents: [], maintenance: [], as_of: '2026-11-22T12:30:00.000Z', is_current: true,
  };
}

function componentOf(daily_uptime: (number | null)[], more: Partial<PublicComponent> = {}): PublicComponent {
  return { id: 'a', name: 'Shop', group: null, status: 'up', daily_uptime, ...more };
}

describe('days of a component', () => {
  const days = [null, null, 100, 100, 99.95, 97, 20, ...Array<number>(83).fill(100)];
  const shown = shownDays(componentOf(days), pageOf([]));

  test('end today in UTC', () => {
    expect(new Date(firstDay(NOW)).toISOString()).toBe('2026-08-25T00:00:00.000Z');
    expect(shown.at(-1)?.at).toBe(Date.parse('2026-11-22T00:00:00Z'));
    expect([hoursOfToday(NOW), hoursOfToday(Date.parse('2026-11-22T00:59:00Z'))]).toEqual([12, 0]);
  });

  test.each([
    [null, 'unknown'], [100, 'operational'], [99.9, 'operational'], [99.89, 'degraded'], [95, 'degraded'],
    [94.9, 'down'], [0, 'down'],
  ] as const)('with an uptime of %s percent are %s', (uptime, state) => {
    expect(dayState(uptime, { operational: 99.9, degraded: 95 })).toBe(state);
  });

  test('are drawn as one line per run of equal days, and each day with failures has a title', () => {
    const { text } = uptimeBars(shown, english);
    expect(text).toContain('<path class="n" d="M0 0h7"/>');
    expect(text).toContain('<path class="u" d="M8 0h7M16 0h3M28 0h331"/>');
    expect(text).toContain('<path class="g" d="M20 0h3"><title>30 Aug: 97%</title></path>');
    expect(text).toContain('<path class="d" d="M24 0h3"><title>31 Aug: 20%</title></path>');
    expect(text).toMatch(/role="img" aria-label="90 days: 99\.05%"/);
  });

  test('are listed as text where something failed or is unknown, newest first', () => {
    expect(imperfectDays(shown, english).map(({ text }) => text)).toEqual([
      '<li>31 Aug: 20%</li>', '<li>30 Aug: 97%</li>', '<li>29 Aug: 99.95%</li>',
      '<li>25 Aug – 26 Aug: no data</li>',
    ]);
  });

  test('take few bytes even if every day had failures', () => {
    const bad = shownDays(componentOf(Array.from({ length: 90 }, (_, index) => 50 + index / 10)), pageOf([]));
    expect(uptimeBars(bad, english).text).not.toContain('<title>');
    expect(imperfectDays(bad, english)).toHaveLength(21);
    expect(imperfectDays(bad, english).at(-1)?.text).toBe('<li>…</li>');
  });

  test('never round a failure away', () => {
    expect([floorPercent(99.9999), floorPercent(100), floorPercent(null)]).toEqual([99.99, 100, null]);
    expect(english.percent(99.9999)).toBe('99.99%');
  });
});

describe('response times', () => {
  const point = (at: number, avg: number | null, count: number, failed = 0) =>
    ({ at, avg, count, failed, min: avg, max: avg, p50: avg, p95: avg, p99: avg });

  test('of regions are weighted by their successful checks', () => {
    const series = [[point(0, 100, 30), point(HOUR_MS, null, 5, 5)], [point(0, 400, 15, 5)]];
    expect(mergeRegions(series)).toEqual([{ at: 0, ms: 175 }, { at: HOUR_MS, ms: null }]);
  });

  test('are a line with gaps for missing data, with a text summary', () => {
    const points = [0, 1, 3].map((hour) => ({ at: hour * HOUR_MS, ms: 100 + 100 * hour }));
    const { text } = responseTimeChart(points, HOUR_MS, english);
    expect(text).toContain('<path d="M0 75h1L200 50M600 0h1"/>');
    expect(text).toContain('aria-label="Response time. Average: 233 ms"');
    expect(responseTimeChart([{ at: 0, ms: null }], HOUR_MS, english).text).toBe('<p>No response times in this time range.</p>');
  });
});

describe('languages', () => {
  test.each([
    [undefined, 'en'], ['', 'en'], ['de', 'de'], ['de-AT,de;q=0.9,en;q=0.8', 'de'], ['it, fr;q=0.5', 'fr'],
    ['en;q=0.1, ja;q=0.2', 'ja'], ['zh-Hans-CN', 'zh'], ['*', 'en'], ['es;q=0, *;q=0.1', 'en'], ['pt', 'en'],
    ['de;q=x, fr;q=7, es;q=0.1', 'es'], [`${'x,'.repeat(100)}de`, 'en'],
  ])('a reader who accepts %j gets %s', (accepted, language) => {
    expect(preferredLanguage(accepted)).toBe(language);
  });

  test('have every text', () => {
    const textsOf = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsOf);
    for (const language of LANGUAGES) expect(textsOf(TEXTS[language]).every((text) => text.trim() !== '')).toBe(true);
  });

  test.each(LANGUAGES)('a page in %s declares its language and links to all others', (language) => {
    const component = componentOf([100, null], { uptime: { '90d': 99.5 }, response_time_ms: 1234 });
    const { html, headers } = renderPublicPage(pageOf([component]), PAGE, language);
    expect(html).toContain(`<html lang="${language}"`);
    for (const text of [TEXTS[language].overall.operational, TEXTS[language].states.up, TEXTS[language].today]) {
      expect(html).toContain(text);
    }
    for (const other of LANGUAGES) expect(html).toContain(`href="/status/acme?lang=${other}"`);
    expect(headers).toMatchObject({ 'Content-Language': language, Vary: 'Accept-Language' });
  });
});

test('a page of 200 components, each fourth with a bad day, is below 100 kB uncompressed', () => {
  const components = Array.from({ length: 200 }, (_, index) => componentOf(
    Array.from({ length: 90 }, (_day, day) => (day === index / 4 ? 97.35 : 100)), {
      id: `0199a3f4-7c21-7b3e-9d52-3f1c2ab4${String(index).padStart(4, '0')}`, name: `Service ${index}`,
      uptime: { '24h': 100, '7d': 99.99, '30d': 99.98, '90d': 99.97 }, response_time_ms: 123,
    },
  ));
  const { html } = renderPublicPage(pageOf(components), PAGE, 'de');
  expect(Buffer.byteLength(html)).toBeLessThan(100_000);
});
