import type { Lease } from './lease-rules.ts';

interface Sighting {
  renewal: number;
  /** When a poll first returned this renewal, monotonic ms. */
  since: number;
}

interface LeaseTrackerOptions {
  holder: string;
  /** A lease is dead when its renewal is this late. */
  maxDelayMs: number;
  /**
   * After a longer gap between polls, leases that may not have been renewed meanwhile get the full time
   * again.
   */
  maxPollGapMs: number;
}

/** Of a lease that does not say its interval: it was just acquired. */
const DEFAULT_RENEW_INTERVAL_MS = 2000;

/**
 * Detects leases of other controllers that are no longer renewed, by the local time between polls. Never
 * compares other controllers' clocks with ours.
 */
export class LeaseTracker {
  readonly #options: LeaseTrackerOptions;
  #seen = new Map<string, Sighting>();
  #polledAt = -Infinity;

  constructor(options: LeaseTrackerOptions) {
    this.#options = options;
  }

  /**
   * Classifies the leases of a poll that began at `at`, monotonic ms. `firstDueMs`: time from then until the
   * next lease is dead without a renewal; Infinity without one.
   */
  classify(leases: Lease[], at: number): { living: Lease[]; dead: Lease[]; firstDueMs: number } {
    const { holder, maxDelayMs, maxPollGapMs } = this.#options;
    const sightings = at - this.#polledAt > maxPollGapMs ? new Map<string, Sighting>() : this.#seen;
    this.#polledAt = at;
    this.#seen = new Map();
    const [living, dead]: [Lease[], Lease[]] = [[], []];
    let firstDueMs = Infinity;
    for (const lease of leases) {
      if (lease.holder === holder) {
        living.push(lease);
        continue;
      }
      const name = `${lease.shard ?? ''}/${lease.holder}`;
      const before = sightings.get(name);
      const sighting =
        before?.renewal === lease.renewed_at ? before : { renewal: lease.renewed_at, since: at };
      this.#seen.set(name, sighting);
      const { renew_interval_ms: intervalMs = DEFAULT_RENEW_INTERVAL_MS } = lease;
      const leftMs = sighting.since + intervalMs + maxDelayMs - at;
      if (leftMs > 0) firstDueMs = Math.min(firstDueMs, leftMs);
      (leftMs > 0 ? living : dead).push(lease);
    }
    return { living, dead, firstDueMs };
  }
}
