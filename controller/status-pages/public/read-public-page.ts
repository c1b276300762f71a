import { isoTime } from '../../../shared/time.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import { runtimeStatus } from '../../monitors/rules.ts';
import { shownBranding } from '../branding-rules.ts';
import type { PageDeps } from '../deps.ts';
import type { PageDoc } from '../page.ts';
import type { PostDoc } from '../posts/post.ts';
import { viewPost } from '../posts/post-views.ts';
import { readComponents } from '../verbs/read-pages.ts';
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
    visibleComponents(deps, tenant, page),
    deps.posts.list(tenant, page._id, { status: undefined, skip: 0, limit: MOST_POSTS_READ }),
  ]);
  const names = new Map(components.map(({ id, name }) => [id, name]));
  const view: PublicPageView = {
    name: page.name, description: page.description, subdomain, timezone: page.timezone,
    color_scheme: shownBranding(page.branding).color_scheme, overall: overallState(components), components,
    incidents: posts.filter((post) => isShown(post, page, now)).map((post) => publicPost(post, names)),
    as_of: isoTime(now),
  };
  return { page, view };
}

async function visibleComponents(
  deps: PublicDeps, tenant: Tenant, page: PageDoc,
): Promise<PublicComponent[]> {
  const visible = page.components.filter((component) => component.is_visible);
  const { frames, hours } = framesOf(page);
  const read = await readComponents(deps, tenant, visible, hours);
  return read.map(({ component, monitor, known }) => {
    const { live, periods: [day, ...periods] = [] } = known ?? {};
    const uptime = () => Object.fromEntries(
      frames.map((frame, at) => [frame, periods[at]?.uptime_percentage ?? null]),
    );
    return {
      id: monitor._id, name: component.display_name ?? monitor.name, group: component.group_name,
      status: runtimeStatus(monitor, live),
      ...(page.show_uptime_percentage ? { uptime: uptime() } : {}),
      ...(page.show_response_time ? { response_time_ms: day?.avg_response_time ?? null } : {}),
    };
  });
}

/** Monitors that the page hides, or that are gone, are not named. */
function publicPost(post: PostDoc, names: ReadonlyMap<string, string>): PublicPost {
  const { id, title, message, severity, status, affected_monitor_ids, ...rest } = viewPost(post);
  const { published_at, resolved_at, updates } = rest;
  const affected = affected_monitor_ids.flatMap((monitorId) => names.get(monitorId) ?? []);
  return { id, title, message, severity, status, affected, published_at, resolved_at, updates };
}
