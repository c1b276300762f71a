/** Of controllers and probes: in leases, beats, results and the User-Agent. */
export const VERSION = '1.0.0-rc.1';

/** Version of all stored data. Raise it with each change after which an older Farwatch would misread it. */
export const DATA_VERSION = 1;
/** In a data directory, contains the version of its data. */
export const VERSION_FILE = 'version';

/** For the operator, about data in `place` that a newer Farwatch has written. */
export function newerDataMessage(place: string): string {
  return `${place} was written by a newer version of Farwatch. Install that version, or restore a backup made before the update`;
}
