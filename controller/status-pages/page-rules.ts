import type { PeriodStats } from '../results/reading/periods.ts';
import { DEFAULT_SETTINGS, type Component, type PageSettings } from './page.ts';
import type { ComponentsInput } from './schema.ts';

export const SETTINGS = ['name', ...Object.keys(DEFAULT_SETTINGS)] as (keyof PageSettings)[];

/** Picks the settings of a page. */
export function allSettings(page: PageSettings): PageSettings {
  return Object.fromEntries(SETTINGS.map((name) => [name, page[name]])) as unknown as PageSettings;
}

/** By display order; components with the same number keep the order in which they were attached. */
export function inDisplayOrder(components: readonly Component[]): Component[] {
  return [...components].sort((one, other) => one.display_order - other.display_order);
}

/** The uptime shown for a period, percent; null if it has no monitored time. */
export function shownUptime(
  { maintenance_affects_uptime: countsMaintenance }: Pick<PageSettings, 'maintenance_affects_uptime'>,
  period: PeriodStats | null | undefined,
): number | null {
  return (countsMaintenance ? period?.uptime_percentage : period?.uptime_outside_maintenance) ?? null;
}

/** The components after a replacement. Monitors that stay keep the time when they were attached. */
export function replacedComponents(
  seen: readonly Component[], requested: ComponentsInput['monitors'], now: number,
): Component[] {
  const attachedAt = new Map(seen.map((component) => [component.monitor_id, component.created_at]));
  return requested.map(({ monitor_id, display_name, group_name, display_order, is_visible }, at) => ({
    monitor_id, display_name: display_name ?? null, group_name: group_name ?? null,
    display_order: display_order ?? at, is_visible: is_visible ?? true,
    created_at: attachedAt.get(monitor_id) ?? now,
  }));
}
