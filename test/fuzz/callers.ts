/** A sender of requests, and what it is entitled to. */
export interface Caller {
  name: 'anonymous' | 'bad key' | 'bad token' | 'read key' | 'write key' | 'owner' | 'admin' | 'member' | 'viewer' | 'unverified' | 'outsider' | 'outsider key' | 'intruder';
  headers: Record<string, string>;
  /** Its credential is valid, whatever it permits. */
  isKnown: boolean;
  /** Belongs to the organization whose ids the requests contain. */
  isInside: boolean;
}

/** Share of requests per caller. Most come from callers with many permissions, or few would succeed. */
export const SHARES: Record<Caller['name'], number> = {
  owner: 32, 'write key': 14, admin: 10, member: 6, viewer: 5, 'read key': 7, anonymous: 7, 'bad key': 3,
  'bad token': 3, unverified: 2, outsider: 4, 'outsider key': 3, intruder: 4,
};
