/** What can change. Checks find all but markers, which users and deployments send. */
export const CHANGE_KINDS =
  ['addresses', 'name_servers', 'certificate', 'redirects', 'header', 'marker'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change as users see it. */
export interface Change {
  /** Unix ms. */
  at: number;
  /** In the order in which they saw it. */
  regions: string[];
  kind: ChangeKind;
  before: string[];
  after: string[];
}

/** A document of `target_changes`: a change of a monitor's target that checks found. */
export interface ChangeDoc extends Change {
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
}

/** A document of `markers`: a text about monitors at one time, such as a deployed version. */
export interface MarkerDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  text: string;
  /** Unix ms. */
  at: number;
  monitor_ids: string[];
  tags: string[];
  /** Whether it is about all monitors, because both lists are empty. */
  is_for_all: boolean;
}

/** The latest values of some regions. */
interface CurrentValues {
  values: string[];
  regions: string[];
}

/** The known values of one kind of a monitor's target. Only others are a change. */
export interface SeenKind {
  /** A kind of change; for headers, one name per header: `header:server`. */
  name: string;
  /** Addresses, or hashes of combined values; the latest last. */
  known: string[];
  current: CurrentValues[];
  /** When new values were last seen, changes or not. Unix ms, oldest first. */
  novelties: number[];
  /** The latest change, to which regions that see it later are added. */
  latest?: { id: string; at: number; values: string[]; regions: string[] };
}

/** A document of `seen_targets`; `_id` is the monitor. */
export interface SeenDoc {
  _id: string;
  /** Of the last sighting included. */
  position: number;
  /** After a change to the check, all values are new. */
  check_revision: number;
  kinds: SeenKind[];
}
