import type { Log } from '../../shared/log.ts';
import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import { Shards } from '../../controller/results/shards/shards.ts';
import { Leases } from '../../controller/results/shards/leases.ts';
import { storePing, type PingSignal } from '../../controller/heartbeats/verbs/receive-ping.ts';
import { pingFeed } from '../../controller/results/feeds/ping-feed.ts';
import { changeFeed } from '../../controller/results/feeds/change-feed.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { TakenMessage } from '../../controller/results/intake/take-limits.ts';
import type { Listener, Network } from './network.ts';
import type { Random } from './random.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedProcess, type Pulse } from './simulated-process.ts';
import { simulatedStores, type ControllerStores } from './simulated-stores.ts';
import { Wire, type Health } from './wire.ts';
import { limitsOf } from '../helpers/take-limits.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import type { ShardDeps } from '../../controller/results/shards/shard-parts.ts';
import type { MonitorState } from '../../controller/verdicts/monitor-state.ts';
import { Peers } from '../../controller/work/peers.ts';
import type { PeriodicTask } from '../../controller/work/periodic-task.ts';
import { shardMap } from '../helpers/shard-map.ts';

export const RAW_RETENTION_MS = 30 * 24 * 3_600_000;

export interface ControllerParts {
  name: string;
  clock: SimulatedClock;
  pulse: Pulse;
  random: Random;
  network: Network;
  db: SimulatedDatabase;
  log: Log;
  health: () => Health;
  /** Called when a fault kills the process. */
  onDeath: () => void;
  /** Wraps the stores. Tests use it to remove a protocol rule. */
  disguise: (stores: ControllerStores) => ControllerStores;
  /** Wraps messages from the bus, for the same purpose. */
  hand: (message: TakenMessage) => TakenMessage;
  hooks?: ControllerHooks | undefined;
}

/** Hooks for the parts of a controller outside the ingest. */
export interface ControllerHooks {
  /** Added to a probe's timestamps, ms. */
  clockShiftMs(probeId: string): number;
  /** Called with each failure that was recorded, and its monitor's state afterwards. */
  onFailure(state: MonitorState, region: string, result: CheckResult): void;
}

/** So few that most loads begin with a checkpoint. */
const CHECKPOINT_RESULTS = 20;

/** A controller across restarts, with the real leases, ingest and marks. */
export class SimulatedController {
  readonly name: string;
  readonly #parts: ControllerParts;
  #lives = 0;
  #process: SimulatedProcess | null = null;
  #wire: Wire | null = null;
  #shards: Shards | null = null;
  #leases: Leases | null = null;
  #listener: Listener | null = null;
  #pings: PeriodicTask | null = null;
  #stores: ControllerStores | null = null;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.name = parts.name;
  }

  get process(): SimulatedProcess | null {
    return this.#process;
  }

  /** Of the process. */
  get wire(): Wire | null {
    return this.#wire;
  }

  get shards(): Shards | null {
    return this.#shards;
  }

  get isAlive(): boolean {
    return this.#process !== null && !this.#process.isDead;
  }

  start(): void {
    const { clock, pulse, random, network, db, log, health, disguise, hand, name, hooks } = this.#parts;
    // Clocks of different machines are never exactly equal.
    const process = new SimulatedProcess(clock, pulse, random.int(-2000, 2000));
    const wire = new Wire({ clock, random, process, health, kill: () => this.kill() });
    this.#process = process;
    this.#wire = wire;
    const all = disguise(simulatedStores(db, wire));
    const { leases: leaseStore, marks: markPorts, pings: pingPorts, ...stores } = all;
    const listener: Listener = { process, take: (shard, message) => shards.take(shard, hand(message)) };
    const peers = new Peers();
    const leases: Leases = new Leases({
      clock: process, log, store: leaseStore, holder: name, shardCount: shardMap.count,
      acquired: (shard) => shards.acquire(shard),
      released: (shard) => shards.release(shard),
      peers, isCutOff: () => false,
      requestShards: () => undefined,
    });
    const shards: Shards = new Shards({
      clock: process, log, random: () => 1, stores, instance: `${name}#${++this.#lives}`,
      limits: {
        ...limitsOf(RAW_RETENTION_MS),
        intakeFacts: (probeId) => ({ owner: null, hasVote: true, clockShiftMs: hooks?.clockShiftMs(probeId) ?? 0 }),
      },
      checkpointResults: CHECKPOINT_RESULTS,
      holdsLease: (shard) => leases.holds(shard),
      surrender: (shard) => void leases.surrender(shard).catch(() => undefined),
      onStarted: (shard) => network.listen(shard, listener),
      onEnded: (shard) => network.unlisten(shard, listener),
      listeners: { onApplied: hooks ? [failuresFor(hooks)] : [], onConfigs: () => marks.trigger() },
    });
    const marks: PeriodicTask = changeFeed({ clock: process, log, shards, peers, ...markPorts });
    this.#pings = pingFeed({ clock: process, log, shards, peers, source: pingPorts });
    this.#stores = all;
    this.#shards = shards;
    this.#leases = leases;
    this.#listener = listener;
    shards.start();
    leases.start();
    marks.start();
    this.#pings.start();
  }

  /** A job's request. Resolves when it gets a response, and rejects if it fails. */
  async ping(config: MonitorConfig, signal: PingSignal, lost: (shard: number) => void): Promise<void> {
    const [process, stores] = [this.#process, this.#stores];
    if (!process?.isAwake || !stores) throw new Error('no controller responds');
    const { monitor_id: _id, organization_id, project_id, revision } = config;
    const status = config.status === 'deleted' ? 'disabled' as const : config.status;
    const deps = {
      pings: stores.pings, history: { add: async () => undefined },
      shardOf: shardMap.of,
      notifyOwner: () => this.#pings?.trigger(),
      onPingLost: (monitorId: string) => lost(shardMap.of(monitorId)),
    };
    const ctx = { clientAddress: '', now: Math.floor(process.now()) };
    await storePing(deps, ctx, { _id, organization_id, project_id, status, revision }, signal);
  }

  kill(): void {
    if (!this.isAlive) return;
    this.#process?.die();
    for (let shard = 0; shard < 16; shard += 1) {
      this.#parts.network.unlisten(shard, this.#listener as Listener);
    }
    this.#parts.onDeath();
  }

  /** SIGTERM: releases everything in order, then exits. */
  async stop(): Promise<void> {
    const process = this.#process;
    // A process that does not exit within 10 s is killed.
    this.#parts.clock.setTimer(10_000, () => void (process === this.#process && this.kill()));
    await this.#pings?.stop();
    await this.#shards?.stop();
    // A lease that could not be released expires.
    await this.#leases?.stop().catch(() => undefined);
    if (process === this.#process) this.kill();
  }
}

/** Like the failure events of `ResultsService`. */
function failuresFor({ onFailure }: ControllerHooks): ShardDeps['listeners']['onApplied'][number] {
  return ({ monitors }, { fresh }, replayed) => {
    if (replayed) return;
    for (const { region, result } of fresh) {
      const monitor = result.outcome === 'failure' ? monitors.get(result.monitor_id) : undefined;
      if (monitor) onFailure(monitor.state, region, result);
    }
  };
}
