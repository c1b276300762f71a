import { isDeepStrictEqual } from 'node:util';
import { changedBranding } from '../status-pages/branding-rules.ts';
import { replacedComponents } from '../status-pages/page-rules.ts';
import type { Component, PageDoc, PageSettings } from '../status-pages/page.ts';
import type { PageItem } from '../status-pages/schema.ts';
import { differencesOf, type Difference } from './difference.ts';

/** A monitor that a page in the document may refer to. */
export interface CandidateMonitor {
  /** Null if it is new. */
  id: string | null;
  /** Its index in the document; null if it is not in the document. */
  at: number | null;
  name: string;
  target: string;
}

/**
 * The monitors that a page refers to, in its order; null for an unknown one. If several monitors have the
 * name, the target decides, then their order.
 */
export function resolveMonitors(
  item: PageItem, all: ReadonlyMap<string, readonly CandidateMonitor[]>,
): (CandidateMonitor | null)[] {
  const taken = new Set<CandidateMonitor>();
  return (item.monitors ?? []).map(({ monitor: name, target }) => {
    const free = (all.get(name) ?? []).filter((one) => !taken.has(one));
    const found = free.find((one) => one.target === target) ?? free[0] ?? null;
    if (found !== null) taken.add(found);
    return found;
  });
}

/**
 * The existing page with the item's subdomain, or without one the oldest with its name; null if it is new.
 */
export function matchPage({ name, subdomain }: PageItem, newestFirst: readonly PageDoc[]): PageDoc | null {
  const matched = newestFirst.findLast((page) =>
    (subdomain === undefined ? page.name === name : page.subdomain === subdomain));
  return matched ?? null;
}

/** The monitors of a page in the format of the API. */
export function componentsOf(item: PageItem, ids: readonly string[]) {
  return (item.monitors ?? []).map(({ monitor: _name, target: _target, ...shown }, at) =>
    ({ monitor_id: ids[at] ?? '', ...shown }));
}

/**
 * Changes of an item to a page. `named` are the item's monitors, `names` those of the page's monitors by id.
 */
export function pageDifferences(
  item: PageItem, settings: Partial<PageSettings>, current: PageDoc,
  { named, names }: { named: readonly (CandidateMonitor | null)[]; names: ReadonlyMap<string, string> },
): Difference[] {
  const { branding, status, components } = current;
  const currentFields = { ...current, branding: branding ?? {} };
  const wantedFields = { ...settings, branding: changedBranding(branding, item.branding, item) ?? {} };
  const fields = Object.keys(wantedFields) as (keyof typeof wantedFields)[];
  const seen = Object.fromEntries(fields.map((name) => [name, currentFields[name]]));
  const differences = differencesOf(seen, wantedFields);
  if (item.monitors !== undefined) {
    const next = replacedComponents(components, componentsOf(item, named.map((one) => one?.id ?? '')), 0);
    const after = next.map((one, at) => shownAs(named[at]?.name, one));
    const before = components.map((one) => shownAs(names.get(one.monitor_id), one));
    if (!isDeepStrictEqual(next, components)) differences.push({ field: 'monitors', before, after });
  }
  return [...differences, ...differencesOf({ status }, { status: item.status ?? status })];
}

function shownAs(monitor = '', { monitor_id: _id, created_at: _since, ...shown }: Component) {
  return { monitor, ...shown };
}
