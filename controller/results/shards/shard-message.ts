import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { ClockMessage } from '../clock/clock-scanner.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { TakenMessage } from '../intake/take-limits.ts';
import type { ClockDecision } from '../journal/journal-entry.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { JournalMessage } from './journal-writer.ts';

/** A person has resolved or closed an incident, at an instant in Unix ms. */
export interface ManualEnd {
  monitor_id: string;
  incident_id: string;
  at: number;
}

/** What a shard is told and asked. The errors below end its life; it is then loaded again, or given up. */
export type ShardMessage = JournalMessage | ClockMessage
  /** A batch from the bus. One that gets no answer is sent again by its probe. */
  | { kind: 'batch'; message: TakenMessage }
  /** Changed monitors. Answers with the ids of those that the journal has. */
  | { kind: 'configs'; configs: MonitorConfig[]; respond(journaled: string[]): void }
  /**
   * Pings of the collection. `lookedAt` (Unix ms): they are all that were stored by then; null when there may
   * be more. Answers with the ids of those whose monitor is unknown.
   */
  | { kind: 'pings'; pings: ReceivedPing[]; polledAt: number | null; respond(unknownIds: string[]): void }
  /** Incidents that people have ended. Answers with those that the journal has, or does not need. */
  | { kind: 'manualEnds'; ends: ManualEnd[]; respond(journaled: string[]): void }
  /** Journaled pings that are out of their collection now. */
  | { kind: 'pingsRemoved'; ids: string[] }
  /** A region that does not have a monitor was asked about it. */
  | { kind: 'witness'; decision: ClockDecision & { kind: 'witness' } }
  /** Some monitors may have been called down by too few regions for long enough. */
  | { kind: 'minorityDue' }
  /** The database did not answer for a while, or input was lost: silence until now means nothing. */
  | { kind: 'interrupted' }
  | { kind: 'read'; read(shard: ShardView): void };

/** What a question may read of a shard. */
export interface ShardView {
  readonly state: ShardState;
  /** Token of this life of the shard: no other life, here or elsewhere, has the same. */
  readonly writer: string;
}

/** The journal holds an entry of a later format: the shard belongs to a controller that can read it. */
export class NewerFormatError extends Error {}

/** Another controller has written this shard's journal. */
export class OvertakenError extends Error {}

/** A journal entry ended the life that loaded it. */
export class PoisonEntryError extends Error {
  readonly n: number;

  constructor(n: number, cause: unknown) {
    super(`journal entry ${n} cannot be applied`, { cause });
    this.n = n;
  }
}
