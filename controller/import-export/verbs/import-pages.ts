import { reachesProjectRole } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { validationError, type ValidationIssue } from '../../http/input/validation.ts';
import { planLimitExceeded } from '../../plans/quota.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { PageItem } from '../../status-pages/schema.ts';
import {
  attachMonitors, changePage, checkDomain, createPage, movePage, settingsOf,
} from '../../status-pages/verbs/write-page.ts';
import type { ConfigurationDeps } from '../deps.ts';
import type { Difference } from '../difference.ts';
import {
  componentsOf, matchPage, resolveMonitors, pageDifferences, type CandidateMonitor,
} from '../page-matching.ts';
import type { PlannedMonitor } from './plan-monitors.ts';

export interface PlannedPage {
  item: PageItem;
  /** Null if the page is new. */
  current: PageDoc | null;
  /** The item's monitors, in its order. */
  named: CandidateMonitor[];
  /** Empty if the page is new. */
  differences: Difference[];
}

/**
 * Plans and validates the changes of an import to pages. Throws INSUFFICIENT_PERMISSIONS unless the caller is
 * a project admin, VALIDATION_ERROR with the paths of all invalid items, INSUFFICIENT_PLAN,
 * PLAN_LIMIT_EXCEEDED, SLUG_ALREADY_TAKEN.
 */
export async function planPages(
  deps: ConfigurationDeps, ctx: ProjectContext, items: PageItem[], monitors: PlannedMonitor[],
): Promise<PlannedPage[]> {
  if (items.length === 0) return [];
  if (!reachesProjectRole(ctx.role, 'admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', 'Only project admins can import status pages');
  }
  const existing = await deps.pages.pages.list(ctx.tenant);
  const candidates = await candidateMonitors(deps, ctx, items, monitors);
  const issues: ValidationIssue[] = [];
  const planned: PlannedPage[] = [];
  for (const [at, item] of items.entries()) {
    const refuse = (path: (string | number)[], message: string) =>
      issues.push({ code: 'custom', path: ['status_pages', at, ...path], message });
    const current = matchPage(item, existing);
    if (current === null && item.subdomain === undefined) refuse(['subdomain'], 'Required for a new page');
    const named = resolveMonitors(item, candidates);
    for (const [place, one] of named.entries()) {
      if (one === null) refuse(['monitors', place, 'monitor'], 'Unknown monitor');
    }
    const differences = current === null ? [] : pageDifferences(
      item, settingsOf(item), current, { named, names: await monitorNamesOf(deps, ctx, item, current) },
    );
    planned.push({ item, current, differences, named: named.filter((one) => one !== null) });
  }
  for (const at of repeated(planned)) {
    issues.push({ code: 'custom', path: ['status_pages', at, 'name'], message: 'Listed twice' });
  }
  if (issues.length > 0) throw validationError(issues);
  await checkLimits(deps, ctx, planned);
  return planned;
}

/** Writes the planned pages and returns their ids in the same order. Their monitors must exist. */
export async function applyPages(
  { pages: deps }: ConfigurationDeps, ctx: ProjectContext, planned: PlannedPage[],
  monitorIds: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, { item, current, differences, named }] of planned.entries()) {
    const { status, subdomain = '' } = item;
    const fields = { ...settingsOf(item), ...brandingOf(item), name: item.name };
    // Increasing times keep the document's order in lists by creation time.
    const own = { ...ctx, now: ctx.now + at };
    const isNew = current === null;
    const id = isNew ? (await createPage(deps, own, { ...fields, subdomain })).page._id : current._id;
    if (differences.some(({ field }) => field !== 'monitors' && field !== 'status')) {
      await changePage(deps, ctx, id, fields);
    }
    if (item.monitors !== undefined && (isNew || differences.some(({ field }) => field === 'monitors'))) {
      const monitors = componentsOf(item, named.map((one) => one.id ?? monitorIds[one.at ?? -1] ?? ''));
      await attachMonitors(deps, ctx, id, { monitors });
    }
    if (status !== undefined && status !== (current?.status ?? 'draft')) {
      await movePage(deps, ctx, id, status);
    }
    ids.push(id);
  }
  return ids;
}

/** Names of the page's monitors by id. Empty if the item does not change them. */
async function monitorNamesOf(
  { monitors: { monitors } }: ConfigurationDeps, { tenant }: ProjectContext, item: PageItem, page: PageDoc,
): Promise<Map<string, string>> {
  if (item.monitors === undefined) return new Map();
  const found = await monitors.findMany(tenant, page.components.map(({ monitor_id }) => monitor_id));
  return new Map(found.map(({ _id, name }) => [_id, name]));
}

/** Candidates by name: first those in the document, then the project's others, oldest first. */
async function candidateMonitors(
  { monitors: { monitors } }: ConfigurationDeps, ctx: ProjectContext, items: PageItem[],
  planned: PlannedMonitor[],
): Promise<Map<string, CandidateMonitor[]>> {
  const names = new Set(items.flatMap((item) => (item.monitors ?? []).map(({ monitor }) => monitor)));
  const changed = new Set(planned.map(({ current }) => current?._id));
  const others = (await monitors.findByNames(ctx.tenant, [...names])).filter(({ _id }) => !changed.has(_id))
    .sort((one, other) => one.created_at - other.created_at || (one._id < other._id ? -1 : 1));
  const all: CandidateMonitor[] = [
    ...planned.map(({ item, current }, at) =>
      ({ id: current?._id ?? null, at, name: item.name, target: item.target ?? current?.target ?? '' })),
    ...others.map(({ _id, name, target }) => ({ id: _id, at: null, name, target })),
  ];
  const byName = new Map<string, CandidateMonitor[]>();
  for (const one of all.filter(({ name }) => names.has(name))) {
    const namesakes = byName.get(one.name);
    if (namesakes) namesakes.push(one);
    else byName.set(one.name, [one]);
  }
  return byName;
}

/** Indexes of items that match the same page as an earlier item. */
function repeated(planned: readonly PlannedPage[]): number[] {
  const seen = new Set<string | undefined>();
  return planned.flatMap(({ item, current }, at) => {
    const key = current?.subdomain ?? item.subdomain;
    if (seen.has(key)) return [at];
    seen.add(key);
    return [];
  });
}

/** Checks the limits of single writes before anything is written. */
async function checkLimits(
  deps: ConfigurationDeps, ctx: ProjectContext, planned: PlannedPage[],
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
  if (usage + added.length > limit) throw planLimitExceeded('status page', limit, usage);
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
