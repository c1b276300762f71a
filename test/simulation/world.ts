import { shardStates } from '../helpers/shard-states.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { createLog, type Log } from '../../shared/log.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { ShardState } from '../../controller/results/state/shard-state.ts';
import type { TakenMessage } from '../../controller/results/intake/take-limits.ts';
import { Network } from './network.ts';
import { Random } from './random.ts';
import { SimulatedController, type ControllerHooks } from './simulated-controller.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedProcess, type Pulse } from './simulated-process.ts';
import { SimulatedProbe } from './simulated-probe.ts';
import type { ControllerStores } from './simulated-stores.ts';
import { Targets } from './targets.ts';
import { HEALTHY, type Health } from './wire.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Eight minutes before a full hour, so that blocks are written and snapshots move amid the faults. */
export const START_MS = 1_760_003_520_000;
export const MINUTE_MS = 60_000;

/** By shard: the states in memory of all controllers that believe they own it. */
export type OwnedStates = Map<number, ShardState[]>;

export interface WorldOptions {
  seed: number;
  controllers: number;
  regions: string[];
  /** Wraps a controller's stores. */
  disguise?: (stores: ControllerStores, world: World, controller: SimulatedController) => ControllerStores;
  hand?: (message: TakenMessage) => TakenMessage;
  hooks?: ControllerHooks;
  /** Level of the product's log on standard output. */
  logLevel?: string;
}

/** Controllers, probes, their database, bus and targets, all on one clock and one seed. */
export class World {
  readonly clock = new SimulatedClock(START_MS);
  readonly random: Random;
  readonly db = new SimulatedDatabase();
  readonly targets = new Targets();
  readonly pulse: Pulse = { beats: 0 };
  readonly network: Network;
  readonly controllers: SimulatedController[];
  readonly probes: SimulatedProbe[];
  /** Every configuration that users gave each monitor, in order. */
  readonly history = new Map<string, MonitorConfig[]>();
  /** When each job's ping was acknowledged, Unix ms, by monitor. */
  readonly jobs = new Map<string, number[]>();
  /** Jobs whose final ping failed in every attempt. */
  readonly lostPings: { id: string; at: number }[] = [];
  areJobsOver = false;
  health: Health = HEALTHY;
  /** Counts the actions in this world. */
  readonly faults: Record<string, number> = {};
  /** How long a dead controller stays dead, ms; null until the test starts it. */
  restartAfterMs: (() => number) | null = () => this.random.int(500, 15_000);

  constructor(options: WorldOptions) {
    this.random = new Random(options.seed);
    this.network = new Network(this.clock, this.random.fork());
    const log: Log = createLog('simulation', options.logLevel ?? 'silent');
    for (const region of options.regions) this.db.assignments.set(region, new Map());
    this.controllers = Array.from({ length: options.controllers }, (_, index) => {
      const controller: SimulatedController = new SimulatedController({
        name: `c${index + 1}`, clock: this.clock, pulse: this.pulse, random: this.random.fork(),
        network: this.network, db: this.db, log,
        health: () => this.health,
        disguise: (stores) => options.disguise?.(stores, this, controller) ?? stores,
        hand: options.hand ?? ((message) => message),
        hooks: options.hooks,
        onDeath: () => this.#died(controller),
      });
      return controller;
    });
    this.probes = options.regions.map((region) => new SimulatedProbe({
      clock: this.clock, pulse: this.pulse, random: this.random.fork(), network: this.network, db: this.db,
      targets: this.targets, probeId: this.random.uuid(), region,
    }));
  }

  start(): void {
    for (const controller of this.controllers) controller.start();
    for (const probe of this.probes) probe.start();
  }

  /** Runs a job in every period. It pings unless its target is down, and retries a few times without a response. */
  startJob(config: MonitorConfig, periodMs: number): void {
    const random = new Random(this.jobs.size + 1);
    this.jobs.set(config.monitor_id, []);
    const timer = this.clock.setRepeating(periodMs, () => {
      const now = this.db.monitors.get(config.monitor_id)?.config;
      if (this.areJobsOver) timer.cancel();
      else if (now?.status === 'active' && this.targets.isWorking(config.monitor_id, this.clock.now())) {
        this.#sendPing(now, random, 5);
      }
    });
  }

