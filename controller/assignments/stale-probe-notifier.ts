import { z } from 'zod';
import { MAX_BEAT_BYTES } from '../../shared/contracts/beat.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { TokenBuckets } from '../../shared/token-buckets.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { Announcer } from './announcer.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentHistoryCache } from './assignment-history-cache.ts';

/** One comparison per probe in 4 s: a probe beats every 5 s, and each costs a database read and a message. */
const CHECK_RATE = { perSecond: 0.25, burst: 1 };
const heldRevision = z.object({ revision: z.int().min(0) });

interface StaleProbeNotifierDeps {
  bus: Bus;
  directory: FleetDirectory;
  heads: Pick<HeadStore, 'find'>;
  assignments: Pick<AssignmentHistoryCache, 'revisionOf'>;
  announcer: Announcer;
  clock: Clock;
  log: Log;
}

/**
 * Notifies probes whose beat shows a different revision than the database. One controller handles each beat.
 */
export class StaleProbeNotifier {
  readonly #deps: StaleProbeNotifierDeps;
  readonly #checkRate = new TokenBuckets(CHECK_RATE);
  #subscription: BusSubscription | null = null;

  constructor(deps: StaleProbeNotifierDeps) {
    this.#deps = deps;
  }

  start(): void {
    const onBeat = (message: BusMessage) => this.#onBeat(message);
    this.#subscription = this.#deps.bus.subscribe(subjects.beatOfAll, onBeat, { queue: 'behind' });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
  }

  #onBeat(message: BusMessage): void {
    const from = probeOfSubject(message.subject);
    if (!from || !this.#checkRate.take(from.probeId, 1, this.#deps.clock.monotonic())) return;
    const held = decodeJson(heldRevision, message.data, MAX_BEAT_BYTES);
    if (!held) return;
    const cached = this.#deps.assignments.revisionOf(from.probeId);
    // The cache is seconds old, so only the database can tell which side is behind.
    if (held.revision !== cached) void this.#compare(from.probeId, held.revision).catch(() => undefined);
  }

  async #compare(probeId: string, held: number): Promise<void> {
    const { announcer, directory, heads, log } = this.#deps;
    const probe = directory.enrolled(probeId);
    if (!probe) return;
    const { head } = await heads.find(probeId);
    if (head === held) return;
    // A probe that is ahead has the set of a lost database. Only a revision above its own shows it a gap.
    announcer.announceRevision(probe, Math.max(head, held + 1));
    if (held > head) log.warn({ probe_id: probeId, held, head }, 'a probe is ahead of the database');
  }
}
