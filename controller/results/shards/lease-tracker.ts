import type { Lease } from './lease-rules.ts';

interface Sighting {
  renewal: number;
  /** When a look first showed this renewal, monotonic ms. */
  since: number;
}

interface LeaseTrackerOptions {
  holder: string;
  /** A lease is dead when looks show no renewal for this long. */
  deadAfterMs: number;
  /** After a longer pause between looks, whoever could not renew meanwhile gets the whole time again. */
  maxPollGapMs: number;
}

/**
 * Finds the leases of other controllers that are no longer renewed, by the time that passes here between
 * looks. What the clocks of others say is never compared with ours.
 */
export class LeaseTracker {
  readonly #options: LeaseTrackerOptions;
  #seen = new Map<string, Sighting>();
  #polledAt = -Infinity;

  constructor(options: LeaseTrackerOptions) {
    this.#options = options;
  }

  /**
   * Judges what a look has shown that began at `at`, monotonic ms. `firstDueMs` is the time from then until
   * the next lease is dead if nobody renews it; Infinity without one.
   */
  classify(leases: Lease[], at: number): { living: Lease[]; dead: Lease[]; firstDueMs: number } {
    const { holder, deadAfterMs, maxPollGapMs } = this.#options;
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
        before?.renewal === lease.expires_at ? before : { renewal: lease.expires_at, since: at };
      this.#seen.set(name, sighting);
      const leftMs = sighting.since + deadAfterMs - at;
      if (leftMs > 0) firstDueMs = Math.min(firstDueMs, leftMs);
      (leftMs > 0 ? living : dead).push(lease);
    }
    return { living, dead, firstDueMs };
  }
}
