/** What can change. A marker is not found by checks: users and deployments send it. */
export const CHANGE_KINDS =
  ['addresses', 'name_servers', 'certificate', 'redirects', 'header', 'marker'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change as users see it. */
export interface Change {
  /** Unix ms. */
  at: number;
  /** Those that saw it, the first one first. */
  regions: string[];
  kind: ChangeKind;
  before: string[];
  after: string[];
}

/** A document of `target_changes`: something that checks found changed at a monitor's target. */
export interface ChangeDoc extends Change {
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
}

/** A document of `markers`: text about monitors at one time, such as the version of a deployment. */
export interface MarkerDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  text: string;
  /** Unix ms. */
  at: number;
  monitor_ids: string[];
  tags: string[];
  /** Whether it is about all monitors, because neither list names any. */
  is_for_all: boolean;
}

/** Values that some regions saw last. */
interface CurrentValues {
  values: string[];
  regions: string[];
}

/** What a monitor's target has had of one kind, so that only what is new is a change. */
export interface SeenKind {
  /** A kind of change; headers are apart: `header:server`. */
  name: string;
  /** Addresses, or hashes of the values together; the latest last. */
  known: string[];
  current: CurrentValues[];
  /** When the latest new values were seen, whether or not they were a change. Unix ms, oldest first. */
  novelties: number[];
  /** The latest change, which regions join that see it later. */
  latest?: { id: string; at: number; values: string[]; regions: string[] };
}

/** A document of `seen_targets`; `_id` is the monitor. */
export interface SeenDoc {
  _id: string;
  /** Of the last sighting that it includes. */
  position: number;
  /** Settings that change the check make everything new. */
  check_revision: number;
  kinds: SeenKind[];
}
