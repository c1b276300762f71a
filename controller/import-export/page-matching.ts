import { isDeepStrictEqual } from 'node:util';
import { changedBranding } from '../status-pages/branding-rules.ts';
import { replacedComponents } from '../status-pages/page-rules.ts';
import type { PageDoc, PageSettings } from '../status-pages/page.ts';
import type { PageItem } from '../status-pages/schema.ts';

/** A monitor that a page of a document may name. */
export interface Nameable {
  /** Null if it is new. */
  id: string | null;
  /** Its place in the document; null if that does not have it. */
  at: number | null;
  name: string;
  target: string;
}

/**
 * The monitors that a page names, in the order of its list; null where there is none. One name may mean
 * several monitors: the target decides, and then their order.
 */
export function namedMonitors(
  item: PageItem, all: ReadonlyMap<string, readonly Nameable[]>,
): (Nameable | null)[] {
  const taken = new Set<Nameable>();
  return (item.monitors ?? []).map(({ monitor: name, target }) => {
    const free = (all.get(name) ?? []).filter((one) => !taken.has(one));
    const found = free.find((one) => one.target === target) ?? free[0] ?? null;
    if (found !== null) taken.add(found);
    return found;
  });
}

/**
 * The page of the project that an item means: that of its subdomain, or without one the oldest of its name.
 * Null: it is new.
 */
export function meantPage({ name, subdomain }: PageItem, newestFirst: readonly PageDoc[]): PageDoc | null {
  const meant = newestFirst.findLast((page) =>
    (subdomain === undefined ? page.name === name : page.subdomain === subdomain));
  return meant ?? null;
}

/** The monitors of a page as a single write sends them. */
export function componentsOf(item: PageItem, ids: readonly string[]) {
  return (item.monitors ?? []).map(({ monitor: _name, target: _target, ...shown }, at) =>
    ({ monitor_id: ids[at] ?? '', ...shown }));
}

/** Names of the fields of a page that an item changes. */
export function pageChanges(
  item: PageItem, settings: Partial<PageSettings>, current: PageDoc, named: readonly (Nameable | null)[],
): string[] {
  const changes: string[] = Object.entries(settings)
    .filter(([name, value]) => !isDeepStrictEqual(value, current[name as keyof PageSettings]))
    .map(([name]) => name);
  const branding = changedBranding(current.branding, item.branding, item) ?? {};
  if (!isDeepStrictEqual(branding, current.branding ?? {})) changes.push('branding');
  if (item.monitors !== undefined) {
    const asked = componentsOf(item, named.map((one) => one?.id ?? ''));
    const next = replacedComponents(current.components, asked, 0);
    if (!isDeepStrictEqual(next, current.components)) changes.push('monitors');
  }
  if (item.status !== undefined && item.status !== current.status) changes.push('status');
  return changes;
}