  #lost(shard: number): void {
    for (const controller of this.ownersOf(shard)) controller.shards?.interrupted(shard);
  }

  #sendPing(config: MonitorConfig, random: Random, attempts: number): void {
    const at = this.clock.now();
    let isOver = false;
    const onResponse = () => {
      isOver = true;
      this.jobs.get(config.monitor_id)?.push(at);
    };
    const again = () => {
      if (isOver) return;
      isOver = true;
      this.count('ping without response');
      if (attempts === 1) this.lostPings.push({ id: config.monitor_id, at: this.clock.now() });
      else this.clock.setTimer(500, () => this.#sendPing(config, random, attempts - 1));
    };
    // A dying process does not ping.
    this.clock.setTimer(3000, again);
    // The load balancer uses responsive controllers; if there is none, all of them are down.
    const awake = this.controllers.filter(({ isAlive, process }) => isAlive && process?.isAwake);
    random.pick(awake.length > 0 ? awake : this.controllers).ping(
      config, { kind: 'success', exit_code: null, run_id: null, body: null }, (shard) => this.#lost(shard),
    ).then(onResponse, again);
  }

  /** Advances time. Between two timers, everything they triggered runs to completion. */
  async run(forMs: number): Promise<void> {
    let isOver = false;
    this.clock.setTimer(forMs, () => {
      isOver = true;
    });
    await settled();
    while (!isOver) {
      const { beats } = this.pulse;
      this.clock.step();
      if (this.pulse.beats !== beats) await settled();
    }
  }

  /** Advances time until a condition holds; false if it does not within `forMs`. */
  async runUntil(holds: () => boolean, forMs: number): Promise<boolean> {
    for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
      if (holds()) return true;
      await this.run(100);
    }
    return holds();
  }

  count(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }

  /** Creates a monitor as a user would, in the given shard. */
  createMonitor(overrides: Partial<MonitorConfig> & { shard?: number } = {}): MonitorConfig {
    const { shard, ...settings } = overrides;
    let id = this.random.uuid();
    while (shard !== undefined && shardMap.of(id) !== shard) id = this.random.uuid();
    const config: MonitorConfig = {
      monitor_id: id, organization_id: 'organization', project_id: 'project', revision: 1, check_revision: 1,
      name: 'monitor', target: 'https://example.org/', type: 'HTTP',
      status: 'active', interval_ms: MINUTE_MS, timeout_ms: 10_000, retries: 1, quorum: 'majority', tls_warning_days: [30, 7], tls_validity: true,
      domain_warning_days: [], domain_expires_at: null,
      slow_response_threshold_ms: null,
      notification_target_ids: [], monitoring_regions: [], changed_at: this.clock.now(), ...settings,
    };
    this.#save(config);
    return config;
  }

  /** Changes a monitor as a user would. */
  changeMonitor(id: string, change: Partial<MonitorConfig>): void {
    const current = this.db.monitors.get(id);
    if (!current || current.config.status === 'deleted') return;
    const revision = current.config.revision + 1;
    this.#save({
      ...current.config, check_revision: revision, ...change, revision, changed_at: this.clock.now(),
    });
  }

  /** Controllers that currently believe they own a shard. */
  ownersOf(shard: number): SimulatedController[] {
    return this.controllers.filter(
      (controller) => controller.isAlive && controller.shards?.summaries.has(shard),
    );
  }

  /** The states of each shard in the memory of its owners. */
  async statesOfOwners(): Promise<OwnedStates> {
    const found: OwnedStates = new Map();
    for (const { isAlive, shards } of this.controllers) {
      if (!isAlive || !shards) continue;
      for (const [shard, state] of await shardStates(shards)) found.set(shard, [...(found.get(shard) ?? []), state]);
    }
    return found;
  }

  get isDrained(): boolean {
    const isOwned =
      Array.from({ length: shardMap.count }, (_, shard) => this.ownersOf(shard).length === 1).every(Boolean);
    return isOwned && this.probes.every((probe) => probe.depth === 0) &&
      [...this.db.monitors.values()].every((row) => !row.isMarked) && this.db.pings.size === 0;
  }

  /** A process of this world in addition to its controllers and probes. */
  bystander(): SimulatedProcess {
    return new SimulatedProcess(this.clock, this.pulse);
  }

  #save(config: MonitorConfig): void {
    this.history.set(config.monitor_id, [...(this.history.get(config.monitor_id) ?? []), config]);
    this.db.monitors.set(config.monitor_id, { config, isMarked: true });
  }

  #died(controller: SimulatedController): void {
    this.count('controller death');
    if (!this.restartAfterMs) return;
    this.clock.setTimer(this.restartAfterMs(), () => {
      if (!controller.isAlive) controller.start();
    });
  }
}

/** Runs ready promise callbacks, and those they make ready. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
