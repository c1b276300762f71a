import type { ActorContext } from '../../../shared/actor/actor-ref.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IgnoredMessages } from '../../probes/ignored-messages.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { DeadLetterBox } from '../dead-letters/dead-letter-box.ts';
import type { LostLanes } from '../dead-letters/lost-lanes.ts';
import type { HourStore } from '../hours/hour-store.ts';
import type { EntryBuilder } from '../intake/entry-builder.ts';
import type { TakeLimits } from '../intake/take-limits.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { CheckpointStore } from '../writing/checkpoint-store.ts';
import type { MonitorWrites, OutboxPorts } from '../writing/monitor-writes.ts';
import type { SnapshotMover, SnapshotMoverStores } from '../writing/snapshot-store.ts';
import type { WriteQueue } from '../writing/retried-writes.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { ShardMessage, ShardSummary } from './shard-message.ts';

export interface ShardStores extends OutboxPorts, SnapshotMoverStores {
  journal: Pick<JournalStore, 'insert' | 'read' | 'deleteThrough'>;
  hours: Pick<HourStore, 'read' | 'write' | 'rollDays'>;
  checkpoints: Pick<CheckpointStore, 'load' | 'begin'>;
}

/** Listeners are isolated: one that throws affects neither the shard nor the others. */
export interface ShardListeners {
  /** Called with each final entry; `replayed` while the shard is loaded. */
  onApplied: ((state: ShardState, applied: AppliedEntry, replayed: boolean) => void)[];
  /** Called with configurations that are now journaled. */
  onConfigs(configs: MonitorConfig[]): void;
}

/** Counters since the start of this controller, over all its shards. */
export interface IngestCounts {
  entries: number;
  results: number;
  /** Slots that these results report as missed. */
  missed_checks: number;
  voided: number;
  insert_failures: number;
  /** Listener calls that threw. */
  listener_failures: number;
  /** Entries whose contents were set aside because they could not be read, applied or written. */
  set_aside: number;
}

export interface ShardDeps {
  clock: Clock;
  log: Log;
  stores: ShardStores;
  limits: TakeLimits;
  journal: Pick<JournalWriter, 'schedule'>;
  deadLetters: Pick<DeadLetterBox, 'put'>;
  lostLanes: Pick<LostLanes, 'report'>;
  unknownRegions: Pick<IgnoredMessages, 'add'>;
  listeners: ShardListeners;
  counts: IngestCounts;
  /** Resolves when no shard of this controller is being loaded. */
  untilLoaded(): Promise<void>;
  /** Results from one checkpoint of a shard to the next. */
  checkpointResults: number;
  /** True for an entry that crashed an earlier instance while it was loaded. */
  isPoison(n: number): boolean;
  /** Replaces what others see of the shard. */
  publish(summary: ShardSummary): void;
}

/** What the parts of one instance of a shard share. All of them run inside its mailbox. */
export interface ShardParts {
  deps: ShardDeps;
  context: ActorContext<ShardMessage>;
  state: ShardState;
  /**
   * The same monitors as of the last entry whose results are in their hours; null if that is the last one.
   * Until then, counts are too small, and nothing may be written that claims to be complete.
   */
  catchingUp: ShardState | null;
  builder: EntryBuilder;
  writes: WriteQueue;
  monitorWrites: MonitorWrites;
  snapshots: SnapshotMover;
}
