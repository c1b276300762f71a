/** Who sends a request, and what has to become of it. */
export interface Caller {
  name: 'nobody' | 'bad key' | 'bad token' | 'read key' | 'write key' | 'owner' | 'admin' | 'member' | 'viewer' | 'unverified' | 'outsider' | 'outsider key' | 'intruder';
  headers: Record<string, string>;
  /** Known to the product, whatever it may do. */
  isKnown: boolean;
  /** Belongs to the organization whose ids the requests name. */
  isInside: boolean;
}

/**
 * How often each sends: most requests come from somebody who may do most things, else little would succeed.
 */
export const SHARES: Record<Caller['name'], number> = {
  owner: 32, 'write key': 14, admin: 10, member: 6, viewer: 5, 'read key': 7, nobody: 7, 'bad key': 3,
  'bad token': 3, unverified: 2, outsider: 4, 'outsider key': 3, intruder: 4,
};
