import { describe, expect, test } from 'vitest';
import { changedBranding } from '../../../controller/status-pages/branding-rules.ts';
import { componentBadge, pageBadge } from '../../../controller/status-pages/public/badge.ts';
import { renderComponentPage } from '../../../controller/status-pages/public/component-html.ts';
import { renderEmbed } from '../../../controller/status-pages/public/embed-html.ts';
import { renderFeed } from '../../../controller/status-pages/public/feeds.ts';
import { voiceOf } from '../../../controller/status-pages/public/languages/language.ts';
import { renderPostPage } from '../../../controller/status-pages/public/post-html.ts';
import { renderPublicPage } from '../../../controller/status-pages/public/public-html.ts';
import { framesOf, isShown, overallState } from '../../../controller/status-pages/public/public-rules.ts';
import type { PublicComponent, PublicPageView, PublicPost } from '../../../controller/status-pages/public/public-view.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;

test.each([
  [[], 'unknown'],
  [['unknown', 'paused'], 'unknown'],
  [['unknown', 'paused', 'maintenance'], 'maintenance'],
  [['up', 'maintenance'], 'operational'],
  [['up', 'unknown', 'paused'], 'operational'],
  [['up', 'degraded'], 'degraded'],
  [['up', 'degraded', 'down'], 'partial_outage'],
  [['down', 'down', 'unknown'], 'major_outage'],
] as const)('components %j make the page %s', (states, overall) => {
  expect(overallState(states.map((status) => ({ status })))).toBe(overall);
});

test('a resolved post is shown for the days of the page, an open one always', () => {
  const page = { incident_history_days: 7 };
  const post = (status: 'resolved' | 'monitoring', days: number) =>
    isShown({ status, published_at: NOW - days * DAY_MS }, page, NOW);
  expect([post('resolved', 7), post('resolved', 7.01), post('monitoring', 300)]).toEqual([true, false, true]);
});

test('time frames are read in their order, after the last day', () => {
  expect(framesOf({ uptime_timeframes: ['90d', '24h'] })).toEqual({
    frames: ['24h', '90d'], hours: [24, 24, 2160],
  });
});

test('an unset branding stays unset; null removes a field', () => {
  expect(changedBranding(null, {}, {})).toBeNull();
  expect(changedBranding({ logoUrl: 'https://a.example/' }, { logoUrl: null })).toEqual({});
  expect(changedBranding({ defaultTheme: 'dark' }, undefined, { color_scheme: 'light' })).toEqual({
    defaultTheme: 'light',
  });
});

describe('the page for people', () => {
  const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
  const view: PublicPageView = {
    name: HOSTILE, description: HOSTILE, subdomain: 'acme', timezone: 'Asia/Tokyo', color_scheme: 'system',
    overall: 'partial_outage', first_day: '2026-08-25', uptime_thresholds: { operational: 99.9, degraded: 95 },
    as_of: '2026-11-22T12:00:00.000Z', is_current: true,
    maintenance: [{
      id: 'd', title: HOSTILE, description: HOSTILE, affected: [HOSTILE],
      starts_at: '2026-11-22T23:00:00.000Z', ends_at: '2026-11-23T01:00:00.000Z',
    }],
    components: [
      { id: 'a', name: HOSTILE, group: HOSTILE, status: 'down', uptime: { '90d': 99.999, '24h': null } },
      { id: 'b', name: 'API', group: null, status: 'unknown', response_time_ms: 12.4 },
    ],
    incidents: [{
      id: 'c', title: HOSTILE, message: HOSTILE, severity: 'major', status: 'identified', affected: [HOSTILE],
      published_at: '2026-11-22T11:00:00.000Z', resolved_at: null,
      updates: [{ status: 'identified', message: HOSTILE, created_at: '2026-11-22T11:30:00.000Z' }],
    }],
  };
  const branding = {
    logoUrl: 'https://cdn.acme.example/logo.png?a=1&b=%22', headerText: HOSTILE, footerText: HOSTILE,
  };
  const { html, headers } = renderPublicPage(view, { branding, allow_search_indexing: false }, 'en');

  test('shows what people wrote as text', () => {
    expect(html.split('alert(1)')).toHaveLength(html.split('&#60;script&#62;alert(1)').length);
    expect(html).not.toMatch(/<script(?! src="\/status\/assets\/scripts\/live-)|<img src=x/);
    expect(html).toContain('src="https://cdn.acme.example/logo.png?a=1&#38;b=%22"');
  });

  test('shows it as text on all of its other pages, too', () => {
    const look = { branding, allow_search_indexing: false };
    const voice = voiceOf('en', 'UTC');
    const [component, post] = [view.components[0] as PublicComponent, view.incidents[0] as PublicPost];
    const others = [
      renderComponentPage(view, look, component, null, voice).html, renderPostPage(view, look, post, voice).html,
      renderEmbed(view, look, voice).html, renderFeed('atom', view, 'https://status.example', voice),
      renderFeed('rss', view, 'https://status.example', voice), pageBadge(view, voice),
      componentBadge(view, component, 'uptime', voice),
    ];
    for (const other of others) {
      expect(other).toContain('alert(1)');
      expect(other).not.toMatch(/<script|<img src=x/);
    }
  });

  test('may load its images and its own style, and nothing else', () => {
    expect(headers['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src https:\/\/cdn\.acme\.example; form-action 'self'/,
    );
    expect(renderPublicPage(view, { branding: null, allow_search_indexing: true }, 'en').headers[
      'Content-Security-Policy'
    ]).toContain("img-src 'none'");
  });

  test('with images that were stored before their hosts were checked leaves these out of its policy', () => {
    const stored = { logoUrl: 'https://a.example;script-src/1.png', faviconUrl: 'https://a.example,x/i.ico' };
    const page = renderPublicPage(view, { branding: stored, allow_search_indexing: true }, 'en');
    expect(page.headers['Content-Security-Policy']).toContain("img-src 'none'; form-action");
    expect(page.html).not.toContain('a.example');
  });

  test('names states and gaps in words, and rounds no outage away', () => {
    expect(html).toContain('Some systems are down');
    expect(html).toContain('>Down<');
    expect(html).toContain('No data');
    expect(html).toContain('90 days: 99.99%');
    expect(html).toContain('24 hours: no data');
    expect(html).toContain('22 Nov 2026, 21:00 GMT+9');
    expect(html.indexOf('>API<')).toBeLessThan(html.indexOf('>Down<'));
    expect(html).not.toMatch(/ style=|<style/);
    expect(html).toContain('<meta name="robots" content="noindex">');
  });
});
