import type { components, paths } from '../api/openapi.d.ts';

/** `created_by` is always null. */
export type StatusPage = Omit<components['schemas']['StatusPage'], 'created_by'>;
export type PageChange = NonNullable<paths['/api/projects/{projectId}/status-pages/{id}']['put']['requestBody']>['content']['application/json'];

/** Suggests a subdomain from a page's name: its letters, digits and hyphens. */
export function subdomainOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 63).replaceAll(/^-+|-+$/g, '');
}

/** A monitor on the page, in display order. */
export interface ShownMonitor {
  monitor_id: string;
  monitor_name: string;
  /** Empty: the monitor's own name. */
  display_name: string;
  /** Empty: outside all groups. */
  group_name: string;
  is_visible: boolean;
}

export function shownMonitors(monitors: readonly {
  monitor_id: string; monitor_name: string; display_name: string | null; group_name: string | null; display_order: number;
  is_visible: boolean;
}[]): ShownMonitor[] {
  return monitors.toSorted((one, other) => one.display_order - other.display_order)
    .map(({ monitor_id, monitor_name, display_name, group_name, is_visible }) => ({
      monitor_id, monitor_name, display_name: display_name ?? '', group_name: group_name ?? '', is_visible,
    }));
}

/** Moves the item at `at` by `by` positions, within the list. */
export function moveItem<T>(all: readonly T[], at: number, by: number): T[] {
  const to = Math.max(0, Math.min(all.length - 1, at + by));
  const rest = all.toSpliced(at, 1);
  return rest.toSpliced(to, 0, all[at] as T);
}

/** The request's body; the list's order is the display order. */
export function monitorsInput(all: readonly ShownMonitor[]) {
  return {
    monitors: all.map(({ monitor_id, display_name, group_name, is_visible }) => ({
      monitor_id, is_visible, display_name: orNull(display_name), group_name: orNull(group_name),
    })),
  };
}

export function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** The form's values: empty text for none, null for a missing number. */
export function settingsDraft({
  name, description, timezone, show_uptime_percentage, show_response_time, uptime_timeframes, uptime_thresholds, incident_history_days,
  maintenance_affects_uptime, allow_search_indexing, google_analytics_id, auto_publish_enabled, auto_publish_severities,
}: StatusPage) {
  return {
    name, description: description ?? '', timezone, show_uptime_percentage, show_response_time, uptime_timeframes,
    uptime_thresholds: uptime_thresholds as Record<'operational' | 'degraded', number | null>,
    incident_history_days: incident_history_days as number | null, maintenance_affects_uptime, allow_search_indexing,
    google_analytics_id: google_analytics_id ?? '', auto_publish_enabled, auto_publish_severities,
  };
}
export type SettingsDraft = ReturnType<typeof settingsDraft>;

export function settingsInput({ description, google_analytics_id, incident_history_days, uptime_thresholds, ...rest }: SettingsDraft) {
  const { operational, degraded } = uptime_thresholds;
  return {
    description: orNull(description), google_analytics_id: orNull(google_analytics_id),
    incident_history_days: incident_history_days ?? 0,
    uptime_thresholds: { operational: operational ?? 0, degraded: degraded ?? 0 }, ...rest,
  } satisfies PageChange;
}

export function brandingDraft({ color_scheme: scheme, branding = {} }: StatusPage) {
  return {
    defaultTheme: scheme, primaryColor: branding.primaryColor ?? null, logoUrl: branding.logoUrl ?? '',
    faviconUrl: branding.faviconUrl ?? '', headerText: branding.headerText ?? '', footerText: branding.footerText ?? '',
    customCss: branding.customCss ?? '',
  };
}

export function brandingInput({ logoUrl, faviconUrl, headerText, footerText, customCss, ...rest }: ReturnType<typeof brandingDraft>) {
  return {
    branding: {
      logoUrl: orNull(logoUrl), faviconUrl: orNull(faviconUrl), headerText: orNull(headerText), footerText: orNull(footerText),
      customCss: orNull(customCss), ...rest,
    },
  } satisfies PageChange;
}
