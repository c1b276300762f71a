/** The database of an installation whose URL names none. */
export const DEFAULT_DATABASE = 'farwatch';

/** The database that a connection string names; without one, the default. */
export function databaseOf(url: string): string {
  const [, name] = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url) ?? [];
  return name === undefined ? DEFAULT_DATABASE : decodeURIComponent(name);
}

/**
 * In a database that `farwatch restore` or `farwatch move` is filling. Controllers refuse to start on such a
 * database.
 */
export const UNFINISHED_COPY = Object.freeze({ collection: 'settings', id: 'unfinished_copy' });
