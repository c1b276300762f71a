/** The accounts of a NATS server that are not for controllers. */
export type OutsideAccount = 'PROBES' | 'SUBSCRIBERS';

/** Subjects that a user may use; all others are refused. */
export interface BusPermissions {
  publish: { allow: string[] };
  subscribe: { allow: string[] };
  /** Number of replies allowed per message, and for how long, as in `60s`. None if absent. */
  allow_responses?: { max: number; expires: `${number}s` };
}

/** A user who may connect to NATS. */
export interface BusUser {
  account: OutsideAccount;
  /** Nkey (U…), also the user's name. */
  public_key: string;
  permissions: BusPermissions;
}

export interface BusIdentities {
  /**
   * Admits exactly these users besides the controllers and disconnects all others. Calls never overlap.
   * Resolves to false while others may still be connected; call it again soon. `isLatest`: nothing has
   * changed since `users` was read.
   */
  publish(users: BusUser[], isLatest: boolean): Promise<boolean>;
  /** Identities may have changed: until the next `publish`, other controllers decide first. */
  invalidate(): void;
}

/** Temporarily refused users, by public key. */
export interface SuspendedIdentities {
  isSuspended(key: string): boolean;
  hasSuspended(): boolean;
}
