import type { PageItem } from '../../status-pages/schema.ts';
import type { Conversion, Placed } from '../conversion.ts';
import { isTrue, numberOf, textOf, type Fields } from '../loose.ts';
import type { KumaFile } from './kuma-file.ts';

const SUBDOMAIN = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const THEMES: Readonly<Record<string, 'light' | 'dark' | 'system'>> = { light: 'light', dark: 'dark', auto: 'system' };
const ANALYTICS_ID = /^G-[A-Z0-9]{4,20}$/;
const MAX_COMPONENTS = 500;

/**
 * Adds the status pages of a database, and returns their subdomains by id. `placed` are the monitors in the
 * document, by id.
 */
export function addKumaPages(
  { tables }: KumaFile, placed: ReadonlyMap<number, Placed>, into: Conversion,
): Map<number, string> {
  const subdomains = new Map<number, string>();
  const domains = tables.get('status_page_cname') ?? [];
  for (const row of tables.get('status_page') ?? []) {
    const id = numberOf(row['id']);
    const notes: string[] = [];
    const own = domains.filter((one) => numberOf(one['status_page_id']) === id).map((one) => textOf(one['domain']));
    if (own.length > 0) notes.push(`Add its domain in Farwatch, which verifies it: ${own.join(', ')}.`);
    if (isTrue(row['show_tags'])) notes.push('It does not show tags.');
    if (isTrue(row['show_certificate_expiry'])) notes.push('It does not show when certificates expire.');
    const subdomain = subdomainOf(textOf(row['slug']), notes);
    const isAdded = into.addPage({
      name: [...textOf(row['title'])].slice(0, 100).join('') || 'Status',
      subdomain,
      ...(textOf(row['description']) === '' ? {} : { description: textOf(row['description']).slice(0, 1000) }),
      status: isTrue(row['published']) ? 'published' : 'draft',
      allow_search_indexing: isTrue(row['search_engine_index']),
      ...lookOf(row, notes),
      monitors: componentsOf(tables, id, placed, notes),
    }, notes);
    if (isAdded && id !== null) subdomains.set(id, subdomain);
  }
  return subdomains;
}

function subdomainOf(slug: string, notes: string[]): string {
  if (SUBDOMAIN.test(slug) && !slug.startsWith('xn--')) return slug;
  const fitted = `status-${slug.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 60).replace(/-+$/, '');
  notes.push(`Its address ends with ${fitted} instead of ${slug}.`);
  return fitted;
}

function lookOf(row: Fields, notes: string[]): Pick<PageItem, 'color_scheme' | 'branding' | 'google_analytics_id'> {
  const scheme = THEMES[textOf(row['theme'])];
  const footer = textOf(row['footer_text']);
  // Version 2 also has other services than Google's.
  const isGoogle = ['', 'google'].includes(textOf(row['analytics_type']));
  const analytics = textOf(row['google_analytics_tag_id']) || textOf(row['analytics_id']);
  if (textOf(row['custom_css']) !== '') notes.push('Its CSS is left out, because it is written for other elements.');
  if (footer.length > 500) notes.push('Its footer is cut to 500 characters.');
  const isMeasured = isGoogle && ANALYTICS_ID.test(analytics);
  if (analytics !== '' && !isMeasured) notes.push('Its analytics are left out.');
  return {
    ...(scheme === undefined ? {} : { color_scheme: scheme }),
    ...(footer === '' ? {} : { branding: { footerText: footer.slice(0, 500) } }),
    ...(isMeasured ? { google_analytics_id: analytics } : {}),
  };
}

function componentsOf(
  tables: KumaFile['tables'], page: number | null, placed: ReadonlyMap<number, Placed>, notes: string[],
): NonNullable<PageItem['monitors']> {
  const byWeight = (one: Fields, other: Fields) => (numberOf(one['weight']) ?? 0) - (numberOf(other['weight']) ?? 0);
  const groups = (tables.get('group') ?? []).filter((row) => numberOf(row['status_page_id']) === page).sort(byWeight);
  const members = groups.flatMap((group) => (tables.get('monitor_group') ?? [])
    .filter((row) => numberOf(row['group_id']) === numberOf(group['id'])).sort(byWeight)
    .map((row) => ({ id: numberOf(row['monitor_id']) ?? 0, group: textOf(group['name']).slice(0, 100) })));
  const once = members.filter(({ id }, at) => members.findIndex((one) => one.id === id) === at);
  const shown = once.filter(({ id }) => placed.has(id));
  if (shown.length < members.length) notes.push(`${members.length - shown.length} of its monitors are left out.`);
  if (shown.length > MAX_COMPONENTS) notes.push(`Only ${MAX_COMPONENTS} of its monitors are shown.`);
  return shown.slice(0, MAX_COMPONENTS).map(({ id, group }) => {
    const { name, target } = placed.get(id) as Placed;
    return { monitor: name, ...(target === undefined ? {} : { target }), ...(group === '' ? {} : { group_name: group }) };
  });
}
