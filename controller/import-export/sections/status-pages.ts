import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { planLimitExceeded } from '../../plans/quota.ts';
import { changedBranding } from '../../status-pages/branding-rules.ts';
import { allSettings, inDisplayOrder, replacedComponents } from '../../status-pages/page-rules.ts';
import type { PageDoc, PageSettings } from '../../status-pages/page.ts';
import { pageView } from '../../status-pages/responses.ts';
import { brandingInput, type PageItem } from '../../status-pages/schema.ts';
import {
  attachMonitors, changePage, checkDomain, createPage, deletePage, movePage, settingsOf,
} from '../../status-pages/verbs/write-page.ts';
import type { ProjectNames } from '../project-names.ts';
import { defineSection, type ImportScope, type Matched, type Planned, type Rest } from '../section.ts';

type Settings = Partial<PageSettings> & Pick<PageDoc, 'branding' | 'components' | 'status'>;

const exported = pageView.pick({
  name: true, description: true, subdomain: true, status: true, show_uptime_percentage: true,
  show_response_time: true, timezone: true, allow_search_indexing: true, uptime_timeframes: true,
  uptime_thresholds: true, incident_history_days: true, maintenance_affects_uptime: true,
  google_analytics_id: true, custom_domain: true, auto_publish_enabled: true, auto_publish_severities: true,
}).extend({
  branding: z.strictObject(brandingInput.shape).partial(),
  monitors: z.array(z.strictObject({
    monitor: z.string(), target: z.string().optional(), display_name: z.string().nullable(),
    group_name: z.string().nullable(), display_order: z.int(), is_visible: z.boolean(),
  })),
});

const UNSET_BRANDING = Object.fromEntries(Object.keys(brandingInput.shape).map((name) => [name, null]));

export const statusPages = defineSection<PageItem, PageDoc, Settings>({
  noun: 'status page', isForAdmins: 'import', isInLastDocument: true, exported,
  nameOf: ({ name }) => name,
  referenceOf: ({ subdomain }, current) => current?.subdomain ?? subdomain ?? '',
  load: async ({ deps, ctx }) => (await deps.pages.pages.list(ctx.tenant)).reverse(),
  match: (items, docs) => items.map(({ name, subdomain }) => docs.find((page) => (
    subdomain === undefined ? page.name === name : page.subdomain === subdomain
  )) ?? null),
  monitorsIn: ({ monitors = [] }) => monitors.map(({ monitor }) => monitor),
  monitorsOf: ({ components }) => components.map(({ monitor_id }) => monitor_id),
  plan: async (scope, matched) => {
    refuseRepeated(scope, matched);
    return matched.map((one) => settingsAfter(scope, one));
  },
  check: checkLimits,
  view: (page, names) => ({
    ...allSettings(page), subdomain: page.subdomain, branding: { ...UNSET_BRANDING, ...page.branding },
    monitors: viewComponents(page, names), status: page.status,
  }),
  write: async ({ deps: { pages: deps }, ctx, owner }, planned) => {
    for (const { id: _id, item, current, next, differences } of planned) {
      const { status, subdomain = '' } = item;
      const fields = { ...settingsOf(item), ...brandingOf(item), name: item.name };
      const changes = new Set(differences.map(({ field }) => field.split('.', 1)[0]));
      if (current === null) await createPage(deps, ctx, { ...fields, subdomain }, { _id, managed_by: owner });
      else if ([...changes].some((field) => field !== 'monitors' && field !== 'status')) {
        await changePage(deps, ctx, _id, fields, owner ?? undefined);
      }
      if (item.monitors !== undefined && (current === null || changes.has('monitors'))) {
        await attachMonitors(deps, ctx, _id, { monitors: next.components });
      }
      if (status !== undefined && status !== (current?.status ?? 'draft')) await movePage(deps, ctx, _id, status);
    }
  },
  remove: async ({ deps, ctx }, docs) => {
    for (const { _id } of docs) await deletePage(deps.pages, ctx, _id);
  },
});

/** Collects unknown monitors. */
function settingsAfter(
  { names, faults, ctx }: ImportScope, { item, at, current }: Matched<PageItem, PageDoc>,
): Settings {
  if (current === null && item.subdomain === undefined) {
    faults.add(['status_pages', at, 'subdomain'], 'Required for a new page');
  }
  const { components: before, status, branding } = current ?? { components: [], status: 'draft' as const, branding: null };
  const references = (item.monitors ?? []).map(({ monitor: name, target }) => ({ name, target }));
  const ids = names.resolve('monitors', references, before.map(({ monitor_id }) => monitor_id));
  for (const [place, id] of ids.entries()) {
    if (id === null) faults.add(['status_pages', at, 'monitors', place, 'monitor'], 'Unknown monitor');
  }
  const listed = (item.monitors ?? []).map(({ monitor: _name, target: _target, ...shown }, place) =>
    ({ monitor_id: ids[place] ?? '', ...shown }));
  return {
    ...settingsOf(item), status: item.status ?? status,
    branding: changedBranding(branding, item.branding, item),
    components: item.monitors === undefined ? before : replacedComponents(before, listed, ctx.now),
  };
}

/** Collects items that match the same page as an earlier item. */
function refuseRepeated({ faults }: ImportScope, matched: Matched<PageItem, PageDoc>[]): void {
  const seen = new Set<string | undefined>();
  for (const { item, current, at } of matched) {
    const key = current?.subdomain ?? item.subdomain;
    if (seen.has(key)) faults.add(['status_pages', at, 'name'], 'Listed twice');
    seen.add(key);
  }
}

/** Throws INSUFFICIENT_PLAN, PLAN_LIMIT_EXCEEDED, SLUG_ALREADY_TAKEN. */
async function checkLimits(
  { deps, ctx }: ImportScope, planned: Planned<PageItem, PageDoc, Settings>[], { removed }: Rest<PageDoc>,
): Promise<void> {
  const { organizationId } = ctx.tenant;
  const { pages, freed, quota } = deps.pages;
  for (const { item, current } of planned) {
    if (item.custom_domain !== current?.custom_domain) await checkDomain({ quota }, organizationId, item);
  }
  const added = planned.filter(({ current }) => current === null);
  if (added.length === 0) return;
  const [{ status_pages: limit }, { status_pages: usage }] = await Promise.all([
    quota.limitsOf(organizationId), deps.monitors.quota.usageOf(organizationId),
  ]);
  if (usage + added.length - removed.length > limit) throw planLimitExceeded('status page', limit, usage);
  const wanted = added.flatMap(({ item }) => item.subdomain ?? []);
  const [taken, reserved] = await Promise.all([
    pages.takenOf(wanted), freed.reservedForOthers(wanted, organizationId, ctx.now),
  ]);
  const [first] = [...taken, ...reserved];
  if (first !== undefined) throw new AppError('SLUG_ALREADY_TAKEN', `The subdomain ${first} is taken`);
}

function brandingOf({ branding, color_scheme, logo_url, favicon_url, custom_css }: PageItem) {
  const values = Object.entries({ branding, color_scheme, logo_url, favicon_url, custom_css });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function viewComponents({ components }: PageDoc, names: ProjectNames) {
  return inDisplayOrder(components).flatMap(({ monitor_id, created_at: _since, ...shown }) => {
    const monitor = names.nameOf(monitor_id);
    return monitor === null ? [] : [{ monitor, ...names.targetIfAmbiguous(monitor_id), ...shown }];
  });
}
