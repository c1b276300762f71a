import { isoTime } from '../../../shared/time.ts';
import { runtimeStatus } from '../../monitors/rules.ts';
import { shownBranding } from '../branding-rules.ts';
import type { PageDeps } from '../deps.ts';
import { inDisplayOrder } from '../page-rules.ts';
import type { PageDoc } from '../page.ts';
import type { PostDoc } from '../posts/post.ts';
import { framesOf, isShown, overallState } from './public-rules.ts';
import type { PublicComponent, PublicPageView, PublicPost } from './public-view.ts';

/** The newest posts of a page are looked through for those that readers see. */
const MOST_POSTS_READ = 100;

export type PublicDeps = Pick<PageDeps, 'pages' | 'posts' | 'monitors' | 'statistics'>;

/** What readers see of a page, and the page; null if none is published under this subdomain. */
export async function readPublicPage(deps: PublicDeps, subdomain: string, now: number) {
  const page = await deps.pages.findPublished(subdomain);
  if (page === null) return null;
  const tenant = { organizationId: page.organization_id, projectId: page.project_id };
  const [components, { posts }] = await Promise.all([
    readComponents(deps, page),
    deps.posts.list(tenant, page._id, { status: undefined, skip: 0, limit: MOST_POSTS_READ }),
  ]);
  const names = new Map(components.map(({ id, name }) => [id, name]));
  const view: PublicPageView = {
    name: page.name, description: page.description, subdomain, timezone: page.timezone,
    color_scheme: shownBranding(page.branding).color_scheme, overall: overallState(components), components,
    incidents: posts.filter((post) => isShown(post, page, now)).map((post) => viewPost(post, names)),
    as_of: isoTime(now),
  };
  return { page, view };
}

async function readComponents(deps: PublicDeps, page: PageDoc): Promise<PublicComponent[]> {
  const visible = inDisplayOrder(page.components).filter((component) => component.is_visible);
  if (visible.length === 0) return [];
  const ids = visible.map((component) => component.monitor_id);
  const tenant = { organizationId: page.organization_id, projectId: page.project_id };
  const { frames, hours } = framesOf(page);
  const [monitors, known] =
    await Promise.all([deps.monitors.findMany(tenant, ids), deps.statistics.periods(ids, hours)]);
  const byId = new Map(monitors.map((monitor) => [monitor._id, monitor]));
  return visible.flatMap(({ monitor_id: id, display_name, group_name: group }) => {
    const monitor = byId.get(id);
    if (monitor === undefined) return [];
    const { live, periods: [day, ...periods] = [] } = known.get(id) ?? {};
    const uptime = () => Object.fromEntries(
      frames.map((frame, at) => [frame, periods[at]?.uptime_percentage ?? null]),
    );
    return [{
      id, name: display_name ?? monitor.name, group, status: runtimeStatus(monitor, live),
      ...(page.show_uptime_percentage ? { uptime: uptime() } : {}),
      ...(page.show_response_time ? { response_time_ms: day?.avg_response_time ?? null } : {}),
    }];
  });
}

/** Monitors that the page hides, or that are gone, are not named. */
function viewPost(post: PostDoc, names: ReadonlyMap<string, string>): PublicPost {
  const { _id: id, title, message, severity, status, updates } = post;
  return {
    id, title, message, severity, status,
    affected: post.affected_monitor_ids.flatMap((monitorId) => names.get(monitorId) ?? []),
    published_at: isoTime(post.published_at),
    resolved_at: post.resolved_at === null ? null : isoTime(post.resolved_at),
    updates: updates.map((update) => ({ ...update, created_at: isoTime(update.created_at) })),
  };
}
