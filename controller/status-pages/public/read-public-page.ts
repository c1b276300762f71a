import { isoTime } from '../../../shared/time.ts';
import type { Tenant } from '../../access/tenant.ts';
import { componentStatus } from '../../monitors/monitor.ts';
import { topLevelBranding } from '../branding-rules.ts';
import type { PageDeps } from '../deps.ts';
import { shownUptime } from '../page-rules.ts';
import type { PageDoc } from '../page.ts';
import type { PostDoc } from '../posts/post.ts';
import { viewPost } from '../posts/post-views.ts';
import { readComponents } from '../verbs/read-pages.ts';
import { mergeRegions } from './html/response-time-chart.ts';
import type { ComponentTimes } from './html/component-page-html.ts';
import { shownMaintenance } from './maintenance-rules.ts';
import {
  firstDay, floorPercent, framesOf, hoursOfToday, isShown, pageState, SHOWN_DAYS,
} from './public-rules.ts';
import type { PublicComponent, PublicPageView, PublicPost } from './public-view.ts';

/** Limit on the open posts that a page shows, and on the resolved ones read for it. */
const MAX_POSTS_READ = 100;

export type PublicDeps =
  Pick<PageDeps, 'pages' | 'posts' | 'monitors' | 'statistics' | 'dailyUptimes' | 'history' | 'windows'>;

export interface FoundPage {
  page: PageDoc;
  view: PublicPageView;
}

/** The public view of a page, and the page; null if none is published under this subdomain. */
export async function readPublicPage(
  deps: PublicDeps, subdomain: string, now: number,
): Promise<FoundPage | null> {
  const page = await deps.pages.findPublished(subdomain);
  return page === null ? null : { page, view: await readView(deps, page, now) };
}

/** The public view of a page, published or not. */
export async function readView(deps: PublicDeps, page: PageDoc, now: number): Promise<PublicPageView> {
  const tenant = { organizationId: page.organization_id, projectId: page.project_id };
  const [components, posts, windows] = await Promise.all([
    visibleComponents(deps, tenant, page, now),
    deps.posts.newest(tenant, page._id, MAX_POSTS_READ),
    deps.windows.ofPage(tenant, page._id),
  ]);
  const names = namesOf(components);
  const shown = {
    components,
    incidents: posts.filter((post) => isShown(post, page, now)).map((post) => publicPost(post, names)),
    maintenance: shownMaintenance(windows, names, now), as_of: isoTime(now),
  };
  return {
    name: page.name, description: page.description, subdomain: page.subdomain, timezone: page.timezone,
    color_scheme: topLevelBranding(page.branding).color_scheme, overall: pageState(shown),
    uptime_thresholds: page.uptime_thresholds, first_day: isoTime(firstDay(now)).slice(0, 10), ...shown,
    is_current: true,
  };
}

async function visibleComponents(
  deps: PublicDeps, tenant: Tenant, page: PageDoc, now: number,
): Promise<PublicComponent[]> {
  const visible = page.components.filter((component) => component.is_visible);
  const { frames, hours } = framesOf(page);
  const [entries, dailyUptimes] = await Promise.all([
    readComponents(deps, tenant, visible, [...hours, hoursOfToday(now)]),
    page.show_uptime_percentage
      ? deps.dailyUptimes.of(
        visible.map((component) => component.monitor_id), SHOWN_DAYS - 1, page.maintenance_affects_uptime,
      )
      : null,
  ]);
  return entries.map(({ component, monitor, stats }) => {
    const { live, periods: [day, ...periods] = [] } = stats ?? {};
    const uptime = () => Object.fromEntries(
      frames.map((frame, at) => [frame, floorPercent(shownUptime(page, periods[at]))]),
    );
    const daily = () => [...(dailyUptimes?.get(monitor._id) ?? []), shownUptime(page, periods.at(-1))];
    return {
      id: monitor._id, name: component.display_name ?? monitor.name, group: component.group_name,
      status: componentStatus(monitor, live),
      ...(page.show_uptime_percentage ? { uptime: uptime(), daily_uptime: daily().map(floorPercent) } : {}),
      ...(page.show_response_time ? { response_time_ms: roundMs(day?.avg_response_time) } : {}),
    };
  });
}

/** Decimals would change with each check, and with them the bytes of every reader. */
function roundMs(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms);
}

/** A post of the page, however old; null if it has none with this id. */
export async function readPublicPost(
  { posts }: PublicDeps, { page, view }: FoundPage, id: string,
): Promise<PublicPost | null> {
  const shown = view.incidents.find((post) => post.id === id);
  if (shown !== undefined) return shown;
  const { organization_id: organizationId, project_id: projectId } = page;
  const post = await posts.find({ organizationId, projectId }, page._id, id);
  return post && publicPost(post, namesOf(view.components));
}

/** The response times of a component; null if the page doesn't show them. */
export async function readComponentTimes(
  { history }: PublicDeps, { page }: FoundPage, id: string,
): Promise<ComponentTimes | null> {
  if (!page.show_response_time) return null;
  const [hours, days] =
    await Promise.all([history.responseTimes(id, 7), history.responseTimes(id, SHOWN_DAYS)]);
  return { hours: mergeRegions(hours.values()), days: mergeRegions(days.values()) };
}

function namesOf(components: readonly PublicComponent[]): Map<string, string> {
  return new Map(components.map(({ id, name }) => [id, name]));
}

/** Doesn't name monitors that are hidden or deleted. */
function publicPost(post: PostDoc, names: ReadonlyMap<string, string>): PublicPost {
  const { id, title, message, severity, status, affected_monitor_ids, ...rest } = viewPost(post);
  const { published_at, resolved_at, updates } = rest;
  const affected = affected_monitor_ids.flatMap((monitorId) => names.get(monitorId) ?? []);
  return { id, title, message, severity, status, affected, published_at, resolved_at, updates };
}
