import type { ProjectRole } from '../access/tenant.ts';
import { componentStatus, shownTarget } from '../monitors/monitor.ts';
import type { ComponentView, PageView } from './responses.ts';
import { topLevelBranding } from './branding-rules.ts';
import { shownUptime } from './page-rules.ts';
import type { WholePage } from './verbs/read-pages.ts';

/** A page in a list or on its own; some counts are filled in only one of the two. */
export function viewPage(
  { page, components, visits, subscriberCount = 0 }: WholePage, role: ProjectRole, place: 'list' | 'single',
): PageView {
  const {
    _id: id, components: attached, branding, verified_domain, subdomain, status, custom_domain,
    managed_by = null, ...rest
  } = page;
  const isVerified = custom_domain !== null && custom_domain === verified_domain;
  const monitors = components.map((component) => viewComponent(page, component, role));
  const uptimes = components.map(({ stats }) => shownUptime(page, stats?.periods[0]));
  return {
    id, subdomain, status, is_public: status === 'published',
    ...topLevelBranding(branding), component_display_order: 'custom', custom_domain,
    custom_domain_verified: isVerified, ssl_enabled: isVerified,
    ssl_certificate_status: isVerified ? 'active' : null,
    subscriber_count: subscriberCount, monitor_count: place === 'list' ? attached.length : 0,
    page_views_24h: place === 'single' ? visits.day : 0, page_views_7d: place === 'list' ? visits.week : 0,
    page_views_30d: place === 'single' ? visits.month : 0,
    created_by: null, managed_by, ...rest,
    ...(monitors.length === 0 ? {} : { monitors, uptime_percentage: meanUptime(uptimes) }),
    ...(branding === null ? {} : { branding }),
  };
}

function viewComponent(
  page: WholePage['page'], { component, monitor, stats }: WholePage['components'][number], role: ProjectRole,
): ComponentView {
  const day = stats?.periods[0];
  return {
    id: monitor._id, status_page_id: page._id, show_uptime: true, show_response_time: true,
    monitor_name: monitor.name, monitor_url: shownTarget(monitor, role),
    monitor_status: componentStatus(monitor, stats?.live),
    current_uptime: Math.min(100, shownUptime(page, day) ?? 0),
    average_response_time: day?.avg_response_time ?? 0,
    ...component,
  };
}

/** Percent with one decimal, over the monitors that have an uptime; 0 if none has. */
function meanUptime(uptimes: (number | null)[]): number {
  const measured = uptimes.filter((uptime) => uptime !== null);
  const sum = measured.reduce((total, uptime) => total + Math.min(100, uptime), 0);
  return measured.length === 0 ? 0 : Math.round((sum / measured.length) * 10) / 10;
}
