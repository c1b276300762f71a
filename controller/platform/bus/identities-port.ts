/** The accounts of a NATS server in which others than controllers connect. */
export type OutsideAccount = 'PROBES' | 'SUBSCRIBERS';

/** Subjects that a user may use; all others are refused. */
export interface BusPermissions {
  publish: { allow: string[] };
  subscribe: { allow: string[] };
  /** How many replies to each message it may send, and for how long, as `60s`; absent: none. */
  allow_responses?: { max: number; expires: `${number}s` };
}

/** Somebody who may connect to NATS. */
export interface BusUser {
  account: OutsideAccount;
  /** Nkey (U…), which is the user's name too. */
  public_key: string;
  permissions: BusPermissions;
}

export interface BusIdentities {
  /**
   * Makes NATS accept exactly these users besides the controllers, and disconnect all others. Calls never
   * overlap. Resolves to false while others may still be connected: then it is to be called again soon.
   * `isLatest`: nothing has changed since these were read.
   */
  publish(users: BusUser[], isLatest: boolean): Promise<boolean>;
  /** Somebody may have got or lost an identity since: until the latest are published, others decide first. */
  invalidate(): void;
}

/** Users who are refused for a while, by their public keys. */
export interface SuspendedIdentities {
  isSuspended(key: string): boolean;
  /** Whether there are any. */
  hasSuspended(): boolean;
}
