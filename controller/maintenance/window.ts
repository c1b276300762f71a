/** One time at which a window is open. Instants are Unix ms. */
export interface Occurrence {
  starts_at: number;
  ends_at: number;
}

/** What people set on a window. Instants are Unix ms. */
export interface WindowSettings extends Occurrence {
  title: string;
  description: string | null;
  monitor_ids: string[];
  /** Pages that tell their readers of it. */
  status_page_ids: string[];
  /** An RRULE of iCalendar, without its name; null: once. */
  recurrence: string | null;
  /** In which the recurrence counts its days, and so its times of day. */
  timezone: string;
  /** Alerts of outages wait until the window is over. */
  suppress_alerts: boolean;
}

/** A document of `maintenance_windows`. Every change is one write conditional on `revision`. */
export interface WindowDoc extends WindowSettings {
  _id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  created_by: string;
  /** The present occurrence and the next ones, in order; at least one unless all are over. */
  occurrences: Occurrence[];
  /** When further occurrences must be found; null if there are none. */
  plan_at: number | null;
  /** Monitors whose configuration lacks what the window says now. */
  outdated_monitor_ids: string[];
  /** What was due up to this instant has been announced to the readers of pages. */
  announced_until: number;
  /** When a round must look at the window; absent if never. */
  due_at?: number;
  /** Only while monitors of a deleted window are still to be told. */
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** On every plan: lists are read as a whole. Windows that are over count until they are deleted. */
export const MAX_WINDOWS = 200;
/** On every plan: each change of a window reaches the journal once for each of its monitors. */
export const MAX_WINDOW_MONITORS = 500;
/** On every plan: windows to come that name the same monitor. Its configuration contains them all. */
export const MAX_WINDOWS_PER_MONITOR = 10;
