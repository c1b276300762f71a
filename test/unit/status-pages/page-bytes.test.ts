import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../../controller/status-pages/public/languages/language.ts';
import { LIVE_SCRIPT } from '../../../controller/status-pages/public/live/live-script.ts';
import { renderPublicPage } from '../../../controller/status-pages/public/html/public-page-html.ts';
import { PUBLIC_STYLE } from '../../../controller/status-pages/public/style/page-style.ts';
import type { PublicPageView } from '../../../controller/status-pages/public/public-view.ts';

const MONITORS = 200;
const DAYS = 90;
const MAX_BYTES = 100_000;
const PAGE = { branding: null, allow_search_indexing: true, incident_history_days: 7, created_at: 0 };

/** The same numbers from 0 to 1 in each run, which are incompressible. */
function dice(): () => number {
  let last = 7;
  return () => (last = (last * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** `share` of the days had failures, each with another uptime. */
function pageOf(share: number): PublicPageView {
  const next = dice();
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(next() * 16).toString(16)).join('');
  const percent = () => Math.floor(next() * 9999) / 100;
  const components = Array.from({ length: MONITORS }, (_, at) => ({
    id: [8, 4, 4, 4, 12].map(digits).join('-'), name: `Service ${at} of ${digits(16)}`, group: `Group ${at % 10}`,
    status: 'up' as const, uptime: { '24h': percent(), '7d': percent(), '30d': percent(), '90d': percent() },
    daily_uptime: Array.from({ length: DAYS }, () => (next() < share ? percent() : 100)),
    response_time_ms: Math.floor(next() * 900),
  }));
  return {
    name: 'Acme', description: null, subdomain: 'acme', timezone: 'Asia/Tokyo', color_scheme: 'system', components,
    overall: 'operational', uptime_thresholds: { operational: 99.9, degraded: 95 }, first_day: '2026-08-25',
    incidents: [], maintenance: [], as_of: '2026-11-22T12:00:00.000Z', is_current: true,
  };
}

/** At a fifth, nearly all components still title each day with failures. */
test.each([0.2, 1])('a page of 200 monitors with failures on %d of all days is small', (share) => {
  const compressors = {
    gzip: (text: string) => gzipSync(text),
    br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  };
  for (const language of LANGUAGES) {
    const { html } = renderPublicPage(pageOf(share), PAGE, language);
    for (const compress of [compressors.gzip, compressors.br]) {
      const sent = [html, PUBLIC_STYLE, LIVE_SCRIPT].map((text) => compress(text).length);
      expect(sent.reduce((sum, bytes) => sum + bytes)).toBeLessThan(MAX_BYTES);
    }
  }
});

test('draws many days with failures as one line per run of equal days', () => {
  const { html } = renderPublicPage(pageOf(1), PAGE, 'en');
  const [bars = ''] = /<svg viewBox=.*?<\/svg>/s.exec(html) ?? [];
  const drawn = [...bars.matchAll(/h(\d+)/g)].reduce((days, [, width]) => days + (Number(width) + 1) / 4, 0);
  expect(drawn).toBe(DAYS);
  expect([...bars.matchAll(/h\d+/g)].length).toBeLessThan(DAYS / 2);
});
