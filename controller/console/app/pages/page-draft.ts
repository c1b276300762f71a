/** A subdomain made of a page's name: its letters, digits and hyphens. */
export function subdomainOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 63).replaceAll(/^-+|-+$/g, '');
}

/** What a page says of a monitor, in the page's order. */
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

/** With the one at this place moved by some places, as far as there are any. */
export function moved<T>(all: readonly T[], at: number, by: number): T[] {
  const to = Math.max(0, Math.min(all.length - 1, at + by));
  const rest = all.toSpliced(at, 1);
  return rest.toSpliced(to, 0, all[at] as T);
}

/** The request's body; the order is that of the list. */
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
