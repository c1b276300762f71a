import type { ActorContext, Behaviour } from '../../../shared/actor/actor-ref.ts';
import { EntryBuilder } from '../intake/entry-builder.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { StateRecord } from '../state/records.ts';
import { ShardState } from '../state/shard-state.ts';
import { markSaved, MonitorWrites } from '../writing/monitor-writes.ts';
import { SnapshotMover } from '../writing/snapshot-store.ts';
import { WriteQueue } from '../writing/retried-writes.ts';
import { Checkpointer } from './checkpointer.ts';
import { ClockDuties } from './clock-duties.ts';
import { EntryApplier, ShardIntake } from './shard-intake.ts';
import type { Follower, ShardMessage, ShardView } from './shard-message.ts';
import type { ShardDeps, ShardParts } from './shard-parts.ts';

/** One instance of a loaded shard: its input, its state, and its outstanding writes. */
export class Shard implements Behaviour<ShardMessage>, ShardView {
  readonly writer: string;
  readonly state: ShardState;
  readonly #parts: ShardParts;
  readonly #checkpointer: Checkpointer;
  readonly #duties: ClockDuties;
  readonly #applier: EntryApplier;
  readonly #intake: ShardIntake;

  private constructor(
    deps: ShardDeps, context: ActorContext<ShardMessage>, states: { state: ShardState; base: ShardState },
    writer: string,
  ) {
    const { state, base } = states;
    const { clock, log, stores, limits } = deps;
    this.state = state;
    this.writer = writer;
    this.#parts = {
      deps, context, state, catchingUp: base === state ? null : base,
      builder: new EntryBuilder(
        state, writer, limits, (message) => context.enqueue({ kind: 'batch', message }),
      ),
      writes: new WriteQueue({ clock, log, shard: state.shard }),
      monitorWrites: new MonitorWrites({
        clock, log, stores, onWritten: ({ monitor_id: id, position }) => this.#written(id, position),
      }),
      snapshots: new SnapshotMover({
        clock, stores, maxRawRetentionMs: limits.maxRawRetentionMs, state, base,
      }),
    };
    this.#checkpointer = new Checkpointer(this.#parts);
    this.#duties = new ClockDuties(this.#parts);
    this.#applier = new EntryApplier(this.#parts, this.#duties);
    this.#intake = new ShardIntake(this.#parts, this.#applier, this.#duties);
  }

  /**
   * Loads a shard: its snapshot, its monitors' states and pending effects, and the journal after the
   * snapshot; or, with a checkpoint, the journal after that, and the results before it later.
   * @throws NewerFormatError; Error if the database did not respond or the journal moved meanwhile (retry).
   */
  static async load(
    shard: number, writer: string, deps: ShardDeps, context: ActorContext<ShardMessage>,
  ): Promise<Shard> {
    const { stores } = deps;
    const snapshot = await stores.snapshots.load(shard);
    const checkpoint = await stores.checkpoints.load(shard, snapshot.n);
    const records = await stores.states.load(shard, checkpoint?.n ?? null);
    const state = checkpoint
      ? ShardState.fromCheckpoint(shard, checkpoint, records)
      : new ShardState(shard, snapshot, records);
    const base = checkpoint ? new ShardState(shard, snapshot, [], state.monitors) : state;
    const loaded = new Shard(deps, context, { state, base }, writer);
    await loaded.#carryOut(records.filter(({ outbox }) => outbox.length > 0));
    await loaded.#applier.replay();
    loaded.#duties.interrupted();
    loaded.#publish();
    if (!loaded.isWhole) void loaded.#catchUp();
    return loaded;
  }

  get isWhole(): boolean {
    return this.#parts.catchingUp === null;
  }

  follow(follower: Follower): void {
    this.#applier.follow(follower);
  }

  receive(message: ShardMessage): void {
    const [intake, duties] = [this.#intake, this.#duties];
    switch (message.kind) {
      case 'batch':
        intake.take(message.message);
        break;
      case 'configs':
        message.respond(intake.noteConfigs(message.configs));
        break;
      case 'pings':
        message.respond(intake.notePings(message.pings, message.polledAt));
        break;
      case 'manualEnds':
        message.respond(intake.noteManualEnds(message.ends));
        break;
      case 'pingsRemoved':
        for (const id of message.ids) this.state.pings.delete(id);
        return;
      case 'nextEntry':
        message.respond(intake.nextEntry());
        break;
      case 'inserted':
        intake.settle(message.outcome, message.snapshotN);
        this.#publish();
        message.respond();
        break;
      case 'witness':
        intake.noteDecisions([message.decision]);
        break;
      case 'minorityDue':
        duties.acceptMinorities();
        break;
      case 'interrupted':
        return duties.interrupted();
      case 'beginScan':
        this.#publish();
        if (this.isWhole) this.#checkpointer.writeIfDue(this.#applier.results);
        message.respond(duties.beginScan(message.mayCloseHour));
        break;
      case 'scan':
        message.respond(duties.scan(message.limit));
        break;
      case 'read':
        return message.read(this);
    }
    intake.schedule();
  }

  /** Flushes the queue. The next instance writes what the database does not accept now. */
  async close(): Promise<void> {
    this.#duties.stop();
    await this.#parts.writes.stop();
    await this.#parts.monitorWrites.stop();
    await this.#checkpointer.stop();
  }

  /** After each entry, and with each scan for what is written between two entries. */
  #publish(): void {
    this.#parts.deps.publish({
      monitors: this.state.monitors.size,
      isWhole: this.isWhole,
      setAside: this.#parts.monitorWrites.aside + this.#duties.setAsideCount,
    });
  }

  async #catchUp(): Promise<void> {
    try {
      await this.#applier.catchUp();
      this.#publish();
    } catch (error) {
      this.#parts.context.fail(error);
    }
  }

  /** Carries out effects that an earlier instance stored but did not finish. */
  #carryOut(records: StateRecord[]): Promise<void> {
    for (const { monitor_id: id } of records) (this.state.monitors.get(id) as LiveMonitor).queued += 1;
    return this.#parts.monitorWrites.write(records);
  }

  #written(monitorId: string, position: number): void {
    const monitor = this.state.monitors.get(monitorId);
    if (!monitor) return;
    monitor.queued -= 1;
    markSaved(monitor, position);
  }
}
