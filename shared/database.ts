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

export const SHARDED = Object.freeze({
  problem: 'The database is a sharded cluster, behind a mongos, which Farwatch does not support',
  remedy: 'Use a replica set that is not sharded.',
});

/** Whether a server that responds like this to `hello` is a mongos, the router of a sharded cluster. */
export function isSharded(hello: { readonly msg?: unknown }): boolean {
  return hello.msg === 'isdbgrid';
}
