import { describe, expect, test } from 'vitest';
import { changedBranding } from '../../../controller/status-pages/branding-rules.ts';
import { componentBadge, pageBadge } from '../../../controller/status-pages/public/syndication/badge.ts';
import { renderComponentPage } from '../../../controller/status-pages/public/html/component-page-html.ts';
import { renderEmbed } from '../../../controller/status-pages/public/html/embed-html.ts';
import { renderFeed } from '../../../controller/status-pages/public/syndication/feeds.ts';
import { pageLocale } from '../../../controller/status-pages/public/languages/language.ts';
import { renderPostPage } from '../../../controller/status-pages/public/html/post-html.ts';
import { renderPublicPage } from '../../../controller/status-pages/public/html/public-page-html.ts';
import { framesOf, isShown, overallState, pageState } from '../../../controller/status-pages/public/public-rules.ts';
import type { PublicComponent, PublicPageView, PublicPost } from '../../../controller/status-pages/public/public-view.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;

test.each([
  [[], 'unknown'],
  [['unknown', 'paused'], 'unknown'],
  [['unknown', 'paused', 'maintenance'], 'maintenance'],
  [['up', 'maintenance'], 'maintenance'],
  [['up', 'degraded', 'maintenance'], 'degraded'],
  [['down', 'maintenance'], 'major_outage'],
  [['up', 'unknown', 'paused'], 'operational'],
  [['up', 'degraded'], 'degraded'],
  [['up', 'degraded', 'down'], 'partial_outage'],
  [['down', 'down', 'unknown'], 'major_outage'],
] as const)('components %j make the page %s', (states, overall) => {
  expect(overallState(states.map((status) => ({ status })))).toBe(overall);
});

test.each([
  ['up', 'identified', 'started', 'degraded'],
  ['maintenance', 'identified', 'started', 'degraded'],
  ['up', 'resolved', 'started', 'maintenance'],
  ['up', 'resolved', 'to come', 'operational'],
  ['down', 'identified', 'started', 'major_outage'],
  ['unknown', 'identified', 'to come', 'unknown'],
] as const)('a page of a component that is %s, a post that is %s and maintenance that is %s is %s', (status, post, window, state) => {
  expect(pageState({
    components: [{ id: 'a', name: 'API', group: null, status }],
    incidents: [{
      id: 'b', title: 'Slow', message: 'Slow', severity: 'critical', status: post, affected: [], updates: [],
      published_at: '2026-11-22T11:00:00.000Z', resolved_at: null,
    }],
    maintenance: [{
      id: 'c', title: 'Switches', description: null, affected: [],
      starts_at: new Date(NOW + (window === 'started' ? 0 : 1)).toISOString(), ends_at: '2026-11-23T01:00:00.000Z',
    }],
    as_of: new Date(NOW).toISOString(),
  })).toBe(state);
});

test('shows a resolved post for the page\'s days of history, an open one always', () => {
  const page = { incident_history_days: 7 };
  const post = (status: 'resolved' | 'monitoring', days: number) =>
    isShown({ status, published_at: NOW - days * DAY_MS }, page, NOW);
  expect([post('resolved', 7), post('resolved', 7.01), post('monitoring', 300)]).toEqual([true, false, true]);
});

