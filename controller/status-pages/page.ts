import { parsedUrl } from '../../shared/net-guard.ts';
import type { Managed } from '../access/managed.ts';

export const COLOR_SCHEMES = ['light', 'dark', 'system'] as const;
export const TIMEFRAMES = ['24h', '7d', '30d', '90d'] as const;
export const SEVERITIES = ['minor', 'major', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * Whether an image URL's host is safe in the Content-Security-Policy header, where `;` and `,` would start
 * another directive or policy.
 */
export function hasPlainHost(url: string): boolean {
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(parsedUrl(url)?.hostname ?? '');
}

/** Unset fields are absent. */
export interface Branding {
  defaultTheme?: (typeof COLOR_SCHEMES)[number];
  /** `#rrggbb`. */
  primaryColor?: string;
  logoUrl?: string;
  faviconUrl?: string;
  customCss?: string;
  headerText?: string;
  footerText?: string;
}

/** A monitor as a page shows it. */
export interface Component {
  monitor_id: string;
  /** Null: the monitor's own name. */
  display_name: string | null;
  /** Null: outside all groups. */
  group_name: string | null;
  display_order: number;
  is_visible: boolean;
  /** When it was attached, Unix ms. */
  created_at: number;
}

export const PUBLICATIONS = ['draft', 'published', 'archived'] as const;
export type Publication = (typeof PUBLICATIONS)[number];

/** The settings of a page, apart from its subdomain, branding and monitors. */
export interface PageSettings {
  name: string;
  description: string | null;
  show_uptime_percentage: boolean;
  show_response_time: boolean;
  timezone: string;
  allow_search_indexing: boolean;
  uptime_timeframes: (typeof TIMEFRAMES)[number][];
  /** Minimum uptime percentages for a day to count as operational or as degraded. */
  uptime_thresholds: { operational: number; degraded: number };
  incident_history_days: number;
  maintenance_affects_uptime: boolean;
  google_analytics_id: string | null;
  custom_domain: string | null;
  auto_publish_enabled: boolean;
  auto_publish_severities: Severity[];
}

/** A document of `status_pages`. Instants are Unix ms. */
export interface PageDoc extends PageSettings, Managed {
  _id: string;
  organization_id: string;
  project_id: string;
  /** Unique across all pages. */
  subdomain: string;
  status: Publication;
  /** Null: never set. */
  branding: Branding | null;
  components: Component[];
  /** The domain last proven by DNS; the custom domain is verified while both are equal. */
  verified_domain: string | null;
  /** First publication. */
  last_published_at: number | null;
  created_at: number;
  updated_at: number;
}

export const DEFAULT_SETTINGS: Omit<PageSettings, 'name'> = {
  description: null, show_uptime_percentage: true, show_response_time: true, timezone: 'UTC',
  allow_search_indexing: true, uptime_timeframes: [...TIMEFRAMES],
  uptime_thresholds: { operational: 99.9, degraded: 95 }, incident_history_days: 7,
  maintenance_affects_uptime: false, google_analytics_id: null, custom_domain: null,
  auto_publish_enabled: true, auto_publish_severities: ['critical', 'major'],
};

/** On every plan: a page shows all of its monitors at once. */
export const MAX_COMPONENTS = 500;
