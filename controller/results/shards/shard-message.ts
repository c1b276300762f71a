import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { ClockMessage } from '../clock/clock-scanner.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { TakenMessage } from '../intake/take-limits.ts';
import type { ClockDecision } from '../journal/journal-store.ts';
import type { FreshResult } from '../state/entry-step.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { JournalMessage } from './journal-writer.ts';

/** A person resolved or closed an incident, at a time in Unix ms. */
export interface ManualEnd {
  monitor_id: string;
  incident_id: string;
  at: number;
}

/**
 * Messages to a shard. The errors below end this instance of the shard, which is then reloaded or
 * surrendered.
 */
export type ShardMessage = JournalMessage | ClockMessage
  /** A batch from the bus. Without a response, its probe resends it. */
  | { kind: 'batch'; message: TakenMessage }
  /** Changed monitors. Responds with the ids of the journaled ones. */
  | { kind: 'configs'; configs: MonitorConfig[]; respond(journaled: string[]): void }
  /**
   * Pings from the collection. `polledAt` (Unix ms): they are all that were stored by then; null if there may
   * be more. Responds with the ids of pings whose monitor is unknown.
   */
  | { kind: 'pings'; pings: ReceivedPing[]; polledAt: number | null; respond(unknownIds: string[]): void }
  /** Incidents ended by a person. Responds with those that are journaled, or need not be. */
  | { kind: 'manualEnds'; ends: ManualEnd[]; respond(journaled: string[]): void }
  /** Journaled pings that were removed from their collection. */
  | { kind: 'pingsRemoved'; ids: string[] }
  /** A witness vote. */
  | { kind: 'witness'; decision: ClockDecision & { kind: 'witness' } }
  /** Minority verdicts may be due. */
  | { kind: 'minorityDue' }
  /** The database did not respond for a while, or input was lost: silence until now does not count. */
  | { kind: 'interrupted' }
  | { kind: 'read'; read(shard: ShardView): void };

/** The part of a shard that queries may read. */
export interface ShardView {
  readonly state: ShardState;
  /** False while results of recent hours are missing, which are still read from the journal. */
  readonly isWhole: boolean;
  /** Token of this instance of the shard, unique across controllers and restarts. */
  readonly writer: string;
  /** Calls `follower` with the results of each further entry. */
  follow(follower: Follower): void;
}

export type Follower = (fresh: FreshResult[]) => void;

/** What others know of a loaded shard without asking it: a value that the shard replaces. */
export interface ShardSummary {
  readonly monitors: number;
  readonly isWhole: boolean;
  /** Monitors that the database currently refuses. Each is retried separately. */
  readonly setAside: number;
}

/** The journal has an entry of a later format. The shard needs a controller that can read it. */
export class NewerFormatError extends Error {}

/** Another controller has written to this shard's journal. */
export class OvertakenError extends Error {}

/** A journal entry crashed the instance that loaded it. */
export class PoisonEntryError extends Error {
  readonly n: number;

  constructor(n: number, cause: unknown) {
    super(`journal entry ${n} cannot be applied`, { cause });
    this.n = n;
  }
}