test('reads time frames in their order, after the last day', () => {
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

describe('the HTML page', () => {
  const page = { branding: null, allow_search_indexing: true, incident_history_days: 3, created_at: 0 };
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
  const { html, headers } = renderPublicPage(view, { ...page, branding, allow_search_indexing: false }, 'en');

  test('shows what people wrote as text', () => {
    expect(html.split('alert(1)')).toHaveLength(html.split('&#60;script&#62;alert(1)').length);
    expect(html).not.toMatch(/<script(?! src="\/status\/assets\/scripts\/live-)|<img src=x/);
    expect(html).toContain('src="https://cdn.acme.example/logo.png?a=1&#38;b=%22"');
  });

  test('shows it as text on all of its subpages, too', () => {
    const appearance = { branding, allow_search_indexing: false };
    const locale = pageLocale('en', 'UTC');
    const [component, post] = [view.components[0] as PublicComponent, view.incidents[0] as PublicPost];
    const others = [
      renderComponentPage(view, appearance, component, null, locale).html, renderPostPage(view, appearance, post, locale).html,
      renderEmbed(view, appearance, locale).html, renderFeed('atom', view, 'https://status.example', locale),
      renderFeed('rss', view, 'https://status.example', locale), pageBadge(view, locale),
      componentBadge(view, component, 'uptime', locale),
    ];
    for (const other of others) {
      expect(other).toContain('alert(1)');
      expect(other).not.toMatch(/<script|<img src=x/);
    }
  });

  test('shows one uptime per component, and all others on the component\'s page', () => {
    const component: PublicComponent =
      { id: 'b', name: 'API', group: null, status: 'up', uptime: { '24h': 100, '7d': 99.5, '90d': 98.7 }, daily_uptime: [100] };
    const appearance = { branding: null, allow_search_indexing: true };
    const figures = /<dl class="figures">(.*?)<\/dl>/s.exec(
      renderComponentPage(view, appearance, component, null, pageLocale('en', 'UTC')).html,
    )?.[1];
    expect([...figures?.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g) ?? []].map(([, frame, percent]) => [frame, percent]))
      .toEqual([['24 hours', '100%'], ['7 days', '99.5%'], ['90 days', '98.7%']]);
    const shown = renderPublicPage({ ...view, components: [component] }, page, 'en').html;
    expect([...shown.matchAll(/<b>(.*?)<\/b><details>/g)].map(([, uptime]) => uptime)).toEqual(['98.7% uptime']);
    expect(shown).not.toMatch(/99\.5%/);
  });

  test('may load its images and its own style, and nothing else', () => {
    expect(headers['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src https:\/\/cdn\.acme\.example; form-action 'self'/,
    );
    expect(renderPublicPage(view, page, 'en').headers[
      'Content-Security-Policy'
    ]).toContain("img-src 'none'");
  });

  test('leaves images stored before their hosts were validated out of its policy', () => {
    const stored = { logoUrl: 'https://a.example;script-src/1.png', faviconUrl: 'https://a.example,x/i.ico' };
    const { headers, html } = renderPublicPage(view, { ...page, branding: stored }, 'en');
    expect(headers['Content-Security-Policy']).toContain("img-src 'none'; form-action");
    expect(html).not.toContain('a.example');
  });

  test('names states and gaps in text, and rounds no outage away', () => {
    expect(html).toContain('Some systems are down');
    expect(html).toContain('>Down<');
    expect(html).toContain('No data');
    expect(html).toContain('99.99% uptime');
    expect(html).toContain('22 Nov 2026, 21:00 GMT+9');
    expect(html.indexOf('>API<')).toBeLessThan(html.indexOf('>Down<'));
    expect(html).not.toMatch(/ style=|<style/);
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  test('starts with the state, ongoing incidents with their latest update, and current maintenance', () => {
    const post = (id: string, status: PublicPost['status'], updates: PublicPost['updates']): PublicPost => ({
      id, title: `Title of ${id}`, message: `First of ${id}`, severity: 'major', status, affected: ['API'],
      published_at: '2026-11-21T11:00:00.000Z', resolved_at: status === 'resolved' ? view.as_of : null, updates,
    });
    const update = (status: PublicPost['status'], message: string) =>
      ({ status, message, created_at: '2026-11-22T11:00:00.000Z' });
    const window = (title: string, starts_at: string) =>
      ({ id: title, title, description: null, affected: [], starts_at, ends_at: '2026-11-24T01:00:00.000Z' });
    const { html: shown } = renderPublicPage({
      ...view, name: 'Acme', description: null,
      maintenance: [window('Under way', '2026-11-22T11:00:00.000Z'), window('To come', '2026-11-23T11:00:00.000Z')],
      components: [
        { id: 'b', name: 'API', group: null, status: 'up', uptime: { '24h': 100, '30d': 98.5 }, daily_uptime: [100, 98] },
      ],
      incidents: [
        post('now', 'identified', [update('investigating', 'Second of now'), update('identified', 'Third of now')]),
        post('over', 'resolved', [update('resolved', 'Last of over')]),
      ],
    }, page, 'en');
    const order = [
      '<p class="overall partial_outage" role="status"><svg class="icon partial_outage">', 'Some systems are down',
      'Current incidents', 'Title of now', 'Third of now', 'All updates', '<h2>Maintenance</h2>', 'Under way',
      '>API<', 'Operational', '30 days: 98.5%', '90 days ago', 'Today', 'Scheduled maintenance', 'To come',
      'Past incidents', '22 November 2026', 'No incidents reported', '21 November 2026', 'Title of now',
      'Title of over', 'Last of over', '20 November 2026', 'No incidents reported',
    ];
    let at = 0;
    for (const text of order) {
      const next = shown.indexOf(text, at);
      expect(next, `${text} after ${at}`).toBeGreaterThan(-1);
      at = next + text.length;
    }
    for (const absent of ['First of now', 'Second of now', 'First of over', '24 hours']) expect(shown).not.toContain(absent);
  });

  test('collapses the groups of a long page, except those with failures', () => {
    const components = Array.from({ length: 40 }, (_, at): PublicComponent =>
      ({ id: `${at}`, name: `Node ${at}`, group: `Group ${at % 2}`, status: at === 7 ? 'degraded' : 'up' }));
    const groups = (count: number) => [...renderPublicPage(
      { ...view, components: components.slice(0, count) }, page, 'en',
    ).html.matchAll(/<details class="group"( open)?><summary><h2>(.*?)<.*?<\/svg>(.*?)</g)]
      .map(([, open, name, state]) => [name, open === ' open', state]);
    expect(groups(40)).toEqual([
      ['Group 0', false, 'All systems operational'], ['Group 1', true, 'Some systems are slow or degraded'],
    ]);
    expect(groups(30)).toEqual([]);
  });
});
