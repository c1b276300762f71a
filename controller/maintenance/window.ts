import type { Managed } from '../access/managed.ts';

/** Instants are Unix ms. */
export interface Occurrence {
  starts_at: number;
  ends_at: number;
}

/** User settings of a window. Instants are Unix ms. */
export interface WindowSettings extends Occurrence {
  title: string;
  description: string | null;
  monitor_ids: string[];
  /** Status pages that show the window and notify their subscribers. */
  status_page_ids: string[];
  /** An iCalendar RRULE without the prefix `RRULE:`; null if the window does not recur. */
  recurrence: string | null;
  /** Time zone in which the recurrence keeps its local time. */
  timezone: string;
  /** Holds outage alerts until the window ends. */
  suppress_alerts: boolean;
}

/** A document of `maintenance_windows`. Every change is one write conditional on `revision`. */
export interface WindowDoc extends WindowSettings, Managed {
  _id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  created_by: string;
  /** The current occurrence and the next ones, in order; at least one unless all have ended. */
  occurrences: Occurrence[];
  /** When further occurrences must be planned; null if there are none. */
  plan_at: number | null;
  /** Monitors whose configuration does not reflect the window yet. */
  outdated_monitor_ids: string[];
  /** Announcements due up to this instant have been made. */
  announced_until: number;
  /** When the window must be processed; absent if never. */
  due_at?: number;
  /** Set while the monitors of a deleted window are being updated; then the document is removed. */
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Per project on any plan, because lists are read as a whole. Ended windows count until they are deleted. */
export const MAX_WINDOWS = 200;
/** Per window on any plan, because each change is journaled for every monitor of the window. */
export const MAX_WINDOW_MONITORS = 500;
/** Upcoming windows per monitor on any plan, because the monitor's configuration contains them all. */
export const MAX_WINDOWS_PER_MONITOR = 10;
